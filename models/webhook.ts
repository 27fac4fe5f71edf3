// Webhook endpoints, the events of the books, their deliveries and each attempt.
import type { DeliveryStatus } from '../domain/delivery.ts'
import { equalTo, not } from './condition.ts'
import type { Scope } from './find.ts'
import { table } from './table.ts'

export interface WebhookEndpointRow {
  org_id: string
  id: string
  url: string
  secret_sealed: string
  events: string[]
  description: string | null
  status: 'ENABLED' | 'DISABLED' | 'DELETED'
  failing_since: Date | null
  created_time: Date
  last_modified_time: Date
}

export const webhookEndpoints = table<WebhookEndpointRow>('webhook_endpoints', {
  org_id: 'uuid', id: 'uuid', url: 'text', secret_sealed: 'text', events: 'texts', description: 'text', status: 'text',
  failing_since: 'time', created_time: 'time', last_modified_time: 'time',
})

/** All but the endpoints that were deleted. */
export const STANDING_ENDPOINTS = not(equalTo('status', 'DELETED'))

export interface WebhookEventRow {
  org_id: string
  id: string
  event_type: string
  entity_type: string
  entity_id: string
  data: Record<string, unknown>
  occurred_at: Date
}

export const webhookEvents = table<WebhookEventRow>('webhook_events', {
  org_id: 'uuid', id: 'uuid', event_type: 'text', entity_type: 'text', entity_id: 'uuid', data: 'json',
  occurred_at: 'time',
})

export interface WebhookDeliveryRow {
  org_id: string
  id: string
  event_id: string
  endpoint_id: string
  event_type: string
  payload: string
  status: DeliveryStatus
  series: number
  attempts_made: number
  next_attempt_at: Date | null
  batch_id: string | null
  /** What carries it while it is under way; null once it is final. */
  held_by: 'QUEUE' | 'CIRCUIT' | 'BATCH' | 'PROCESS' | 'ATTEMPT' | null
  created_time: Date
  delivered_at: Date | null
  last_modified_time: Date
}

export const webhookDeliveries = table<WebhookDeliveryRow>('webhook_deliveries', {
  org_id: 'uuid', id: 'uuid', event_id: 'uuid', endpoint_id: 'uuid', event_type: 'text', payload: 'text',
  status: 'text', series: 'integer', attempts_made: 'integer', next_attempt_at: 'time', batch_id: 'uuid',
  held_by: 'text', created_time: 'time', delivered_at: 'time', last_modified_time: 'time',
})

export interface WebhookAttemptRow {
  org_id: string
  delivery_id: string
  series: number
  attempt: number
  started_at: Date
  duration_ms: number | null
  status_code: number | null
  error: string | null
  response_body: string | null
  next_attempt_at: Date | null
}

export const webhookAttempts = table<WebhookAttemptRow>(
  'webhook_attempts',
  {
    org_id: 'uuid', delivery_id: 'uuid', series: 'integer', attempt: 'integer', started_at: 'time',
    duration_ms: 'integer', status_code: 'integer', error: 'text', response_body: 'text', next_attempt_at: 'time',
  },
  { key: ['org_id', 'delivery_id', 'series', 'attempt'] },
)

/**
 * How many endpoints the organisation has. Locks the count until the transaction ends, so that two calls at once do
 * not both take the last place.
 */
export async function countEndpoints({ connection, orgId }: Scope): Promise<number> {
  // Taken before the count is read, in a statement of its own: the count must see what the one before has committed.
  await connection.run(LOCK_COUNT, [orgId])
  const [row] = await connection.run<{ count: number }>(COUNT, [orgId])
  return row!.count
}

/** The attempts at a delivery, in the order in which they were made. */
export async function attemptsOf({ connection, orgId }: Scope, deliveryId: string): Promise<WebhookAttemptRow[]> {
  return connection.run(ATTEMPTS, [orgId, deliveryId])
}

const LOCK_COUNT = {
  name: 'lock endpoint count',
  text: 'SELECT 1 FROM organizations WHERE id = $1 FOR NO KEY UPDATE',
}
const COUNT = {
  name: 'count endpoints',
  text: `SELECT count(*)::integer AS count FROM webhook_endpoints WHERE org_id = $1 AND status <> 'DELETED'`,
}
const ATTEMPTS = {
  name: 'attempts of delivery',
  text: `SELECT ${webhookAttempts.columns.join(', ')} FROM webhook_attempts
    WHERE org_id = $1 AND delivery_id = $2 ORDER BY series, attempt`,
}
