// Every workflow, for Temporal's bundler.
export { convertDocument } from './convert-document.ts'
export { housekeeping } from './housekeeping.ts'
export { webhookDelivery } from './webhook-delivery.ts'
export { webhookDispatch } from './webhook-dispatch.ts'
