// What Temporal stores is encrypted: nothing of it can be read without the key, and everything of before with it.
import { randomBytes } from 'node:crypto'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { deliveryProcessId, type DeliveryInput } from '../../domain/delivery.ts'
import { openEngine, type Engine } from '../../gateways/temporal/engine.ts'
import { createPayloadCodec, keyIdsOf } from '../../gateways/temporal/payload-codec.ts'
import { openWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts'
import { startTestWorker, type TestWorker } from '../fixtures/worker.ts'
import { until } from '../start/local-run.ts'
import { failureText, payloadsOf, untilTimer } from './history.ts'
import { SECRET, openWorkflowSetup, type WorkflowSetup } from './setup.ts'

const OTHER_KEY = randomBytes(32).toString('base64')
const LADDER = [3_600]

let setup: WorkflowSetup
let customer: WebhookServer
let worker: TestWorker | undefined
const engines: Engine[] = []
beforeAll(async () => {
  setup = await openWorkflowSetup()
})
beforeEach(async () => {
  customer = await openWebhookServer(SECRET)
  customer.answer = () => 500
})
afterEach(async () => {
  await stopWorker()
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
  await setup.sql('DELETE FROM webhook_attempts')
  await setup.sql('DELETE FROM webhook_deliveries')
  await setup.sql(`UPDATE webhook_endpoints SET status = 'DISABLED'`)
  await customer.close()
})
afterAll(() => setup.close())

async function work(env: Record<string, string> = {}, inClear = false): Promise<void> {
  worker = await startTestWorker({ ...setup.env, ...env }, { queues: ['core', 'webhooks'], inClear })
}

async function stopWorker(): Promise<void> {
  await worker?.stop()
  worker = undefined
}

/** An engine with these keys; without any, that of a version that did not encrypt. */
function engineWith(encryptionKey?: string): Engine {
  const engine = openEngine({ address: setup.env.TEMPORAL_ADDRESS!, namespace: 'default', queueSuffix: setup.env.TEMPORAL_QUEUE_SUFFIX!, ...(encryptionKey && { encryptionKey }) })
  engines.push(engine)
  return engine
}

/** Announces an event, and starts the process of its delivery by `engine`. */
async function startDelivery(engine: Engine): Promise<{ id: string; input: DeliveryInput }> {
  const endpointId = await setup.addEndpoint(customer.url)
  const [entityId] = await setup.announce()
  const [delivery] = await setup.deliveries()
  const { id: deliveryId, series } = delivery!
  const input: DeliveryInput = {
    orgId: setup.orgId, deliveryId, endpointId, entityType: 'INVOICE', entityId: entityId!, series, attempt: 1,
    dueAt: new Date().toISOString(), ladderSeconds: LADDER,
  }
  await engine.startDelivery(input)
  return { id: deliveryProcessId(deliveryId, series), input }
}

const historyOf = (engine: Engine, id: string) => engine.client.workflow.getHandle(id).fetchHistory()

test('a history shows ids only where the server needs them, to find it and to share its work', async () => {
  await work()
  const { id, input } = await startDelivery(setup.engine)
  await untilTimer(setup.engine, id, 'retry 1 of 1')
  const handle = setup.engine.client.workflow.getHandle(id)
  await handle.signal('abort')
  expect(await handle.result()).toBe('FAILED')

  const known = [input.endpointId, input.orgId, input.entityId, 'retry 1 of 1', '"FAILED"', 'ladderSeconds', 'given up']
  // Search attributes, which find a workflow, name the organisation, the endpoint and the record; its fairness key names the
  // organisation, so that organisations take turns.
  const stored = JSON.stringify(JSON.parse(historyToJSON(await historyOf(setup.engine, id))), (key, value) =>
    key === 'searchAttributes' || key === 'fairnessKey' ? undefined : key === 'data' ? Buffer.from(value, 'base64').toString('latin1') : value)
  const read = (await payloadsOf(setup.engine, id)).join(' ')
  for (const text of known) {
    expect(stored).not.toContain(text)
    expect(read).toContain(text)
  }
})

test('the words of a failure are encrypted, and read again by the client', async () => {
  await work()
  // PostgreSQL repeats the id in its error, since it is none.
  const input = { orgId: 'Meena', deliveryId: 'Meena', series: 0, attempt: 1, dueAt: new Date().toISOString(), ladderSeconds: LADDER }
  const handle = await setup.engine.client.workflow.start('webhookDelivery', {
    workflowId: `failing/${setup.orgId}`, taskQueue: `core-${setup.env.TEMPORAL_QUEUE_SUFFIX}`, args: [input], memo: { why: 'a test of failures' },
  })
  const failure = async () => (await handle.describe()).raw.pendingActivities?.find(({ lastFailure }) => lastFailure)?.lastFailure
  await until(async () => Boolean(await failure()), 90_000, () => 'no activity has failed')
  const { message, stackTrace } = (await failure())!
  expect([message, stackTrace]).toEqual(['Encoded failure', ''])
  expect(await failureText(setup.engine, (await failure())!)).toContain('Meena')
  expect((await handle.describe()).memo).toEqual({ why: 'a test of failures' })
  await handle.terminate('the test is over')
})

test('a worker with another key does nothing and says which key is missing; one with both keys continues', async () => {
  const { id } = await startDelivery(setup.engine)
  await work({ ENCRYPTION_KEY: OTHER_KEY })
  const refused = async () =>
    ((await historyOf(setup.engine, id)).events ?? []).find((event) => event.workflowTaskFailedEventAttributes)?.workflowTaskFailedEventAttributes?.failure
  await until(async () => Boolean(await refused()), 90_000, () => 'no workflow task has failed')
  const [words] = await createPayloadCodec(OTHER_KEY).decode([(await refused())!.encodedAttributes!])
  const [[id1], [id2]] = [keyIdsOf(setup.env.ENCRYPTION_KEY!), keyIdsOf(OTHER_KEY)]
  expect(Buffer.from(words!.data!).toString()).toContain(`encrypted with the key ${id1}, and ENCRYPTION_KEY has only ${id2}`)
  expect(customer.arrivals).toEqual([])
  await stopWorker()

  // The new key encrypts; secrets and histories of before are read with the old one.
  const ring = `${OTHER_KEY},${setup.env.ENCRYPTION_KEY}`
  await work({ ENCRYPTION_KEY: ring })
  const both = engineWith(ring)
  await untilTimer(both, id, 'retry 1 of 1')
  customer.answer = () => 200
  await both.client.workflow.getHandle(id).signal('retryNow')
  expect(await both.client.workflow.getHandle(id).result()).toBe('DELIVERED')
  expect(customer.arrivals.every(({ genuine }) => genuine)).toBe(true)
  // Written with the new key, the result cannot be read with the old one alone.
  await expect(setup.engine.client.workflow.getHandle(id).result()).rejects.toThrow(`encrypted with the key ${id2}`)
})

test('a process that a version without encryption has begun goes on', async () => {
  await work({}, true)
  const before = engineWith()
  const { id, input } = await startDelivery(before)
  await untilTimer(before, id, 'retry 1 of 1')
  await stopWorker()
  await work()
  await untilTimer(setup.engine, id, 'retry 1 of 1')
  expect((await payloadsOf(setup.engine, id, 'stored')).join()).toContain(input.endpointId)
  customer.answer = () => 200
  const handle = setup.engine.client.workflow.getHandle(id)
  expect(await handle.query('progress')).toMatchObject({ state: 'RETRYING', attempt: 2 })
  await handle.signal('retryNow')
  expect(await handle.result()).toBe('DELIVERED')
  expect((await payloadsOf(setup.engine, id)).join()).toContain('"DELIVERED"')
  expect((await payloadsOf(setup.engine, id, 'stored')).join()).not.toContain('"DELIVERED"')
  // And a version without encryption does not understand what came after.
  await expect(before.client.workflow.getHandle(id).result()).rejects.toThrow(/encoding|encrypted/i)
})
