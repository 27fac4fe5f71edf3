// Runs a schedule: generates the document of an occurrence, and its run, in one transaction.
import { Fault, fault, invalidState, notFound } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import { occurrencePeriod, type Period } from '../../domain/recurrence.ts'
import type { RunRequest } from '../../domain/schedule.ts'
import {
  advanced,
  boundsOf,
  nextDate,
  ruleOf,
  settled,
  skippedPast,
  type StateChanges,
} from '../../domain/schedule-state.ts'
import { datedBody } from '../../domain/template-dates.ts'
import { fillVariables, variablesOf } from '../../domain/template-variables.ts'
import { tickAfter, type TickPlan } from '../../domain/tick.ts'
import {
  findRun,
  findSchedule,
  findSuccess,
  runs,
  schedules,
  type RunRow,
  type ScheduleRow,
} from '../../models/recurring.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { today } from '../documents/drafting.ts'
import { record, refuseManualRun } from './schedule-entries.ts'
import { copyOf, createFrom, type TemplateBody } from './templates.ts'

/** What a step of a tick has done. DELETED: there is no such schedule. IDLE: nothing is due. */
export type Step = { did: 'DELETED' } | { did: 'IDLE' | 'SKIPPED' | 'GENERATED'; schedule: ScheduleRow }

/** The occurrence that a step tried to generate, and the date of its document, for the record of its failure. */
export interface Attempt {
  wanted: { occurrence: number; date: string } | null
}

/** Whether the next occurrence is due, and was not put off. */
export function isDue({ status, next_run_at, not_before }: ScheduleRow, now: Date): boolean {
  return status === 'ACTIVE' && next_run_at! <= now && (not_before === null || not_before <= now)
}

/**
 * One step of a tick: generates the oldest occurrence that is due, dated by it. While the organisation is suspended, what is
 * due is skipped (decisions §2). The row is locked, so that each occurrence is generated once, whoever runs the tick.
 * Throws as the command of the document does; `attempt` then names the occurrence.
 */
export async function runNext(books: Books, scheduleId: string, plan: TickPlan, attempt: Attempt): Promise<Step> {
  const schedule = await findSchedule(books, scheduleId, 'FOR UPDATE')
  if (!schedule) return { did: 'DELETED' }
  if (!isDue(schedule, books.now)) return { did: 'IDLE', schedule }
  if (books.organization.status !== 'ACTIVE') {
    const skipped = skippedPast(schedule, books.now.toISOString(), plan)
    return { did: 'SKIPPED', schedule: books.change(schedules, schedule, { ...skipped, not_before: null }) }
  }
  const { next_occurrence: occurrence } = schedule
  const date = nextDate(schedule)!
  attempt.wanted = { occurrence, date }
  const id = books.newId()
  await generate(books, schedule, { id, occurrence, date, manual: false, retryOf: null })
  return { did: 'GENERATED', schedule: succeed(books, schedule, advanced(schedule, plan)) }
}

/**
 * A run that a caller asks for: of the next occurrence, dated today; or again of the occurrence of a failed run, dated as
 * that was. Asked for a second time with the same id, it answers the first run. Throws validation.invalid_value where the
 * schedule may not run, conflict.invalid_state where the run to repeat has not failed or its occurrence has its document,
 * and as the command of the document does.
 */
export async function runByHand(
  books: Books,
  scheduleId: string,
  ask: RunRequest,
  plan: TickPlan,
  attempt: Attempt,
): Promise<RunRow> {
  const schedule = await findSchedule(books, scheduleId, 'FOR UPDATE')
  if (!schedule) throw notFound('recurring schedule')
  const earlier = await findRun(books, ask.runId)
  if (earlier) return earlier
  if (ask.retryOf !== null) return runAgain(books, schedule, ask.runId, ask.retryOf, plan, attempt)
  refuseManualRun(schedule)
  const [occurrence, date] = [schedule.next_occurrence, today(books)]
  attempt.wanted = { occurrence, date }
  const run = await generate(books, schedule, { id: ask.runId, occurrence, date, manual: true, retryOf: null })
  succeed(books, schedule, advanced(schedule, plan))
  return run
}

async function runAgain(
  books: Books,
  schedule: ScheduleRow,
  id: string,
  retryOf: string,
  plan: TickPlan,
  attempt: Attempt,
): Promise<RunRow> {
  const failed = await failedRun(books, schedule, retryOf)
  const { runsLeft } = boundsOf(schedule)
  if (runsLeft !== null && runsLeft <= 0)
    throw fault('validation.invalid_value', { message: 'The schedule has no run left; raise max_runs first.' })
  const { occurrence, document_date: date } = failed
  attempt.wanted = { occurrence, date }
  const run = await generate(books, schedule, { id, occurrence, date, manual: true, retryOf: failed.id })
  // The occurrence was skipped since, or is the one that the schedule waits at.
  const after =
    occurrence === schedule.next_occurrence
      ? advanced(schedule, plan)
      : settled(schedule, { run_count: schedule.run_count + 1 }, plan)
  succeed(books, schedule, after)
  return run
}

/** The failed run to repeat. Throws not_found.resource, or conflict.invalid_state where there is nothing to repeat. */
export async function failedRun(books: Books, schedule: ScheduleRow, runId: string): Promise<RunRow> {
  const run = isId(runId) ? await findRun(books, runId) : null
  if (!run || run.schedule_id !== schedule.id) throw notFound('run')
  if (run.status !== 'FAILED') throw invalidState('Only a failed run can be repeated.', run.status, ['FAILED'])
  const success = await findSuccess(books, schedule.id, run.occurrence)
  if (success === null) return run
  const details = { run_id: success.id, generated_entity_id: success.generated_entity_id }
  throw invalidState('The occurrence has its document already.', success.status, ['FAILED'], details)
}

/** A run to be made. */
interface Wanted {
  id: string
  occurrence: number
  date: string
  manual: boolean
  retryOf: string | null
}

async function generate(
  books: Books,
  schedule: ScheduleRow,
  { id, occurrence, date, manual, retryOf }: Wanted,
): Promise<RunRow> {
  const period = periodOf(schedule, occurrence)
  const { entity_type: kind } = schedule
  const template = await templateOf(books, schedule)
  const body = { ...datedBody(template, schedule.start_date, date), ...approval(schedule, template) }
  const { id: entityId, number } = await createFrom(books, kind, fillVariables(body, variablesOf(occurrence, period)))
  return books.insert(runs, {
    ...runColumns(books, schedule, { id, occurrence, date, manual, retryOf }, period),
    status: 'SUCCEEDED',
    generated_entity_id: entityId,
    generated_number: number,
    error_code: null,
    error: null,
    warnings: [...books.warnings],
  })
}

// The template is read at each run, so that a change of it applies from the next occurrence on.
async function templateOf(
  books: Books,
  { entity_type: kind, template_entity_id, template_payload }: ScheduleRow,
): Promise<TemplateBody> {
  if (template_entity_id === null) return template_payload!
  try {
    return await copyOf(books, kind, template_entity_id)
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

function succeed(books: Books, schedule: ScheduleRow, after: StateChanges): ScheduleRow {
  const columns = { ...after, failures: 0, last_error: null, not_before: null, last_run_at: books.now }
  const changed = books.change(schedules, schedule, columns)
  if (after.status === 'COMPLETED' && schedule.status !== 'COMPLETED')
    record(
      books,
      schedule,
      'RECURRING_STATUS_CHANGED',
      changesBetween({ status: schedule.status }, { status: after.status }),
    )
  return changed
}

/** Puts off what is still due after 31 occurrences to the next tick (decisions §6). */
export async function putOff(books: Books, scheduleId: string, plan: TickPlan): Promise<ScheduleRow | null> {
  const schedule = await findSchedule(books, scheduleId, 'FOR UPDATE')
  if (!schedule || !isDue(schedule, books.now)) return schedule
  return books.change(schedules, schedule, { not_before: new Date(tickAfter(books.now.toISOString(), plan)) })
}

/** The period of an occurrence that the schedule has come to. */
export const periodOf = (schedule: ScheduleRow, occurrence: number): Period =>
  occurrencePeriod(ruleOf(schedule), occurrence)!

/** The columns of every run, whichever way it has ended. */
export function runColumns(
  books: Books,
  schedule: ScheduleRow,
  { id, occurrence, date, manual, retryOf }: Wanted,
  { start, end }: Period,
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
