// Sales orders over HTTP: what a new one may say, how a draft changes, what is answered, and the filters of lists.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { addDays } from '../../domain/dates.ts'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { addBranch, addContact, addItem, midnight, openOrganization, TODAY, type TestOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)
const theirs = await openOrganization(service)

const pathOf = ({ sales_order_id }: Json) => `/sales_orders/${sales_order_id}`
const read = async (order: Json) => (await ours.get(pathOf(order))).sales_order
const put = async (order: Json, body: unknown) => (await ours.send('PUT', pathOf(order), body)).sales_order
const refused = (changes: Record<string, unknown>) =>
  ours.refusal('POST', '/sales_orders', { customer_id: ours.customerId, line_items: [line()], ...changes })
const gst = (changes: Record<string, unknown> = {}) => line({ tax_id: ours.taxes['GST 18%'], ...changes })

test('an order answers all that is known of it, in lists as alone', async () => {
  const other = await openOrganization(service)
  const branch = (await other.get('/branches')).branches[0].branch_id
  const { body, status } = await other.client.post('/sales_orders', {
    customer_id: other.customerId, date: '2026-11-10', shipment_date: '2026-11-19T18:30:00Z', place_of_supply: '29', reference_number: 'PO 7',
    notes: 'By rail', round_off: 0.5, estimate_id: other.customerId, status: 'OPEN',
    line_items: [line({ quantity: 2.5, rate: 10.4, discount: 1, tax_id: other.taxes['GST 18%'], unit: 'NOS', hsn_or_sac: '9609', description: 'Small' })],
  })
  expect([status, body.code, body.message]).toEqual([201, 0, 'Sales order created.'])
  expect(body.sales_order).toEqual({
    sales_order_id: expect.any(String), sales_order_number: 'SO-00001', branch_id: branch, customer_id: other.customerId,
    customer_name: 'Meena Sarees', date: midnight('2026-11-10'), shipment_date: midnight('2026-11-20'), reference_number: 'PO 7',
    place_of_supply: 'IN-KA', currency_code: 'INR', exchange_rate: 1,
    line_items: [{
      line_item_id: expect.any(String), item_id: null, name: 'Slates', description: 'Small', hsn_or_sac: '9609', quantity: 2.5,
      quantity_invoiced: 0, unit: 'NOS', rate: 10.4, discount: 1, tax_id: other.taxes['GST 18%'], tax_percentage: 18, account_id: other.accounts.Sales, item_total: 25,
      cgst: 2.25, sgst: 2.25, igst: 0, cess: 0, tax_amount: 4.5,
    }],
    sub_total: 25, tax_total: 4.5, total: 29.5, status: 'DRAFT', estimate_id: null, invoices: [], notes: 'By rail', tags: [],
    created_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/), last_modified_time: body.sales_order.created_time,
  })
  expect((await other.get(pathOf(body.sales_order))).sales_order).toEqual(body.sales_order)
  expect((await other.get('/sales_orders?reference_number=PO%207')).sales_orders).toEqual([body.sales_order])
  for (const id of [body.sales_order.sales_order_id, 'SO-00001']) {
    expect(await theirs.refusal('GET', `/sales_orders/${id}`)).toEqual({ status: 404, code: 'not_found.resource' })
  }
  expect([(await other.salesOrder()).sales_order_number, (await theirs.salesOrder()).sales_order_number]).toEqual(['SO-00002', 'SO-00001'])
})

test('it books nothing, is announced once, and its preference for round totals is an invoice\'s', async () => {
  const other = await openOrganization(service)
  await other.setPreferences({ roundInvoiceTotals: true })
  await other.send('POST', '/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook', events: ['SALES_ORDER_CREATED', 'INVOICE_CREATED'] })
  const order = await other.salesOrder({ line_items: [line({ rate: 100.49 })] })
  expect(order.total).toBe(100.49)
  await other.send('POST', `${pathOf(order)}/open`)
  expect((await other.get('/journals')).journals).toEqual([])
  const data = { id: order.sales_order_id, number: 'SO-00001', customer_id: other.customerId, total: 100.49, status: 'DRAFT', sequence: 1 }
  const { deliveries } = await other.get('/webhooks/deliveries')
  expect(deliveries.map(({ event_type, payload }: Json) => [event_type, payload.data])).toEqual([['SALES_ORDER_CREATED', data]])
})

test('the date is today unless given; the place is the customer\'s, else the branch\'s', async () => {
  const delhi = await addContact(ours, { place_of_contact: 'IN-DL' })
  expect(await ours.salesOrder()).toMatchObject({ date: midnight(TODAY), shipment_date: null, place_of_supply: 'IN-KA' })
  for (const place_of_supply of [null, undefined]) {
    const order = await ours.salesOrder({ customer_id: delhi, date: null, shipment_date: TODAY, place_of_supply, line_items: [gst()] })
    expect(order).toMatchObject({ date: midnight(TODAY), shipment_date: midnight(TODAY), place_of_supply: 'IN-DL', line_items: [{ igst: 18, cgst: 0 }] })
  }
  const home = await ours.salesOrder({ customer_id: delhi, place_of_supply: '29-Karnataka', line_items: [gst()] })
  expect(home).toMatchObject({ place_of_supply: 'IN-KA', line_items: [{ igst: 0, cgst: 9, sgst: 9 }], total: 118 })
  const pune = await addBranch(service, ours, 'IN-MH')
  expect(await ours.salesOrder({ branch_id: pune, line_items: [gst()] })).toMatchObject({ branch_id: pune, place_of_supply: 'IN-MH', line_items: [{ cgst: 9 }] })
})

test('an item fills its line at the selling price, and is in use, as the customer is', async () => {
  const [item_id, customer_id] = [await addItem(ours, { rate: 700.25, purchase_rate: 10, tax_id: ours.taxes['GST 5%'] }), await addContact(ours)]
  const { line_items } = await ours.salesOrder({ customer_id, line_items: [{ item_id, quantity: 2 }, { item_id, quantity: 1, name: 'Gold thread', rate: 0 }] })
  expect(line_items).toMatchObject([{ item_id, name: 'Silk thread', rate: 700.25, tax_percentage: 5 }, { item_id, name: 'Gold thread', rate: 0 }])
  expect(await ours.refusal('DELETE', `/items/${item_id}`))
    .toMatchObject({ status: 409, code: 'conflict.in_use', details: { sales_order_lines: 2, purchase_order_lines: 0 } })
  expect(await ours.refusal('DELETE', `/contacts/${customer_id}`))
    .toMatchObject({ status: 409, code: 'conflict.in_use', details: { sales_orders: 1, purchase_orders: 0 } })
})

describe('what cannot be', () => {
  test.each<[Record<string, unknown>, number, string]>([
    [{ place_of_supply: 'IN-IN' }, 422, 'place_of_supply'], [{ date: '2026-11-10', shipment_date: '2026-11-09' }, 400, 'shipment_date'],
    [{ shipment_date: '2020-01-01' }, 400, 'shipment_date'], [{ currency_code: 'XXQ', exchange_rate: 2 }, 400, 'currency_code'],
    [{ exchange_rate: 2 }, 400, 'exchange_rate'], [{ line_items: [line({ rate: 1e13 }), line()] }, 400, 'total'],
    [{ line_items: [line({ discount: 101 })] }, 400, 'line_items.0.discount'],
  ])('%j', async (changes, status, field) => {
    expect(await refused(changes)).toMatchObject({ status, code: 'validation.invalid_value', field })
  })

  test('a vendor is no customer, and what is others\' is not there', async () => {
    expect(await refused({ customer_id: ours.vendorId })).toEqual({ status: 400, code: 'validation.invalid_value', field: 'customer_id' })
    const branch_id = (await theirs.get('/branches')).branches[0].branch_id
    for (const [field, changes] of Object.entries({
      customer_id: { customer_id: theirs.customerId }, branch_id: { branch_id }, tags: { tags: [theirs.customerId] },
      'line_items.0.item_id': { line_items: [{ item_id: await addItem(theirs), quantity: 1 }] },
      'line_items.0.tax_id': { line_items: [line({ tax_id: theirs.taxes['GST 18%'] })] },
    })) expect(await refused(changes)).toEqual({ status: 404, code: 'not_found.resource', field })
  })

  test('a line of no item, name or rate, and an order of no customer or lines', async () => {
    const { status, code, errors } = await ours.refusal('POST', '/sales_orders', { line_items: [{ quantity: 0 }], shipment_date: 'soon' })
    expect([status, code]).toEqual([422, 'validation.failed'])
    expect(errors.map(({ field }: Json) => field).toSorted())
      .toEqual(['customer_id', 'line_items.0.name', 'line_items.0.quantity', 'line_items.0.rate', 'shipment_date'])
  })

  test('and leaves nothing behind', async () => {
    const counts = () => service.sql(`SELECT (SELECT count(*) FROM sales_orders), (SELECT count(*) FROM activity) AS entries,
      (SELECT sum(next_number) FROM number_counters) AS numbers, (SELECT count(*) FROM webhook_events) AS events`)
    const before = await counts()
    await refused({ date: '2026-11-10', shipment_date: '2026-11-09' })
    expect(await counts()).toEqual(before)
  })
})

describe('PUT on a draft', () => {
  test('replaces all lines and prices the order again', async () => {
    const before = await ours.salesOrder({ line_items: [line({ name: 'Old' }), line({ name: 'Older' })] })
    const after = await put(before, { line_items: [gst({ quantity: 3 }), line({ name: 'Chalk', rate: 5 }), line()], notes: 'Thrice' })
    expect(after).toMatchObject({ sub_total: 405, tax_total: 54, total: 459, notes: 'Thrice', customer_id: before.customer_id })
    expect(after.line_items.map(({ name, quantity }: Json) => [name, quantity])).toEqual([['Slates', 3], ['Chalk', 1], ['Slates', 1]])
    expect(await read(before)).toEqual(after)
    const [, [action, changes]] = await ours.changeLog(pathOf(before)) as [unknown, [string, Json]]
    expect([action, Object.keys(changes).toSorted()])
      .toEqual(['SALES_ORDER_UPDATED', ['cgst', 'line_items', 'notes', 'sgst', 'sub_total', 'tax_total', 'total']])
    expect(changes).toMatchObject({ total: { old: 200, new: 459 }, line_items: { old: [{ name: 'Old' }, { name: 'Older' }], new: [{ quantity: 3, cgst: 27 }, {}, {}] } })
  })

  test('the lines that nobody sends stay, at the price of another place, and keep their ids', async () => {
    const before = await ours.salesOrder({ line_items: [gst({ rate: 10.333333, quantity: 7.5, discount: 0.005 }), gst()] })
    const after = await put(before, { place_of_supply: 'Delhi' })
    // Of 77.49, twice 9 per cent is 6.97 and 6.97; 18 per cent at once are 13.95.
    const across = [13.95, 18].map((igst, n) => ({ ...before.line_items[n], cgst: 0, sgst: 0, igst, tax_amount: igst }))
    expect([before.tax_total, after.tax_total]).toEqual([31.94, 31.95])
    expect(after).toMatchObject({ place_of_supply: 'IN-DL', line_items: across, total: 209.44 })
    expect(await put(before, { place_of_supply: null })).toEqual({ ...before, last_modified_time: expect.any(String) })
  })

  test('another customer brings a place of supply of their own, unless one is sent', async () => {
    const [delhi, nowhere] = [await addContact(ours, { contact_name: 'Karol Bagh', place_of_contact: 'IN-DL' }), await addContact(ours)]
    const order = await ours.salesOrder({ place_of_supply: 'IN-MH', line_items: [gst()] })
    expect(await put(order, { customer_id: ours.customerId.toUpperCase() })).toEqual(order)
    expect(await put(order, { customer_id: delhi })).toMatchObject({ customer_id: delhi, customer_name: 'Karol Bagh', place_of_supply: 'IN-DL' })
    expect(await put(order, { customer_id: nowhere })).toMatchObject({ place_of_supply: 'IN-KA', line_items: [{ cgst: 9 }] })
    expect(await put(order, { customer_id: delhi, place_of_supply: 'IN-GJ' })).toMatchObject({ place_of_supply: 'IN-GJ' })
  })

  test('another currency leaves the old one\'s rate behind', async () => {
    const order = await ours.salesOrder({ currency_code: 'USD', exchange_rate: 83.25 })
    expect(order).toMatchObject({ currency_code: 'USD', exchange_rate: 83.25, total: 100 })
    expect(await put(order, { currency_code: 'USD', notes: 'Dearer' })).toMatchObject({ exchange_rate: 83.25 })
    expect(await put(order, { exchange_rate: 84 })).toMatchObject({ currency_code: 'USD', exchange_rate: 84 })
    expect(await put(order, { currency_code: null })).toMatchObject({ currency_code: 'INR', exchange_rate: 1 })
    expect(await put(order, { currency_code: 'JPY', exchange_rate: 0.55, line_items: [line({ rate: 100.5 })] })).toMatchObject({ total: 101 })
  })

  test('dates, reference and notes change; what is cleared is null; what changes nothing leaves no trace', async () => {
    const order = await ours.salesOrder({ notes: 'As it was', date: '2026-08-10', shipment_date: '2026-08-12', line_items: [gst(), line()] })
    const same = { notes: 'As it was', reference_number: null, date: '2026-08-10', shipment_date: '2026-08-12', tags: [], currency_code: 'INR', exchange_rate: 1 }
    for (const body of [{}, same, { ...same, customer_id: ours.customerId, place_of_supply: 'IN-KA', line_items: order.line_items, branch_id: null }]) {
      expect(await put(order, body)).toEqual(order)
    }
    expect(await ours.changeLog(pathOf(order))).toEqual([['SALES_ORDER_CREATED', null]])
    expect(await put(order, { date: '2026-08-11', shipment_date: null, notes: null, reference_number: 'PO 8' }))
      .toEqual({ ...order, date: midnight('2026-08-11'), shipment_date: null, notes: null, reference_number: 'PO 8', last_modified_time: expect.any(String) })
  })

  test('refuses as creation does, and what cannot be emptied', async () => {
    const order = await ours.salesOrder({ date: '2026-08-10', shipment_date: '2026-08-12' })
    for (const [body, field] of [[{ date: '2026-08-13' }, 'shipment_date'], [{ shipment_date: '2026-08-09' }, 'shipment_date'], [{ customer_id: ours.vendorId }, 'customer_id']] as const) {
      expect(await ours.refusal('PUT', pathOf(order), body)).toEqual({ status: 400, code: 'validation.invalid_value', field })
    }
    expect(await ours.refusal('PUT', pathOf(order), { customer_id: theirs.customerId })).toEqual({ status: 404, code: 'not_found.resource', field: 'customer_id' })
    const { status, errors } = await ours.refusal('PUT', pathOf(order), { customer_id: null, line_items: [], date: null })
    expect([status, errors.map(({ field }: Json) => field).toSorted()]).toEqual([422, ['customer_id', 'date', 'line_items']])
    expect(await read(order)).toEqual(order)
  })
})

describe('lists', () => {
  let listed: TestOrganization
  let second: string
  beforeAll(async () => {
    listed = await openOrganization(service)
    second = await addContact(listed, { contact_name: 'Erode Looms' })
    await listed.salesOrder({ date: addDays(TODAY, -9), reference_number: 'PO 1' })
    await listed.salesOrder({ date: addDays(TODAY, -5), customer_id: second })
    await listed.send('POST', `${pathOf(await listed.salesOrder({ line_items: [line({ name: 'First' }), line({ name: 'Second' })] }))}/open`)
  })

  test.each<[string, () => string, number[]]>([
    ['nothing', () => '', [3, 2, 1]],
    ['the oldest first', () => 'sort=created_time', [1, 2, 3]],
    ['a status', () => 'status=DRAFT', [2, 1]],
    ['a customer', () => `customer_id=${second}`, [2]],
    ['a customer of others', () => `customer_id=${theirs.customerId}`, []],
    ['a first day', () => `date_from=${addDays(TODAY, -5)}`, [3, 2]],
    ['a last day', () => `date_to=${addDays(TODAY, -5)}`, [2, 1]],
    ['a reference', () => 'reference_number=PO%201', [1]],
    ['what changed', () => `modified_since=${addDays(TODAY, 2)}`, []],
  ])('asked for %s', async (_what, query, expected) => {
    const { sales_orders } = await listed.get(`/sales_orders?${query()}`)
    expect(sales_orders.map(({ sales_order_number }: Json) => Number(sales_order_number.slice(3)))).toEqual(expected)
  })

  test('walk through pages, each order with its lines in their order', async () => {
    const walked = await listed.listAll('/sales_orders', 'sales_orders', 1)
    expect(walked.map(({ line_items }) => line_items.map(({ name }: Json) => name))).toEqual([['First', 'Second'], ['Slates'], ['Slates']])
    expect(await listed.refusal('GET', '/sales_orders?status=BILLED')).toMatchObject({ status: 400, code: 'validation.invalid_value', field: 'status' })
  })
})
