// The queries of webhook deliveries: what of a batch is untried, which batches are unfinished, which deliveries are overdue.
import type { Connection } from './connection.ts'

/** What the process of one delivery is started with. */
export interface DeliveryUnderWay {
  org_id: string
  id: string
  endpoint_id: string
  entity_type: string
  entity_id: string
  series: number
  attempts_made: number
  attempts_in_series: number
  next_attempt_at: Date
}

/** The start of a statement that reads deliveries as `d`, each with its event as `e`. */
export const UNDER_WAY = `SELECT d.org_id, d.id, d.endpoint_id, d.series, d.attempts_made, d.next_attempt_at, e.entity_type, e.entity_id,
    (SELECT count(*)::integer FROM webhook_attempts AS a
      WHERE a.org_id = d.org_id AND a.delivery_id = d.id AND a.series = d.series AND a.duration_ms IS NOT NULL)
      AS attempts_in_series
  FROM webhook_deliveries AS d JOIN webhook_events AS e ON e.org_id = d.org_id AND e.id = d.event_id`

/** A delivery of a batch, and the number of the attempt that is to be made. */
export interface NextAttempt {
  org_id: string
  id: string
  series: number
  attempt: number
}

/** The deliveries of a batch whose attempt has no outcome yet. */
export async function untriedOfBatch(connection: Connection, batchId: string): Promise<NextAttempt[]> {
  return connection.run(UNTRIED, [batchId])
}

/** Batches claimed before `before` that still hold deliveries, and how many, oldest first. */
export async function unfinishedBatches(
  connection: Connection,
  before: Date,
): Promise<{ batch_id: string; size: number }[]> {
  return connection.run(UNFINISHED, [firstIdOf(before)])
}

/**
 * Deliveries whose process should have made its attempt before `before`, oldest first, a page at a time: `after` is the
 * last of the page before. Left out are deliveries without a process, and those of suspended organisations, which have to wait.
 */
export async function overdueDeliveries(
  connection: Connection,
  before: Date,
  after: DeliveryUnderWay | null,
  limit = 200,
): Promise<DeliveryUnderWay[]> {
  return connection.run(OVERDUE, [before, after?.next_attempt_at ?? new Date(0), after?.id ?? FIRST_ID, limit])
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

const UNTRIED = {
  name: 'untried of batch',
  text: `SELECT d.org_id, d.id, d.series,
      (SELECT count(*)::integer FROM webhook_attempts AS a
        WHERE a.org_id = d.org_id AND a.delivery_id = d.id AND a.series = d.series AND a.duration_ms IS NOT NULL) + 1 AS attempt
    FROM webhook_deliveries AS d WHERE d.batch_id = $1 AND d.held_by = 'BATCH' ORDER BY d.created_time, d.id`,
}
const UNFINISHED = {
  name: 'unfinished batches',
  text: `SELECT batch_id, count(*)::integer AS size FROM webhook_deliveries WHERE batch_id < $1 AND held_by = 'BATCH'
    GROUP BY batch_id ORDER BY batch_id`,
}
const OVERDUE = {
  name: 'overdue deliveries',
  text: `${UNDER_WAY} JOIN organizations AS o ON o.id = d.org_id AND o.status = 'ACTIVE'
    WHERE d.held_by IN ('PROCESS', 'ATTEMPT') AND d.next_attempt_at < $1 AND (d.next_attempt_at, d.id) > ($2, $3::uuid)
    ORDER BY d.next_attempt_at, d.id LIMIT $4`,
}

// A batch's id is a UUIDv7 and so begins with the time of its claim in ms.
function firstIdOf(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
