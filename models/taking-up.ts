// What is put back into the queues of PostgreSQL after Temporal has lost its data: ladders of deliveries, and recurring schedules.
import type { Connection } from './connection.ts'
import type { StandingSchedule } from './recurring-queue.ts'

/** Where a page begins: after the row of this time and id. The time is as PostgreSQL writes it, in microseconds. */
export interface PageStart {
  at: string
  id: string
}

export const LOSS_BEGINNING: PageStart = { at: '1970-01-01T00:00:00Z', id: '00000000-0000-0000-0000-000000000000' }

/** The rows that were put back, and the last that was looked at; null where there was none. */
export interface ReleasedLadders {
  released: number
  last: PageStart | null
}

/**
 * Puts deliveries that wait in workflows for their next attempt back into the queue, in the order of these attempts, a page at a
 * time. An attempt that is being made is left to its worker, or to the relay, when it is overdue.
 */
export async function releaseLadders(
  connection: Connection,
  { at, id }: PageStart,
  limit: number,
): Promise<ReleasedLadders> {
  const [row] = await connection.run<{ released: number; at: string | null; id: string }>(RELEASE_LADDERS, [
    at,
    id,
    limit,
  ])
  const { released, at: lastAt, id: lastId } = row!
  return { released, last: lastAt === null ? null : { at: lastAt, id: lastId } }
}

const RELEASE_LADDERS = {
  name: 'release ladders',
  text: `WITH page AS MATERIALIZED (
    SELECT d.org_id, d.id, d.next_attempt_at FROM webhook_deliveries AS d
    WHERE d.held_by IN ('PROCESS', 'ATTEMPT') AND (d.next_attempt_at, d.id) > ($1, $2::uuid) ORDER BY d.next_attempt_at, d.id LIMIT $3
  ), free AS MATERIALIZED (
    SELECT d.org_id, d.id FROM page AS p JOIN webhook_deliveries AS d ON d.org_id = p.org_id AND d.id = p.id
    WHERE d.held_by = 'PROCESS' ORDER BY d.org_id, d.id FOR NO KEY UPDATE OF d SKIP LOCKED
  ), released AS (
    UPDATE webhook_deliveries AS d SET held_by = 'QUEUE' FROM free AS f WHERE d.org_id = f.org_id AND d.id = f.id RETURNING 1
  )
  SELECT (SELECT count(*)::integer FROM released) AS released, l.next_attempt_at::text AS at, l.id
  FROM (SELECT 1) AS one LEFT JOIN (SELECT * FROM page ORDER BY next_attempt_at DESC, id DESC LIMIT 1) AS l ON true`,
}

/** Queues e-invoices that are under way, those of the longest ago first, a page at a time. Returns how many, and the last. */
export async function queueEInvoicesAnew(
  connection: Connection,
  { at, id }: PageStart,
  now: Date,
  limit: number,
): Promise<{ queued: number; last: PageStart | null }> {
  const [row] = await connection.run<{ queued: number; at: string | null; id: string }>(QUEUE_E_INVOICES, [
    at,
    id,
    now,
    limit,
  ])
  const { queued, at: lastAt, id: lastId } = row!
  return { queued, last: lastAt === null ? null : { at: lastAt, id: lastId } }
}

const QUEUE_E_INVOICES = {
  name: 'queue e-invoices anew',
  text: `WITH page AS MATERIALIZED (
    SELECT org_id, id, last_modified_time FROM e_invoices
    WHERE status IN ('PENDING', 'CANCELLING') AND (last_modified_time, id) > ($1, $2::uuid) AND last_modified_time < $3
    ORDER BY last_modified_time, id LIMIT $4
  ), queued AS (
    UPDATE e_invoices AS e SET start_at = $3 FROM page AS p WHERE e.org_id = p.org_id AND e.id = p.id AND e.start_at IS NULL RETURNING 1
  )
  SELECT (SELECT count(*)::integer FROM queued) AS queued, l.last_modified_time::text AS at, l.id
  FROM (SELECT 1) AS one LEFT JOIN (SELECT * FROM page ORDER BY last_modified_time DESC, id DESC LIMIT 1) AS l ON true`,
}

export interface DueSchedule extends StandingSchedule {
  due_at: string
}

/** Active schedules in the order in which they are due. */
export const schedulesBySoonest = (
  connection: Connection,
  { at, id }: PageStart,
  limit: number,
): Promise<DueSchedule[]> => connection.run<DueSchedule>(SOONEST, [at, id, limit])

const SOONEST = {
  name: 'schedules by soonest',
  text: `SELECT org_id, id, entity_type, greatest(next_run_at, not_before)::text AS due_at FROM recurring_schedules
    WHERE status = 'ACTIVE' AND (greatest(next_run_at, not_before), id) > ($1, $2::uuid)
    ORDER BY greatest(next_run_at, not_before), id LIMIT $3`,
}

/** Queues a signal for each schedule, which starts its workflow where there is none. */
export async function signalAnew(
  connection: Connection,
  schedules: readonly (StandingSchedule & { signal_id: string })[],
  now: Date,
): Promise<void> {
  if (schedules.length === 0) return
  await connection.run(SIGNAL, [
    schedules.map(({ org_id }) => org_id),
    schedules.map(({ signal_id }) => signal_id),
    schedules.map(({ id }) => id),
    schedules.map(({ entity_type }) => entity_type),
    now,
  ])
}

const SIGNAL = {
  name: 'signal schedules anew',
  text: `INSERT INTO recurring_signals (org_id, id, schedule_id, entity_type, signal, created_time)
    SELECT k.org_id, k.id, k.schedule_id, k.entity_type, 'configChanged', $5
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[]) AS k(org_id, id, schedule_id, entity_type)`,
}
