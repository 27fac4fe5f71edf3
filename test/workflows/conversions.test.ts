// Conversions through whatever dies on the way: the engine, the worker, the API, the database.
import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { BASE_PATH } from '../../api/server.ts'
import { freePort } from '../../bin/services/port.ts'
import { openEngine, type Engine } from '../../gateways/temporal/engine.ts'
import { invoiceBody } from '../fixtures/bodies.ts'
import { callAt, clientOf, type Client, type Json } from '../fixtures/client.ts'
import { acceptedItemEstimate, openItemOrder, postConvert } from '../fixtures/orders.ts'
import { created, openOrganizationWithItem, type OrganizationWithItem } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { kill, spawnWorker } from '../fixtures/worker.ts'
import { whileLocked } from '../hammer/two-servers.ts'
import { statusOf, until } from '../start/local-run.ts'
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts'
import { removeSchedules } from './schedules.ts'

let service: Service
let org: OrganizationWithItem
let engine: Engine
const children: ChildProcess[] = []
beforeAll(async () => {
  service = await startService()
  org = await openOrganizationWithItem(service)
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_QUEUE_SUFFIX: queueSuffix = '', ENCRYPTION_KEY: encryptionKey } = service.env
  engine = openEngine({ address, namespace: 'default', queueSuffix, encryptionKey: encryptionKey! })
  // The accounts and sequences of an approved invoice are there, for tests that lock them.
  await created(org.client.post('/invoices', invoiceBody(org, { auto_approve: true })))
})
afterEach(async () => {
  await service.stopWorker()
  await Promise.all(children.splice(0).map(kill))
})
afterAll(async () => {
  await removeSchedules(service.database, service.env.TEMPORAL_ADDRESS!, service.env.TEMPORAL_QUEUE_SUFFIX!)
  await engine.close()
  await service.close()
})

const throughInvoice = { through: 'invoice', auto_approve: true }
const replayed = ({ headers }: { headers: Record<string, string> }) => headers['idempotency-replay'] === 'true'
const clientAt = (origin: string): Client => clientOf(callAt(origin + BASE_PATH), org.client.orgId, org.client.token)

async function conversionOf(sourceId: string): Promise<Json> {
  const [row, ...others] = await service.sql<Json>('SELECT * FROM conversions WHERE source_id = $1', sourceId)
  expect(others).toEqual([])
  return row
}

/** The estimate's one order and its one invoice, and nothing else that was made of either. */
async function expectOneOfEach(estimateId: string): Promise<void> {
  const [found] = await service.sql<Json>(
    `SELECT (SELECT count(*)::integer FROM sales_orders WHERE estimate_id = $1) AS orders,
       (SELECT count(*)::integer FROM invoices WHERE estimate_id = $1) AS invoices,
       (SELECT count(*)::integer FROM journals AS j JOIN invoices AS i ON j.source_id = i.id WHERE i.estimate_id = $1) AS journals`, estimateId)
  expect(found).toEqual({ orders: 1, invoices: 1, journals: 1 })
}

/** Sends the call again, with its key, until it has an answer. */
async function untilAnswered(call: () => ReturnType<typeof postConvert>) {
  const last = Date.now() + 40_000
  for (;;) {
    const answer = await call()
    if (answer.status < 500 && answer.body.code !== 'idempotency.in_progress') return answer
    if (Date.now() > last) throw new Error(`still ${answer.status}: ${answer.text}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

describe('the engine is away', () => {
  let proxy: TcpProxy
  let beside: Awaited<ReturnType<Service['another']>>
  let client: Client
  beforeEach(async () => {
    proxy = await openTcpProxy(service.env.TEMPORAL_ADDRESS!)
    proxy.shut()
    beside = await service.another({ TEMPORAL_ADDRESS: proxy.address })
    client = clientAt(beside.origin)
  })
  afterEach(async () => {
    proxy.shut()
    await beside.close()
  })

  test('the call is refused while it is away and nothing is half done; when it is back, the same key succeeds at once', async () => {
    const { estimate_id } = await acceptedItemEstimate(org)
    const key = randomUUID()
    const refused = await postConvert({ client }, 'estimates', estimate_id, throughInvoice, key)
    expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([503, 'service.unavailable', '2'])
    expect(await conversionOf(estimate_id)).toMatchObject({ hops: 0, sales_order_id: null, invoice_id: null })
    expect((await org.client.get(`/estimates/${estimate_id}`)).body.estimate.status).toBe('ACCEPTED')

    await proxy.open()
    await service.startWorker()
    const answer = await untilAnswered(() => postConvert({ client }, 'estimates', estimate_id, throughInvoice, key))
    expect([answer.status, answer.body.estimate.status, replayed(answer)]).toEqual([200, 'CONVERTED', false])
    const again = await postConvert({ client }, 'estimates', estimate_id, throughInvoice, key)
    expect([again.text, replayed(again)]).toEqual([answer.text, true])
    await expectOneOfEach(estimate_id)
  })

  test('what the books refuse is refused all the same, and what is read and written otherwise goes on', async () => {
    const { estimate } = await created(client.post('/estimates', { customer_id: org.customerId, line_items: [{ item_id: org.itemId, quantity: 1 }] }))
    const refused = await postConvert({ client }, 'estimates', estimate.estimate_id)
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict.invalid_state'])
  })

  test('its connections are cut while the call waits: it is refused, and done all the same', async () => {
    await proxy.open()
    const { estimate_id } = await acceptedItemEstimate(org)
    const key = randomUUID()
    const waiting = postConvert({ client }, 'estimates', estimate_id, throughInvoice, key)
    await untilStarted(`convert/ESTIMATE/${estimate_id}`)
    proxy.shut()
    const refused = await waiting
    expect([refused.status, refused.body.code]).toEqual([503, 'service.unavailable'])
    await service.startWorker()
    await until(async () => (await conversionOf(estimate_id)).hops === 2, 90_000, () => 'not carried out')
    // Done, so it needs the engine no more.
    const answer = await postConvert({ client }, 'estimates', estimate_id, throughInvoice, key)
    expect([answer.status, answer.body.estimate.invoices.length, replayed(answer)]).toEqual([200, 1, false])
    await expectOneOfEach(estimate_id)
  })
})

async function untilStarted(workflowId: string): Promise<void> {
  const { workflow } = engine.client
  await until(() => workflow.getHandle(workflowId).describe().then(() => true, () => false), 90_000, () => `${workflowId} is not started`)
}

test('no worker is there for ten seconds: the call is refused, and later found done by its key', async () => {
  const { sales_order_id } = await openItemOrder(org, 5)
  const key = randomUUID()
  const started = Date.now()
  const refused = await postConvert(org, 'sales_orders', sales_order_id, {}, key)
  // Waited for in vain, and not given up early; how much later the answer comes is the machine's affair.
  expect(Date.now() - started).toBeGreaterThanOrEqual(9_900)
  expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([503, 'service.unavailable', '2'])
  await service.startWorker()
  await until(async () => (await conversionOf(sales_order_id)).hops === 1, 90_000, () => 'not carried out')
  const found = await postConvert(org, 'sales_orders', sales_order_id, {}, key)
  expect([found.status, found.body.sales_order.status, found.body.sales_order.invoices.length]).toEqual([200, 'INVOICED', 1])
})

describe('a worker is killed between order and invoice', () => {
  // The invoice is posted by the last statement of its transaction, which waits for the accounts.
  const accounts = () => ({ text: 'SELECT FROM monthly_balances WHERE org_id = $1 FOR UPDATE', values: [org.client.orgId] })

  test.each([
    ['its last statement dies with it', true],
    ['its last statement is still carried out', false],
  ])('%s: one order and one invoice', async (_name, isCut) => {
    const { estimate_id } = await acceptedItemEstimate(org)
    const key = randomUUID()
    const dying = await spawnWorker(service.env)
    children.push(dying)
    const [first] = await whileLocked(service.database, accounts(), async (waiting) => {
      const call = postConvert(org, 'estimates', estimate_id, throughInvoice, key)
      await waiting(1)
      expect(await conversionOf(estimate_id)).toMatchObject({ hops: 1, invoice_id: null })
      await kill(dying)
      if (isCut) await service.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'bahi worker'`)
      return [call]
    })
    children.push(await spawnWorker(service.env))
    const answer = first!.status === 200 ? first! : await untilAnswered(() => postConvert(org, 'estimates', estimate_id, throughInvoice, key))
    expect([answer.status, answer.body.estimate.invoices.length]).toEqual([200, 1])
    expect(await conversionOf(estimate_id)).toMatchObject({ hops: 2, invoice_id: answer.body.estimate.invoices[0] })
    await expectOneOfEach(estimate_id)
  })
})

test('the API is killed while it waits: the same key is answered with the same target', async () => {
  const { estimate_id } = await acceptedItemEstimate(org)
  const port = await freePort(undefined)
  const dying = spawn(process.execPath, [fileURLToPath(new URL('../../api/server.ts', import.meta.url))], {
    env: { ...service.env, PORT: String(port), LOG_LEVEL: 'silent' }, stdio: 'ignore',
  })
  children.push(dying)
  await until(async () => (await statusOf(`http://127.0.0.1:${port}/health/live`)) === 200, 90_000, () => 'the API does not answer')
  const key = randomUUID()
  const unheard = postConvert({ client: clientAt(`http://127.0.0.1:${port}`) }, 'estimates', estimate_id, throughInvoice, key).catch(() => null)
  await untilStarted(`convert/ESTIMATE/${estimate_id}`)
  await kill(dying)
  expect(await unheard).toBeNull()
  await service.startWorker()
  await until(async () => (await conversionOf(estimate_id)).hops === 2, 90_000, () => 'not carried out')

  const early = await postConvert(org, 'estimates', estimate_id, throughInvoice, key)
  expect([early.status, early.body.code]).toEqual([409, 'idempotency.in_progress'])
  await service.sql(`UPDATE idempotent_answers SET claimed_until = now() WHERE key = $1`, key)
  const answer = await postConvert(org, 'estimates', estimate_id, throughInvoice, key)
  expect([answer.status, answer.body.estimate.invoices]).toEqual([200, [(await conversionOf(estimate_id)).invoice_id]])
  await expectOneOfEach(estimate_id)
})

test('the database is away in the middle: the worker goes on when it is back', async () => {
  const { estimate_id } = await acceptedItemEstimate(org)
  await service.startWorker()
  const accounts = { text: 'SELECT FROM monthly_balances WHERE org_id = $1 FOR UPDATE', values: [org.client.orgId] }
  const [answer] = await whileLocked(service.database, accounts, async (waiting) => {
    const call = postConvert(org, 'estimates', estimate_id, throughInvoice)
    await waiting(1)
    await service.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'bahi worker'`)
    return [call]
  })
  expect([answer!.status, answer!.body.estimate.invoices.length]).toEqual([200, 1])
  await expectOneOfEach(estimate_id)
})
