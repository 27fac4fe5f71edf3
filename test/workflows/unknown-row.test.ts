// A task that a worker of another installation has taken, whose database does not have its row, is tried again.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { v7 as uuidv7 } from 'uuid'
import { bulkActivities } from '../../activities/bulk.ts'
import { webhookActivities, type WebhookDependencies } from '../../activities/webhooks.ts'
import { openAttemptWorker, type AttemptWorker } from './attempt-worker.ts'
import { openWorkflowSetup, type WorkflowSetup } from './setup.ts'

let other: WorkflowSetup
let worker: AttemptWorker
beforeAll(async () => {
  other = await openWorkflowSetup()
  worker = await openAttemptWorker()
})
afterAll(async () => {
  await worker.close()
  await other.close()
})

test('a delivery that is unknown to the worker that took its attempt is attempted again', async () => {
  const foreign = webhookActivities({ connection: other.database, clock: () => new Date() } as WebhookDependencies)
  const failures: unknown[] = []
  worker.attempt = async (input) => {
    if (failures.length === 2) return 'DELIVERED'
    return foreign.attemptDelivery(input).catch((error: unknown) => {
      failures.push(error)
      throw error
    })
  }
  const ids = { orgId: uuidv7(), deliveryId: uuidv7(), endpointId: uuidv7(), entityType: 'INVOICE', entityId: uuidv7() }
  await worker.engine.startDelivery({ ...ids, series: 0, attempt: 2, dueAt: new Date().toISOString(), ladderSeconds: [1] })
  expect(await worker.engine.client.workflow.getHandle(`webhook/${ids.deliveryId}`).result()).toBe('DELIVERED')
  expect(failures).toEqual(Array.from({ length: 2 }, () => expect.objectContaining({ type: 'UnknownDelivery', nonRetryable: false })))
})

test('a bulk that is unknown to the worker that took its rows is worked on again', async () => {
  const foreign = bulkActivities({ connection: other.database, wakeRelay: () => undefined, clock: () => new Date() })
  const failures: unknown[] = []
  const done = { total: 1, succeeded: 1, failed: 0, state: 'COMPLETED' } as const
  worker.createRows = async (input) => {
    if (failures.length === 2) return done
    return foreign.createRows(input).catch((error: unknown) => {
      failures.push(error)
      throw error
    })
  }
  const input = { orgId: uuidv7(), bulkId: uuidv7(), kind: 'INVOICE', total: 1 } as const
  await worker.engine.startBulk(input)
  expect(await worker.engine.client.workflow.getHandle(`bulk/${input.bulkId}`).result()).toEqual(done)
  expect(failures).toEqual(Array.from({ length: 2 }, () => expect.objectContaining({ type: 'UnknownBulk', nonRetryable: false })))
})
