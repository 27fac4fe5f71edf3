// Every story, for Temporal's bundler.
export { webhookDelivery } from './webhook-delivery.ts'
export { webhookDispatch } from './webhook-dispatch.ts'
