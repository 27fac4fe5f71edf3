// The webhooks' routes: endpoints, the catalogue of events, and the log of deliveries.
import { Type } from 'typebox'
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  deliveryOf,
  disableEndpoint,
  enableEndpoint,
  endpointOf,
  withCircuits,
} from '../../commands/webhooks/endpoints.ts'
import { rotateSecret } from '../../commands/webhooks/secrets.ts'
import { testEndpoint } from '../../commands/webhooks/test-event.ts'
import { DELIVERY_STATUSES } from '../../domain/delivery.ts'
import { EVENT_ENTITY_TYPES, EVENT_TYPES, TEST_EVENT } from '../../domain/events.ts'
import { findRow, findRows } from '../../models/find.ts'
import {
  aboutRecord,
  aboutType,
  attemptsOf,
  NOT_DELETED,
  webhookDeliveries,
  webhookEndpoints,
} from '../../models/webhook.ts'
import { equals, listing, sameId, since, until } from '../http/listing.ts'
import { route } from '../http/route.ts'
import { one } from '../shapes/fields.ts'
import {
  Delivery,
  DeliveryWithAttempts,
  Endpoint,
  EndpointChanges,
  EndpointWithSecret,
  EventTypeEntry,
  NewEndpoint,
  Rotation,
  showCreatedEndpoint,
  showDelivery,
  showDeliveryWithAttempts,
  showEndpoint,
  showEventTypes,
  showRotatedEndpoint,
  showTest,
} from '../shapes/webhook.ts'

const tag = 'Webhooks'
const answer = one('endpoint', Endpoint)

export const webhookRoutes = [
  route({
    method: 'POST',
    path: '/webhooks/endpoints',
    tag,
    does: 'Register an endpoint',
    scope: 'webhooks.CREATE',
    status: 201,
    secretAnswer: true,
    body: NewEndpoint,
    answer: one('endpoint', EndpointWithSecret),
    prepare: ({ body }, { sender }, caller) => sender.check(body.url, caller.organization?.id ?? ''),
    write: async (books, { body }, { sealer }, prepared) => ({
      message: 'Endpoint created. Keep the secret: it is not shown again.',
      endpoint: showCreatedEndpoint(await createEndpoint(books, body, prepared, sealer)),
    }),
  }),
  listing({
    path: '/webhooks/endpoints',
    tag,
    does: 'List endpoints',
    scope: 'webhooks.READ',
    key: 'endpoints',
    table: webhookEndpoints,
    shape: Endpoint,
    filters: {},
    where: NOT_DELETED,
    show: async (rows, context) => (await withCircuits(context, rows)).map(showEndpoint),
  }),
  route({
    method: 'GET',
    path: '/webhooks/endpoints/{endpoint_id}',
    tag,
    does: 'Read an endpoint',
    scope: 'webhooks.READ',
    answer,
    async read(context, { params }) {
      const [endpoint] = await withCircuits(context, [await endpointOf(context, params.endpoint_id!)])
      return { endpoint: showEndpoint(endpoint!) }
    },
  }),
  route({
    method: 'PUT',
    path: '/webhooks/endpoints/{endpoint_id}',
    tag,
    does: 'Change an endpoint',
    scope: 'webhooks.UPDATE',
    answer,
    body: EndpointChanges,
    async prepare({ body: { url } }, { sender }, caller) {
      if (url !== undefined) await sender.check(url, caller.organization?.id ?? '')
    },
    write: async (books, { params, body }, _gateways, prepared) => ({
      message: 'Endpoint updated.',
      endpoint: showEndpoint(await changeEndpoint(books, params.endpoint_id!, body, prepared, showEndpoint)),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/webhooks/endpoints/{endpoint_id}',
    tag,
    does: 'Delete an endpoint',
    scope: 'webhooks.DELETE',
    answer: Type.Object({}),
    async write(books, { params }) {
      await deleteEndpoint(books, params.endpoint_id!)
      return { message: 'Endpoint deleted.' }
    },
  }),
  route({
    method: 'POST',
    path: '/webhooks/endpoints/{endpoint_id}/enable',
    tag,
    does: 'Enable an endpoint',
    scope: 'webhooks.UPDATE',
    answer,
    write: async (books, { params }) => ({
      message: 'Endpoint enabled.',
      endpoint: showEndpoint(await enableEndpoint(books, params.endpoint_id!)),
    }),
  }),
  route({
    method: 'POST',
    path: '/webhooks/endpoints/{endpoint_id}/disable',
    tag,
    does: 'Disable an endpoint',
    scope: 'webhooks.UPDATE',
    answer,
    write: async (books, { params }) => ({
      message: 'Endpoint disabled.',
      endpoint: showEndpoint(await disableEndpoint(books, params.endpoint_id!)),
    }),
  }),
  route({
    method: 'POST',
    path: '/webhooks/endpoints/{endpoint_id}/rotate_secret',
    tag,
    does: 'Replace the secret of an endpoint',
    scope: 'webhooks.UPDATE',
    secretAnswer: true,
    body: Rotation,
    answer: one('endpoint', EndpointWithSecret),
    write: async (books, { params, body }, { sealer }) => ({
      message: 'Secret rotated. Keep the new one: it is not shown again.',
      endpoint: showRotatedEndpoint(await rotateSecret(books, params.endpoint_id!, body.overlap_seconds, sealer)),
    }),
  }),
  route({
    method: 'POST',
    path: '/webhooks/endpoints/{endpoint_id}/test',
    tag,
    does: 'Send the test event to an endpoint',
    scope: 'webhooks.UPDATE',
    answer: one('delivery', Delivery),
    write: async (books, { params }) => ({
      message: 'Test event queued.',
      delivery: showTest(await testEndpoint(books, params.endpoint_id!)),
    }),
  }),
  route({
    method: 'GET',
    path: '/webhooks/event_types',
    tag,
    does: 'List the event types with their schemas',
    scope: 'webhooks.READ',
    answer: Type.Object({ event_types: Type.Array(EventTypeEntry) }),
    read: async () => ({ event_types: showEventTypes() }),
  }),
  listing({
    path: '/webhooks/deliveries',
    tag,
    does: 'List deliveries',
    scope: 'webhooks.READ',
    key: 'deliveries',
    table: webhookDeliveries,
    shape: Delivery,
    filters: {
      endpoint_id: sameId(),
      status: equals(Type.Enum([...DELIVERY_STATUSES])),
      event_type: equals(Type.Enum([...EVENT_TYPES, TEST_EVENT])),
      entity_type: {
        schema: Type.Enum([...EVENT_ENTITY_TYPES]),
        where: (type) => aboutType(String(type)),
      },
      entity_id: {
        schema: Type.String({ description: 'The record that the event is about.' }),
        where: (id) => aboutRecord(String(id)),
      },
      since: since('created_time'),
      until: until('created_time'),
    },
    async show(rows, context) {
      const endpoints = await findRows(context, webhookEndpoints, [...new Set(rows.map((row) => row.endpoint_id))])
      const urls = new Map(endpoints.map(({ id, url }) => [id, url]))
      return rows.map((row) => showDelivery(row, urls.get(row.endpoint_id) ?? ''))
    },
  }),
  route({
    method: 'GET',
    path: '/webhooks/deliveries/{delivery_id}',
    tag,
    does: 'Read a delivery and its attempts',
    scope: 'webhooks.READ',
    answer: one('delivery', DeliveryWithAttempts),
    async read(context, { params }) {
      const delivery = await deliveryOf(context, params.delivery_id!)
      const [endpoint, attempts] = await Promise.all([
        findRow(context, webhookEndpoints, delivery.endpoint_id),
        attemptsOf(context, delivery.id),
      ])
      return { delivery: showDeliveryWithAttempts(delivery, endpoint?.url ?? '', attempts) }
    },
  }),
]
