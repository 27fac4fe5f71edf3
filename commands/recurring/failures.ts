// Writes a failed run of a schedule down, and pauses the schedule after three failed ticks in a row.
import { DOCUMENTS } from '../../domain/documents.ts'
import type { Fault } from '../../domain/faults.ts'
import type { RunRequest } from '../../domain/schedule.ts'
import { MAX_FAILURES, tickAfter, type TickPlan } from '../../domain/tick.ts'
import { findRun, findSchedule, runs, schedules, type ScheduleRow } from '../../models/recurring.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { tellOwners } from '../mail/notices.ts'
import { runColumns, type AttemptedRun } from './generate.ts'
import { record } from './schedule-entries.ts'

/** Why a run failed, and what it was to generate. */
export interface Failure extends AttemptedRun {
  refusal: Fault
  /** The request of the caller; null for a tick. */
  ask: RunRequest | null
}

/**
 * Writes a failed run down. The schedule does not advance: it is tried again at the next tick, and paused after three
 * failed ticks in a row (decisions §6). A run by hand does not count there. Nothing is written where the schedule has run or
 * was changed meanwhile: what stood in the way may be mended, so it is tried again.
 */
export async function recordFailure(
  books: Books,
  scheduleId: string,
  { occurrence, date, period, version, refusal, ask }: Failure,
  plan: TickPlan,
): Promise<ScheduleRow | null> {
  const schedule = await findSchedule(books, scheduleId, 'FOR UPDATE')
  const retryOf = ask?.retryOf ?? null
  if (!schedule || (ask === null && schedule.version !== version)) return schedule
  if (retryOf === null && schedule.next_occurrence !== occurrence) return schedule
  if (ask !== null && (await findRun(books, ask.runId))) return schedule
  const wanted = { id: ask?.runId ?? books.newId(), occurrence, date, period, manual: ask !== null, retryOf }
  books.insert(runs, {
    ...runColumns(books, schedule, wanted),
    status: 'FAILED',
    generated_entity_id: null,
    generated_number: null,
    error_code: refusal.code,
    error: reasonOf(refusal),
    error_field: refusal.field ?? null,
    error_details: detailsOf(refusal),
    warnings: [],
  })
  if (ask !== null) return books.change(schedules, schedule, { last_error: reasonOf(refusal) })
  const failures = schedule.failures + 1
  const columns = {
    failures,
    last_error: reasonOf(refusal),
    not_before: new Date(tickAfter(books.now.toISOString(), plan)),
  }
  if (failures < MAX_FAILURES || schedule.status !== 'ACTIVE') return books.change(schedules, schedule, columns)
  const paused = books.change(schedules, schedule, { ...columns, status: 'PAUSED' as const })
  const changes = changesBetween({ status: schedule.status }, { status: paused.status })
  record(books, schedule, 'RECURRING_STATUS_CHANGED', changes, { failures, error: columns.last_error })
  await tellOfPause(books, paused)
  return paused
}

// What tells people that nothing is billed any more: an event, and a mail to the owners of the organisation.
async function tellOfPause(
  books: Books,
  { id, name, entity_type, status, failures, last_error, next_run_at, version }: ScheduleRow,
): Promise<void> {
  const data = { id, name, entity_type, status, failures, error: last_error, next_run_at, sequence: version }
  books.announce({ type: 'RECURRING_PAUSED', data, entityType: 'RECURRING', entityId: id })
  const { noun } = DOCUMENTS[entity_type]
  await tellOwners(books, {
    about: { entityType: 'RECURRING', entityId: id, entityRef: name },
    subject: `The recurring schedule ${name} is paused`,
    text: [
      `The recurring schedule "${name}" of ${books.organization.name} has failed ${failures} times in a row, so it is paused: no ${noun} is made by it any more.`,
      `The reason of the last failure: ${last_error}`,
      'Mend the cause, then resume the schedule. What fell due meanwhile is skipped; a failed run can be repeated by itself.',
    ].join('\n\n'),
  })
}

/** The reason in words, with its field: of a body with several problems, each with its own. */
function reasonOf({ message, field, errors }: Fault): string {
  if (errors && errors.length > 0)
    return errors.map(({ field: its, message: problem }) => `${its} ${problem}`).join('; ')
  return field === undefined || message.includes(field) ? message : `${field}: ${message}`
}

const detailsOf = ({ details, errors }: Fault): Record<string, unknown> | null =>
  errors && errors.length > 0 ? { ...details, errors } : (details ?? null)
