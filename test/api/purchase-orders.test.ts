// Purchase orders over HTTP: what a new one may say, how a draft changes or goes, and the filters of lists.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { addDays } from '../../domain/dates.ts'
import { AHEAD, line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { partQuantities, purchaseOrderSource } from '../fixtures/conversions.ts'
import { inStatus } from '../fixtures/orders.ts'
import { addBranch, addContact, addItem, midnight, openOrganization, TODAY, type TestOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)
const theirs = await openOrganization(service)

const pathOf = ({ purchase_order_id }: Json) => `/purchase_orders/${purchase_order_id}`
const read = async (order: Json) => (await ours.get(pathOf(order))).purchase_order
const put = async (order: Json, body: unknown) => (await ours.send('PUT', pathOf(order), body)).purchase_order
const refused = (changes: Record<string, unknown>) =>
  ours.refusal('POST', '/purchase_orders', { vendor_id: ours.vendorId, line_items: [line()], ...changes })
const gst = (changes: Record<string, unknown> = {}) => line({ tax_id: ours.taxes['GST 18%'], ...changes })

test('an order answers all that is known of it, in lists as alone', async () => {
  const other = await openOrganization(service)
  const branch = (await other.get('/branches')).branches[0].branch_id
  const { body, status } = await other.client.post('/purchase_orders', {
    vendor_id: other.vendorId, date: '2026-11-10', expected_date: '2026-11-10', place_of_supply: 'Karnataka', reference_number: 'RFQ 7',
    notes: 'To the mill', round_off: 0.5, status: 'OPEN', line_items: [line({ quantity: 2.5, rate: 10.4, discount: 1, tax_id: other.taxes['GST 18%'] })],
  })
  expect([status, body.code, body.message]).toEqual([201, 0, 'Purchase order created.'])
  expect(body.purchase_order).toEqual({
    purchase_order_id: expect.any(String), purchase_order_number: 'PO-00001', branch_id: branch, vendor_id: other.vendorId,
    vendor_name: 'Tiruppur Mills', date: midnight('2026-11-10'), expected_date: midnight('2026-11-10'), reference_number: 'RFQ 7',
    place_of_supply: 'IN-KA', currency_code: 'INR', exchange_rate: 1,
    line_items: [{
      line_item_id: expect.any(String), item_id: null, name: 'Slates', description: null, hsn_or_sac: null, quantity: 2.5, quantity_billed: 0,
      unit: null, rate: 10.4, discount: 1, tax_id: other.taxes['GST 18%'], tax_percentage: 18, account_id: other.accounts.Purchases, item_total: 25,
      cgst: 2.25, sgst: 2.25, igst: 0, cess: 0, tax_amount: 4.5,
    }],
    sub_total: 25, tax_total: 4.5, total: 29.5, status: 'DRAFT', bills: [], notes: 'To the mill', tags: [],
    created_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/), last_modified_time: body.purchase_order.created_time,
  })
  expect((await other.get(pathOf(body.purchase_order))).purchase_order).toEqual(body.purchase_order)
  expect((await other.get('/purchase_orders?reference_number=RFQ%207')).purchase_orders).toEqual([body.purchase_order])
  expect(await theirs.refusal('GET', pathOf(body.purchase_order))).toEqual({ status: 404, code: 'not_found.resource' })
})

test('it books nothing, and is announced once', async () => {
  const other = await openOrganization(service)
  await other.send('POST', '/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook', events: ['PURCHASE_ORDER_CREATED', 'BILL_CREATED'] })
  const order = await other.purchaseOrder({ line_items: [line({ tax_id: other.taxes['RCM 18%'] })] })
  await other.send('POST', `${pathOf(order)}/open`)
  expect((await other.get('/journals')).journals).toEqual([])
  const data = { id: order.purchase_order_id, number: 'PO-00001', vendor_id: other.vendorId, total: 100, status: 'DRAFT', sequence: 1 }
  const { deliveries } = await other.get('/webhooks/deliveries')
  expect(deliveries.map(({ event_type, payload }: Json) => [event_type, payload.data])).toEqual([['PURCHASE_ORDER_CREATED', data]])
})

test('the date is today unless given; the place is the vendor\'s, else the branch\'s state', async () => {
  const delhi = await addContact(ours, { contact_type: 'VENDOR', place_of_contact: 'IN-DL' })
  expect(await ours.purchaseOrder({ vendor_id: delhi, date: null, place_of_supply: null, line_items: [gst()] }))
    .toMatchObject({ date: midnight(TODAY), expected_date: null, place_of_supply: 'IN-DL', line_items: [{ cgst: 0, igst: 18 }] })
  expect(await ours.purchaseOrder({ vendor_id: delhi, place_of_supply: 'IN-KA', line_items: [gst()] })).toMatchObject({ line_items: [{ cgst: 9, igst: 0 }] })
  expect(await ours.purchaseOrder({ place_of_supply: '07', line_items: [gst()] })).toMatchObject({ place_of_supply: 'IN-DL', line_items: [{ cgst: 0, igst: 18 }] })
  const pune = await addBranch(service, ours, 'IN-MH')
  const order = await ours.purchaseOrder({ branch_id: pune, line_items: [gst()] })
  expect(order).toMatchObject({ branch_id: pune, place_of_supply: 'IN-MH', line_items: [{ cgst: 9 }] })
  expect(await put(order, { branch_id: null })).toMatchObject({ place_of_supply: 'IN-KA', line_items: [{ cgst: 9 }] })
  expect(await put(order, { branch_id: pune.toUpperCase(), place_of_supply: 'IN-KA' })).toMatchObject({ branch_id: pune, line_items: [{ igst: 18 }] })
  expect(await put(order, { vendor_id: delhi, branch_id: pune })).toMatchObject({ vendor_id: delhi, place_of_supply: 'IN-DL', line_items: [{ igst: 18 }] })
  expect(await put(order, { vendor_id: ours.vendorId })).toMatchObject({ place_of_supply: 'IN-MH', line_items: [{ cgst: 9 }] })
})

test('an item fills its line at the purchase rate, and is in use, as the vendor is', async () => {
  const [item_id, vendor_id] = [await addItem(ours, { rate: 900, purchase_rate: 700.25 }), await addContact(ours, { contact_type: 'BOTH' })]
  const { line_items } = await ours.purchaseOrder({ vendor_id, line_items: [{ item_id, quantity: 2 }, { item_id, quantity: 1, rate: 650 }] })
  expect(line_items).toMatchObject([{ item_id, name: 'Silk thread', rate: 700.25 }, { item_id, rate: 650 }])
  expect(await ours.refusal('DELETE', `/items/${item_id}`))
    .toMatchObject({ status: 409, code: 'conflict.in_use', details: { sales_order_lines: 0, purchase_order_lines: 2 } })
  expect(await ours.refusal('DELETE', `/contacts/${vendor_id}`))
    .toMatchObject({ status: 409, code: 'conflict.in_use', details: { sales_orders: 0, purchase_orders: 1 } })
})

test('under reverse charge the vendor is owed the taxable value; the tax follows the place', async () => {
  const order = await ours.purchaseOrder({ line_items: [line({ tax_id: ours.taxes['RCM 18%'] })] })
  expect(order).toMatchObject({ tax_total: 0, total: 100, line_items: [{ tax_percentage: 18, tax_amount: 0 }] })
  const assessed = () => service.sql('SELECT rcm_cgst, rcm_sgst, rcm_igst, rcm_cess FROM purchase_order_lines WHERE purchase_order_id = $1', order.purchase_order_id)
  expect(await assessed()).toEqual([{ rcm_cgst: 900n, rcm_sgst: 900n, rcm_igst: 0n, rcm_cess: 0n }])
  await put(order, { place_of_supply: 'IN-DL' })
  expect(await assessed()).toEqual([{ rcm_cgst: 0n, rcm_sgst: 0n, rcm_igst: 1800n, rcm_cess: 0n }])
})

describe('what cannot be', () => {
  test.each<[Record<string, unknown>, number, string]>([
    [{ place_of_supply: 'Atlantis' }, 422, 'place_of_supply'], [{ date: '2026-11-10', expected_date: '2026-11-09' }, 400, 'expected_date'],
    [{ currency_code: 'XXQ', exchange_rate: 2 }, 400, 'currency_code'], [{ exchange_rate: 2 }, 400, 'exchange_rate'],
    [{ line_items: [line({ discount: 101 })] }, 400, 'line_items.0.discount'],
  ])('%j', async (changes, status, field) => {
    expect(await refused(changes)).toMatchObject({ status, code: 'validation.invalid_value', field })
  })

  test('a customer is no vendor, and what is others\' is not there', async () => {
    expect(await refused({ vendor_id: ours.customerId })).toEqual({ status: 400, code: 'validation.invalid_value', field: 'vendor_id' })
    for (const [field, changes] of Object.entries({ vendor_id: { vendor_id: theirs.vendorId }, tags: { tags: [theirs.vendorId] } })) {
      expect(await refused(changes)).toEqual({ status: 404, code: 'not_found.resource', field })
    }
    const { status, errors } = await ours.refusal('POST', '/purchase_orders', { line_items: [] })
    expect([status, errors.map(({ field }: Json) => field).toSorted()]).toEqual([422, ['line_items', 'vendor_id']])
  })
})

describe('PUT on a draft', () => {
  test('replaces the lines whole; those that nobody sends keep their ids', async () => {
    const before = await ours.purchaseOrder({ line_items: [gst(), gst({ rate: 50 })] })
    const vendor_id = await addContact(ours, { contact_name: 'Erode Looms', contact_type: 'VENDOR' })
    const moved = await put(before, { vendor_id, place_of_supply: 'IN-DL', currency_code: 'USD', exchange_rate: 84.1 })
    expect(moved).toMatchObject({ vendor_name: 'Erode Looms', total: 177, exchange_rate: 84.1, line_items: before.line_items.map(({ line_item_id }: Json) => ({ line_item_id, cgst: 0 })) })
    const after = await put(before, { line_items: [line({ name: 'Yarn', rate: 30 })], expected_date: `${AHEAD}-01-02` })
    expect(after).toMatchObject({ total: 30, expected_date: midnight(`${AHEAD}-01-02`), line_items: [{ name: 'Yarn', quantity_billed: 0 }] })
    expect(await read(before)).toEqual(after)
  })

  test('leaves no trace where it changes nothing', async () => {
    const order = await ours.purchaseOrder({ line_items: [gst({ quantity: 0.000001 }), line()], currency_code: 'USD', exchange_rate: 83.1234567891 })
    expect(await put(order, { vendor_id: ours.vendorId, line_items: order.line_items, currency_code: 'USD', tags: [] })).toEqual(order)
    expect(await ours.changeLog(pathOf(order))).toEqual([['PURCHASE_ORDER_CREATED', null]])
  })
})

describe('DELETE', () => {
  test('takes a draft away; its number is registered, and never given again', async () => {
    const other = await openOrganization(service)
    const { purchase_order_id, purchase_order_number } = await other.purchaseOrder()
    const path = `/purchase_orders/${purchase_order_id}`
    expect(await other.send('DELETE', path)).toEqual({ code: 0, message: 'Purchase order deleted.' })
    for (const method of ['GET', 'DELETE']) expect(await other.refusal(method, path)).toEqual({ status: 404, code: 'not_found.resource' })
    expect(await service.sql('SELECT document, number, reason FROM number_gaps WHERE org_id = $1', other.orgId))
      .toEqual([{ document: 'purchase order', number: purchase_order_number, reason: 'Draft deleted' }])
    const { activity } = await other.get(`/activity?entity_id=${purchase_order_id}`)
    expect(activity.map(({ action, entity_ref }: Json) => [action, entity_ref]))
      .toEqual([['PURCHASE_ORDER_DELETED', 'PO-00001'], ['PURCHASE_ORDER_CREATED', 'PO-00001']])
    expect((await other.purchaseOrder()).purchase_order_number).toBe('PO-00002')
  })

  test.each(['OPEN', 'BILLED', 'CANCELLED'])('leaves one that is %s', async (status) => {
    const order = await inStatus(ours, await ours.purchaseOrder(), status)
    expect(await ours.refusal('DELETE', pathOf(order))).toEqual({ status: 409, code: 'conflict.invalid_state', details: { status, allowed: ['DRAFT'] } })
    expect(await read(order)).toEqual(order)
  })

  test('of one draft, deleted, opened and changed at once: it is gone, or it is open', async () => {
    for (let round = 0; round < 4; round += 1) {
      const order = await ours.purchaseOrder()
      const [deleted, opened] = await Promise.all([
        ours.client.delete(pathOf(order)), ours.client.post(`${pathOf(order)}/open`), ours.client.put(pathOf(order), { line_items: [line(), line()] }),
      ])
      expect([[200, 404], [409, 200]]).toContainEqual([deleted.status, opened.status])
    }
  })
})

test('one that is billed in part is not cancelled, and may still say when it comes; without its bill it may go', async () => {
  const draft = await ours.purchaseOrder({ date: '2026-11-10', line_items: [line({ quantity: 2 }), line()] })
  await ours.convert({ ...purchaseOrderSource(draft), line_items: partQuantities(draft, 0.5) })
  const { bills, status } = await read(draft)
  expect([status, bills]).toEqual(['OPEN', [expect.any(String)]])
  expect(await ours.refusal('POST', `${pathOf(draft)}/cancel`)).toEqual({ status: 409, code: 'conflict.invalid_state', details: { status, allowed: ['DRAFT'], bills } })
  expect(await put(draft, { expected_date: '2026-12-01' })).toMatchObject({ status, line_items: [{ quantity_billed: 0.5 }, { quantity_billed: 0 }] })
  await ours.send('DELETE', `/bills/${bills[0]}`)
  expect((await ours.send('POST', `${pathOf(draft)}/cancel`)).purchase_order).toMatchObject({ status: 'CANCELLED', bills: [] })
})

describe('lists', () => {
  let listed: TestOrganization
  let second: string
  beforeAll(async () => {
    listed = await openOrganization(service)
    second = await addContact(listed, { contact_name: 'Erode Looms', contact_type: 'VENDOR' })
    await listed.purchaseOrder({ date: addDays(TODAY, -9), reference_number: 'RFQ 1' })
    await listed.purchaseOrder({ date: addDays(TODAY, -5), vendor_id: second })
    await listed.send('POST', `${pathOf(await listed.purchaseOrder({ line_items: [line({ name: 'First' }), line({ name: 'Second' })] }))}/open`)
  })

  test.each<[string, () => string, number[]]>([
    ['nothing', () => '', [3, 2, 1]],
    ['the oldest first', () => 'sort=created_time', [1, 2, 3]],
    ['a status', () => 'status=OPEN', [3]],
    ['a vendor', () => `vendor_id=${second}`, [2]],
    ['a vendor of others', () => `vendor_id=${theirs.vendorId}`, []],
    ['a span of days', () => `date_from=${addDays(TODAY, -5)}&date_to=${addDays(TODAY, -1)}`, [2]],
    ['a reference', () => 'reference_number=RFQ%201', [1]],
    ['what changed', () => `modified_since=${addDays(TODAY, 2)}`, []],
  ])('asked for %s', async (_what, query, expected) => {
    const { purchase_orders } = await listed.get(`/purchase_orders?${query()}`)
    expect(purchase_orders.map(({ purchase_order_number }: Json) => Number(purchase_order_number.slice(3)))).toEqual(expected)
  })

  test('walk through pages, each order with its lines in their order', async () => {
    const walked = await listed.listAll('/purchase_orders', 'purchase_orders', 1)
    expect(walked.map(({ line_items }) => line_items.map(({ name }: Json) => name))).toEqual([['First', 'Second'], ['Slates'], ['Slates']])
  })
})
