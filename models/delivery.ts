// The statements that move webhook deliveries along, many rows at a time, and the questions asked about them.
import type { Connection } from './database.ts'

export const CLAIM = {
  name: 'claim deliveries',
  text: `WITH waiting AS (
    SELECT d.org_id, d.id FROM webhook_deliveries AS d JOIN organizations AS o ON o.id = d.org_id AND o.status = 'ACTIVE'
    WHERE d.batch_id IS NULL AND d.status = 'PENDING' AND coalesce(d.next_attempt_at, d.created_time) <= $2
    ORDER BY coalesce(d.next_attempt_at, d.created_time), d.id LIMIT $3 FOR UPDATE OF d SKIP LOCKED
  )
  UPDATE webhook_deliveries AS d SET batch_id = $1
  FROM waiting AS w, webhook_events AS e
  WHERE d.org_id = w.org_id AND d.id = w.id AND e.org_id = d.org_id AND e.id = d.event_id
  RETURNING d.org_id, d.endpoint_id, e.entity_type, e.entity_id`,
}

export const BEGIN = {
  name: 'begin attempts',
  text: `WITH asked AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::smallint[]) AS k(org_id, delivery_id, series, attempt)
  ), found AS MATERIALIZED (
    SELECT k.*, d.endpoint_id, d.event_type, d.payload, d.status, e.url, e.secret_sealed,
      CASE WHEN d.status NOT IN ('PENDING', 'RETRYING') OR a.duration_ms IS NOT NULL THEN 'settled'
           WHEN e.status <> 'ENABLED' THEN 'skipped'
           WHEN o.status <> 'ACTIVE' THEN 'suspended'
           ELSE 'due' END AS state
    FROM asked AS k
    JOIN webhook_deliveries AS d ON d.org_id = k.org_id AND d.id = k.delivery_id
    JOIN webhook_endpoints AS e ON e.org_id = d.org_id AND e.id = d.endpoint_id
    JOIN organizations AS o ON o.id = d.org_id
    LEFT JOIN webhook_attempts AS a
      ON a.org_id = k.org_id AND a.delivery_id = k.delivery_id AND a.series = k.series AND a.attempt = k.attempt
  ), started AS (
    INSERT INTO webhook_attempts AS a (org_id, delivery_id, series, attempt, started_at)
    SELECT org_id, delivery_id, series, attempt, $5 FROM found WHERE state = 'due'
    ON CONFLICT (org_id, delivery_id, series, attempt) DO UPDATE SET started_at = excluded.started_at
      WHERE a.duration_ms IS NULL
  ), skipped AS (
    UPDATE webhook_deliveries AS d SET status = 'SKIPPED', next_attempt_at = NULL
    FROM found AS f WHERE d.org_id = f.org_id AND d.id = f.delivery_id AND f.state = 'skipped'
  )
  SELECT org_id, delivery_id, series, attempt, endpoint_id, event_type, payload, url, secret_sealed,
    CASE state WHEN 'skipped' THEN 'settled' ELSE state END AS state,
    CASE state WHEN 'skipped' THEN 'SKIPPED' ELSE status END AS status
  FROM found`,
}

// An endpoint's row is touched only when its health turns, and then locked in the order of the keys, so that two groups
// that share endpoints never wait for each other in a circle.
export const SETTLE = {
  name: 'settle attempts',
  text: `WITH given AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS g(
      org_id uuid, delivery_id uuid, series smallint, attempt smallint, endpoint_id uuid, status text,
      duration_ms integer, status_code smallint, error text, response_body text, ended_at timestamptz,
      next_attempt_at timestamptz)
  ), ended AS (
    UPDATE webhook_attempts AS a SET duration_ms = g.duration_ms, status_code = g.status_code, error = g.error,
      response_body = g.response_body, next_attempt_at = g.next_attempt_at
    FROM given AS g
    WHERE a.org_id = g.org_id AND a.delivery_id = g.delivery_id AND a.series = g.series AND a.attempt = g.attempt
      AND a.duration_ms IS NULL
    RETURNING a.org_id, a.delivery_id
  ), delivery AS (
    UPDATE webhook_deliveries AS d SET status = g.status, attempts_made = d.attempts_made + 1,
      next_attempt_at = g.next_attempt_at, delivered_at = CASE g.status WHEN 'DELIVERED' THEN g.ended_at END
    FROM given AS g JOIN ended USING (org_id, delivery_id)
    WHERE d.org_id = g.org_id AND d.id = g.delivery_id AND d.status IN ('PENDING', 'RETRYING')
  ), verdict AS (
    SELECT org_id, endpoint_id, bool_or(status = 'DELIVERED') AS answered, min(ended_at) AS first_at, max(ended_at) AS last_at
    FROM given GROUP BY org_id, endpoint_id
  ), turning AS (
    SELECT e.org_id, e.id, v.answered, v.first_at, v.last_at, e.failing_since
    FROM webhook_endpoints AS e JOIN verdict AS v ON v.org_id = e.org_id AND v.endpoint_id = e.id
    WHERE CASE WHEN v.answered THEN e.failing_since IS NOT NULL
               ELSE e.failing_since IS NULL OR (e.failing_since <= $2 AND e.status = 'ENABLED') END
    ORDER BY e.org_id, e.id FOR NO KEY UPDATE OF e
  ), health AS (
    UPDATE webhook_endpoints AS e SET failing_since = CASE WHEN t.answered THEN NULL ELSE t.first_at END
    FROM turning AS t WHERE e.org_id = t.org_id AND e.id = t.id AND (t.answered OR t.failing_since IS NULL)
  ), disabled AS (
    UPDATE webhook_endpoints AS e SET status = 'DISABLED', last_modified_time = t.last_at
    FROM turning AS t WHERE e.org_id = t.org_id AND e.id = t.id AND NOT t.answered AND t.failing_since IS NOT NULL
    RETURNING e.org_id, e.id, e.url, e.failing_since, e.last_modified_time
  )
  INSERT INTO activity (org_id, id, action, entity_type, entity_id, entity_ref, actor_user_id, changes, metadata, occurred_at)
  SELECT org_id, gen_random_uuid(), 'WEBHOOK_ENDPOINT_STATUS_CHANGED', 'WEBHOOK_ENDPOINT', id, url, NULL,
    '{"status": {"old": "ENABLED", "new": "DISABLED"}}',
    jsonb_build_object('source', 'WEBHOOK_DELIVERY', 'failing_since', failing_since), last_modified_time
  FROM disabled`,
}

export const PUT_OFF = {
  name: 'put off deliveries',
  text: `UPDATE webhook_deliveries AS d SET batch_id = NULL, next_attempt_at = k.until
    FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS k(org_id, delivery_id, until)
    WHERE d.org_id = k.org_id AND d.id = k.delivery_id AND d.status = 'PENDING'`,
}

export const ABANDON = {
  name: 'abandon delivery',
  text: `UPDATE webhook_deliveries SET next_attempt_at = NULL,
      status = CASE WHEN status IN ('PENDING', 'RETRYING') THEN 'FAILED' ELSE status END
    WHERE org_id = $1 AND id = $2 RETURNING status`,
}

export const RELEASE = {
  name: 'release batch',
  text: `UPDATE webhook_deliveries SET batch_id = NULL WHERE batch_id = $1 AND status = 'PENDING' RETURNING 1`,
}

export const RENEW = {
  name: 'renew delivery',
  text: `UPDATE webhook_deliveries SET series = series + 1
    WHERE org_id = $1 AND id = $2 AND status = 'RETRYING' RETURNING series`,
}

/** What a delivery's own process is started with. */
export interface DeliveryUnderWay {
  org_id: string
  id: string
  endpoint_id: string
  entity_type: string
  entity_id: string
  series: number
  attempts_in_series: number
  next_attempt_at: Date
}

const UNDER_WAY = `SELECT d.org_id, d.id, d.endpoint_id, d.series, d.next_attempt_at, e.entity_type, e.entity_id,
    (SELECT count(*)::integer FROM webhook_attempts AS a
      WHERE a.org_id = d.org_id AND a.delivery_id = d.id AND a.series = d.series AND a.duration_ms IS NOT NULL)
      AS attempts_in_series
  FROM webhook_deliveries AS d JOIN webhook_events AS e ON e.org_id = d.org_id AND e.id = d.event_id`

/** The deliveries of a batch that have not been attempted yet. */
export async function untriedOfBatch(
  connection: Connection, batchId: string,
): Promise<{ org_id: string; id: string; series: number }[]> {
  return connection.run(UNTRIED, [batchId])
}

/** The deliveries of a batch whose first attempt failed, each to be retried by a process of its own. */
export async function refusedOfBatch(connection: Connection, batchId: string): Promise<DeliveryUnderWay[]> {
  return connection.run(REFUSED, [batchId])
}

/** Batches claimed before `before` that still hold untried deliveries, and how many, oldest first. */
export async function unfinishedBatches(connection: Connection, before: Date): Promise<{ batch_id: string; size: number }[]> {
  return connection.run(UNFINISHED, [firstIdOf(before)])
}

/**
 * Deliveries whose next attempt is past `before`, oldest first, a page at a time: `after` is the last of the page
 * before. Those of suspended organisations wait rightly and are left out.
 */
export async function overdueDeliveries(
  connection: Connection, before: Date, after: DeliveryUnderWay | null, limit = 200,
): Promise<DeliveryUnderWay[]> {
  return connection.run(OVERDUE, [before, after?.next_attempt_at ?? new Date(0), after?.id ?? FIRST_ID, limit])
}


const FIRST_ID = '00000000-0000-0000-0000-000000000000'

const UNTRIED = {
  name: 'untried of batch',
  text: `SELECT org_id, id, series FROM webhook_deliveries WHERE batch_id = $1 AND status = 'PENDING'
    ORDER BY created_time, id`,
}
const REFUSED = {
  name: 'refused of batch',
  text: `${UNDER_WAY} WHERE d.batch_id = $1 AND d.status = 'RETRYING' AND d.series = 0 AND d.attempts_made = 1`,
}
const UNFINISHED = {
  name: 'unfinished batches',
  text: `SELECT batch_id, count(*)::integer AS size FROM webhook_deliveries WHERE batch_id < $1 AND status = 'PENDING'
    GROUP BY batch_id ORDER BY batch_id`,
}
const OVERDUE = {
  name: 'overdue deliveries',
  text: `${UNDER_WAY} JOIN organizations AS o ON o.id = d.org_id AND o.status = 'ACTIVE'
    WHERE d.status = 'RETRYING' AND d.next_attempt_at < $1 AND (d.next_attempt_at, d.id) > ($2, $3::uuid)
    ORDER BY d.next_attempt_at, d.id LIMIT $4`,
}

// A batch's id is a UUIDv7 and so begins with the time of its claim in ms.
function firstIdOf(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
