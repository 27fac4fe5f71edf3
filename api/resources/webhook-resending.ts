// The routes that have webhook deliveries sent again.
import { Type } from 'typebox'
import { recoverDeliveries, retryDelivery } from '../../commands/webhooks/resending.ts'
import { route } from '../http/route.ts'
import { one } from '../shapes/fields.ts'
import { Delivery, Recovery, showDelivery } from '../shapes/webhook.ts'

const tag = 'Webhooks'

export const webhookResendingRoutes = [
  route({
    method: 'POST',
    path: '/webhooks/endpoints/{endpoint_id}/recover',
    tag,
    does: 'Send failed and skipped deliveries again',
    scope: 'webhooks.UPDATE',
    body: Recovery,
    answer: Type.Object({
      recovered: Type.Integer({ description: 'How many deliveries are sent again.' }),
      has_more: Type.Boolean({ description: 'True while more are left: send the call again.' }),
    }),
    async write(books, { params, body }) {
      const { recovered, more } = await recoverDeliveries(books, params.endpoint_id!, body)
      return { message: 'Deliveries queued.', recovered, has_more: more }
    },
  }),
  route({
    method: 'POST',
    path: '/webhooks/deliveries/{delivery_id}/retry',
    tag,
    does: 'Send a delivery again',
    scope: 'webhooks.UPDATE',
    answer: one('delivery', Delivery),
    async write(books, { params }, { engine }) {
      const { delivery, url } = await retryDelivery(
        books,
        params.delivery_id!,
        (former) => void engine.endFormerSeries(former),
      )
      return { message: 'Delivery queued.', delivery: showDelivery(delivery, url) }
    },
  }),
]
