// The webhooks' routes: endpoints, the catalogue of events, and the log of deliveries.
import { Op, type WhereOptions } from 'sequelize'
import { Type } from 'typebox'
import {
  changeEndpoint, createEndpoint, deleteEndpoint, deliveryOf, disableEndpoint, enableEndpoint, endpointOf,
} from '../../commands/webhooks.ts'
import { endOfDate, parseInstant } from '../../domain/dates.ts'
import { DELIVERY_STATUSES } from '../../domain/delivery.ts'
import { EVENT_TYPES, TEST_EVENT } from '../../domain/events.ts'
import { isId } from '../../domain/ids.ts'
import { findRow, findRows } from '../../models/find.ts'
import { pageOf } from '../../models/page.ts'
import { attemptsOf, webhookDeliveries, webhookEndpoints } from '../../models/webhook.ts'
import { modifiedSince, PageContext, pageContext, pageQuery, pageRequest } from '../http/page.ts'
import { route } from '../http/route.ts'
import { one } from '../shapes/fields.ts'
import {
  Delivery, DeliveryWithAttempts, Endpoint, EndpointChanges, EndpointWithSecret, EventTypeEntry, NewEndpoint,
  showCreatedEndpoint, showDelivery, showDeliveryWithAttempts, showEndpoint, showEventTypes,
} from '../shapes/webhook.ts'

const tag = 'Webhooks'
const answer = one('endpoint', Endpoint)

// A delivery has no time of change: its own dates say all (since, until).
const { modified_since: _, ...deliveryPage } = pageQuery({
  endpoint_id: Type.Optional(Type.String()),
  status: Type.Optional(Type.Enum([...DELIVERY_STATUSES])),
  event_type: Type.Optional(Type.Enum([...EVENT_TYPES, TEST_EVENT])),
  since: Type.Optional(Type.String({ format: 'instant', description: 'Queued at or after.' })),
  until: Type.Optional(Type.String({ format: 'instant', description: 'Queued at or before.' })),
}).properties

export const webhookRoutes = [
  route({
    method: 'POST', path: '/webhooks/endpoints', tag, does: 'Register an endpoint', scope: 'webhooks.CREATE', status: 201,
    secretAnswer: true, body: NewEndpoint, answer: one('endpoint', EndpointWithSecret),
    write: async (books, { body }, machines) => ({
      message: 'Endpoint created. Keep the secret: it is not shown again.',
      endpoint: showCreatedEndpoint(await createEndpoint(books, body, machines)),
    }),
  }),
  route({
    method: 'GET', path: '/webhooks/endpoints', tag, does: 'List endpoints', scope: 'webhooks.READ', query: pageQuery({}),
    answer: Type.Object({ endpoints: Type.Array(Endpoint), page_context: PageContext }),
    async read(desk, { query }) {
      const where = { [Op.and]: [modifiedSince(query), { status: { [Op.ne]: 'DELETED' } }] }
      const page = await pageOf(desk, webhookEndpoints, { ...pageRequest(query), where })
      return { endpoints: page.rows.map(showEndpoint), page_context: pageContext(query, page) }
    },
  }),
  route({
    method: 'GET', path: '/webhooks/endpoints/{endpoint_id}', tag, does: 'Read an endpoint', scope: 'webhooks.READ', answer,
    read: async (desk, { params }) => ({ endpoint: showEndpoint(await endpointOf(desk, params.endpoint_id!)) }),
  }),
  route({
    method: 'PUT', path: '/webhooks/endpoints/{endpoint_id}', tag, does: 'Change an endpoint', scope: 'webhooks.UPDATE', answer,
    body: EndpointChanges,
    write: async (books, { params, body }, machines) => ({
      message: 'Endpoint updated.', endpoint: showEndpoint(await changeEndpoint(books, params.endpoint_id!, body, machines)),
    }),
  }),
  route({
    method: 'DELETE', path: '/webhooks/endpoints/{endpoint_id}', tag, does: 'Delete an endpoint', scope: 'webhooks.DELETE',
    answer: Type.Object({}),
    async write(books, { params }) {
      await deleteEndpoint(books, params.endpoint_id!)
      return { message: 'Endpoint deleted.' }
    },
  }),
  route({
    method: 'POST', path: '/webhooks/endpoints/{endpoint_id}/enable', tag, does: 'Enable an endpoint',
    scope: 'webhooks.UPDATE', answer,
    write: async (books, { params }) => ({
      message: 'Endpoint enabled.', endpoint: showEndpoint(await enableEndpoint(books, params.endpoint_id!)),
    }),
  }),
  route({
    method: 'POST', path: '/webhooks/endpoints/{endpoint_id}/disable', tag, does: 'Disable an endpoint',
    scope: 'webhooks.UPDATE', answer,
    write: async (books, { params }) => ({
      message: 'Endpoint disabled.', endpoint: showEndpoint(await disableEndpoint(books, params.endpoint_id!)),
    }),
  }),
  route({
    method: 'GET', path: '/webhooks/event_types', tag, does: 'List the events to subscribe to, each with its schema',
    scope: 'webhooks.READ',
    answer: Type.Object({ event_types: Type.Array(EventTypeEntry) }),
    read: async () => ({ event_types: showEventTypes() }),
  }),
  route({
    method: 'GET', path: '/webhooks/deliveries', tag, does: 'List deliveries', scope: 'webhooks.READ',
    query: Type.Object(deliveryPage),
    answer: Type.Object({ deliveries: Type.Array(Delivery), page_context: PageContext }),
    async read(desk, { query }) {
      const { endpoint_id, status, event_type, since, until } = query
      const filters: WhereOptions[] = []
      // An id of another shape, or of somebody else, leads to an empty list (decisions §10).
      if (endpoint_id !== undefined) filters.push({ endpoint_id: isId(endpoint_id) ? endpoint_id : null })
      if (status) filters.push({ status })
      if (event_type) filters.push({ event_type })
      if (since !== undefined) filters.push({ created_time: { [Op.gte]: parseInstant(since) } })
      if (until !== undefined) filters.push({ created_time: { [Op.lte]: endOfDate(until) } })
      const page = await pageOf(desk, webhookDeliveries, { ...pageRequest(query), where: { [Op.and]: filters } })
      const endpoints = await findRows(desk, webhookEndpoints, [...new Set(page.rows.map((row) => row.endpoint_id))])
      const urls = new Map(endpoints.map(({ id, url }) => [id, url]))
      return {
        deliveries: page.rows.map((row) => showDelivery(row, urls.get(row.endpoint_id) ?? '')),
        page_context: pageContext(query, page),
      }
    },
  }),
  route({
    method: 'GET', path: '/webhooks/deliveries/{delivery_id}', tag, does: 'Read a delivery and its attempts',
    scope: 'webhooks.READ',
    answer: one('delivery', DeliveryWithAttempts),
    async read(desk, { params }) {
      const delivery = await deliveryOf(desk, params.delivery_id!)
      const [endpoint, attempts] = await Promise.all([
        findRow(desk, webhookEndpoints, delivery.endpoint_id), attemptsOf(desk, delivery.id),
      ])
      return { delivery: showDeliveryWithAttempts(delivery, endpoint?.url ?? '', attempts) }
    },
  }),
]
