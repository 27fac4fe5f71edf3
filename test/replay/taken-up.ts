// The way of a webhook that is taken up again while its workflow gives it back.
import { v7 as uuidv7 } from 'uuid'
import { openAttemptWorker } from '../workflows/attempt-worker.ts'
import type { Save } from './record.ts'

export async function recordTakenUp(save: Save): Promise<void> {
  const worker = await openAttemptWorker()
  const ids = { orgId: uuidv7(), deliveryId: uuidv7(), endpointId: uuidv7(), entityType: 'INVOICE', entityId: uuidv7() }
  const start = (attempt: number) =>
    worker.engine.startDelivery({ ...ids, series: 0, attempt, dueAt: new Date(Date.now() + 1_000).toISOString(), ladderSeconds: [1, 1, 1] })
  worker.attempt = async ({ attempt }) => {
    if (attempt > 2) return 'DELIVERED'
    await start(3)
    return 'WAITING'
  }
  await start(2)
  await save(worker.engine, `webhook/${ids.deliveryId}`, 'webhook-delivery-taken-up')
  await worker.close()
}
