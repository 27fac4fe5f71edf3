// A recurring schedule, its runs and its preview as JSON, in and out.
import { Type, type Static } from 'typebox'
import { showDate } from '../../domain/dates.ts'
import { FREQUENCIES, MONTH_ANCHORS } from '../../domain/recurrence.ts'
import { RUN_STATUSES, SCHEDULE_STATUSES, SCHEDULED_KINDS } from '../../domain/schedule.ts'
import { TEMPLATE_VARIABLES } from '../../domain/template-variables.ts'
import type { RunRow, ScheduleRow } from '../../models/recurring.ts'
import { DocumentDate, Id, Name, nullable, optional, Reference, Timestamp } from './fields.ts'
import { Warnings } from './warning.ts'

const TemplatePayload = Type.Unsafe<Record<string, unknown>>(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description:
        'The body of the call that creates the document. Its date is that of the occurrence; a due_date keeps its distance to the date. ' +
        `Names, descriptions, notes and references may contain ${TEMPLATE_VARIABLES.map((name) => `{{${name}}}`).join(', ')}.`,
    },
  ),
)

const fields = {
  name: Name(200),
  frequency: Type.Enum([...FREQUENCIES]),
  interval: Type.Integer({ minimum: 1, maximum: 1_000, default: 1 }),
  month_anchor: Type.Enum([...MONTH_ANCHORS], {
    default: 'START_DAY',
    description:
      'START_DAY keeps the day of start_date, or the last day of a shorter month; LAST_DAY is the last day of each month.',
  }),
  start_date: DocumentDate,
  end_date: Type.String({ ...DocumentDate, description: 'The last day, which still counts.' }),
  template_entity_id: Type.String({
    ...Reference,
    description: 'A document to copy. Either this or template_payload.',
  }),
  template_payload: TemplatePayload,
  max_runs: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  auto_approve: Type.Boolean({
    description: 'Whether invoices and bills are approved; true in template_payload has the same effect.',
  }),
  auto_charge: Type.Boolean({ description: 'Whether each invoice gets an online payment link; for invoices alone.' }),
  is_active: Type.Boolean({ default: true }),
}

export const NewSchedule = Type.Object(
  {
    // The shape accepts any text, because an unknown type is answered with the list of valid ones (decisions §10).
    entity_type: Type.String({ maxLength: 100, description: `${SCHEDULED_KINDS.join(', ')}.` }),
    name: fields.name,
    frequency: fields.frequency,
    interval: optional(fields.interval),
    month_anchor: optional(fields.month_anchor),
    start_date: fields.start_date,
    end_date: optional(fields.end_date),
    template_entity_id: optional(fields.template_entity_id),
    template_payload: optional(fields.template_payload),
    max_runs: optional(fields.max_runs),
    auto_approve: optional(fields.auto_approve),
    auto_charge: optional(fields.auto_charge),
    is_active: optional(fields.is_active),
  },
  {
    description: 'Exactly one of template_entity_id and template_payload is required.',
    examples: [
      {
        entity_type: 'INVOICE',
        name: 'Rent of the shop',
        frequency: 'MONTHLY',
        start_date: '2026-12-01',
        template_payload: {
          customer_id: 'the contact_id of a customer',
          place_of_supply: 'IN-KA',
          auto_approve: true,
          notes: 'Rent from {{period_start}} to {{period_end}}',
          line_items: [{ name: 'Rent {{month}} {{year}}', quantity: 1, rate: 25000 }],
        },
      },
    ],
  },
)

export const ScheduleChanges = Type.Object(
  {
    name: Type.Optional(fields.name),
    frequency: Type.Optional(fields.frequency),
    interval: optional(fields.interval),
    month_anchor: optional(fields.month_anchor),
    start_date: Type.Optional(fields.start_date),
    end_date: optional(fields.end_date),
    template_entity_id: optional(fields.template_entity_id),
    template_payload: optional(fields.template_payload),
    max_runs: optional(fields.max_runs),
    auto_approve: optional(fields.auto_approve),
    auto_charge: optional(fields.auto_charge),
    is_active: optional(fields.is_active),
    next_run_at: optional(
      Type.String({
        ...DocumentDate,
        description: 'The date of the next occurrence, from which the others are counted.',
      }),
    ),
  },
  { examples: [{ interval: 2, end_date: '2027-12-31' }] },
)

export const Schedule = Type.Object({
  recurring_id: Id,
  entity_type: Type.Enum([...SCHEDULED_KINDS]),
  name: Type.String(),
  frequency: Type.Enum([...FREQUENCIES]),
  interval: Type.Integer(),
  month_anchor: Type.Enum([...MONTH_ANCHORS]),
  start_date: Timestamp,
  end_date: nullable(Timestamp),
  next_run_at: nullable(Timestamp),
  last_run_at: nullable(Timestamp),
  is_active: Type.Boolean(),
  status: Type.Enum([...SCHEDULE_STATUSES]),
  template_entity_id: nullable(Id),
  template_payload: nullable(TemplatePayload),
  run_count: Type.Integer({ description: 'The documents that it has generated.' }),
  max_runs: nullable(Type.Integer()),
  auto_approve: Type.Boolean(),
  auto_charge: Type.Boolean(),
  last_error: nullable(Type.String({ description: 'Why the latest run failed; null once one succeeds.' })),
  created_time: Timestamp,
  last_modified_time: Timestamp,
})

export function showSchedule(row: ScheduleRow): Static<typeof Schedule> {
  return {
    recurring_id: row.id,
    entity_type: row.entity_type,
    name: row.name,
    frequency: row.frequency,
    interval: row.interval_count,
    month_anchor: row.month_anchor,
    start_date: showDate(row.start_date),
    end_date: row.end_date === null ? null : showDate(row.end_date),
    next_run_at: row.next_run_at?.toISOString() ?? null,
    last_run_at: row.last_run_at?.toISOString() ?? null,
    is_active: row.status === 'ACTIVE',
    status: row.status,
    template_entity_id: row.template_entity_id,
    template_payload: row.template_payload,
    run_count: row.run_count,
    max_runs: row.max_runs,
    auto_approve: row.auto_approve,
    auto_charge: row.auto_charge,
    last_error: row.last_error,
    created_time: row.created_time.toISOString(),
    last_modified_time: row.last_modified_time.toISOString(),
  }
}

export const Run = Type.Object({
  run_id: Id,
  occurrence: Type.Integer({ description: 'The number of the occurrence, from 1 on.' }),
  status: Type.Enum([...RUN_STATUSES]),
  period_start: Timestamp,
  period_end: Timestamp,
  document_date: Timestamp,
  generated_entity_id: nullable(Id),
  generated_number: nullable(Type.String({ description: 'The number of the document.' })),
  error: nullable(Type.String({ description: 'Why the run failed.' })),
  error_code: nullable(Type.String({ description: 'A code of GET /errors.' })),
  error_field: nullable(Type.String({ description: 'The field of the document that the failure is about.' })),
  error_details: nullable(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'As the call that creates the document answers them; several problems as `errors`.',
      },
    ),
  ),
  warnings: Warnings,
  manual: Type.Boolean({ description: 'Whether a caller has asked for the run.' }),
  retry_of: nullable(Type.String({ format: 'uuid', description: 'The failed run that this one repeats.' })),
  started_at: Timestamp,
})

export function showRun(row: RunRow): Static<typeof Run> {
  return {
    run_id: row.id,
    occurrence: row.occurrence,
    status: row.status,
    period_start: showDate(row.period_start),
    period_end: showDate(row.period_end),
    document_date: showDate(row.document_date),
    generated_entity_id: row.generated_entity_id,
    generated_number: row.generated_number,
    error: row.error,
    error_code: row.error_code,
    error_field: row.error_field,
    error_details: row.error_details,
    warnings: row.warnings,
    manual: row.manual,
    retry_of: row.retry_of,
    started_at: row.started_at.toISOString(),
  }
}

export const PreviewedRun = Type.Object({
  occurrence: Type.Integer(),
  date: Timestamp,
  run_at: Timestamp,
})
