// Webhook endpoints, events, their deliveries, and the attempts at each delivery.
import pg from 'pg'
import type { DeliveryStatus } from '../domain/delivery.ts'
import { isId } from '../domain/ids.ts'
import type { FormerSecret } from '../domain/webhook-secrets.ts'
import { hasMany } from './association.ts'
import { equalTo, fewInSql, inSql, not, nothing, type Condition } from './condition.ts'
import type { Connection, Statement } from './connection.ts'
import type { Scope } from './find.ts'
import {
  BIG_INTEGER,
  BOOLEAN,
  INTEGER,
  TEXT,
  TEXTS,
  TIME,
  UUID,
  json,
  orNull,
  textOf,
  model,
  type RowOf,
} from './model.ts'

export const webhookEndpoints = model('webhook_endpoints', {
  org_id: UUID,
  id: UUID,
  url: TEXT,
  secret_sealed: TEXT,
  former_secrets: json<FormerSecret[]>(),
  events: TEXTS,
  /** Whether deliveries carry the headers of Standard Webhooks too. */
  standard_webhooks: BOOLEAN,
  description: orNull(TEXT),
  status: textOf<'ENABLED' | 'DISABLED' | 'DELETED'>(),
  failing_since: orNull(TIME),
  created_time: TIME,
  last_modified_time: TIME,
})
export type WebhookEndpointRow = RowOf<typeof webhookEndpoints>

/** All endpoints that are not deleted. */
export const NOT_DELETED = not(equalTo('status', 'DELETED'))

export const webhookEvents = model('webhook_events', {
  org_id: UUID,
  id: UUID,
  event_type: TEXT,
  entity_type: TEXT,
  entity_id: UUID,
  data: json<Record<string, unknown>>(),
  occurred_at: TIME,
  /** Its place in the change feed of its organisation (models/event-feed.ts), counted from 1 without gaps. */
  position: BIG_INTEGER,
  /** The trace of the call that has announced it; null where none is recorded. */
  traceparent: orNull(TEXT),
})
export type WebhookEventRow = RowOf<typeof webhookEvents>

export const webhookDeliveries = model('webhook_deliveries', {
  org_id: UUID,
  id: UUID,
  event_id: UUID,
  endpoint_id: UUID,
  event_type: TEXT,
  payload: TEXT,
  status: textOf<DeliveryStatus>(),
  series: INTEGER,
  attempts_made: INTEGER,
  next_attempt_at: orNull(TIME),
  batch_id: orNull(UUID),
  /** What holds the delivery while it is under way; null once it is final. */
  held_by: orNull(textOf<'QUEUE' | 'CIRCUIT' | 'BATCH' | 'PROCESS' | 'ATTEMPT'>()),
  created_time: TIME,
  delivered_at: orNull(TIME),
  last_modified_time: TIME,
})
export type WebhookDeliveryRow = RowOf<typeof webhookDeliveries>

const EVENT = `SELECT FROM webhook_events AS e
  WHERE e.org_id = "webhook_deliveries"."org_id" AND e.id = "webhook_deliveries"."event_id"`

/** The deliveries of events about this record; text that is not an id matches none. */
export const aboutRecord = (id: string): Condition =>
  isId(id) ? fewInSql(`EXISTS (${EVENT} AND e.entity_id = ${pg.escapeLiteral(id)})`) : nothing

/** The deliveries of events about records of this type. */
export const aboutType = (type: string): Condition =>
  inSql(`EXISTS (${EVENT} AND e.entity_type = ${pg.escapeLiteral(type)})`)

export const webhookAttempts = model(
  'webhook_attempts',
  {
    org_id: UUID,
    delivery_id: UUID,
    series: INTEGER,
    attempt: INTEGER,
    started_at: TIME,
    duration_ms: orNull(INTEGER),
    status_code: orNull(INTEGER),
    error: orNull(TEXT),
    response_body: orNull(TEXT),
    next_attempt_at: orNull(TIME),
  },
  { key: ['org_id', 'delivery_id', 'series', 'attempt'] },
)
export type WebhookAttemptRow = RowOf<typeof webhookAttempts>

const attempts = hasMany(webhookDeliveries, 'attempts', webhookAttempts, {
  by: 'delivery_id',
  order: ['series', 'attempt'],
})

/**
 * How many endpoints the organisation has. Locks the count until the transaction ends, so that two concurrent calls do
 * not both take the last place.
 */
export async function countEndpoints({ connection, orgId }: Scope): Promise<number> {
  // The lock is taken in a statement of its own: the count then sees what the transaction before has committed.
  await connection.run(LOCK_COUNT, [orgId])
  const [row] = await connection.run<{ count: number }>(COUNT, [orgId])
  return row!.count
}

/** The attempts at a delivery, in the order in which they were made. */
export const attemptsOf = (scope: Scope, deliveryId: string): Promise<WebhookAttemptRow[]> =>
  attempts.of(scope, [deliveryId])

const LOCK_COUNT = {
  name: 'lock endpoint count',
  text: 'SELECT 1 FROM organizations WHERE id = $1 FOR NO KEY UPDATE',
}
const COUNT = {
  name: 'count endpoints',
  text: `SELECT count(*)::integer AS count FROM webhook_endpoints WHERE org_id = $1 AND status <> 'DELETED'`,
}

/** The sealed secrets of some enabled endpoints of every organisation, to see whether they can be read. */
export async function someSealedSecrets(connection: Connection, limit: number): Promise<string[]> {
  const rows = await connection.run<{ secret_sealed: string }>(SOME_SECRETS, [limit])
  return rows.map(({ secret_sealed }) => secret_sealed)
}

const SOME_SECRETS = {
  name: 'some sealed secrets',
  text: `SELECT secret_sealed FROM webhook_endpoints WHERE status = 'ENABLED' LIMIT $1`,
}

/**
 * Removes endpoints that were deleted before this time and have no delivery left, at most `atMost` of them; returns how many.
 * Until then a deleted one tells where its deliveries went.
 */
export async function removeDeletedEndpoints(connection: Connection, before: Date, atMost: number): Promise<number> {
  const [row] = await connection.run<{ removed: number }>(REMOVE_DELETED, [before, atMost])
  return row!.removed
}

// Endpoints by webhook_endpoints_deleted, deliveries by webhook_deliveries_by_endpoint.
const REMOVE_DELETED: Statement = {
  name: 'remove deleted endpoints',
  text: `WITH old AS MATERIALIZED (
    SELECT e.org_id, e.id FROM webhook_endpoints AS e
    WHERE e.status = 'DELETED' AND e.last_modified_time < $1
      AND NOT EXISTS (SELECT FROM webhook_deliveries AS d WHERE d.org_id = e.org_id AND d.endpoint_id = e.id)
    ORDER BY e.last_modified_time LIMIT $2 FOR UPDATE OF e SKIP LOCKED
  ), circuit AS (
    DELETE FROM webhook_circuits AS c USING old WHERE c.org_id = old.org_id AND c.id = old.id
  ), endpoint AS (
    DELETE FROM webhook_endpoints AS e USING old WHERE e.org_id = old.org_id AND e.id = old.id
  )
  SELECT count(*)::integer AS removed FROM old`,
}
