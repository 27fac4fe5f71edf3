// The commands on webhook endpoints: create, change, enable, disable, delete.
import { CLOSED, closed, type Circuit } from '../../domain/circuit.ts'
import { DELETION_EVENTS, EVENT_TYPES, isEventType } from '../../domain/events.ts'
import { fault, notFound } from '../../domain/faults.ts'
import { changedFields, type Answered, type Sent } from '../../domain/fixed-fields.ts'
import { isId } from '../../domain/ids.ts'
import { circuitIn, columnsOf, webhookCircuits } from '../../models/circuit.ts'
import { existingRow, findRow, findRows, type Lock, type Scope } from '../../models/find.ts'
import type { Sealer } from '../../models/sealed.ts'
import { mintSecret, PREFIXES } from '../../models/token.ts'
import {
  countEndpoints,
  webhookDeliveries,
  webhookEndpoints,
  type WebhookDeliveryRow,
  type WebhookEndpointRow,
} from '../../models/webhook.ts'
import type { Books } from '../books/books.ts'
import { changesBetween, type Changes } from '../books/changes.ts'

/** The fields of an endpoint in a body. A field that is left out stays as it is, null clears the description. */
export interface EndpointFields {
  url?: string
  events?: string[]
  description?: string | null
  standard_webhooks?: boolean | null
}

const CHANGEABLE = ['url', 'events', 'description', 'standard_webhooks'] as const satisfies (keyof EndpointFields)[]

export type EndpointInput = EndpointFields & { url: string; events: string[] }

/** An endpoint and its circuit, as responses show them. */
export interface EndpointWithCircuit {
  endpoint: WebhookEndpointRow
  circuit: Circuit
}

/** Throws if the URL was refused by the check that ran before the transaction. */
export type CheckedUrl = () => void

export interface CreatedEndpoint {
  endpoint: WebhookEndpointRow
  /** The signing secret of deliveries: returned once, stored sealed. */
  secret: string
}

/** The most endpoints of an organisation (decisions §5). */
export const MAX_ENDPOINTS = 20

/** The endpoint of this id. Throws not_found.resource for one that the organisation does not have, or has deleted. */
export async function endpointOf(scope: Scope, id: string, lock: Lock = ''): Promise<WebhookEndpointRow> {
  const endpoint = isId(id) ? await findRow(scope, webhookEndpoints, id, lock) : null
  if (!endpoint || endpoint.status === 'DELETED') throw notFound('webhook endpoint')
  return endpoint
}

/** These endpoints with their circuits. */
export async function withCircuits(scope: Scope, endpoints: WebhookEndpointRow[]): Promise<EndpointWithCircuit[]> {
  const rows = await findRows(
    scope,
    webhookCircuits,
    endpoints.map(({ id }) => id),
  )
  const circuits = new Map(rows.map((row) => [row.id, circuitIn(row)]))
  return endpoints.map((endpoint) => ({ endpoint, circuit: circuits.get(endpoint.id) ?? CLOSED }))
}

/** The delivery of this id. Throws not_found.resource for one that the organisation does not have. */
export const deliveryOf = (scope: Scope, id: string): Promise<WebhookDeliveryRow> =>
  existingRow(scope, webhookDeliveries, id, 'webhook delivery')

/**
 * Registers an endpoint with a new secret. Throws validation.invalid_value for an event that is not in the catalogue
 * or a URL that webhooks may not be sent to, and conflict.limit_reached beyond MAX_ENDPOINTS.
 */
export async function createEndpoint(
  books: Books,
  fields: EndpointInput,
  checkedUrl: CheckedUrl,
  sealer: Sealer,
): Promise<CreatedEndpoint> {
  const events = checkedEvents(fields.events)
  checkedUrl()
  if ((await countEndpoints(books)) >= MAX_ENDPOINTS) {
    throw fault('conflict.limit_reached', {
      message: `An organisation has at most ${MAX_ENDPOINTS} webhook endpoints.`,
      details: { limit: MAX_ENDPOINTS },
    })
  }
  const secret = mintSecret(PREFIXES.webhookSecret)
  const endpoint = books.insert(webhookEndpoints, {
    id: books.newId(),
    url: fields.url,
    secret_sealed: sealer.seal(secret),
    former_secrets: [],
    events,
    standard_webhooks: fields.standard_webhooks ?? false,
    description: fields.description ?? null,
    status: 'ENABLED',
    failing_since: null,
    created_time: books.now,
    last_modified_time: books.now,
  })
  record(books, endpoint, 'WEBHOOK_ENDPOINT_CREATED')
  return { endpoint, secret }
}

/**
 * Changes an endpoint; its secret stays. Another URL closes its circuit and ends the days of failures. Throws not_found.resource, validation.invalid_value as
 * createEndpoint does, and as changedFields does.
 */
export async function changeEndpoint(
  books: Books,
  id: string,
  fields: Sent<EndpointFields>,
  checkedUrl: CheckedUrl,
  answered: Answered<EndpointWithCircuit>,
): Promise<EndpointWithCircuit> {
  const endpoint = await endpointOf(books, id, 'FOR UPDATE')
  const [before] = await withCircuits(books, [endpoint])
  if (changedFields(fields, answered(before!), { fields: CHANGEABLE }).size === 0) return before!
  const changed: Partial<WebhookEndpointRow> = {}
  if (fields.events !== undefined) changed.events = checkedEvents(fields.events)
  if (fields.description !== undefined) changed.description = fields.description
  if (fields.standard_webhooks != null) changed.standard_webhooks = fields.standard_webhooks
  if (fields.url !== undefined && fields.url !== endpoint.url) {
    checkedUrl()
    changed.url = fields.url
    changed.failing_since = null
  }
  const circuit = changed.url === undefined ? before!.circuit : await closeCircuit(books, id)
  return { endpoint: change(books, endpoint, changed, 'WEBHOOK_ENDPOINT_UPDATED'), circuit }
}

/**
 * Enables an endpoint, also one that was disabled for its failures. SKIPPED deliveries stay SKIPPED. Closes its circuit, also
 * where the endpoint is enabled already.
 */
export async function enableEndpoint(books: Books, id: string): Promise<EndpointWithCircuit> {
  const endpoint = await endpointOf(books, id, 'FOR UPDATE')
  const circuit = await closeCircuit(books, id)
  if (endpoint.status === 'ENABLED') return { endpoint, circuit }
  return {
    endpoint: change(books, endpoint, { status: 'ENABLED', failing_since: null }, 'WEBHOOK_ENDPOINT_STATUS_CHANGED'),
    circuit,
  }
}

/** Disables an endpoint: nothing more is sent to it, and its open deliveries become SKIPPED when their next attempt is due. */
export async function disableEndpoint(books: Books, id: string): Promise<EndpointWithCircuit> {
  const endpoint = await endpointOf(books, id, 'FOR UPDATE')
  const circuit = await closeCircuit(books, id)
  return { endpoint: change(books, endpoint, { status: 'DISABLED' }, 'WEBHOOK_ENDPOINT_STATUS_CHANGED'), circuit }
}

/** Deletes an endpoint and its secrets. The log of its deliveries stays. */
export async function deleteEndpoint(books: Books, id: string): Promise<void> {
  const endpoint = await endpointOf(books, id, 'FOR UPDATE')
  await closeCircuit(books, id)
  books.update(webhookEndpoints, endpoint, {
    status: 'DELETED',
    secret_sealed: '',
    former_secrets: [],
    last_modified_time: books.now,
  })
  record(books, endpoint, 'WEBHOOK_ENDPOINT_DELETED')
}

// Deliveries that waited for the circuit go back into the queue: to be sent, or to be SKIPPED.
async function closeCircuit(books: Books, id: string): Promise<Circuit> {
  const row = await findRow(books, webhookCircuits, id, 'FOR UPDATE')
  if (!row) return CLOSED
  return circuitIn(books.update(webhookCircuits, row, columnsOf({ ...closed(circuitIn(row)), releasing: true })))
}

function change(
  books: Books,
  endpoint: WebhookEndpointRow,
  changed: Partial<WebhookEndpointRow>,
  action: string,
): WebhookEndpointRow {
  const changes = changesBetween(endpoint, { ...endpoint, ...changed })
  if (changes === null) return endpoint
  record(books, endpoint, action, changes)
  return books.update(webhookEndpoints, endpoint, { ...changed, last_modified_time: books.now })
}

function record(books: Books, { id, url }: WebhookEndpointRow, action: string, changes: Changes | null = null): void {
  books.record({ action, entityType: 'WEBHOOK_ENDPOINT', entityId: id, entityRef: url, changes })
}

function checkedEvents(names: string[]): string[] {
  const unknown = names.find((name) => !isEventType(name))
  if (unknown === undefined) return [...new Set(names)]
  throw fault('validation.invalid_value', {
    field: 'events',
    message: (DELETION_EVENTS as readonly string[]).includes(unknown)
      ? `${unknown} is in the change feed only; an endpoint cannot subscribe to it.`
      : `${unknown} is not an event.`,
    details: { valid: [...EVENT_TYPES] },
  })
}
