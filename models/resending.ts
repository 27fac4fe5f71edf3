// The statement that begins new series of attempts at deliveries of an endpoint that were given up.
import { MAX_SERIES } from '../domain/delivery.ts'
import type { Scope } from './find.ts'

export interface GivenUp {
  endpointId: string
  /** The time of the event, both inclusive. */
  since: Date
  until: Date
  limit: number
  now: Date
}

/**
 * Queues up to `limit` given-up deliveries of an endpoint, the oldest first, and returns how many, and whether more are left.
 * A delivery that another transaction has locked is left to that one.
 */
export async function resendGivenUp(
  { connection, orgId }: Scope,
  { endpointId, since, until, limit, now }: GivenUp,
): Promise<{ recovered: number; more: boolean }> {
  const values = [orgId, endpointId, since, until, limit, now]
  const [row] = await connection.run<{ recovered: number; more: boolean }>(RESEND, values)
  return row!
}

const RESEND = {
  name: 'resend given up',
  text: `WITH chosen AS MATERIALIZED (
    SELECT d.id, d.created_time FROM webhook_deliveries AS d
    WHERE d.org_id = $1 AND d.endpoint_id = $2 AND d.status IN ('FAILED', 'SKIPPED') AND d.created_time >= $3 AND d.created_time <= $4
      AND d.series < ${MAX_SERIES - 1}
    ORDER BY d.created_time, d.id LIMIT $5::integer + 1
  ), given_up AS MATERIALIZED (
    SELECT d.org_id, d.id FROM webhook_deliveries AS d
    WHERE d.org_id = $1 AND d.id IN (SELECT id FROM chosen ORDER BY created_time, id LIMIT $5) AND d.status IN ('FAILED', 'SKIPPED')
    ORDER BY d.id FOR NO KEY UPDATE SKIP LOCKED
  ), queued AS (
    UPDATE webhook_deliveries AS d SET status = 'RETRYING', series = d.series + 1, held_by = 'QUEUE', batch_id = NULL,
      next_attempt_at = $6, last_modified_time = greatest($6, d.last_modified_time)
    FROM given_up AS g WHERE d.org_id = g.org_id AND d.id = g.id RETURNING 1
  )
  SELECT (SELECT count(*)::integer FROM queued) AS recovered, (SELECT count(*) > $5 FROM chosen) AS more`,
}
