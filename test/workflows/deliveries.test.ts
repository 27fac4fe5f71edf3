// The steps of a delivery in the database: claimed once, begun again after a crash, settled once.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { claimBatch } from '../../commands/webhooks/delivery-claims.ts'
import { abandonDelivery, beginAttempts, putBack, recordAttemptResults } from '../../commands/webhooks/deliveries.ts'
import { createDeliveryWorkflows } from '../../worker/delivery-workflows.ts'
import type { Outcome } from '../../domain/delivery.ts'
import { CAPS } from '../../domain/webhook-caps.ts'
import { pino } from 'pino'
import { openWorkflowSetup, type WorkflowSetup } from './setup.ts'

let setup: WorkflowSetup
let endpointId: string
beforeAll(async () => {
  setup = await openWorkflowSetup()
  endpointId = await setup.addEndpoint('https://1.1.1.1/hook')
})
afterAll(() => setup.close())
beforeEach(async () => {
  for (const table of ['webhook_attempts', 'webhook_deliveries']) await setup.sql(`DELETE FROM ${table}`)
  await setup.sql(`UPDATE organizations SET status = 'ACTIVE'`)
})

const RULES = { failures: 20, firstWaitMs: 30_000, longestWaitMs: 3_600_000 }
const soon = () => new Date(Date.now() + 1_000)
const refused: Outcome = { kind: 'refused', statusCode: 500, error: 'Status 500.', responseBody: 'no', durationMs: 5 }
const delivered: Outcome = { kind: 'delivered', statusCode: 200, error: null, responseBody: '', durationMs: 7 }

async function queued() {
  await setup.announce()
  const [delivery] = await setup.deliveries()
  return { orgId: setup.orgId, deliveryId: delivery!.id, series: 0, attempt: 1 }
}

test('two claimers at once never get the same delivery, nor more than an endpoint may have under way', async () => {
  await setup.announce(250)
  const claimed = await Promise.all(Array.from({ length: 6 }, () => claimBatch(setup.database, { now: soon() })))
  expect(claimed.map(({ batch }) => batch?.size ?? 0).sort()).toEqual([0, 0, 0, 0, 0, CAPS.attemptsOfEndpoint])
  const deliveries = await setup.deliveries()
  expect(deliveries.filter(({ held_by }) => held_by === 'BATCH')).toHaveLength(CAPS.attemptsOfEndpoint)
})

test('nothing of a suspended organisation is claimed', async () => {
  await setup.announce()
  await setup.sql(`UPDATE organizations SET status = 'SUSPENDED'`)
  expect((await claimBatch(setup.database, { now: soon() })).batch).toBeNull()
  await setup.sql(`UPDATE organizations SET status = 'ACTIVE'`)
  expect((await claimBatch(setup.database, { now: soon() })).batch).toMatchObject({ size: 1 })
})

test('what was put back is claimed again', async () => {
  const { orgId, deliveryId } = await queued()
  await claimBatch(setup.database, { now: soon() })
  await putBack(setup.database, [{ orgId, deliveryId }])
  expect((await claimBatch(setup.database, { now: soon() })).batch).toMatchObject({ size: 1 })
})

test('an attempt without an outcome is begun again, one with an outcome is not', async () => {
  const key = await queued()
  expect(await beginAttempts(setup.database, [key], new Date())).toMatchObject([{ state: 'due' }])
  expect(await beginAttempts(setup.database, [key], new Date())).toMatchObject([{ state: 'due' }])
  await recordAttemptResults(setup.database, [{ ...key, endpointId, outcome: refused, endedAt: new Date(), waitMs: 1_000 }], RULES)
  expect(await beginAttempts(setup.database, [key], new Date())).toMatchObject([{ state: 'settled', status: 'RETRYING' }])
  expect(await beginAttempts(setup.database, [{ ...key, attempt: 2 }], new Date())).toMatchObject([{ state: 'due' }])
})

test('an attempt is settled once: the first outcome stands', async () => {
  const key = await queued()
  await beginAttempts(setup.database, [key], new Date())
  const endedAt = new Date()
  await recordAttemptResults(setup.database, [{ ...key, endpointId, outcome: refused, endedAt, waitMs: 30_000 }], RULES)
  await recordAttemptResults(setup.database, [{ ...key, endpointId, outcome: delivered, endedAt: new Date(), waitMs: null }], RULES)
  expect(await setup.deliveries()).toMatchObject([{
    status: 'RETRYING', attempts_made: 1, delivered_at: null, next_attempt_at: new Date(endedAt.getTime() + 30_000),
  }])
  expect(await setup.attempts(key.deliveryId)).toMatchObject([{ status_code: 500, duration_ms: 5, response_body: 'no' }])
})

test('a delivery that was given up stays so, whatever its last attempt comes to', async () => {
  const key = await queued()
  await beginAttempts(setup.database, [key], new Date())
  expect(await abandonDelivery(setup.database, key.orgId, key.deliveryId, new Date())).toBe('FAILED')
  await recordAttemptResults(setup.database, [{ ...key, endpointId, outcome: delivered, endedAt: new Date(), waitMs: null }], RULES)
  expect(await setup.deliveries()).toMatchObject([{ status: 'FAILED', next_attempt_at: null }])
  expect(await setup.attempts(key.deliveryId)).toMatchObject([{ status_code: 200 }])
  expect(await abandonDelivery(setup.database, key.orgId, key.deliveryId, new Date())).toBe('FAILED')
})

test('a delivery that has arrived cannot be given up', async () => {
  const key = await queued()
  await beginAttempts(setup.database, [key], new Date())
  await recordAttemptResults(setup.database, [{ ...key, endpointId, outcome: delivered, endedAt: new Date(), waitMs: 1_000 }], RULES)
  expect(await abandonDelivery(setup.database, key.orgId, key.deliveryId, new Date())).toBe('DELIVERED')
})

test('a delivery that falls due while its process is started is not held by it: the process may have ended by then', async () => {
  const key = await queued()
  const dueAt = new Date(Date.now() + 60_000)
  await claimBatch(setup.database, { now: soon() })
  await beginAttempts(setup.database, [key], new Date())
  await recordAttemptResults(
    setup.database, [{ ...key, endpointId, outcome: refused, endedAt: new Date(dueAt.getTime() - 1_000), waitMs: 1_000 }], RULES,
  )
  let now = new Date()
  let startsAt = dueAt
  const engine = { startDelivery: async () => void (now = startsAt) }
  const { startSome } = createDeliveryWorkflows({
    connection: setup.database, engine, ladderSeconds: [1], log: pino({ level: 'silent' }), clock: () => now,
  })
  await startSome()
  expect(now).toBe(dueAt)
  expect(await setup.deliveries()).toMatchObject([{ held_by: 'QUEUE', attempts_made: 1 }])

  startsAt = new Date(dueAt.getTime() - 1)
  now = new Date()
  await startSome()
  expect(now).toBe(startsAt)
  expect(await setup.deliveries()).toMatchObject([{ held_by: 'PROCESS', attempts_made: 1 }])
})
