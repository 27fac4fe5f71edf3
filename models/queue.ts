// The queue of deliveries: how batches claim them fairly, and which refused deliveries get a process of their own.
import { CAPS } from '../domain/webhook-caps.ts'

/** The endpoints that one statement visits; the next statement continues after the last of them. */
const VISITED_AT_MOST = 500
/** The deliveries that one claim hands to open circuits. They are chosen by ctid, because a join might read all of them. */
const PARKED_AT_MOST = 500

const DUE = 'coalesce(d.next_attempt_at, d.created_time)'

// Goes from endpoint to endpoint by the index, however many deliveries wait for each of them.
const visitEndpoints = (waiting: string) => `visited (org_id, endpoint_id, step) AS (
    (SELECT d.org_id, d.endpoint_id, 1 FROM webhook_deliveries AS d
     WHERE ${waiting} AND (d.org_id, d.endpoint_id) > ($1::uuid, $2::uuid) ORDER BY d.org_id, d.endpoint_id LIMIT 1)
    UNION ALL
    SELECT n.org_id, n.endpoint_id, v.step + 1 FROM visited AS v CROSS JOIN LATERAL (
      SELECT d.org_id, d.endpoint_id FROM webhook_deliveries AS d
      WHERE ${waiting} AND (d.org_id, d.endpoint_id) > (v.org_id, v.endpoint_id) ORDER BY d.org_id, d.endpoint_id LIMIT 1
    ) AS n WHERE v.step < ${VISITED_AT_MOST}
  )`

const countOf = (holders: string) => `(SELECT count(*)::integer FROM webhook_deliveries AS f
      WHERE f.org_id = v.org_id AND f.endpoint_id = v.endpoint_id AND f.held_by IN (${holders}))`
const countOfOrganization = (holders: string) => `(SELECT count(*)::integer FROM webhook_deliveries AS f
      WHERE f.org_id = v.org_id AND f.held_by IN (${holders}))`

const CLOSED_ONLY = `coalesce((SELECT k.state FROM webhook_circuits AS k WHERE k.org_id = v.org_id AND k.id = v.endpoint_id), 'CLOSED') = 'CLOSED'`
const SLOW =
  'coalesce((SELECT k.slow FROM webhook_circuits AS k WHERE k.org_id = v.org_id AND k.id = v.endpoint_id), false)'

// $3 the time, $4 the batch, $5 how many, $6 true for slow endpoints, false for the others.
// Each endpoint gets at most as many deliveries as it has free places, and organisations take turns: those with fewer attempts
// under way first. A delivery that another statement has locked is skipped: while one claim waits for a row, all claims wait.
const CHOOSE = `candidate AS MATERIALIZED (
    SELECT v.org_id, v.endpoint_id,
      CASE WHEN $6 THEN ${CAPS.attemptsOfSlowEndpoint} ELSE ${CAPS.attemptsOfEndpoint} END - ${countOf(`'BATCH', 'ATTEMPT'`)} AS places
    FROM visited AS v JOIN organizations AS o ON o.id = v.org_id AND o.status = 'ACTIVE'
    WHERE ${CLOSED_ONLY} AND ${SLOW} = $6
  ), share AS MATERIALIZED (
    SELECT v.org_id, ${countOfOrganization(`'BATCH', 'ATTEMPT'`)} AS under_way
    FROM (SELECT DISTINCT org_id FROM candidate WHERE places > 0) AS v
  ), waiting AS MATERIALIZED (
    SELECT c.org_id, w.id, w.due_at,
      s.under_way + row_number() OVER (PARTITION BY c.org_id ORDER BY w.place, w.due_at, w.id) AS place
    FROM candidate AS c JOIN share AS s ON s.org_id = c.org_id
    CROSS JOIN LATERAL (
      SELECT n.id, n.due_at, row_number() OVER (ORDER BY n.due_at, n.id) AS place FROM (
        SELECT d.id, ${DUE} AS due_at FROM webhook_deliveries AS d
        WHERE d.org_id = c.org_id AND d.endpoint_id = c.endpoint_id AND d.held_by = 'QUEUE' AND ${DUE} <= $3
        ORDER BY ${DUE}, d.id LIMIT greatest(c.places, 0)
      ) AS n
    ) AS w
  ), chosen AS MATERIALIZED (
    SELECT w.org_id, w.id FROM waiting AS w WHERE w.place <= ${CAPS.attemptsOfOrganization}
    ORDER BY w.place, w.due_at, w.id LIMIT $5
  ), free AS MATERIALIZED (
    SELECT d.org_id, d.id FROM chosen AS c JOIN webhook_deliveries AS d ON d.org_id = c.org_id AND d.id = c.id
    WHERE d.held_by = 'QUEUE' ORDER BY d.org_id, d.id FOR NO KEY UPDATE OF d SKIP LOCKED
  ), claimed AS (
    UPDATE webhook_deliveries AS d SET held_by = 'BATCH', batch_id = $4 FROM free AS c WHERE d.org_id = c.org_id AND d.id = c.id
    RETURNING d.org_id, d.id, d.endpoint_id, d.event_id, d.series
  )`

/** Lets one claim count at a time, or two would fill the same places. Sent as a statement of its own, before the claim. */
export const LOCK_CLAIMS = { name: 'lock claims', text: `SELECT pg_advisory_xact_lock(hashtext('webhook claims'))` }

/**
 * Claims a batch. Deliveries that wait for an endpoint whose circuit has opened since are handed to the circuit, a limited
 * number at a time. Returns the claimed deliveries, and, where more endpoints are left to visit, the last one visited.
 */
export const CLAIM = {
  name: 'claim deliveries',
  text: `WITH RECURSIVE ${visitEndpoints(`d.held_by = 'QUEUE'`)}, ${CHOOSE}, parked AS (
    UPDATE webhook_deliveries AS d SET held_by = 'CIRCUIT'
    WHERE d.held_by = 'QUEUE' AND d.ctid = ANY (ARRAY(
      SELECT p.place FROM (SELECT v.org_id, v.endpoint_id FROM visited AS v WHERE NOT ${CLOSED_ONLY}) AS v CROSS JOIN LATERAL (
        SELECT d.ctid AS place FROM webhook_deliveries AS d
        WHERE d.org_id = v.org_id AND d.endpoint_id = v.endpoint_id AND d.held_by = 'QUEUE'
        LIMIT 100 FOR NO KEY UPDATE SKIP LOCKED
      ) AS p LIMIT ${PARKED_AT_MOST}
    ))
  )
  SELECT l.org_id AS next_org_id, l.endpoint_id AS next_endpoint_id,
    (SELECT coalesce(jsonb_agg(jsonb_build_object(
        'org_id', c.org_id, 'endpoint_id', c.endpoint_id, 'entity_type', e.entity_type, 'entity_id', e.entity_id)), '[]')
     FROM claimed AS c JOIN webhook_events AS e ON e.org_id = c.org_id AND e.id = c.event_id) AS claimed
  FROM (SELECT 1) AS one LEFT JOIN visited AS l ON l.step = ${VISITED_AT_MOST}`,
}

/** Claims more deliveries for a batch under way, of its endpoints whose attempts have ended. $1, $2: the keys of these. */
export const CLAIM_MORE = {
  name: 'claim more deliveries',
  text: `WITH visited AS (SELECT * FROM unnest($1::uuid[], $2::uuid[]) AS k(org_id, endpoint_id)), ${CHOOSE}
  SELECT c.org_id, c.id, c.series,
    (SELECT count(*)::integer FROM webhook_attempts AS a
      WHERE a.org_id = c.org_id AND a.delivery_id = c.id AND a.series = c.series AND a.duration_ms IS NOT NULL) + 1 AS attempt
  FROM claimed AS c`,
}

/**
 * Chooses up to $4 refused deliveries that get a process of their own: as many of an endpoint and of an organisation as
 * their caps allow, the organisations with the fewest first. $3 is the time.
 */
export const CHOOSE_FOR_PROCESSES = {
  name: 'choose for processes',
  text: `WITH RECURSIVE ${visitEndpoints(`d.held_by = 'QUEUE' AND d.status = 'RETRYING'`)}, candidate AS MATERIALIZED (
    SELECT v.org_id, v.endpoint_id, ${CAPS.processesOfEndpoint} - ${countOf(`'PROCESS', 'ATTEMPT'`)} AS places
    FROM visited AS v JOIN organizations AS o ON o.id = v.org_id AND o.status = 'ACTIVE' WHERE ${CLOSED_ONLY}
  ), share AS MATERIALIZED (
    SELECT v.org_id, ${countOfOrganization(`'PROCESS', 'ATTEMPT'`)} AS under_way
    FROM (SELECT DISTINCT org_id FROM candidate WHERE places > 0) AS v
  ), waiting AS MATERIALIZED (
    SELECT w.*, s.under_way + row_number() OVER (PARTITION BY c.org_id ORDER BY w.next_attempt_at, w.id) AS place
    FROM candidate AS c JOIN share AS s ON s.org_id = c.org_id
    CROSS JOIN LATERAL (
      SELECT d.org_id, d.id, d.endpoint_id, d.event_id, d.series, d.attempts_made, d.next_attempt_at FROM webhook_deliveries AS d
      WHERE d.org_id = c.org_id AND d.endpoint_id = c.endpoint_id AND d.held_by = 'QUEUE' AND d.status = 'RETRYING'
        AND d.next_attempt_at > $3
      ORDER BY d.next_attempt_at, d.id LIMIT greatest(c.places, 0)
    ) AS w
  ), chosen AS MATERIALIZED (
    SELECT * FROM waiting AS w WHERE w.place <= ${CAPS.processesOfOrganization} ORDER BY w.place, w.next_attempt_at LIMIT $4
  )
  SELECT l.org_id AS next_org_id, l.endpoint_id AS next_endpoint_id,
    d.org_id, d.id, d.endpoint_id, d.series, d.attempts_made, d.next_attempt_at, e.entity_type, e.entity_id,
    (SELECT count(*)::integer FROM webhook_attempts AS a
      WHERE a.org_id = d.org_id AND a.delivery_id = d.id AND a.series = d.series AND a.duration_ms IS NOT NULL) AS attempts_in_series
  FROM (SELECT 1) AS one LEFT JOIN visited AS l ON l.step = ${VISITED_AT_MOST}
  LEFT JOIN (chosen AS d JOIN webhook_events AS e ON e.org_id = d.org_id AND e.id = d.event_id) ON true`,
}

/**
 * Records that deliveries have their process, unless they have changed since they were chosen, or are due by now, $5: from
 * then on the process may have found its delivery elsewhere and ended.
 */
export const NOTE_PROCESSES = {
  name: 'note processes',
  text: `WITH waiting AS MATERIALIZED (
    SELECT d.org_id, d.id
    FROM unnest($1::uuid[], $2::uuid[], $3::integer[], $4::timestamptz[]) AS k(org_id, id, attempts_made, next_attempt_at)
    JOIN webhook_deliveries AS d ON d.org_id = k.org_id AND d.id = k.id
    WHERE d.held_by = 'QUEUE' AND d.status = 'RETRYING'
      AND d.attempts_made = k.attempts_made AND d.next_attempt_at = k.next_attempt_at AND d.next_attempt_at > $5
    ORDER BY d.org_id, d.id FOR NO KEY UPDATE OF d
  )
  UPDATE webhook_deliveries AS d SET held_by = 'PROCESS' FROM waiting AS w WHERE d.org_id = w.org_id AND d.id = w.id`,
}

/**
 * Lets a process make its attempt; or gives its delivery to the circuit where that is open (unless an operator has asked
 * for the attempt, $6), or back to the queue where the endpoint or the organisation has no free place. The process of an earlier
 * series has nothing left to do.
 */
export const ADMIT = {
  name: 'admit attempt',
  text: `WITH found AS MATERIALIZED (
    SELECT d.org_id, d.id, d.status,
      CASE WHEN d.held_by IS NOT NULL AND d.series <> $3 THEN 'elsewhere'
           WHEN d.held_by IS NULL OR EXISTS (
             SELECT FROM webhook_attempts AS a WHERE a.org_id = d.org_id AND a.delivery_id = d.id AND a.series = $3
               AND a.attempt = $4 AND a.duration_ms IS NOT NULL) THEN 'settled'
           WHEN d.held_by IN ('BATCH', 'CIRCUIT') THEN 'elsewhere'
           WHEN o.status <> 'ACTIVE' THEN 'suspended'
           WHEN e.status <> 'ENABLED' OR d.held_by = 'ATTEMPT' THEN 'due'
           WHEN NOT $6 AND NOT ${CLOSED_ONLY} THEN 'open'
           WHEN ${countOf(`'BATCH', 'ATTEMPT'`)} >= CASE WHEN ${SLOW} THEN ${CAPS.attemptsOfSlowEndpoint} ELSE ${CAPS.attemptsOfEndpoint} END
             OR ${countOfOrganization(`'BATCH', 'ATTEMPT'`)} >= ${CAPS.attemptsOfOrganization} THEN 'full'
           ELSE 'due' END AS state
    FROM webhook_deliveries AS d CROSS JOIN LATERAL (SELECT d.org_id, d.endpoint_id) AS v
    JOIN organizations AS o ON o.id = d.org_id
    JOIN webhook_endpoints AS e ON e.org_id = d.org_id AND e.id = d.endpoint_id
    WHERE d.org_id = $1 AND d.id = $2
  ), moved AS (
    UPDATE webhook_deliveries AS d SET
      held_by = CASE f.state WHEN 'due' THEN 'ATTEMPT' WHEN 'open' THEN 'CIRCUIT' ELSE 'QUEUE' END,
      next_attempt_at = CASE f.state WHEN 'due' THEN d.next_attempt_at ELSE $5 END,
      last_modified_time = CASE f.state WHEN 'due' THEN d.last_modified_time ELSE greatest($5, d.last_modified_time) END
    FROM found AS f
    WHERE d.org_id = f.org_id AND d.id = f.id AND f.state IN ('due', 'open', 'full') AND d.held_by IN ('QUEUE', 'PROCESS', 'ATTEMPT')
  )
  SELECT state, status FROM found`,
}
