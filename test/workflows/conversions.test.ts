// Conversions through whatever dies on the way: the engine, the worker, the API; and what an operator sees of them.
import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { BASE_PATH } from '../../api/server.ts'
import { freePort } from '../../bin/machines/port.ts'
import { openEngine, type Engine } from '../../gateways/engine.ts'
import { callAt, clientOf, type Client, type Json } from '../api/client.ts'
import { acceptedEstimate, convert, openOrder } from '../api/orders.ts'
import { startService, type Service } from '../api/service.ts'
import { invoiceBody, made, openShop, type Shop } from '../api/wares.ts'
import { kill, spawnWorker } from '../api/worker.ts'
import { whileLocked } from '../hammer/crowd.ts'
import { statusOf, until } from '../start/local-run.ts'
import { openDoor, type Door } from './door.ts'
import { removeSchedules } from './schedules.ts'

jest.setTimeout(120_000)

let service: Service
let shop: Shop
let engine: Engine
const children: ChildProcess[] = []
beforeAll(async () => {
  service = await startService()
  shop = await openShop(await service.organization())
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_QUEUE_SUFFIX: queueSuffix = '' } = service.env
  engine = openEngine({ address, namespace: 'default', queueSuffix })
  // The accounts and sequences of an approved invoice are there, for tests that lock them.
  await made(shop.client.post('/invoices', invoiceBody(shop, { auto_approve: true })))
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
const clientAt = (origin: string): Client => clientOf(callAt(origin + BASE_PATH), shop.client.orgId, shop.client.token)

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
async function untilAnswered(call: () => ReturnType<typeof convert>) {
  const last = Date.now() + 40_000
  for (;;) {
    const answer = await call()
    if (answer.status < 500 && answer.body.code !== 'idempotency.in_progress') return answer
    if (Date.now() > last) throw new Error(`still ${answer.status}: ${answer.text}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

describe('the engine is away', () => {
  let door: Door
  let beside: Awaited<ReturnType<Service['another']>>
  let client: Client
  beforeEach(async () => {
    door = await openDoor(service.env.TEMPORAL_ADDRESS!)
    door.shut()
    beside = await service.another({ TEMPORAL_ADDRESS: door.address })
    client = clientAt(beside.origin)
  })
  afterEach(async () => {
    door.shut()
    await beside.close()
  })

  test('the call is refused in time and nothing is half done; when it is back, the same key succeeds at once', async () => {
    const { estimate_id } = await acceptedEstimate(shop)
    const key = randomUUID()
    const started = Date.now()
    const refused = await convert({ client }, 'estimates', estimate_id, throughInvoice, key)
    expect(Date.now() - started).toBeLessThan(4_000)
    expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([503, 'service.unavailable', '2'])
    expect(await conversionOf(estimate_id)).toMatchObject({ hops: 0, sales_order_id: null, invoice_id: null })
    expect((await shop.client.get(`/estimates/${estimate_id}`)).body.estimate.status).toBe('ACCEPTED')

    await door.open()
    await service.startWorker()
    const answer = await untilAnswered(() => convert({ client }, 'estimates', estimate_id, throughInvoice, key))
    expect([answer.status, answer.body.estimate.status, replayed(answer)]).toEqual([200, 'CONVERTED', false])
    const again = await convert({ client }, 'estimates', estimate_id, throughInvoice, key)
    expect([again.text, replayed(again)]).toEqual([answer.text, true])
    await expectOneOfEach(estimate_id)
  })

  test('what the books refuse is refused all the same, and what is read and written otherwise goes on', async () => {
    const { estimate } = await made(client.post('/estimates', { customer_id: shop.customerId, line_items: [{ item_id: shop.itemId, quantity: 1 }] }))
    const refused = await convert({ client }, 'estimates', estimate.estimate_id)
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict.invalid_state'])
  })

  test('its connections are cut while the call waits: it is refused, and done all the same', async () => {
    await door.open()
    const { estimate_id } = await acceptedEstimate(shop)
    const key = randomUUID()
    const waiting = convert({ client }, 'estimates', estimate_id, throughInvoice, key)
    await untilStarted(`convert/ESTIMATE/${estimate_id}`)
    door.shut()
    const refused = await waiting
    expect([refused.status, refused.body.code]).toEqual([503, 'service.unavailable'])
    await service.startWorker()
    await until(async () => (await conversionOf(estimate_id)).hops === 2, 20_000, () => 'not carried out')
    // Done, so it needs the engine no more.
    const answer = await convert({ client }, 'estimates', estimate_id, throughInvoice, key)
    expect([answer.status, answer.body.estimate.invoices.length, replayed(answer)]).toEqual([200, 1, false])
    await expectOneOfEach(estimate_id)
  })
})

async function untilStarted(workflowId: string): Promise<void> {
  const { workflow } = engine.client
  await until(() => workflow.getHandle(workflowId).describe().then(() => true, () => false), 10_000, () => `${workflowId} is not started`)
}

test('no worker is there for ten seconds: the call is refused, and later found done by its key', async () => {
  const { sales_order_id } = await openOrder(shop, 5)
  const key = randomUUID()
  const started = Date.now()
  const refused = await convert(shop, 'sales_orders', sales_order_id, {}, key)
  expect(Math.round((Date.now() - started) / 1_000)).toBe(10)
  expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([503, 'service.unavailable', '2'])
  await service.startWorker()
  await until(async () => (await conversionOf(sales_order_id)).hops === 1, 20_000, () => 'not carried out')
  const found = await convert(shop, 'sales_orders', sales_order_id, {}, key)
  expect([found.status, found.body.sales_order.status, found.body.sales_order.invoices.length]).toEqual([200, 'INVOICED', 1])
})

describe('a worker is killed between order and invoice', () => {
  // The invoice is posted by the last statement of its transaction, which waits for the accounts.
  const accounts = () => ({ text: 'SELECT FROM account_balances WHERE org_id = $1 FOR UPDATE', values: [shop.client.orgId] })

  test.each([
    ['its last statement dies with it', true],
    ['its last statement is still carried out', false],
  ])('%s: one order and one invoice', async (_name, isCut) => {
    const { estimate_id } = await acceptedEstimate(shop)
    const key = randomUUID()
    const dying = await spawnWorker(service.env)
    children.push(dying)
    const [first] = await whileLocked(service.database, accounts(), async (waiting) => {
      const call = convert(shop, 'estimates', estimate_id, throughInvoice, key)
      await waiting(1)
      expect(await conversionOf(estimate_id)).toMatchObject({ hops: 1, invoice_id: null })
      await kill(dying)
      if (isCut) await service.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'bahi worker'`)
      return [call]
    })
    children.push(await spawnWorker(service.env))
    const answer = first!.status === 200 ? first! : await untilAnswered(() => convert(shop, 'estimates', estimate_id, throughInvoice, key))
    expect([answer.status, answer.body.estimate.invoices.length]).toEqual([200, 1])
    expect(await conversionOf(estimate_id)).toMatchObject({ hops: 2, invoice_id: answer.body.estimate.invoices[0] })
    await expectOneOfEach(estimate_id)
  })
})

test('the API is killed while it waits: the same key is answered with the same target', async () => {
  const { estimate_id } = await acceptedEstimate(shop)
  const port = await freePort(undefined)
  const dying = spawn(process.execPath, [fileURLToPath(new URL('../../api/server.ts', import.meta.url))], {
    env: { ...service.env, PORT: String(port), LOG_LEVEL: 'silent' }, stdio: 'ignore',
  })
  children.push(dying)
  await until(async () => (await statusOf(`http://127.0.0.1:${port}/health/live`)) === 200, 20_000, () => 'the API does not answer')
  const key = randomUUID()
  const unheard = convert({ client: clientAt(`http://127.0.0.1:${port}`) }, 'estimates', estimate_id, throughInvoice, key).catch(() => null)
  await untilStarted(`convert/ESTIMATE/${estimate_id}`)
  await kill(dying)
  expect(await unheard).toBeNull()
  await service.startWorker()
  await until(async () => (await conversionOf(estimate_id)).hops === 2, 20_000, () => 'not carried out')

  const early = await convert(shop, 'estimates', estimate_id, throughInvoice, key)
  expect([early.status, early.body.code]).toEqual([409, 'idempotency.in_progress'])
  await service.sql(`UPDATE idempotent_answers SET claimed_until = now() WHERE key = $1`, key)
  const answer = await convert(shop, 'estimates', estimate_id, throughInvoice, key)
  expect([answer.status, answer.body.estimate.invoices]).toEqual([200, [(await conversionOf(estimate_id)).invoice_id]])
  await expectOneOfEach(estimate_id)
})

test('the database is away in the middle: the worker goes on when it is back', async () => {
  const { estimate_id } = await acceptedEstimate(shop)
  await service.startWorker()
  const accounts = { text: 'SELECT FROM account_balances WHERE org_id = $1 FOR UPDATE', values: [shop.client.orgId] }
  const [answer] = await whileLocked(service.database, accounts, async (waiting) => {
    const call = convert(shop, 'estimates', estimate_id, throughInvoice)
    await waiting(1)
    await service.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'bahi worker'`)
    return [call]
  })
  expect([answer!.status, answer!.body.estimate.invoices.length]).toEqual([200, 1])
  await expectOneOfEach(estimate_id)
})

describe('what an operator sees', () => {
  beforeEach(() => service.startWorker())

  test('a conversion by its source, and what it has made', async () => {
    const { estimate_id } = await acceptedEstimate(shop, { notes: 'for Meena, by hand' })
    const { body: { estimate } } = await convert(shop, 'estimates', estimate_id, throughInvoice)
    const described = await found(`SvcEntityType = 'ESTIMATE' AND SvcEntityId = '${estimate_id}' AND SvcOrgId = '${shop.client.orgId}' AND SvcState = 'CONVERTED'`)
    expect([described.type, described.workflowId, described.status.name]).toEqual(['convertDocument', `convert/ESTIMATE/${estimate_id}`, 'COMPLETED'])
    expect(await described.staticSummary()).toBe(`conversion of ESTIMATE ${estimate_id}`)
    const handle = engine.client.workflow.getHandle(described.workflowId)
    expect(await handle.query('__temporal_workflow_metadata')).toMatchObject({
      currentDetails: `made:\n- SALES_ORDER ${estimate.converted_to_sales_order_id}\n- INVOICE ${estimate.invoices[0]}`,
    })
    expect(await decoded(described.workflowId)).not.toMatch(/Meena|Silk|by hand|1180|2360/)
  })

  test('a refused one, and with what', async () => {
    const order = await openOrder(shop, 1)
    const input = { orgId: shop.client.orgId, conversionId: randomUUID(), source: 'SALES_ORDER' as const, sourceId: order.sales_order_id }
    // Asked for twice at once, by requests that both came before either was carried out.
    await service.sql(
      `INSERT INTO conversions (org_id, id, source_type, source_id, auto_approve, origin, hops, created_time, last_modified_time)
       VALUES ($1, $2, $3, $4, false, '{"source": "PUBLIC_API"}', 0, now(), now())`, input.orgId, input.conversionId, input.source, input.sourceId)
    const { body } = await convert(shop, 'sales_orders', order.sales_order_id)
    const refused = engine.convert(input, () => Promise.resolve(true))
    await expect(refused).rejects.toMatchObject({
      code: 'conflict.already_converted', status: 409, details: { invoice_id: body.sales_order.invoices[0], invoice_ids: body.sales_order.invoices },
    })
    const described = await found(`SvcEntityId = '${order.sales_order_id}' AND SvcState = 'REFUSED'`)
    expect(described.status.name).toBe('FAILED')
    expect(await engine.client.workflow.getHandle(described.workflowId).query('__temporal_workflow_metadata')).toMatchObject({
      currentDetails: 'refused: conflict.already_converted',
    })
  })

  async function found(query: string) {
    const ids: string[] = []
    await until(async () => {
      for await (const { workflowId } of engine.client.workflow.list({ query })) ids.push(workflowId)
      return ids.length > 0
    }, 10_000, () => `nothing is found by ${query}`)
    return engine.client.workflow.getHandle(ids[0]!).describe()
  }

  /** Every payload of the history, as text. */
  async function decoded(workflowId: string): Promise<string> {
    const history = historyToJSON(await engine.client.workflow.getHandle(workflowId).fetchHistory())
    const payloads = [...history.matchAll(/"data": *"([^"]+)"/g)].map(([, data = '']) => Buffer.from(data, 'base64').toString())
    expect(payloads.filter((payload) => payload.includes('conversionId')).length).toBeGreaterThan(2)
    return payloads.join('\n')
  }
})
