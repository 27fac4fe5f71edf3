// A schedule by its id, and what every change of one adds to the books: an activity entry, and a signal to its workflow.
import { fault } from '../../domain/faults.ts'
import type { ScheduleSignal } from '../../domain/schedule.ts'
import { existingRow, type Lock, type Scope } from '../../models/find.ts'
import { recurringSignals, schedules, type ScheduleRow } from '../../models/recurring.ts'
import type { Books } from '../books/books.ts'
import type { Changes } from '../books/changes.ts'

/** The schedule of this id. Throws not_found.resource for one that the organisation does not have. */
export const scheduleOf = (scope: Scope, id: string, lock: Lock = ''): Promise<ScheduleRow> =>
  existingRow(scope, schedules, id, 'recurring schedule', lock)

/** Throws validation.invalid_value for a schedule that may not be run by hand: paused, or at its end (decisions §6). */
export function refuseManualRun({ status }: ScheduleRow): void {
  if (status === 'ACTIVE') return
  const why = status === 'PAUSED' ? 'is paused; resume it first' : 'is completed; it has no run left'
  throw fault('validation.invalid_value', { message: `The schedule ${why}.`, details: { status } })
}

/** Writes down that the workflow of the schedule is to be started or signalled; a background job of the worker does it. */
export function signal(books: Books, { id, entity_type }: ScheduleRow, name: ScheduleSignal): void {
  books.insert(recurringSignals, {
    id: books.newId(),
    schedule_id: id,
    entity_type,
    signal: name,
    attempts: 0,
    due_at: books.now,
    last_error: null,
    created_time: books.now,
  })
}

/** Writes an activity entry on the schedule. */
export function record(
  books: Books,
  { id, name }: ScheduleRow,
  action: `RECURRING_${string}`,
  changes: Changes | null = null,
  metadata: Record<string, unknown> = {},
): void {
  books.record({ action, entityType: 'RECURRING', entityId: id, entityRef: name, changes, metadata })
}
