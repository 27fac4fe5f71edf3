// Conversions by HTTP: what comes of an estimate, an order or a part of one, and what is refused.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { purchaseOrderBody } from '../fixtures/bodies.ts'
import type { Answered, Json } from '../fixtures/client.ts'
import { acceptedItemEstimate, openItemOrder, convertByHttp } from '../fixtures/orders.ts'
import { created, openOrganizationWithItem } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const org = await openOrganizationWithItem(service)
await service.startWorker()

const get = async (path: string): Promise<Json> => (await org.client.get(path)).body
const outcome = ({ status, body }: Answered) => [status, body.code, body.field, body.details]
const replayed = ({ headers }: Answered) => headers['idempotency-replay'] === 'true'

describe('an estimate', () => {
  test('becomes a draft order, and says which', async () => {
    const estimate = await acceptedItemEstimate(org)
    const answer = await convertByHttp(org, 'estimates', estimate.estimate_id)
    expect([answer.status, answer.body.message, answer.body.estimate.status]).toEqual([200, 'Estimate converted.', 'CONVERTED'])
    const { converted_to_sales_order_id: id } = answer.body.estimate
    const { sales_order: order } = await get(`/sales_orders/${id}`)
    expect(order).toMatchObject({ status: 'DRAFT', estimate_id: estimate.estimate_id, total: estimate.total, customer_id: estimate.customer_id, invoices: [] })
    expect((await get(`/estimates/${estimate.estimate_id}`)).estimate).toEqual(answer.body.estimate)
  })

  test('goes on to an approved invoice in one call', async () => {
    const estimate = await acceptedItemEstimate(org)
    const { body } = await convertByHttp(org, 'estimates', estimate.estimate_id, { through: 'invoice', auto_approve: true })
    const { sales_order: order } = await get(`/sales_orders/${body.estimate.converted_to_sales_order_id}`)
    expect(order).toMatchObject({ status: 'INVOICED', estimate_id: estimate.estimate_id, invoices: body.estimate.invoices })
    expect(order.invoices).toHaveLength(1)
    const { invoice } = await get(`/invoices/${order.invoices[0]}`)
    expect(invoice).toMatchObject({ status: 'SENT', total: estimate.total, estimate_id: estimate.estimate_id, sales_order_id: order.sales_order_id })
  })

  test('is converted once; the second call gets what it became', async () => {
    const { estimate_id } = await acceptedItemEstimate(org)
    const { body } = await convertByHttp(org, 'estimates', estimate_id)
    const again = await convertByHttp(org, 'estimates', estimate_id)
    expect(outcome(again)).toEqual([409, 'conflict.already_converted', undefined, { sales_order_id: body.estimate.converted_to_sales_order_id }])
  })
})

describe('an order', () => {
  test('is invoiced part by part, until nothing is left', async () => {
    const order = await openItemOrder(org, 10)
    const [line] = order.line_items
    const part = (quantity: number) => convertByHttp(org, 'sales_orders', order.sales_order_id, { line_items: [{ line_item_id: line.line_item_id, quantity }] })
    const first = (await part(3)).body.sales_order
    expect([first.status, first.line_items[0].quantity_invoiced, first.invoices.length]).toEqual(['PARTIALLY_INVOICED', 3, 1])
    expect(outcome(await part(7.5))).toEqual([400, 'validation.invalid_value', 'line_items.0.quantity', { limit: 7 }])
    const second = (await part(5)).body.sales_order
    expect([second.status, second.invoices.length, second.invoices[0]]).toEqual(['PARTIALLY_INVOICED', 2, first.invoices[0]])
    const whole = (await convertByHttp(org, 'sales_orders', order.sales_order_id)).body.sales_order
    expect([whole.status, whole.line_items[0].quantity_invoiced, whole.invoices.length]).toEqual(['INVOICED', 10, 3])
    const totals = await Promise.all(whole.invoices.map(async (id: string) => (await get(`/invoices/${id}`)).invoice.total))
    expect(totals.reduce((sum, total) => sum + total)).toBe(order.total)
    expect(outcome(await convertByHttp(org, 'sales_orders', order.sales_order_id))).toEqual(
      [409, 'conflict.already_converted', undefined, { invoice_id: whole.invoices[2], invoice_ids: whole.invoices }])
  })

  test('of a vendor becomes a bill', async () => {
    const { purchase_order: order } = await created(org.client.post('/purchase_orders', purchaseOrderBody(org)))
    const { body } = await convertByHttp(org, 'purchase_orders', order.purchase_order_id, { auto_approve: true })
    expect([body.message, body.purchase_order.status]).toEqual(['Purchase order converted.', 'BILLED'])
    const { bill } = await get(`/bills/${body.purchase_order.bills[0]}`)
    expect(bill).toMatchObject({ status: 'OPEN', total: order.total, purchase_order_id: order.purchase_order_id })
  })
})

describe('refused', () => {
  test('where the state forbids it, the line is unknown, or the body is wrong', async () => {
    const { estimate } = await created(org.client.post('/estimates', { customer_id: org.customerId, line_items: [{ item_id: org.itemId, quantity: 1 }] }))
    expect(outcome(await convertByHttp(org, 'estimates', estimate.estimate_id)).slice(0, 2)).toEqual([409, 'conflict.invalid_state'])
    const bad = await convertByHttp(org, 'estimates', estimate.estimate_id, { through: 'bill', auto_approve: 'yes' })
    expect([bad.status, bad.body.errors.map(({ field }: Json) => field).sort()]).toEqual([422, ['auto_approve', 'through']])
    const { sales_order_id } = await openItemOrder(org, 2)
    const unknown = await convertByHttp(org, 'sales_orders', sales_order_id, { line_items: [{ line_item_id: randomUUID(), quantity: 1 }] })
    expect(outcome(unknown).slice(0, 3)).toEqual([404, 'not_found.resource', 'line_items.0.line_item_id'])
    const empty = await convertByHttp(org, 'sales_orders', sales_order_id, { line_items: [] })
    expect([empty.status, empty.body.code]).toEqual([422, 'validation.failed'])
  })

  test('a refusal inside the workflow is answered as it is, and remembered', async () => {
    // A bill of this vendor, day and total is on the books: found out when the bill is approved.
    const ordered = async () => (await created(org.client.post('/purchase_orders', purchaseOrderBody(org, { line_items: [{ name: 'Looms', rate: 77.7, quantity: 1 }] })))).purchase_order
    const [one, two] = [await ordered(), await ordered()]
    const key = randomUUID()
    expect((await convertByHttp(org, 'purchase_orders', one.purchase_order_id, { auto_approve: true })).status).toBe(200)
    const refused = await convertByHttp(org, 'purchase_orders', two.purchase_order_id, { auto_approve: true }, key)
    expect(outcome(refused).slice(0, 3)).toEqual([400, 'validation.invalid_value', 'reference_number'])
    expect(refused.body.request_id).toBe(refused.headers['x-request-id'])
    const again = await convertByHttp(org, 'purchase_orders', two.purchase_order_id, { auto_approve: true }, key)
    expect([again.status, again.text, replayed(again)]).toEqual([400, refused.text, true])
    expect((await get(`/purchase_orders/${two.purchase_order_id}`)).purchase_order).toMatchObject({ status: 'DRAFT', bills: [] })
  })
})

describe('keys', () => {
  test('the same key is answered by the same bytes, and nothing is made twice', async () => {
    const { estimate_id } = await acceptedItemEstimate(org)
    const key = randomUUID()
    const first = await convertByHttp(org, 'estimates', estimate_id, { through: 'invoice' }, key)
    const again = await convertByHttp(org, 'estimates', estimate_id, { through: 'invoice' }, key)
    const other = await convertByHttp(org, 'estimates', estimate_id, {}, key)
    expect([first.status, replayed(first), again.text, replayed(again), other.text]).toEqual([200, false, first.text, true, first.text])
    expect(other.headers['idempotency-body-mismatch']).toBe('true')
    expect(first.body.estimate.invoices).toHaveLength(1)
  })

  test('none is needed, nor a body', async () => {
    const { estimate_id } = await acceptedItemEstimate(org)
    const answer = await org.client.call('POST', `/estimates/${estimate_id}/convert`)
    expect([answer.status, answer.body.estimate.status]).toEqual([200, 'CONVERTED'])
  })

  test('a call that was cut off after its work is answered without the engine', async () => {
    const { estimate_id } = await acceptedItemEstimate(org)
    const key = randomUUID()
    const first = await convertByHttp(org, 'estimates', estimate_id, { through: 'invoice' }, key)
    // As a crash leaves it between the last document and the answer.
    const [asked] = await service.sql<{ id: string }>('SELECT id FROM conversions WHERE source_id = $1', estimate_id)
    const leave = (until: string) => service.sql(
      `UPDATE idempotent_answers SET status = NULL, body = $2, claimed_until = now() + $3::interval WHERE key = $1`, key, asked!.id, until)
    await leave('60 seconds')
    const early = await convertByHttp(org, 'estimates', estimate_id, { through: 'invoice' }, key)
    expect([early.status, early.body.code, early.headers['retry-after']]).toEqual([409, 'idempotency.in_progress', '1'])
    await leave('-1 second')
    const away = await service.another({ TEMPORAL_ADDRESS: '127.0.0.1:1' })
    const path = `${away.origin}/api/public/v1/estimates/${estimate_id}/convert`
    const headers = { authorization: `Bearer ${org.client.token}`, 'idempotency-key': key, 'content-type': 'application/json' }
    const late = await fetch(path, { method: 'POST', headers, body: JSON.stringify({ auto_approve: true }) })
    expect([late.status, await late.text()]).toEqual([200, first.text])
    expect([late.headers.get('idempotency-replay'), late.headers.get('idempotency-body-mismatch')]).toEqual([null, 'true'])
    const again = await convertByHttp(org, 'estimates', estimate_id, { through: 'invoice' }, key)
    expect([again.text, replayed(again), again.headers['idempotency-body-mismatch']]).toEqual([first.text, true, undefined])
    await away.close()
  })

  test('a key that is older than a day starts a new request', async () => {
    const order = await openItemOrder(org, 4)
    const key = randomUUID()
    const part = { line_items: [{ line_item_id: order.line_items[0].line_item_id, quantity: 1 }] }
    expect((await convertByHttp(org, 'sales_orders', order.sales_order_id, part, key)).body.sales_order.invoices).toHaveLength(1)
    await service.sql(`UPDATE idempotent_answers SET created_time = now() - interval '24 hours 1 second' WHERE key = $1`, key)
    expect((await convertByHttp(org, 'sales_orders', order.sales_order_id, part, key)).body.sales_order.invoices).toHaveLength(2)
  })
})

test('what it makes is logged for the caller and announced like a single creation', async () => {
  const { estimate_id } = await acceptedItemEstimate(org)
  const { body, headers } = await convertByHttp(org, 'estimates', estimate_id, { through: 'invoice' })
  const ids = [estimate_id, body.estimate.converted_to_sales_order_id, body.estimate.invoices[0]]
  const entries = await Promise.all(ids.map(async (id) => (await get(`/activity?entity_id=${id}`)).activity[0]))
  for (const { metadata } of entries) expect(metadata).toMatchObject({ request_id: headers['x-request-id'], source: 'PUBLIC_API' })
  const events = await service.sql<{ event_type: string }>('SELECT event_type FROM webhook_events WHERE entity_id = ANY ($1::uuid[]) ORDER BY id', ids)
  expect(events.map(({ event_type }) => event_type).slice(-3).sort()).toEqual(['ESTIMATE_CONVERTED', 'INVOICE_CREATED', 'SALES_ORDER_CREATED'])
})

test('a conversion costs the API no more than eight round trips to the database', async () => {
  const trips = async () => Number(/^bahi_database_round_trips_total (\d+)/m.exec(await (await fetch(`${service.origin}/metrics`)).text())?.[1])
  const sources = [['estimates', (await acceptedItemEstimate(org)).estimate_id], ['sales_orders', (await openItemOrder(org, 9)).sales_order_id]] as const
  for (const [kind, id] of sources) {
    const before = await trips()
    expect((await convertByHttp(org, kind, id, { auto_approve: true })).status).toBe(200)
    expect(await trips() - before).toBeLessThanOrEqual(8)
  }
})
