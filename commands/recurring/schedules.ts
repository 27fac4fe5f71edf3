// The commands on recurring schedules: create, change, pause, resume, delete.
import { isDeepStrictEqual } from 'node:util'
import { dateInZone } from '../../domain/dates.ts'
import { fault, invalidState } from '../../domain/faults.ts'
import { changedFields, type Answered, type Sent } from '../../domain/fixed-fields.ts'
import { scheduleDate, type Frequency, type MonthAnchor } from '../../domain/recurrence.ts'
import { MAX_SCHEDULES, scheduledKind, type ScheduledKind } from '../../domain/schedule.ts'
import { movedTo, recounted, settled, skippedPast, type StateChanges } from '../../domain/schedule-state.ts'
import type { TickTime } from '../../domain/tick.ts'
import { countOpenSchedules, schedules, type ScheduleRow } from '../../models/recurring.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { checkSchedule, checkTemplate, templateColumns } from './schedule-checks.ts'
import { record, scheduleOf, signal } from './schedule-entries.ts'
import type { TemplateBody } from './templates.ts'

/** The body of POST /recurring. Dates as the wire sends them. */
export interface NewSchedule {
  entity_type: string
  name: string
  frequency: Frequency
  interval?: number | null
  month_anchor?: MonthAnchor | null
  start_date: string
  end_date?: string | null
  template_entity_id?: string | null
  template_payload?: TemplateBody | null
  max_runs?: number | null
  auto_approve?: boolean | null
  auto_charge?: boolean | null
  is_active?: boolean | null
}

export type ScheduleChanges = Partial<Omit<NewSchedule, 'entity_type'>> & { next_run_at?: string | null }

/** What the commands need besides the books: when schedules run, and the check of a payload's shape, which the API has. */
export interface ScheduleContext {
  tick: TickTime
  /** The payload with its known fields alone. Throws validation.failed with the fields below template_payload. */
  payloadOf(kind: ScheduledKind, payload: Record<string, unknown>, startDate: string): TemplateBody
}

const CHANGEABLE = [
  'name',
  'frequency',
  'interval',
  'month_anchor',
  'start_date',
  'end_date',
  'template_entity_id',
  'max_runs',
  'auto_approve',
  'auto_charge',
  'is_active',
  'next_run_at',
] as const satisfies (keyof ScheduleChanges)[]
// A change of one of these counts the occurrences anew.
const RULE = ['frequency', 'interval', 'month_anchor', 'start_date'] as const
const TEMPLATE = ['template_entity_id', 'template_payload'] as const

/**
 * Creates a schedule, whose first occurrence is on its start date (specification, "Recurring schedules"). Its workflow is
 * started after the commit. Throws not_found.resource for a template that is not the organisation's,
 * validation.required_field unless there is one template, conflict.limit_reached beyond MAX_SCHEDULES, and
 * validation.invalid_value as checkSchedule does.
 */
export async function createSchedule(
  books: Books,
  input: NewSchedule,
  { tick, payloadOf }: ScheduleContext,
): Promise<ScheduleRow> {
  const kind = scheduledKind(input.entity_type)
  if ((await countOpenSchedules(books, MAX_SCHEDULES)) >= MAX_SCHEDULES) throw tooMany()
  const start = scheduleDate(input.start_date)
  const template = templateColumns(input)
  const payload = template.template_payload && payloadOf(kind, template.template_payload, start)
  const columns = {
    entity_type: kind,
    name: input.name,
    frequency: input.frequency,
    interval_count: input.interval ?? 1,
    month_anchor: input.month_anchor ?? 'START_DAY',
    start_date: start,
    end_date: input.end_date == null ? null : scheduleDate(input.end_date),
    ...template,
    template_payload: payload,
    auto_approve: input.auto_approve ?? false,
    auto_charge: input.auto_charge ?? false,
    max_runs: input.max_runs ?? null,
    status: (input.is_active ?? true) ? ('ACTIVE' as const) : ('PAUSED' as const),
    run_count: 0,
    failures: 0,
    last_error: null,
    anchor_date: start,
    anchor_occurrence: 1,
    next_occurrence: 1,
    last_date: null,
    next_run_at: null,
    not_before: null,
    last_run_at: null,
    tick_id: null,
    tick_runs: 0,
  }
  checkSchedule(columns)
  await checkTemplate(books, columns)
  const schedule = books.create(schedules, { ...columns, ...settled(columns, {}, tick) })
  record(books, schedule, 'RECURRING_CREATED')
  signal(books, schedule, 'configChanged')
  return schedule
}

/**
 * Changes a schedule; it applies from the next occurrence on. A change of the rule counts the occurrences anew from the
 * start date, an explicit next_run_at from that date (decisions §6). Throws as createSchedule and changedFields do.
 */
export async function changeSchedule(
  books: Books,
  id: string,
  sent: Sent<ScheduleChanges>,
  answered: Answered<ScheduleRow>,
  { tick, payloadOf }: ScheduleContext,
): Promise<ScheduleRow> {
  const before = await scheduleOf(books, id, 'FOR UPDATE')
  const { template_payload: _compared, ...shown } = answered(before) as Record<string, unknown>
  const changed = new Set<string>(changedFields(sent, shown, { fields: CHANGEABLE }))
  const start = sent.start_date == null ? before.start_date : scheduleDate(sent.start_date)
  const payload = sent.template_payload && payloadOf(before.entity_type, sent.template_payload, start)
  if (payload !== undefined && !isDeepStrictEqual(plain(payload), before.template_payload))
    changed.add('template_payload')
  const columns = columnsOf(sent, changed, payload)
  const retemplated = TEMPLATE.some((field) => changed.has(field))
  if (retemplated) Object.assign(columns, templateColumns(mergedTemplate(before, sent, payload)))
  checkSchedule({ ...before, ...columns })
  if (retemplated) await checkTemplate(books, { ...before, ...columns })
  const moved = movedState({ ...before, ...columns }, sent, changed, books.now, tick)
  if (changed.size === 0) return before
  // Whatever stood in the way may be mended now, so a run that has failed is tried again; what 31 documents put off is not.
  const isTriedAgain = before.failures > 0 || 'anchor_date' in moved
  const not_before = isTriedAgain ? null : before.not_before
  const schedule = books.change(schedules, before, { ...columns, ...moved, not_before, failures: 0 })
  record(books, schedule, 'RECURRING_UPDATED', changesBetween(before, { ...columns, ...moved }))
  signal(books, schedule, 'configChanged')
  return schedule
}

/** ACTIVE to PAUSED; next_run_at stays. Throws conflict.invalid_state for any other status. */
export async function pauseSchedule(books: Books, id: string): Promise<ScheduleRow> {
  const before = await scheduleOf(books, id, 'FOR UPDATE')
  if (before.status !== 'ACTIVE')
    throw invalidState('Only an active schedule can be paused.', before.status, ['ACTIVE'])
  return changeStatus(books, before, { status: 'PAUSED', next_run_at: before.next_run_at }, 'pause')
}

/**
 * PAUSED to ACTIVE. What fell due meanwhile is skipped: the next occurrence is the first one whose time has yet to come. A
 * schedule that has none left is COMPLETED. Throws conflict.invalid_state for any other status.
 */
export async function resumeSchedule(books: Books, id: string, tick: TickTime): Promise<ScheduleRow> {
  const before = await scheduleOf(books, id, 'FOR UPDATE')
  if (before.status !== 'PAUSED')
    throw invalidState('Only a paused schedule can be resumed.', before.status, ['PAUSED'])
  const resumed = skippedPast({ ...before, status: 'ACTIVE' }, books.now.toISOString(), tick)
  return changeStatus(books, before, resumed, 'resume')
}

/** Deletes a schedule and its run history; the documents that it has generated stay. */
export async function deleteSchedule(books: Books, id: string): Promise<void> {
  const schedule = await scheduleOf(books, id, 'FOR UPDATE')
  books.delete(schedules, schedule)
  record(books, schedule, 'RECURRING_DELETED')
  signal(books, schedule, 'deleted')
}

function tooMany() {
  const message = `An organisation has at most ${MAX_SCHEDULES} schedules that are not completed.`
  return fault('conflict.limit_reached', { message, details: { limit: MAX_SCHEDULES } })
}

function changeStatus(books: Books, before: ScheduleRow, state: StateChanges, name: 'pause' | 'resume'): ScheduleRow {
  const columns = { ...state, failures: 0, not_before: null }
  const schedule = books.change(schedules, before, columns)
  record(books, schedule, 'RECURRING_STATUS_CHANGED', changesBetween(before, state))
  signal(books, schedule, name)
  return schedule
}

function columnsOf(
  sent: ScheduleChanges,
  changed: ReadonlySet<string>,
  payload: TemplateBody | null | undefined,
): Partial<ScheduleRow> {
  const columns: Partial<ScheduleRow> = {}
  if (changed.has('name')) columns.name = sent.name!
  if (changed.has('frequency')) columns.frequency = sent.frequency!
  if (changed.has('interval')) columns.interval_count = sent.interval ?? 1
  if (changed.has('month_anchor')) columns.month_anchor = sent.month_anchor ?? 'START_DAY'
  if (changed.has('start_date')) columns.start_date = scheduleDate(sent.start_date!)
  if (changed.has('end_date')) columns.end_date = sent.end_date == null ? null : scheduleDate(sent.end_date)
  if (changed.has('max_runs')) columns.max_runs = sent.max_runs ?? null
  if (changed.has('auto_approve')) columns.auto_approve = sent.auto_approve ?? false
  if (changed.has('auto_charge')) columns.auto_charge = sent.auto_charge ?? false
  if (changed.has('template_payload') && payload) columns.template_payload = payload
  if (changed.has('is_active')) columns.status = sent.is_active === false ? 'PAUSED' : 'ACTIVE'
  return columns
}

// A template that is sent takes the place of the other kind of template, unless that is sent too.
function mergedTemplate(before: ScheduleRow, sent: ScheduleChanges, payload: TemplateBody | null | undefined) {
  const { template_entity_id: id } = sent
  return {
    template_entity_id: id === undefined ? (payload ? null : before.template_entity_id) : id,
    template_payload: payload === undefined ? (id ? null : before.template_payload) : payload,
  }
}

function movedState(
  state: ScheduleRow,
  sent: ScheduleChanges,
  changed: ReadonlySet<string>,
  now: Date,
  tick: TickTime,
): StateChanges {
  const instant = now.toISOString()
  if (changed.has('next_run_at')) {
    const date = sent.next_run_at == null ? null : scheduleDate(sent.next_run_at)
    if (date !== null && (state.end_date === null || date <= state.end_date)) return movedTo(state, date, tick)
    const message = 'next_run_at must be a date that is not after end_date.'
    throw fault('validation.invalid_value', { field: 'next_run_at', message })
  }
  if (RULE.some((field) => changed.has(field))) return recounted(state, dateInZone(instant, tick.zone), tick)
  if (!changed.has('is_active') || state.status !== 'ACTIVE') return settled(state, {}, tick)
  const resumed = skippedPast(state, instant, tick)
  if (resumed.status === 'COMPLETED')
    throw invalidState('The schedule has no occurrence left.', 'COMPLETED', ['PAUSED'])
  return resumed
}

// As PostgreSQL gives it back: without fields whose value is undefined.
const plain = (body: unknown): unknown => JSON.parse(JSON.stringify(body))
