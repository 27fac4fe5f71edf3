// The steps of a delivery in the database: claimed once, begun again after a crash, settled once.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { abandonDelivery, beginAttempts, claimBatch, putOff, settleAttempts } from '../../commands/deliveries.ts'
import type { Outcome } from '../../domain/delivery.ts'
import { openStage, type Stage } from './stage.ts'

let stage: Stage
let endpointId: string
beforeAll(async () => {
  stage = await openStage()
  endpointId = await stage.addEndpoint('https://1.1.1.1/hook')
})
afterAll(() => stage.close())
beforeEach(async () => {
  for (const table of ['webhook_attempts', 'webhook_deliveries']) await stage.sql(`DELETE FROM ${table}`)
  await stage.sql(`UPDATE organizations SET status = 'ACTIVE'`)
})

const soon = () => new Date(Date.now() + 1_000)
const refused: Outcome = { kind: 'refused', statusCode: 500, error: 'Status 500.', responseBody: 'no', durationMs: 5 }
const delivered: Outcome = { kind: 'delivered', statusCode: 200, error: null, responseBody: '', durationMs: 7 }

async function queued() {
  await stage.announce()
  const [delivery] = await stage.deliveries()
  return { orgId: stage.orgId, deliveryId: delivery!.id, series: 0, attempt: 1 }
}

test('two claimers at once never get the same delivery', async () => {
  await stage.announce(250)
  const batches = await Promise.all(Array.from({ length: 6 }, () => claimBatch(stage.database, soon(), 50)))
  const left = await claimBatch(stage.database, soon(), 250)
  const sizes = [...batches, left].map((batch) => batch?.size ?? 0)
  expect(sizes.reduce((sum, size) => sum + size)).toBe(250)
  const claimed = await stage.deliveries()
  for (const batch of batches) expect(claimed.filter(({ batch_id }) => batch_id === batch?.batchId)).toHaveLength(batch?.size ?? 0)
})

test('nothing of a suspended organisation is claimed', async () => {
  await stage.announce()
  await stage.sql(`UPDATE organizations SET status = 'SUSPENDED'`)
  expect(await claimBatch(stage.database, soon())).toBeNull()
  await stage.sql(`UPDATE organizations SET status = 'ACTIVE'`)
  expect(await claimBatch(stage.database, soon())).toMatchObject({ size: 1 })
})

test('what was put off is claimed when its time has come', async () => {
  const { orgId, deliveryId } = await queued()
  await claimBatch(stage.database, soon())
  await putOff(stage.database, [{ orgId, deliveryId, until: new Date(Date.now() + 60_000) }])
  expect(await claimBatch(stage.database, soon())).toBeNull()
  expect(await claimBatch(stage.database, new Date(Date.now() + 61_000))).toMatchObject({ size: 1 })
})

test('an attempt without an outcome is begun again, one with an outcome is not', async () => {
  const key = await queued()
  expect(await beginAttempts(stage.database, [key], new Date())).toMatchObject([{ state: 'due' }])
  expect(await beginAttempts(stage.database, [key], new Date())).toMatchObject([{ state: 'due' }])
  await settleAttempts(stage.database, [{ ...key, endpointId, outcome: refused, endedAt: new Date(), waitMs: 1_000 }])
  expect(await beginAttempts(stage.database, [key], new Date())).toMatchObject([{ state: 'settled', status: 'RETRYING' }])
  expect(await beginAttempts(stage.database, [{ ...key, attempt: 2 }], new Date())).toMatchObject([{ state: 'due' }])
})

test('an attempt is settled once: the first outcome stands', async () => {
  const key = await queued()
  await beginAttempts(stage.database, [key], new Date())
  const endedAt = new Date()
  await settleAttempts(stage.database, [{ ...key, endpointId, outcome: refused, endedAt, waitMs: 30_000 }])
  await settleAttempts(stage.database, [{ ...key, endpointId, outcome: delivered, endedAt: new Date(), waitMs: null }])
  expect(await stage.deliveries()).toMatchObject([{
    status: 'RETRYING', attempts_made: 1, delivered_at: null, next_attempt_at: new Date(endedAt.getTime() + 30_000),
  }])
  expect(await stage.attempts(key.deliveryId)).toMatchObject([{ status_code: 500, duration_ms: 5, response_body: 'no' }])
})

test('a delivery that was given up stays so, whatever its last attempt comes to', async () => {
  const key = await queued()
  await beginAttempts(stage.database, [key], new Date())
  expect(await abandonDelivery(stage.database, key.orgId, key.deliveryId)).toBe('FAILED')
  await settleAttempts(stage.database, [{ ...key, endpointId, outcome: delivered, endedAt: new Date(), waitMs: null }])
  expect(await stage.deliveries()).toMatchObject([{ status: 'FAILED', next_attempt_at: null }])
  expect(await stage.attempts(key.deliveryId)).toMatchObject([{ status_code: 200 }])
  expect(await abandonDelivery(stage.database, key.orgId, key.deliveryId)).toBe('FAILED')
})

test('a delivery that has arrived cannot be given up', async () => {
  const key = await queued()
  await beginAttempts(stage.database, [key], new Date())
  await settleAttempts(stage.database, [{ ...key, endpointId, outcome: delivered, endedAt: new Date(), waitMs: 1_000 }])
  expect(await abandonDelivery(stage.database, key.orgId, key.deliveryId)).toBe('DELIVERED')
})
