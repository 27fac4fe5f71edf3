// Every workflow, for Temporal's bundler.
export { bulkCreate } from './bulk-create.ts'
export { convertDocument } from './convert-document.ts'
export { housekeeping } from './housekeeping.ts'
export { reconcileSchedules } from './reconcile-schedules.ts'
export { recurringSchedule } from './recurring-schedule.ts'
export { webhookDelivery } from './webhook-delivery.ts'
export { webhookDispatch } from './webhook-dispatch.ts'
