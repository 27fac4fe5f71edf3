// What the worker looks for in the schedules of all organisations: signals to send, and schedules that should have run.
import type { ScheduledKind, ScheduleSignal } from '../domain/schedule.ts'
import type { Connection } from './connection.ts'

export interface PendingSignal {
  org_id: string
  id: string
  schedule_id: string
  entity_type: ScheduledKind
  signal: ScheduleSignal
  attempts: number
}

/** The signals that are due by now, in turns of the organisations, the oldest of each first; at most so many, and of one. */
export const findPendingSignals = (
  connection: Connection,
  now: Date,
  { most, ofOne }: { most: number; ofOne: number },
): Promise<PendingSignal[]> => connection.run<PendingSignal>(PENDING, [now, most, ofOne])

/** Puts a signal off that could not be sent. */
export async function putSignalOff(
  connection: Connection,
  { org_id, id, attempts }: PendingSignal,
  dueAt: Date,
  error: string,
): Promise<void> {
  await connection.run(PUT_OFF, [org_id, id, attempts + 1, dueAt, error])
}

/** Removes signals that were sent. */
export async function deleteSignals(connection: Connection, sent: PendingSignal[]): Promise<void> {
  await connection.run(SENT, [sent.map(({ org_id }) => org_id), sent.map(({ id }) => id)])
}

const PENDING = {
  name: 'pending schedule signals',
  // The organisations are found by a step in the index each, however many signals one of them has. Ids are in the order of time.
  text: `WITH RECURSIVE waiting(org_id) AS (
      (SELECT org_id FROM recurring_signals ORDER BY org_id LIMIT 1)
      UNION ALL
      SELECT (SELECT s.org_id FROM recurring_signals AS s WHERE s.org_id > waiting.org_id ORDER BY s.org_id LIMIT 1)
      FROM waiting WHERE waiting.org_id IS NOT NULL
    )
    SELECT org_id, id, schedule_id, entity_type, signal, attempts
    FROM waiting CROSS JOIN LATERAL (
      SELECT s.*, row_number() OVER (ORDER BY s.id) AS turn FROM (
        SELECT id, schedule_id, entity_type, signal, attempts FROM recurring_signals
        WHERE org_id = waiting.org_id AND due_at <= $1 ORDER BY id LIMIT $3
      ) AS s
    ) AS its
    ORDER BY turn, id LIMIT $2`,
}
const PUT_OFF = {
  name: 'put a schedule signal off',
  text: `UPDATE recurring_signals SET attempts = $3, due_at = $4, last_error = $5 WHERE org_id = $1 AND id = $2`,
}
const SENT = {
  name: 'delete schedule signals',
  text: `DELETE FROM recurring_signals AS s USING unnest($1::uuid[], $2::uuid[]) AS k(org_id, id)
    WHERE s.org_id = k.org_id AND s.id = k.id`,
}

/** A schedule that should have a workflow. */
export interface StandingSchedule {
  org_id: string
  id: string
  entity_type: ScheduledKind
}

/** The active schedules that should have been looked at before this time, in the order of their ids; at most `limit` after the id. */
export const schedulesOverdue = (
  connection: Connection,
  before: Date,
  after: string,
  limit: number,
): Promise<StandingSchedule[]> => connection.run<StandingSchedule>(OVERDUE, [before, after, limit])

/** All active schedules, in the order of their ids; at most `limit` after the id. */
export const schedulesActive = (connection: Connection, after: string, limit: number): Promise<StandingSchedule[]> =>
  connection.run<StandingSchedule>(ACTIVE, [after, limit])

/** All schedules that have a workflow, in the order of their ids; at most `limit` after the id. A completed one has none. */
export const schedulesOpen = (connection: Connection, after: string, limit: number): Promise<StandingSchedule[]> =>
  connection.run<StandingSchedule>(OPEN, [after, limit])

const OVERDUE = {
  name: 'schedules overdue',
  text: `SELECT org_id, id, entity_type FROM recurring_schedules
    WHERE status = 'ACTIVE' AND greatest(next_run_at, not_before) < $1 AND id > $2 ORDER BY id LIMIT $3`,
}
const ACTIVE = {
  name: 'schedules active',
  text: `SELECT org_id, id, entity_type FROM recurring_schedules WHERE status = 'ACTIVE' AND id > $1 ORDER BY id LIMIT $2`,
}
const OPEN = {
  name: 'schedules open',
  text: `SELECT org_id, id, entity_type FROM recurring_schedules WHERE status IN ('ACTIVE', 'PAUSED') AND id > $1 ORDER BY id LIMIT $2`,
}
