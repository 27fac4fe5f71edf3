// Fifty callers convert one document at once: it is converted once, or in exactly the parts that were requested.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { BASE_PATH } from '../../api/server.ts'
import { callAt, clientOf, type Answered, type Client, type Json } from '../fixtures/client.ts'
import { acceptedItemEstimate, openItemOrder } from '../fixtures/orders.ts'
import { openOrganizationWithItem, type OrganizationWithItem } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { until } from '../start/local-run.ts'
import { atOnce, outcomeOf, post, tally, whileLocked } from './two-servers.ts'

let service: Service
let second: Awaited<ReturnType<Service['another']>>
let org: OrganizationWithItem
let callers: Client[]
beforeAll(async () => {
  service = await startService({ DATABASE_POOL: '20' })
  second = await service.another()
  org = await openOrganizationWithItem(service)
  callers = [org.client, clientOf(callAt(second.origin + BASE_PATH), org.client.orgId, org.client.token)]
  await service.startWorker()
})
afterAll(async () => {
  await second.close()
  await service.close()
})

const get = async (path: string): Promise<Json> => (await org.client.get(path)).body
const count = async (table: 'conversions' | 'sales_orders' | 'invoices', column: string, id: string): Promise<number> =>
  (await service.sql<{ count: number }>(`SELECT count(*)::integer AS count FROM ${table} WHERE ${column} = $1`, id))[0]!.count

test('two at once, with keys of their own: one converts, the other gets the target', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { estimate_id } = await acceptedItemEstimate(org)
    const answers = await atOnce(2, (place) => post(callers, place, `/estimates/${estimate_id}/convert`, { through: 'invoice' }))
    expect(tally(answers)).toEqual({ 200: 1, '409 conflict.already_converted': 1 })
    expectTold(answers)
    expect(await count('sales_orders', 'estimate_id', estimate_id)).toBe(1)
    expect(await count('invoices', 'estimate_id', estimate_id)).toBe(1)
  }
})

test('fifty at once, each written down before the first is carried out: one order', async () => {
  const { estimate_id } = await acceptedItemEstimate(org)
  const convert = (place: number) => post(callers, place, `/estimates/${estimate_id}/convert`)
  // The call that carries out the conversion waits here until the others have arrived too.
  const lock = { text: 'SELECT FROM estimates WHERE org_id = $1 AND id = $2 FOR UPDATE', values: [org.client.orgId, estimate_id] }
  const answers = await whileLocked(service.database, lock, async () => {
    const calls = Array.from({ length: 50 }, (_, place) => convert(place))
    await until(async () => (await count('conversions', 'source_id', estimate_id)) === 50, 90_000, () => 'not all have asked')
    return calls
  })
  expect(tally(answers)).toEqual({ 200: 1, '409 conflict.already_converted': 49 })
  expectTold(answers)
  expect(await count('sales_orders', 'estimate_id', estimate_id)).toBe(1)
})

// A refusal names the document that the one success created.
function expectTold(answers: Answered[]): void {
  const { estimate } = answers.find(({ status }) => status === 200)!.body
  for (const { status, body } of answers) if (status === 409) expect(body.details).toEqual({ sales_order_id: estimate.converted_to_sales_order_id })
}

test('fifty with one key: one order, and every answer is the one, or "in progress"', async () => {
  const { estimate_id } = await acceptedItemEstimate(org)
  const key = randomUUID()
  const convert = (place: number) => post(callers, place, `/estimates/${estimate_id}/convert`, { through: 'invoice' }, key)
  const answers = await atOnce(50, convert)
  const stored = await convert(0)
  expect([stored.status, stored.headers['idempotency-replay']]).toEqual([200, 'true'])
  const told = answers.filter((answer) => outcomeOf(answer) !== '409 idempotency.in_progress')
  expect(told.length).toBeGreaterThan(0)
  for (const { text } of told) expect(text).toBe(stored.text)
  expect(told.filter(({ headers }) => !headers['idempotency-replay'])).toHaveLength(1)
  expect(await count('invoices', 'estimate_id', estimate_id)).toBe(1)
})

test('twenty parts of one order at once: each is invoiced, none twice', async () => {
  const order = await openItemOrder(org, 20)
  const part = { line_items: [{ line_item_id: order.line_items[0].line_item_id, quantity: 1 }] }
  const answers = await atOnce(20, (place) => post(callers, place, `/sales_orders/${order.sales_order_id}/convert`, part))
  expect(tally(answers)).toEqual({ 200: 20 })
  const { sales_order: whole } = await get(`/sales_orders/${order.sales_order_id}`)
  expect([whole.status, whole.line_items[0].quantity_invoiced, new Set(whole.invoices).size]).toEqual(['INVOICED', 20, 20])
})

test('twenty equal parts of one purchase order at once: each is billed and approved, none is taken for another', async () => {
  const { contact: vendor } = (await org.client.post('/contacts', { contact_name: 'Tiruppur Mills', contact_type: 'VENDOR' })).body
  const wanted = { vendor_id: vendor.contact_id, reference_number: 'RFQ 20', line_items: [{ name: 'Slates', quantity: 20, rate: 31 }] }
  const { purchase_order: order } = (await org.client.post('/purchase_orders', wanted)).body
  const part = { line_items: [{ line_item_id: order.line_items[0].line_item_id, quantity: 1 }], auto_approve: true }
  const answers = await atOnce(20, (place) => post(callers, place, `/purchase_orders/${order.purchase_order_id}/convert`, part))
  expect(tally(answers)).toEqual({ 200: 20 })
  const { purchase_order: whole } = await get(`/purchase_orders/${order.purchase_order_id}`)
  expect([whole.status, whole.line_items[0].quantity_billed, new Set(whole.bills).size]).toEqual(['BILLED', 20, 20])
  const { bills } = await get('/bills?reference_number=RFQ%2020')
  expect(bills.map(({ status, total }: Json) => [status, total])).toEqual(Array(20).fill(['OPEN', 31]))
})

test('one bill from twenty callers at once: it is on the books once', async () => {
  const { contact: vendor } = (await org.client.post('/contacts', { contact_name: 'Tiruppur Mills', contact_type: 'VENDOR' })).body
  const bill = {
    vendor_id: vendor.contact_id, date: '2026-11-10', place_of_supply: 'IN-KA', auto_approve: true, line_items: [{ name: 'Slates', quantity: 1, rate: 31 }],
  }
  const answers = await atOnce(20, (place) => post(callers, place, '/bills', bill))
  expect(tally(answers)).toEqual({ 201: 1, '400 validation.invalid_value': 19 })
})

test('more parts at once than there are: what is left is invoiced, and the rest refused', async () => {
  const order = await openItemOrder(org, 5)
  const part = { line_items: [{ line_item_id: order.line_items[0].line_item_id, quantity: 2 }] }
  const answers = await atOnce(8, (place) => post(callers, place, `/sales_orders/${order.sales_order_id}/convert`, part))
  expect(tally(answers)).toEqual({ 200: 2, '400 validation.invalid_value': 6 })
  const refused = answers.filter(({ status }) => status === 400)
  for (const { body } of refused) expect([body.field, [1, 3].includes(body.details.limit)]).toEqual(['line_items.0.quantity', true])
  expect((await get(`/sales_orders/${order.sales_order_id}`)).sales_order).toMatchObject({ status: 'PARTIALLY_INVOICED' })
})
