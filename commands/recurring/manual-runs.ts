// Runs a schedule because a caller asks for it: its next occurrence, or again that of a failed run.
import { fault, invalidState, notFound } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import type { RunRequest } from '../../domain/schedule.ts'
import { advanced, boundsOf, repeated } from '../../domain/schedule-state.ts'
import { findRun, findSchedule, findSuccess, type RunRow, type ScheduleRow } from '../../models/recurring.ts'
import type { Books } from '../books/books.ts'
import { today } from '../documents/drafting.ts'
import { generate, periodOf, succeed, type Attempt, type Running } from './generate.ts'
import { refuseManualRun } from './schedule-entries.ts'

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
  running: Running,
  attempt: Attempt,
): Promise<RunRow> {
  // A try before this one may have come further.
  attempt.wanted = null
  const schedule = await findSchedule(books, scheduleId, 'FOR UPDATE')
  if (!schedule) throw notFound('recurring schedule')
  const earlier = await findRun(books, ask.runId)
  if (earlier) return earlier
  // It was active when the caller asked.
  if (books.organization.status !== 'ACTIVE') throw fault('authz.organization_suspended')
  if (ask.retryOf !== null) return runAgain(books, schedule, ask.runId, ask.retryOf, running, attempt)
  refuseManualRun(schedule)
  const [occurrence, date] = [schedule.next_occurrence, today(books)]
  const period = periodOf(schedule, occurrence)
  attempt.wanted = { occurrence, date, period, version: schedule.version }
  const wanted = { id: ask.runId, occurrence, date, period, manual: true, retryOf: null }
  const run = await generate(books, schedule, wanted, running)
  succeed(books, schedule, advanced(schedule, running.plan))
  return run
}

async function runAgain(
  books: Books,
  schedule: ScheduleRow,
  id: string,
  retryOf: string,
  running: Running,
  attempt: Attempt,
): Promise<RunRow> {
  const failed = await failedRun(books, schedule, retryOf)
  const { runsLeft } = boundsOf(schedule)
  if (runsLeft !== null && runsLeft <= 0)
    throw fault('validation.invalid_value', { message: 'The schedule has no run left; raise max_runs first.' })
  const { occurrence, document_date: date, period_start: start, period_end: end } = failed
  const period = { start, end }
  attempt.wanted = { occurrence, date, period, version: schedule.version }
  const wanted = { id, occurrence, date, period, manual: true, retryOf: failed.id }
  const run = await generate(books, schedule, wanted, running)
  succeed(books, schedule, repeated(schedule, failed, running.plan))
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
