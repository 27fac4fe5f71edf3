// What is queued is delivered whatever dies on the way: the worker in mid-batch, the claimer, the engine.
import { once } from 'node:events'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { pino } from 'pino'
import { createRelay } from '../../worker/relay.ts'
import { claimBatch } from '../../commands/webhooks/delivery-claims.ts'
import { queuesServed } from '../../models/heartbeat.ts'
import { openEngine } from '../../gateways/temporal/engine.ts'
import { openWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts'
import { openTcpProxy } from './tcp-proxy.ts'
import { SECRET, openWorkflowSetup, type WorkflowSetup } from './setup.ts'

jest.setTimeout(240_000)

let setup: WorkflowSetup
let customer: WebhookServer
beforeEach(async () => {
  setup = await openWorkflowSetup({ WEBHOOK_LADDER_SECONDS: '1,2,3600', WEBHOOK_CIRCUIT_FAILURES: '1000' })
  customer = await openWebhookServer(SECRET)
  await setup.addEndpoint(customer.url)
})
afterEach(async () => {
  await customer.close()
  await setup.close()
})

const clock = () => new Date()
const isDelivered = ({ status }: { status: string }) => status === 'DELIVERED'
const relayTo = (engine: Pick<ReturnType<typeof openEngine>, 'startDispatch' | 'startDelivery'>) =>
  createRelay({ connection: setup.database, engine, ladderSeconds: [1, 2, 3600], log: pino({ level: 'silent' }), clock })

test('a worker killed in mid-batch: another repeats what has no outcome, and nothing else', async () => {
  // The first twenty are answered; then the customer falls silent, with the worker waiting for it.
  customer.answer = () => (customer.arrivals.length <= 20 ? 200 : 'silence')
  const dying = await setup.spawnWorker()
  await setup.announce(60)
  await customer.received(21)
  const settled = new Set<string>()
  const last = Date.now() + 90_000
  while (settled.size < 20 && Date.now() < last) {
    for (const { id, status } of await setup.deliveries()) if (status === 'DELIVERED') settled.add(id)
  }
  expect(settled.size).toBe(20)
  dying.kill('SIGKILL')
  await once(dying, 'exit')

  customer.answer = () => 200
  const before = customer.arrivals.length
  await setup.spawnWorker()
  await setup.until(isDelivered, 90_000)
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
  await setup.announce(24)
  for (const arrivals of [6, 14, 30]) {
    const dying = await setup.spawnWorker()
    await customer.received(arrivals, 90_000)
    dying.kill('SIGKILL')
    await once(dying, 'exit')
  }
  await setup.spawnWorker()
  const deliveries = await setup.until(isDelivered, 100_000)
  expect(deliveries).toHaveLength(24)
  // The ladder's count went on over every crash: two refusals, and the attempt that arrived.
  for (const { attempts_made } of deliveries) expect(attempts_made).toBeGreaterThanOrEqual(1)
  expect([...refusals.values()].every((attempts) => attempts >= 3)).toBe(true)
})

test('a batch that was claimed and never started is started by the next worker', async () => {
  await setup.announce(5)
  const { batch } = await claimBatch(setup.database, { now: new Date(Date.now() + 1_000) })
  expect(batch).toMatchObject({ size: 5, orgId: setup.orgId })
  await setup.startWorker()
  const deliveries = await setup.until(isDelivered)
  expect(deliveries.map(({ batch_id }) => batch_id)).toEqual(Array(5).fill(batch!.batchId))
  expect(customer.arrivals).toHaveLength(5)
})

test('a batch that is started twice is done once', async () => {
  await setup.announce(5)
  const relay = relayTo(setup.engine)
  await relay.sweep()
  await relay.recover(-1_000)
  await relayTo(setup.engine).recover(-1_000)
  await setup.startWorker()
  await setup.until(isDelivered)
  await relay.recover(-1_000)
  expect(customer.arrivals).toHaveLength(5)
})

test('untried deliveries of a batch whose process has ended are freed for another', async () => {
  await setup.startWorker()
  await setup.announce(2)
  await setup.until(isDelivered)
  // As after a database was brought back from a backup that is older than the engine's memory.
  await setup.sql(`UPDATE webhook_deliveries SET status = 'PENDING', held_by = 'BATCH', attempts_made = 0, delivered_at = NULL`)
  await setup.sql('DELETE FROM webhook_attempts')
  // The deliveries are settled a moment before their process ends, and only one that has ended is freed.
  const relay = relayTo(setup.engine)
  const last = Date.now() + 90_000
  while (customer.arrivals.length < 4 && Date.now() < last) {
    await relay.recover(-1_000)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await setup.until(isDelivered)
  expect(customer.arrivals).toHaveLength(4)
})

test('while Temporal is away nothing is lost, and when it is back everything goes on', async () => {
  const proxy = await openTcpProxy(setup.env.TEMPORAL_ADDRESS!)
  const engine = openEngine({ address: proxy.address, namespace: 'default', queueSuffix: setup.env.TEMPORAL_QUEUE_SUFFIX!, encryptionKey: setup.env.ENCRYPTION_KEY! })
  const relay = relayTo(engine)
  expect(await engine.isReachable()).toBe(true)
  proxy.shut()
  expect(await engine.isReachable()).toBe(false)
  await setup.announce(250)
  await relay.sweep()
  await setup.announce(50)
  await relay.sweep()
  // At most one batch a lane was claimed before it was known.
  const claimed = new Set((await setup.deliveries()).map(({ batch_id }) => batch_id).filter(Boolean))
  expect(claimed.size).toBeGreaterThan(0)
  expect(claimed.size).toBeLessThanOrEqual(4)

  await proxy.open()
  await setup.startWorker()
  const last = Date.now() + 90_000
  while (customer.arrivals.length < 300 && Date.now() < last) {
    await relay.sweep()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await setup.until(isDelivered)
  expect(new Set(customer.arrivals.map(({ deliveryId }) => deliveryId)).size).toBe(300)
  await engine.close()
  proxy.shut()
})

test('a delivery whose process is gone is taken up two minutes after it was due', async () => {
  customer.answer = () => 500
  await setup.startWorker()
  await setup.announce()
  const [delivery] = await setup.until(({ attempts_made }) => attempts_made === 3)
  const handle = setup.engine.client.workflow.getHandle(`webhook/${delivery!.id}`)
  await handle.terminate('as an operator must not')
  customer.answer = () => 200
  const relay = relayTo(setup.engine)
  await relay.takeUpOverdue()
  expect(await setup.deliveries()).toMatchObject([{ status: 'RETRYING', attempts_made: 3 }])
  await setup.sql(`UPDATE webhook_deliveries SET next_attempt_at = now() - interval '121 seconds'`)
  await relay.takeUpOverdue()
  await setup.until(isDelivered)
  expect((await setup.attempts(delivery!.id)).map(({ series, attempt }) => [series, attempt])).toEqual([[0, 1], [0, 2], [0, 3], [0, 4]])
})

test('one whose process has completed without it goes on where its ladder stands, in one process', async () => {
  customer.answer = () => 500
  await setup.startWorker()
  await setup.announce()
  const [delivery] = await setup.until(({ attempts_made }) => attempts_made === 2)
  const handle = setup.engine.client.workflow.getHandle(`webhook/${delivery!.id}`)
  await handle.signal('abort')
  expect(await handle.result()).toBe('FAILED')
  // As a process leaves it that gave it back at the moment when a relay took the process for one that goes on.
  await setup.sql(`UPDATE webhook_deliveries SET status = 'RETRYING', held_by = 'PROCESS', next_attempt_at = now() - interval '2 hours'`)
  const made = (await setup.deliveries())[0]!.attempts_made
  // Two workers find it at once; the customer keeps the attempt waiting while both have their say.
  customer.answer = () => 'silence'
  const before = customer.arrivals.length
  await Promise.all([relayTo(setup.engine).takeUpOverdue(), relayTo(setup.engine).takeUpOverdue()])
  await customer.received(before + 1)
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  expect(customer.arrivals).toHaveLength(before + 1)
  expect((await setup.attempts(delivery!.id)).map(({ series, attempt }) => [series, attempt]))
    .toEqual(Array.from({ length: made + 1 }, (_, place) => [0, place + 1]))
})

/** Milliseconds since the worker was last seen, by the database's clock; null when it never was. */
async function lastSeen(): Promise<number | null> {
  const text = `SELECT (extract(epoch FROM clock_timestamp() - seen_at) * 1000)::double precision AS ago_ms FROM process_heartbeats WHERE name = 'worker'`
  const [row] = await setup.database.run<{ ago_ms: number }>({ name: '', text }, [])
  return row?.ago_ms ?? null
}

test('the worker shows that it is alive, and stops showing it when it stops', async () => {
  expect(await lastSeen()).toBeNull()
  const worker = await setup.spawnWorker()
  const last = Date.now() + 90_000
  while ((await lastSeen()) === null && Date.now() < last) await new Promise((resolve) => setTimeout(resolve, 100))
  expect(await lastSeen()).toBeLessThan(10_000)
  worker.kill('SIGTERM')
  const [code] = await once(worker, 'exit')
  expect(code).toBe(0)
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(await lastSeen()).toBeGreaterThan(2_000)
})

test('each worker shows which queues it serves, also one that serves none of the workflows', async () => {
  const served = async () => (await queuesServed(setup.database, setup.env.TEMPORAL_QUEUE_SUFFIX!)).queues.flatMap(({ queue, isServed }) => (isServed ? [queue] : []))
  await setup.spawnWorker({ WORKER_QUEUES: 'webhooks,documents' })
  const last = Date.now() + 90_000
  while ((await served()).length === 0 && Date.now() < last) await new Promise((resolve) => setTimeout(resolve, 100))
  expect(await served()).toEqual(['webhooks', 'documents'])
  expect(await lastSeen()).toBeNull()
})
