// Webhook endpoints, event types and deliveries as JSON, in and out.
import { Type, type Static } from 'typebox'
import type { CreatedEndpoint, EndpointWithCircuit } from '../../commands/webhooks/endpoints.ts'
import type { RotatedEndpoint } from '../../commands/webhooks/secrets.ts'
import type { QueuedTest } from '../../commands/webhooks/test-event.ts'
import { CIRCUIT_STATES, CLOSED } from '../../domain/circuit.ts'
import { DELIVERY_STATUSES } from '../../domain/delivery.ts'
import { DELETION_EVENTS, EVENT_TYPES, TEST_EVENT, eventSchema } from '../../domain/events.ts'
import { standardSecret } from '../../domain/standard-secret.ts'
import { OVERLAP_SECONDS } from '../../domain/webhook-secrets.ts'
import type { WebhookAttemptRow, WebhookDeliveryRow } from '../../models/webhook.ts'
import { Id, nullable, optional, Text, Timestamp } from './fields.ts'

const fields = {
  url: Type.String({ minLength: 1, maxLength: 2_000, description: 'An https URL of a server on the public internet.' }),
  // The shape accepts any name, because an unknown name is answered with the list of valid ones (decisions §5).
  events: Type.Array(Type.String({ maxLength: 100 }), {
    minItems: 1,
    maxItems: 100,
    description: 'Names from GET /webhooks/event_types.',
  }),
  standard_webhooks: Type.Boolean({
    description:
      'Whether deliveries also carry the headers of Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature).',
  }),
}

export const NewEndpoint = Type.Object(
  { ...fields, description: optional(Text(500)), standard_webhooks: optional(fields.standard_webhooks) },
  {
    examples: [{ url: 'https://example.com/bahi', events: ['INVOICE_CREATED', 'INVOICE_PAID'] }],
  },
)
export type NewEndpoint = Static<typeof NewEndpoint>

export const EndpointChanges = Type.Object({
  url: Type.Optional(fields.url),
  events: Type.Optional(fields.events),
  description: optional(Text(500)),
  standard_webhooks: Type.Optional(fields.standard_webhooks),
})
export type EndpointChanges = Static<typeof EndpointChanges>

const endpoint = {
  endpoint_id: Id,
  url: Type.String(),
  events: Type.Array(Type.String()),
  description: nullable(Type.String()),
  standard_webhooks: Type.Boolean(),
  status: Type.Enum(['ENABLED', 'DISABLED']),
  failing_since: nullable(
    Type.String({ format: 'date-time', description: 'The first failure after the last success.' }),
  ),
  former_secret_until: nullable(
    Type.String({
      format: 'date-time',
      description: 'Until when deliveries are also signed with former secrets; null if there is none.',
    }),
  ),
  circuit: Type.Enum([...CIRCUIT_STATES], {
    description:
      'OPEN after many consecutive failures: deliveries wait, except for occasional trials. HALF_OPEN during a trial. A success closes it.',
  }),
  next_try_at: nullable(
    Type.String({
      format: 'date-time',
      description: 'When a delivery is tried next; null while the circuit is CLOSED.',
    }),
  ),
  created_time: Timestamp,
  last_modified_time: Timestamp,
}
export const Endpoint = Type.Object(endpoint)
export const EndpointWithSecret = Type.Object({
  ...endpoint,
  secret: Type.String({ description: 'Signs every delivery. No other call returns it.' }),
  standard_secret: Type.String({ description: 'The same secret, as libraries of Standard Webhooks take it.' }),
})

export function showEndpoint({ endpoint: row, circuit }: EndpointWithCircuit): Static<typeof Endpoint> {
  return {
    endpoint_id: row.id,
    url: row.url,
    events: row.events,
    description: row.description,
    standard_webhooks: row.standard_webhooks,
    status: row.status === 'ENABLED' ? 'ENABLED' : 'DISABLED',
    failing_since: row.failing_since?.toISOString() ?? null,
    former_secret_until: row.former_secrets[0]?.until ?? null,
    circuit: circuit.state,
    next_try_at: circuit.nextTryAt?.toISOString() ?? null,
    created_time: row.created_time.toISOString(),
    last_modified_time: row.last_modified_time.toISOString(),
  }
}

export function showCreatedEndpoint({ endpoint, secret }: CreatedEndpoint): Static<typeof EndpointWithSecret> {
  return { ...showEndpoint({ endpoint, circuit: CLOSED }), secret, standard_secret: standardSecret(secret) }
}

export const Rotation = Type.Object(
  {
    overlap_seconds: optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_SECONDS.maximum,
        description: `How long deliveries are also signed with the former secrets; ${OVERLAP_SECONDS.default} unless sent. 0 ends them at once.`,
      }),
    ),
  },
  { examples: [{ overlap_seconds: 86_400 }] },
)

const instant = (description: string) => Type.String({ maxLength: 40, format: 'instant', description })

export const Recovery = Type.Object(
  {
    since: instant('The time of the event: at or after.'),
    until: optional(instant('At or before; now unless sent.')),
  },
  { examples: [{ since: '2026-11-20T00:00:00Z', until: '2026-11-21T00:00:00Z' }] },
)

export function showRotatedEndpoint({ secret, ...rotated }: RotatedEndpoint): Static<typeof EndpointWithSecret> {
  return { ...showEndpoint(rotated), secret, standard_secret: standardSecret(secret) }
}

export const EventTypeEntry = Type.Object({
  event_type: Type.String(),
  subscribable: Type.Boolean({
    description: 'False for the test event and for deletions, which only the change feed has.',
  }),
  schema: Type.Object({}, { additionalProperties: true, description: 'JSON Schema of the delivered `data`.' }),
})

/** All event types, in the specification's order; then those that cannot be subscribed to. */
export function showEventTypes(): Static<typeof EventTypeEntry>[] {
  const entry = (event_type: Parameters<typeof eventSchema>[0], subscribable: boolean) => ({
    event_type,
    subscribable,
    schema: { ...eventSchema(event_type) },
  })
  return [
    ...EVENT_TYPES.map((type) => entry(type, true)),
    ...[...DELETION_EVENTS, TEST_EVENT].map((type) => entry(type as typeof TEST_EVENT, false)),
  ]
}

const delivery = {
  delivery_id: Id,
  endpoint_id: Id,
  event_type: Type.String(),
  status: Type.Enum([...DELIVERY_STATUSES]),
  attempts_made: Type.Integer(),
  next_attempt_at: nullable(Timestamp),
  created_time: Timestamp,
  delivered_at: nullable(Timestamp),
  last_modified_time: Timestamp,
  url: Type.String({ description: 'The current URL of the endpoint.' }),
  payload: Type.Object({}, { additionalProperties: true, description: 'The body of the request.' }),
}
export const Delivery = Type.Object(delivery)
export const DeliveryWithAttempts = Type.Object({
  ...delivery,
  attempts: Type.Array(
    Type.Object({
      attempt: Type.Integer(),
      started_at: Timestamp,
      duration_ms: nullable(Type.Integer({ description: 'null during the attempt.' })),
      status_code: nullable(Type.Integer()),
      error: nullable(Type.String()),
      response_body: nullable(Type.String({ description: 'The first 4 KB of the response.' })),
      next_attempt_at: nullable(Timestamp),
    }),
  ),
})

export function showDelivery(row: WebhookDeliveryRow, url: string): Static<typeof Delivery> {
  return {
    delivery_id: row.id,
    endpoint_id: row.endpoint_id,
    event_type: row.event_type,
    status: row.status,
    attempts_made: row.attempts_made,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    created_time: row.created_time.toISOString(),
    delivered_at: row.delivered_at?.toISOString() ?? null,
    last_modified_time: row.last_modified_time.toISOString(),
    url,
    payload: JSON.parse(row.payload) as Record<string, unknown>,
  }
}

export function showTest({ deliveryId, endpointId, url, payload, at }: QueuedTest): Static<typeof Delivery> {
  return {
    delivery_id: deliveryId,
    endpoint_id: endpointId,
    event_type: TEST_EVENT,
    status: 'PENDING',
    attempts_made: 0,
    next_attempt_at: null,
    created_time: at.toISOString(),
    delivered_at: null,
    last_modified_time: at.toISOString(),
    url,
    payload: JSON.parse(payload) as Record<string, unknown>,
  }
}

export function showDeliveryWithAttempts(
  row: WebhookDeliveryRow,
  url: string,
  attempts: WebhookAttemptRow[],
): Static<typeof DeliveryWithAttempts> {
  return {
    ...showDelivery(row, url),
    // Attempts are numbered in the order in which they were made, across redeliveries.
    attempts: attempts.map(
      ({ started_at, duration_ms, status_code, error, response_body, next_attempt_at }, place) => ({
        attempt: place + 1,
        started_at: started_at.toISOString(),
        duration_ms,
        status_code,
        error,
        response_body,
        next_attempt_at: next_attempt_at?.toISOString() ?? null,
      }),
    ),
  }
}
