// Runs a schedule that is due: generates the document of an occurrence, and its run, in one transaction.
import { Fault, fault } from '../../domain/faults.ts'
import { occurrencePeriod, type Period } from '../../domain/recurrence.ts'
import { advanced, nextDate, ruleOf, skippedPast, type StateChanges } from '../../domain/schedule-state.ts'
import { datedBody } from '../../domain/template-dates.ts'
import { fillVariables, variablesOf } from '../../domain/template-variables.ts'
import { MAX_IN_TICK, tickAfter, type TickPlan } from '../../domain/tick.ts'
import type { PaymentLinks } from '../../gateways/payment-links/payment-links.ts'
import { findSchedule, runs, schedules, type RunRow, type ScheduleRow } from '../../models/recurring.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { record } from './schedule-entries.ts'
import { copyOf, createFrom, type TemplateBody } from './templates.ts'

/** What a step of a tick has done. DELETED: there is no such schedule. IDLE: nothing is due. */
export type Step = { did: 'DELETED' } | { did: 'IDLE' | 'SKIPPED' | 'GENERATED'; schedule: ScheduleRow }

/** What a run needs besides the books: when schedules run, and what makes the links of invoices with auto_charge. */
export interface Running {
  plan: TickPlan
  paymentLinks: PaymentLinks
}

/** What a step tried to generate, for the record of its failure. */
export interface Attempt {
  wanted: AttemptedRun | null
}

/** An occurrence, its period and the date of its document; and the version of the schedule that was tried. */
export interface AttemptedRun {
  occurrence: number
  date: string
  period: Period
  version: number
}

/** Whether the next occurrence is due, and was not put off. */
export function isDue({ status, next_run_at, not_before }: ScheduleRow, now: Date): boolean {
  return status === 'ACTIVE' && next_run_at! <= now && (not_before === null || not_before <= now)
}

/**
 * One step of a tick: generates the oldest occurrence that is due, dated by it. While the organisation is suspended, what is
 * due is skipped (decisions §2). The row is locked, so that each occurrence is generated once, whoever runs the tick. What is
 * still due after 31 occurrences of this tick is put off to the next one (decisions §6).
 * Throws as the command of the document does; `attempt` then names the occurrence.
 */
export async function runNext(
  books: Books,
  scheduleId: string,
  tickId: string,
  running: Running,
  attempt: Attempt,
): Promise<Step> {
  const { plan } = running
  attempt.wanted = null
  const schedule = await findSchedule(books, scheduleId, 'FOR UPDATE')
  if (!schedule) return { did: 'DELETED' }
  if (!isDue(schedule, books.now)) return { did: 'IDLE', schedule }
  if (books.organization.status !== 'ACTIVE') {
    const skipped = skippedPast(schedule, books.now.toISOString(), plan)
    recordEnd(books, schedule, skipped)
    return { did: 'SKIPPED', schedule: books.change(schedules, schedule, { ...skipped, not_before: null }) }
  }
  const { next_occurrence: occurrence } = schedule
  const date = nextDate(schedule)!
  const period = periodOf(schedule, occurrence)
  attempt.wanted = { occurrence, date, period, version: schedule.version }
  const id = books.newId()
  await generate(books, schedule, { id, occurrence, date, period, manual: false, retryOf: null }, running)
  const after = { ...advanced(schedule, plan), ...counted(schedule, tickId) }
  const isPutOff = after.tick_runs >= MAX_IN_TICK && after.next_run_at !== null && after.next_run_at <= books.now
  const not_before = isPutOff ? new Date(tickAfter(books.now.toISOString(), plan)) : null
  return { did: 'GENERATED', schedule: succeed(books, schedule, { ...after, not_before }) }
}

// A tick that is run again after a crash goes on counting.
const counted = ({ tick_id, tick_runs }: ScheduleRow, tickId: string) => ({
  tick_id: tickId,
  tick_runs: (tick_id === tickId ? tick_runs : 0) + 1,
})

/** A run to be made. */
export interface Wanted {
  id: string
  occurrence: number
  date: string
  period: Period
  manual: boolean
  retryOf: string | null
}

/** Creates the document of a run and the run. Throws as the command of the document does. */
export async function generate(
  books: Books,
  schedule: ScheduleRow,
  wanted: Wanted,
  { paymentLinks }: Running,
): Promise<RunRow> {
  const { occurrence, date, period } = wanted
  const { entity_type: kind, auto_charge } = schedule
  const template = await templateOf(books, schedule, date)
  const body = { ...datedBody(template, schedule.start_date, date), ...approval(schedule, template) }
  const filled = fillVariables(body, variablesOf(occurrence, period))
  const { id: entityId, number } = await createFrom(books, kind, filled, auto_charge ? paymentLinks : null)
  return books.insert(runs, {
    ...runColumns(books, schedule, wanted),
    status: 'SUCCEEDED',
    generated_entity_id: entityId,
    generated_number: number,
    error_code: null,
    error: null,
    error_field: null,
    error_details: null,
    warnings: [...books.warnings],
  })
}

// The template is read at each run, so that a change of it applies from the next occurrence on.
async function templateOf(
  books: Books,
  { entity_type: kind, template_entity_id, template_payload }: ScheduleRow,
  date: string,
): Promise<TemplateBody> {
  if (template_entity_id === null) return template_payload!
  try {
    return await copyOf(books, kind, template_entity_id, date)
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'not_found.resource') throw error
    const message = 'The template document was deleted; give the schedule another template.'
    throw fault('validation.invalid_value', { field: 'template_entity_id', message })
  }
}

function approval(
  { entity_type: kind, auto_approve }: ScheduleRow,
  { auto_approve: ofTemplate }: TemplateBody,
): object {
  return kind === 'INVOICE' || kind === 'BILL' ? { auto_approve: auto_approve || ofTemplate === true } : {}
}

/** Changes the schedule as after a run that succeeded. */
export function succeed(books: Books, schedule: ScheduleRow, after: StateChanges & Partial<ScheduleRow>): ScheduleRow {
  // What was put off after 31 occurrences in one tick stays so.
  const not_before = schedule.failures > 0 ? null : schedule.not_before
  const columns = { failures: 0, last_error: null, not_before, last_run_at: books.now, ...after }
  recordEnd(books, schedule, after)
  return books.change(schedules, schedule, columns)
}

/** An activity entry where the step completes the schedule. */
function recordEnd(books: Books, schedule: ScheduleRow, { status }: StateChanges): void {
  if (status !== 'COMPLETED' || schedule.status === 'COMPLETED') return
  record(books, schedule, 'RECURRING_STATUS_CHANGED', changesBetween({ status: schedule.status }, { status }))
}

/** The period of an occurrence that the schedule has come to. */
export const periodOf = (schedule: ScheduleRow, occurrence: number): Period =>
  occurrencePeriod(ruleOf(schedule), occurrence)!

/** The columns of every run, whichever way it has ended. */
export function runColumns(
  books: Books,
  schedule: ScheduleRow,
  { id, occurrence, date, period: { start, end }, manual, retryOf }: Wanted,
) {
  return {
    id,
    schedule_id: schedule.id,
    occurrence,
    period_start: start,
    period_end: end,
    manual,
    retry_of: retryOf,
    document_date: date,
    started_at: books.now,
  }
}
