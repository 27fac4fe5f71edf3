// The circuits of webhook endpoints, and the statements that update, try and release them.
// Rows are locked in the order of their keys, or skipped where another statement has locked them.
import { CLOSED, type Circuit, type CircuitState } from '../domain/circuit.ts'
import { CAPS } from '../domain/webhook-caps.ts'
import type { Connection } from './connection.ts'
import { BOOLEAN, INTEGER, TIME, UUID, orNull, textOf, model, type RowOf } from './model.ts'

/** `id` is the endpoint's. */
export const webhookCircuits = model('webhook_circuits', {
  org_id: UUID,
  id: UUID,
  state: textOf<CircuitState>(),
  failures: INTEGER,
  opened: INTEGER,
  next_try_at: orNull(TIME),
  slow: BOOLEAN,
  releasing: BOOLEAN,
})
export type WebhookCircuitRow = RowOf<typeof webhookCircuits>

export function circuitIn({
  state,
  failures,
  opened,
  next_try_at: nextTryAt,
  slow,
  releasing,
}: WebhookCircuitRow): Circuit {
  return { state, failures, opened, nextTryAt, slow, releasing }
}

export function columnsOf({
  state,
  failures,
  opened,
  nextTryAt,
  slow,
  releasing,
}: Circuit): Omit<WebhookCircuitRow, 'org_id' | 'id'> {
  return { state, failures, opened, next_try_at: nextTryAt, slow, releasing }
}

export interface EndpointKey {
  org_id: string
  id: string
}

/** The circuits of these endpoints, created where missing, and locked in the order of their keys. */
export async function lockCircuits(connection: Connection, keys: readonly EndpointKey[]): Promise<WebhookCircuitRow[]> {
  const columns = [keys.map((key) => key.org_id), keys.map((key) => key.id)]
  const [, rows] = await connection.runBoth<never, WebhookCircuitRow>([MAKE, columns], [LOCK, columns])
  return rows
}

export const TURN = {
  name: 'turn circuits',
  text: `UPDATE webhook_circuits AS c SET (state, failures, opened, next_try_at, slow, releasing)
      = (g.state, g.failures, g.opened, g.next_try_at, g.slow, g.releasing)
    FROM jsonb_populate_recordset(NULL::webhook_circuits, $1::jsonb) AS g WHERE c.org_id = g.org_id AND c.id = g.id`,
}

// $1 the batch, $2 the time. A circuit with no delivery to try stays open until $3; a trial without an outcome is made again from $4.
export const TRY = {
  name: 'claim trials',
  text: `WITH due AS MATERIALIZED (
    SELECT c.org_id, c.id FROM webhook_circuits AS c JOIN organizations AS o ON o.id = c.org_id AND o.status = 'ACTIVE'
    WHERE c.state <> 'CLOSED' AND c.next_try_at <= $2
    ORDER BY c.next_try_at LIMIT ${CAPS.batch} FOR UPDATE OF c SKIP LOCKED
  ), tried AS MATERIALIZED (
    SELECT due.org_id, due.id, w.id AS delivery_id
    FROM due LEFT JOIN LATERAL (
      SELECT d.id FROM webhook_deliveries AS d
      WHERE d.org_id = due.org_id AND d.endpoint_id = due.id AND d.held_by = 'CIRCUIT'
        AND coalesce(d.next_attempt_at, d.created_time) <= $2
      ORDER BY coalesce(d.next_attempt_at, d.created_time), d.id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    ) AS w ON true
  ), turned AS (
    UPDATE webhook_circuits AS c SET
      state = CASE WHEN t.delivery_id IS NULL THEN 'OPEN' ELSE 'HALF_OPEN' END,
      next_try_at = CASE WHEN t.delivery_id IS NULL THEN $3::timestamptz ELSE $4::timestamptz END
    FROM tried AS t WHERE c.org_id = t.org_id AND c.id = t.id
  ), claimed AS (
    UPDATE webhook_deliveries AS d SET held_by = 'BATCH', batch_id = $1
    FROM tried AS t WHERE d.org_id = t.org_id AND d.id = t.delivery_id
    RETURNING d.org_id, d.endpoint_id, d.event_id
  )
  SELECT c.org_id, c.endpoint_id, e.entity_type, e.entity_id
  FROM claimed AS c JOIN webhook_events AS e ON e.org_id = c.org_id AND e.id = c.event_id`,
}

/** Puts deliveries that have waited for a circuit back into the queue, a limited number for each endpoint at a time. */
export const RELEASE_WAITING = {
  name: 'release waiting',
  text: `WITH closed AS MATERIALIZED (
    SELECT c.org_id, c.id FROM webhook_circuits AS c WHERE c.releasing AND c.state = 'CLOSED'
    ORDER BY c.org_id, c.id LIMIT 100 FOR UPDATE SKIP LOCKED
  ), chosen AS MATERIALIZED (
    SELECT k.org_id, k.id AS endpoint_id, w.id FROM closed AS k CROSS JOIN LATERAL (
      SELECT d.id FROM webhook_deliveries AS d WHERE d.org_id = k.org_id AND d.endpoint_id = k.id AND d.held_by = 'CIRCUIT'
      ORDER BY coalesce(d.next_attempt_at, d.created_time), d.id LIMIT ${CAPS.releasedInSecond}
    ) AS w
  ), held AS MATERIALIZED (
    SELECT d.org_id, d.id FROM chosen AS c JOIN webhook_deliveries AS d ON d.org_id = c.org_id AND d.id = c.id
    WHERE d.held_by = 'CIRCUIT' ORDER BY d.org_id, d.id FOR NO KEY UPDATE OF d
  ), released AS (
    UPDATE webhook_deliveries AS d SET held_by = 'QUEUE' FROM held AS h WHERE d.org_id = h.org_id AND d.id = h.id
  )
  UPDATE webhook_circuits AS c SET releasing = false FROM closed AS k
  WHERE c.org_id = k.org_id AND c.id = k.id
    AND NOT EXISTS (SELECT FROM chosen AS s WHERE s.org_id = k.org_id AND s.endpoint_id = k.id)`,
}

/**
 * Finds closed circuits that deliveries still wait for, and has them released again. The transaction of an event that was
 * announced while the circuit was open may commit after all other deliveries were released.
 */
export const FIND_LEFT_WAITING = {
  name: 'find left waiting',
  text: `WITH RECURSIVE held (org_id, id) AS (
    (SELECT d.org_id, d.endpoint_id FROM webhook_deliveries AS d WHERE d.held_by = 'CIRCUIT'
     ORDER BY d.org_id, d.endpoint_id LIMIT 1)
    UNION ALL
    SELECT n.org_id, n.endpoint_id FROM held AS h CROSS JOIN LATERAL (
      SELECT d.org_id, d.endpoint_id FROM webhook_deliveries AS d
      WHERE d.held_by = 'CIRCUIT' AND (d.org_id, d.endpoint_id) > (h.org_id, h.id) ORDER BY d.org_id, d.endpoint_id LIMIT 1
    ) AS n
  ), left_waiting AS MATERIALIZED (
    SELECT c.org_id, c.id FROM held AS h JOIN webhook_circuits AS c ON c.org_id = h.org_id AND c.id = h.id
    WHERE c.state = 'CLOSED' AND NOT c.releasing ORDER BY c.org_id, c.id FOR NO KEY UPDATE OF c
  )
  UPDATE webhook_circuits AS c SET releasing = true FROM left_waiting AS l WHERE c.org_id = l.org_id AND c.id = l.id`,
}

/** Closes a circuit, in a statement that disables its endpoint or finds it disabled. */
export const CLOSED_COLUMNS = `state = 'CLOSED', failures = 0, opened = 0, next_try_at = NULL, releasing = true`

const MAKE = {
  name: 'make circuits',
  text: `INSERT INTO webhook_circuits AS c (org_id, id, state, failures, opened, slow, releasing)
    SELECT k.org_id, k.id, '${CLOSED.state}', 0, 0, false, false FROM unnest($1::uuid[], $2::uuid[]) AS k(org_id, id)
    ORDER BY k.org_id, k.id ON CONFLICT (org_id, id) DO NOTHING`,
}
const LOCK = {
  name: 'lock circuits',
  text: `SELECT ${webhookCircuits.columns.map((column) => `c.${column}`).join(', ')}
    FROM webhook_circuits AS c JOIN unnest($1::uuid[], $2::uuid[]) AS k(org_id, id) ON c.org_id = k.org_id AND c.id = k.id
    ORDER BY c.org_id, c.id FOR UPDATE OF c`,
}
