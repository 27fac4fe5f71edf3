// The statements that begin, settle and release attempts at webhook deliveries, many rows at a time.
// Each locks the rows of a table in the order of their keys before it changes them: attempts, deliveries, endpoints, circuits.
import { CAPS } from '../domain/webhook-caps.ts'
import { CLOSED_COLUMNS } from './circuit.ts'

// A delivery to an endpoint that is disabled or deleted is skipped, and the circuit of the endpoint closes: so all deliveries
// that wait for it are released and skipped as well, instead of one with each trial.
export const BEGIN = {
  name: 'begin attempts',
  text: `WITH requested AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::smallint[]) AS k(org_id, delivery_id, series, attempt)
  ), found AS MATERIALIZED (
    SELECT k.*, d.endpoint_id, d.event_type, d.payload, d.status, e.url, e.secret_sealed, e.former_secrets, e.standard_webhooks,
      CASE WHEN d.status NOT IN ('PENDING', 'RETRYING') OR a.duration_ms IS NOT NULL THEN 'settled'
           WHEN e.status <> 'ENABLED' THEN 'skipped'
           WHEN o.status <> 'ACTIVE' THEN 'suspended'
           ELSE 'due' END AS state
    FROM requested AS k
    JOIN webhook_deliveries AS d ON d.org_id = k.org_id AND d.id = k.delivery_id
    JOIN webhook_endpoints AS e ON e.org_id = d.org_id AND e.id = d.endpoint_id
    JOIN organizations AS o ON o.id = d.org_id
    LEFT JOIN webhook_attempts AS a
      ON a.org_id = k.org_id AND a.delivery_id = k.delivery_id AND a.series = k.series AND a.attempt = k.attempt
  ), started AS (
    INSERT INTO webhook_attempts AS a (org_id, delivery_id, series, attempt, started_at)
    SELECT org_id, delivery_id, series, attempt, $5 FROM found WHERE state = 'due'
    ORDER BY org_id, delivery_id, series, attempt
    ON CONFLICT (org_id, delivery_id, series, attempt) DO UPDATE SET started_at = excluded.started_at
      WHERE a.duration_ms IS NULL
  ), skippable AS MATERIALIZED (
    SELECT d.org_id, d.id FROM found AS f JOIN webhook_deliveries AS d ON d.org_id = f.org_id AND d.id = f.delivery_id
    WHERE f.state = 'skipped' ORDER BY d.org_id, d.id FOR NO KEY UPDATE OF d
  ), skipped AS (
    UPDATE webhook_deliveries AS d SET status = 'SKIPPED', held_by = NULL, next_attempt_at = NULL,
      last_modified_time = greatest($5, d.last_modified_time)
    FROM skippable AS k WHERE d.org_id = k.org_id AND d.id = k.id
  ), closable AS MATERIALIZED (
    SELECT c.org_id, c.id FROM webhook_circuits AS c
    WHERE c.state <> 'CLOSED' AND (c.org_id, c.id) IN (SELECT org_id, endpoint_id FROM found WHERE state = 'skipped')
    ORDER BY c.org_id, c.id FOR UPDATE
  ), circuit AS (
    UPDATE webhook_circuits AS c SET ${CLOSED_COLUMNS} FROM closable AS n WHERE c.org_id = n.org_id AND c.id = n.id
  )
  SELECT org_id, delivery_id, series, attempt, endpoint_id, event_type, payload, url, secret_sealed, former_secrets, standard_webhooks,
    CASE state WHEN 'skipped' THEN 'settled' ELSE state END AS state,
    CASE state WHEN 'skipped' THEN 'SKIPPED' ELSE status END AS status
  FROM found`,
}

const escapedInSql = (text: string) => `replace(replace(replace(${text}, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')`

// A mail to the owners of the organisation of an endpoint that was disabled; commands/mail/notices.ts is the same for commands.
const TELL_OWNERS = `
  INSERT INTO emails (org_id, id, purpose, entity_type, entity_id, entity_ref, state, sender_name, subject, body_html, attach_pdf, tries,
    origin, created_time, last_modified_time)
  SELECT x.org_id, gen_random_uuid(), 'NOTICE', 'WEBHOOK_ENDPOINT', x.id, x.url, 'READY', 'Bahi', 'A webhook endpoint is disabled',
    format('<p>The webhook endpoint %s of %s has answered no attempt for five days, so it is disabled: nothing more is sent to it.</p>',
      ${escapedInSql('x.url')}, ${escapedInSql('o.name')})
    || '<p>Once it answers again, enable it, and recover what it has missed.</p>', false, 0,
    '{"request_id": null, "ip": null, "user_agent": null, "source": "WEBHOOK_DELIVERY"}', x.last_modified_time, x.last_modified_time
  FROM disabled AS x JOIN organizations AS o ON o.id = x.org_id
  WHERE NOT o.sandbox AND EXISTS (SELECT FROM users AS u WHERE u.org_id = x.org_id AND u.role = 'OWNER' AND u.removed_time IS NULL AND u.email NOT ILIKE '%.invalid')
  RETURNING org_id, id`

// Returns the results of the attempts by endpoint where they change its circuit; none for an endpoint that was disabled or
// deleted meanwhile. A success that is settled again is returned again; a failure counts once, in the statement that records
// its attempt. An endpoint's row is locked only when it begins or stops failing, and in the order of the keys, so that two
// groups that share endpoints never deadlock. An attempt is superseded if its delivery was sent again meanwhile and it failed: the
// new series begins then, unless another process has begun it already.
export const SETTLE = {
  name: 'settle attempts',
  text: `WITH given AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS g(
      org_id uuid, delivery_id uuid, series smallint, attempt smallint, endpoint_id uuid, status text,
      duration_ms integer, status_code smallint, error text, response_body text, ended_at timestamptz,
      next_attempt_at timestamptz)
  ), unsettled AS MATERIALIZED (
    SELECT g.*, g.series < d.series AND g.status <> 'DELIVERED' AS superseded FROM given AS g
    JOIN webhook_attempts AS a
      ON a.org_id = g.org_id AND a.delivery_id = g.delivery_id AND a.series = g.series AND a.attempt = g.attempt
    JOIN webhook_deliveries AS d ON d.org_id = g.org_id AND d.id = g.delivery_id
    WHERE a.duration_ms IS NULL
    ORDER BY g.org_id, g.delivery_id, g.series, g.attempt FOR NO KEY UPDATE OF a, d
  ), ended AS (
    UPDATE webhook_attempts AS a SET duration_ms = g.duration_ms, status_code = g.status_code, error = g.error,
      response_body = g.response_body, next_attempt_at = g.next_attempt_at
    FROM unsettled AS g
    WHERE a.org_id = g.org_id AND a.delivery_id = g.delivery_id AND a.series = g.series AND a.attempt = g.attempt
  ), delivery AS (
    UPDATE webhook_deliveries AS d SET status = CASE WHEN g.superseded THEN 'RETRYING' ELSE g.status END,
      attempts_made = d.attempts_made + 1,
      next_attempt_at = CASE WHEN g.superseded THEN g.ended_at ELSE g.next_attempt_at END,
      delivered_at = CASE g.status WHEN 'DELIVERED' THEN g.ended_at END,
      held_by = CASE WHEN g.superseded THEN 'QUEUE' WHEN g.status <> 'RETRYING' THEN NULL
        WHEN d.held_by = 'ATTEMPT' THEN 'PROCESS' ELSE 'QUEUE' END,
      batch_id = CASE WHEN g.superseded OR g.status = 'RETRYING' THEN NULL ELSE d.batch_id END,
      last_modified_time = greatest(g.ended_at, d.last_modified_time)
    FROM unsettled AS g WHERE d.org_id = g.org_id AND d.id = g.delivery_id AND d.status IN ('PENDING', 'RETRYING')
      AND NOT (g.superseded AND EXISTS (SELECT FROM webhook_attempts AS n
        WHERE n.org_id = d.org_id AND n.delivery_id = d.id AND n.series = d.series))
  ), counted AS MATERIALIZED (
    SELECT g.org_id, g.endpoint_id, g.status, g.duration_ms, g.ended_at FROM given AS g
    WHERE g.status = 'DELIVERED' OR EXISTS (SELECT FROM unsettled AS u WHERE
      u.org_id = g.org_id AND u.delivery_id = g.delivery_id AND u.series = g.series AND u.attempt = g.attempt)
  ), verdict AS (
    SELECT g.org_id, g.endpoint_id, bool_or(g.status = 'DELIVERED') AS answered, min(g.ended_at) AS first_at,
      max(g.ended_at) AS last_at, bool_or(g.duration_ms > ${CAPS.slowMs}) AS slow,
      (count(*) FILTER (WHERE g.status <> 'DELIVERED' AND g.ended_at > coalesce(
        (SELECT max(s.ended_at) FROM counted AS s WHERE s.org_id = g.org_id AND s.endpoint_id = g.endpoint_id AND s.status = 'DELIVERED'),
        '-infinity')))::integer AS failures
    FROM counted AS g GROUP BY g.org_id, g.endpoint_id
  ), changing AS (
    SELECT e.org_id, e.id, v.answered, v.first_at, v.last_at, e.failing_since
    FROM webhook_endpoints AS e JOIN verdict AS v ON v.org_id = e.org_id AND v.endpoint_id = e.id
    WHERE CASE WHEN v.answered THEN e.failing_since IS NOT NULL
               ELSE e.failing_since IS NULL OR (e.failing_since <= $2 AND e.status = 'ENABLED') END
    ORDER BY e.org_id, e.id FOR NO KEY UPDATE OF e
  ), health AS (
    UPDATE webhook_endpoints AS e SET failing_since = CASE WHEN t.answered THEN NULL ELSE t.first_at END
    FROM changing AS t WHERE e.org_id = t.org_id AND e.id = t.id AND (t.answered OR t.failing_since IS NULL)
  ), disabled AS (
    UPDATE webhook_endpoints AS e SET status = 'DISABLED', last_modified_time = t.last_at
    FROM changing AS t WHERE e.org_id = t.org_id AND e.id = t.id AND NOT t.answered AND t.failing_since IS NOT NULL
    RETURNING e.org_id, e.id, e.url, e.failing_since, e.last_modified_time
  ), closable AS MATERIALIZED (
    SELECT c.org_id, c.id FROM disabled AS x JOIN webhook_circuits AS c ON c.org_id = x.org_id AND c.id = x.id
    ORDER BY c.org_id, c.id FOR NO KEY UPDATE OF c
  ), circuit AS (
    UPDATE webhook_circuits AS c SET ${CLOSED_COLUMNS} FROM closable AS n WHERE c.org_id = n.org_id AND c.id = n.id
  ), logged AS (
  INSERT INTO activity (org_id, id, action, entity_type, entity_id, entity_ref, actor_user_id, changes, metadata, occurred_at)
  SELECT org_id, gen_random_uuid(), 'WEBHOOK_ENDPOINT_STATUS_CHANGED', 'WEBHOOK_ENDPOINT', id, url, NULL,
    '{"status": {"old": "ENABLED", "new": "DISABLED"}}',
    jsonb_build_object('source', 'WEBHOOK_DELIVERY', 'failing_since', to_char(failing_since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), last_modified_time
  FROM disabled
  ), told AS (${TELL_OWNERS}
  ), addressed AS (
  INSERT INTO email_recipients (org_id, email_id, place, kind, address)
  SELECT t.org_id, t.id, row_number() OVER (PARTITION BY t.org_id, t.id ORDER BY min(u.created_time)) - 1, 'TO', lower(u.email)
  FROM told AS t JOIN users AS u ON u.org_id = t.org_id AND u.role = 'OWNER' AND u.removed_time IS NULL
    AND u.email NOT ILIKE '%.invalid' GROUP BY t.org_id, t.id, lower(u.email)
  )
  SELECT v.org_id, v.endpoint_id AS id, v.answered, v.failures, v.slow, v.last_at
  FROM verdict AS v
  JOIN webhook_endpoints AS e ON e.org_id = v.org_id AND e.id = v.endpoint_id AND e.status = 'ENABLED'
  LEFT JOIN webhook_circuits AS c ON c.org_id = v.org_id AND c.id = v.endpoint_id
  WHERE (v.failures > 0 OR v.slow <> coalesce(c.slow, false) OR (v.answered AND (c.failures > 0 OR c.state <> 'CLOSED')))
    AND NOT EXISTS (SELECT FROM disabled AS x WHERE x.org_id = v.org_id AND x.id = v.endpoint_id)`,
}

export const PUT_BACK = {
  name: 'put back deliveries',
  text: `WITH held AS MATERIALIZED (
    SELECT d.org_id, d.id FROM unnest($1::uuid[], $2::uuid[]) AS k(org_id, delivery_id)
    JOIN webhook_deliveries AS d ON d.org_id = k.org_id AND d.id = k.delivery_id
    WHERE d.held_by = 'BATCH' ORDER BY d.org_id, d.id FOR NO KEY UPDATE OF d
  )
  UPDATE webhook_deliveries AS d SET batch_id = NULL, held_by = 'QUEUE' FROM held AS h WHERE d.org_id = h.org_id AND d.id = h.id`,
}

export const ABANDON = {
  name: 'abandon delivery',
  text: `UPDATE webhook_deliveries SET next_attempt_at = NULL, held_by = NULL,
      status = CASE WHEN status IN ('PENDING', 'RETRYING') THEN 'FAILED' ELSE status END,
      last_modified_time = CASE WHEN held_by IS NULL THEN last_modified_time ELSE greatest($3, last_modified_time) END
    WHERE org_id = $1 AND id = $2 RETURNING status`,
}

export const RELEASE = {
  name: 'release batch',
  text: `WITH held AS MATERIALIZED (
    SELECT d.org_id, d.id FROM webhook_deliveries AS d WHERE d.batch_id = $1 AND d.held_by = 'BATCH'
    ORDER BY d.org_id, d.id FOR NO KEY UPDATE
  )
  UPDATE webhook_deliveries AS d SET batch_id = NULL, held_by = 'QUEUE' FROM held AS h
  WHERE d.org_id = h.org_id AND d.id = h.id RETURNING 1`,
}
