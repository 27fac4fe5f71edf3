// What is queued leaves the door whatever dies on the way: the worker in mid-batch, the claimer, the engine.
import { once } from 'node:events'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { pino } from 'pino'
import { createRelay } from '../../worker/relay.ts'
import { claimBatch } from '../../commands/webhooks/claims.ts'
import { openEngine } from '../../gateways/temporal/engine.ts'
import { openCustomer, type Customer } from '../customer.ts'
import { openDoor } from './door.ts'
import { SECRET, openStage, type Stage } from './stage.ts'

jest.setTimeout(240_000)

let stage: Stage
let customer: Customer
beforeEach(async () => {
  stage = await openStage({ WEBHOOK_LADDER_SECONDS: '1,2,3600', WEBHOOK_CIRCUIT_FAILURES: '1000' })
  customer = await openCustomer(SECRET)
  await stage.addEndpoint(customer.url)
})
afterEach(async () => {
  await customer.close()
  await stage.close()
})

const clock = () => new Date()
const isDelivered = ({ status }: { status: string }) => status === 'DELIVERED'
const relayTo = (engine: Pick<ReturnType<typeof openEngine>, 'startDispatch' | 'startDelivery'>) =>
  createRelay({ connection: stage.database, engine, ladderSeconds: [1, 2, 3600], log: pino({ level: 'silent' }), clock })

test('a worker killed in mid-batch: another repeats what has no outcome, and nothing else', async () => {
  // The first twenty are answered; then the customer falls silent, with the worker waiting for it.
  customer.answer = () => (customer.arrivals.length <= 20 ? 200 : 'silence')
  const dying = await stage.spawnWorker()
  await stage.announce(60)
  await customer.received(21)
  const settled = new Set<string>()
  const last = Date.now() + 30_000
  while (settled.size < 20 && Date.now() < last) {
    for (const { id, status } of await stage.deliveries()) if (status === 'DELIVERED') settled.add(id)
  }
  expect(settled.size).toBe(20)
  dying.kill('SIGKILL')
  await once(dying, 'exit')

  customer.answer = () => 200
  const before = customer.arrivals.length
  await stage.spawnWorker()
  await stage.until(isDelivered, 60_000)
  const repeated = customer.arrivals.slice(before).map(({ deliveryId }) => deliveryId)
  expect(repeated.filter((id) => settled.has(id))).toEqual([])
  expect(new Set(repeated).size).toBe(40)
  expect(new Set(customer.arrivals.map(({ deliveryId }) => deliveryId)).size).toBe(60)
  expect(customer.arrivals.every(({ genuine }) => genuine)).toBe(true)
})

test('workers killed again and again: every delivery is attempted to its end, through refusals and retries', async () => {
  const refusals = new Map<string, number>()
  customer.answer = ({ deliveryId }) => {
    const before = refusals.get(deliveryId) ?? 0
    refusals.set(deliveryId, before + 1)
    return before < 2 ? 500 : 200
  }
  await stage.announce(24)
  for (const arrivals of [6, 14, 30]) {
    const dying = await stage.spawnWorker()
    await customer.received(arrivals, 60_000)
    dying.kill('SIGKILL')
    await once(dying, 'exit')
  }
  await stage.spawnWorker()
  const deliveries = await stage.until(isDelivered, 100_000)
  expect(deliveries).toHaveLength(24)
  // The ladder's count went on over every crash: two refusals, and the attempt that arrived.
  for (const { attempts_made } of deliveries) expect(attempts_made).toBeGreaterThanOrEqual(1)
  expect([...refusals.values()].every((attempts) => attempts >= 3)).toBe(true)
})

test('a batch that was claimed and never started is started by the next worker', async () => {
  await stage.announce(5)
  const { batch } = await claimBatch(stage.database, { now: new Date(Date.now() + 1_000) })
  expect(batch).toMatchObject({ size: 5, orgId: stage.orgId })
  await stage.startWorker()
  const deliveries = await stage.until(isDelivered)
  expect(deliveries.map(({ batch_id }) => batch_id)).toEqual(Array(5).fill(batch!.batchId))
  expect(customer.arrivals).toHaveLength(5)
})

test('a batch that is started twice is done once', async () => {
  await stage.announce(5)
  const relay = relayTo(stage.engine)
  await relay.sweep()
  await relay.recover(-1_000)
  await relayTo(stage.engine).recover(-1_000)
  await stage.startWorker()
  await stage.until(isDelivered)
  await relay.recover(-1_000)
  expect(customer.arrivals).toHaveLength(5)
})

test('untried deliveries of a batch whose process has ended are freed for another', async () => {
  await stage.startWorker()
  await stage.announce(2)
  await stage.until(isDelivered)
  // As after a database was brought back from a backup that is older than the engine's memory.
  await stage.sql(`UPDATE webhook_deliveries SET status = 'PENDING', held_by = 'BATCH', attempts_made = 0, delivered_at = NULL`)
  await stage.sql('DELETE FROM webhook_attempts')
  // The deliveries are settled a moment before their process ends, and only one that has ended is freed.
  const relay = relayTo(stage.engine)
  const last = Date.now() + 20_000
  while (customer.arrivals.length < 4 && Date.now() < last) {
    await relay.recover(-1_000)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await stage.until(isDelivered)
  expect(customer.arrivals).toHaveLength(4)
})

test('while Temporal is away nothing is lost, and when it is back everything goes on', async () => {
  const door = await openDoor(stage.env.TEMPORAL_ADDRESS!)
  const engine = openEngine({ address: door.address, namespace: 'default', queueSuffix: stage.env.TEMPORAL_QUEUE_SUFFIX! })
  const relay = relayTo(engine)
  expect(await engine.isReachable()).toBe(true)
  door.shut()
  expect(await engine.isReachable()).toBe(false)
  await stage.announce(250)
  await relay.sweep()
  await stage.announce(50)
  await relay.sweep()
  // At most one batch a lane was claimed before it was known.
  const claimed = new Set((await stage.deliveries()).map(({ batch_id }) => batch_id).filter(Boolean))
  expect(claimed.size).toBeGreaterThan(0)
  expect(claimed.size).toBeLessThanOrEqual(4)

  await door.open()
  await stage.startWorker()
  const last = Date.now() + 20_000
  while (customer.arrivals.length < 300 && Date.now() < last) {
    await relay.sweep()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await stage.until(isDelivered)
  expect(new Set(customer.arrivals.map(({ deliveryId }) => deliveryId)).size).toBe(300)
  await engine.close()
  door.shut()
})

test('a delivery whose process is gone is taken up an hour after it was due', async () => {
  customer.answer = () => 500
  await stage.startWorker()
  await stage.announce()
  const [delivery] = await stage.until(({ attempts_made }) => attempts_made === 3)
  const handle = stage.engine.client.workflow.getHandle(`webhook/${delivery!.id}`)
  await handle.terminate('as an operator must not')
  customer.answer = () => 200
  const relay = relayTo(stage.engine)
  await relay.takeUpOverdue()
  expect(await stage.deliveries()).toMatchObject([{ status: 'RETRYING', attempts_made: 3 }])
  await stage.sql(`UPDATE webhook_deliveries SET next_attempt_at = now() - interval '61 minutes'`)
  await relay.takeUpOverdue()
  await stage.until(isDelivered)
  expect((await stage.attempts(delivery!.id)).map(({ series, attempt }) => [series, attempt])).toEqual([[0, 1], [0, 2], [0, 3], [0, 4]])
})

test('one whose process has completed without it goes on where its ladder stands, in one process', async () => {
  customer.answer = () => 500
  await stage.startWorker()
  await stage.announce()
  const [delivery] = await stage.until(({ attempts_made }) => attempts_made === 2)
  const handle = stage.engine.client.workflow.getHandle(`webhook/${delivery!.id}`)
  await handle.signal('abort')
  expect(await handle.result()).toBe('FAILED')
  // As a process leaves it that gave it back at the moment when a relay took the process for one that goes on.
  await stage.sql(`UPDATE webhook_deliveries SET status = 'RETRYING', held_by = 'PROCESS', next_attempt_at = now() - interval '2 hours'`)
  const made = (await stage.deliveries())[0]!.attempts_made
  // Two workers find it at once; the customer keeps the attempt waiting while both have their say.
  customer.answer = () => 'silence'
  const before = customer.arrivals.length
  await Promise.all([relayTo(stage.engine).takeUpOverdue(), relayTo(stage.engine).takeUpOverdue()])
  await customer.received(before + 1)
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  expect(customer.arrivals).toHaveLength(before + 1)
  expect((await stage.attempts(delivery!.id)).map(({ series, attempt }) => [series, attempt]))
    .toEqual(Array.from({ length: made + 1 }, (_, place) => [0, place + 1]))
})

/** Milliseconds since the worker was last seen, by the database's clock; null when it never was. */
async function lastSeen(): Promise<number | null> {
  const text = `SELECT (extract(epoch FROM clock_timestamp() - seen_at) * 1000)::double precision AS ago_ms FROM process_heartbeats WHERE name = 'worker'`
  const [row] = await stage.database.run<{ ago_ms: number }>({ name: '', text }, [])
  return row?.ago_ms ?? null
}

test('the worker shows that it is alive, and stops showing it when it stops', async () => {
  expect(await lastSeen()).toBeNull()
  const worker = await stage.spawnWorker()
  const last = Date.now() + 30_000
  while ((await lastSeen()) === null && Date.now() < last) await new Promise((resolve) => setTimeout(resolve, 100))
  expect(await lastSeen()).toBeLessThan(10_000)
  worker.kill('SIGTERM')
  const [code] = await once(worker, 'exit')
  expect(code).toBe(0)
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(await lastSeen()).toBeGreaterThan(2_000)
})
