// A delivery that is started again just as its workflow gives it back continues: no row counts as held by a run that has ended.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { v7 as uuidv7 } from 'uuid'
import type { DeliveryInput } from '../../domain/delivery.ts'
import { openAttemptWorker, type AttemptWorker } from './attempt-worker.ts'

let worker: AttemptWorker
beforeAll(async () => {
  worker = await openAttemptWorker()
})
afterAll(() => worker.close())

const ids = { orgId: uuidv7(), deliveryId: uuidv7(), endpointId: uuidv7(), entityType: 'INVOICE', entityId: uuidv7() }
const start = (attempt: number) => {
  const input: DeliveryInput = { ...ids, series: 0, attempt, dueAt: new Date().toISOString(), ladderSeconds: [1, 1, 1, 1] }
  return worker.engine.startDelivery(input)
}

test('a start during the attempt that gives the delivery back makes the same run go on, and a later one starts the next run', async () => {
  const made: number[] = []
  worker.attempt = async ({ attempt }) => {
    made.push(attempt)
    // The row is in the queue again: the relay chooses it and starts its workflow, which has not ended.
    if (made.length === 1) await start(3)
    return 'WAITING'
  }
  await start(2)
  const handle = () => worker.engine.client.workflow.getHandle(`webhook/${ids.deliveryId}`)
  expect(await handle().result()).toBe('WAITING')
  expect(made).toEqual([2, 3])
  const { runId } = await handle().describe()

  worker.attempt = async ({ attempt }) => {
    made.push(attempt)
    return 'DELIVERED'
  }
  await start(4)
  expect(await handle().result()).toBe('DELIVERED')
  expect(made).toEqual([2, 3, 4])
  expect((await handle().describe()).runId).not.toBe(runId)
})
