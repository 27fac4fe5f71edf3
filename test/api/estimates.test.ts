// Estimates over HTTP: what one may say, how it changes and moves, what is answered, and the filters of lists.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { addDays } from '../../domain/dates.ts'
import { STATUSES } from '../../domain/lifecycle.ts'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { addBranch, addContact, addItem, midnight, openOrganization, TODAY, type TestOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)
const theirs = await openOrganization(service)

const pathOf = ({ estimate_id }: Json) => `/estimates/${estimate_id}`
const estimateIn = async (book: TestOrganization, changes: Record<string, unknown> = {}): Promise<Json> =>
  (await book.send('POST', '/estimates', { customer_id: book.customerId, line_items: [line()], ...changes })).estimate
const draft = (changes: Record<string, unknown> = {}) => estimateIn(ours, changes)
const refused = (changes: Record<string, unknown>) =>
  ours.refusal('POST', '/estimates', { customer_id: ours.customerId, line_items: [line()], ...changes })
const put = async (estimate: Json, body: unknown) => (await ours.send('PUT', pathOf(estimate), body)).estimate
const read = async (estimate: Json) => (await ours.get(pathOf(estimate))).estimate
const gst = (changes: Record<string, unknown> = {}) => line({ tax_id: ours.taxes['GST 18%'], ...changes })
const inState = (status: string, allowed: readonly string[]) => ({ status: 409, code: 'conflict.invalid_state', details: { status, allowed } })

/** An estimate in this state; only a conversion leads to CONVERTED. */
async function inStatus(status: string): Promise<Json> {
  const estimate = await draft()
  if (status === 'ACCEPTED') return (await ours.send('POST', `${pathOf(estimate)}/accept`)).estimate
  return status === 'DRAFT' ? estimate : put(estimate, { status })
}

test('an estimate answers all that is known of it, in lists as alone', async () => {
  const other = await openOrganization(service)
  const branch = (await other.get('/branches')).branches[0].branch_id
  const { body, status } = await other.client.post('/estimates', {
    customer_id: other.customerId, date: '2026-11-10', expiry_date: '2026-11-19T18:30:00Z', place_of_supply: '29', reference_number: 'RFQ 7',
    notes: 'With thanks', round_off: 0.5, status: 'SENT', converted_to_sales_order_id: other.customerId,
    line_items: [line({ quantity: 2.5, rate: 10.4, discount: 1, tax_id: other.taxes['GST 18%'], unit: 'NOS', hsn_or_sac: '9609', description: 'Small' })],
  })
  expect([status, body.code, body.message]).toEqual([201, 0, 'Estimate created.'])
  expect(body.estimate).toEqual({
    estimate_id: expect.any(String), estimate_number: 'EST-00001', branch_id: branch, customer_id: other.customerId,
    customer_name: 'Meena Sarees', date: midnight('2026-11-10'), expiry_date: midnight('2026-11-20'), reference_number: 'RFQ 7',
    place_of_supply: 'IN-KA', currency_code: 'INR', exchange_rate: 1,
    line_items: [{
      line_item_id: expect.any(String), item_id: null, name: 'Slates', description: 'Small', hsn_or_sac: '9609', quantity: 2.5, unit: 'NOS',
      rate: 10.4, discount: 1, tax_id: other.taxes['GST 18%'], tax_percentage: 18, account_id: other.accounts.Sales, item_total: 25, cgst: 2.25, sgst: 2.25, igst: 0, cess: 0,
      tax_amount: 4.5,
    }],
    sub_total: 25, tax_total: 4.5, total: 29.5, status: 'DRAFT', converted_to_sales_order_id: null, invoices: [], notes: 'With thanks', tags: [],
    created_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/), last_modified_time: body.estimate.created_time,
  })
  expect((await other.get(pathOf(body.estimate))).estimate).toEqual(body.estimate)
  expect((await other.get('/estimates?reference_number=RFQ%207')).estimates).toEqual([body.estimate])
  expect([(await estimateIn(other)).estimate_number, (await estimateIn(theirs)).estimate_number]).toEqual(['EST-00002', 'EST-00001'])
  for (const id of [body.estimate.estimate_id, 'EST-00001']) {
    for (const [method, call] of [['GET', ''], ['PUT', ''], ['DELETE', ''], ['POST', '/accept'], ['GET', '/activity']] as const) {
      expect(await theirs.refusal(method, `/estimates/${id}${call}`, method === 'GET' ? undefined : {})).toEqual({ status: 404, code: 'not_found.resource' })
    }
  }
})

test('it books nothing, and its creation and acceptance are announced', async () => {
  const other = await openOrganization(service)
  await other.setPreferences({ roundInvoiceTotals: true })
  await other.send('POST', '/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook', events: ['ESTIMATE_CREATED', 'ESTIMATE_ACCEPTED'] })
  const estimate = await estimateIn(other, { line_items: [line({ rate: 100.49 })] })
  await other.send('PUT', pathOf(estimate), { status: 'SENT' })
  const { message, estimate: accepted } = await other.send('POST', `${pathOf(estimate)}/accept`)
  expect([message, accepted.status, accepted.total]).toEqual(['Estimate accepted.', 'ACCEPTED', 100.49])
  expect((await other.get('/journals')).journals).toEqual([])
  const data = { id: estimate.estimate_id, number: 'EST-00001', customer_id: other.customerId, total: 100.49, converted_to_sales_order_id: null }
  const { deliveries } = await other.get('/webhooks/deliveries?sort=created_time')
  expect(deliveries.map(({ event_type, payload }: Json) => [event_type, payload.data])).toEqual([
    ['ESTIMATE_CREATED', { ...data, status: 'DRAFT', sequence: 1 }], ['ESTIMATE_ACCEPTED', { ...data, status: 'ACCEPTED', sequence: 3 }],
  ])
})

test('the date is today unless given; the place is the customer\'s, else the branch\'s', async () => {
  const delhi = await addContact(ours, { place_of_contact: 'IN-DL' })
  expect(await draft()).toMatchObject({ date: midnight(TODAY), expiry_date: null, place_of_supply: 'IN-KA' })
  for (const place_of_supply of [null, undefined]) {
    const estimate = await draft({ customer_id: delhi, date: null, expiry_date: TODAY, place_of_supply, line_items: [gst()] })
    expect(estimate).toMatchObject({ date: midnight(TODAY), expiry_date: midnight(TODAY), place_of_supply: 'IN-DL', line_items: [{ igst: 18, cgst: 0 }] })
  }
  const pune = await addBranch(service, ours, 'IN-MH')
  expect(await draft({ branch_id: pune, line_items: [gst()] })).toMatchObject({ branch_id: pune, place_of_supply: 'IN-MH', line_items: [{ cgst: 9 }] })
  expect(await draft({ currency_code: 'JPY', exchange_rate: 0.55, line_items: [line({ rate: 100.5 })] })).toMatchObject({ total: 101, exchange_rate: 0.55 })
})

test('an item fills its line at the selling price, and is in use, as the customer is', async () => {
  const [item_id, customer_id] = [await addItem(ours, { rate: 700.25, purchase_rate: 10, tax_id: ours.taxes['GST 5%'] }), await addContact(ours)]
  const estimate = await draft({ customer_id, line_items: [{ item_id, quantity: 2 }, { item_id, quantity: 1, name: 'Gold thread', rate: 0 }] })
  expect(estimate.line_items).toMatchObject([{ item_id, name: 'Silk thread', rate: 700.25, tax_percentage: 5 }, { item_id, name: 'Gold thread', rate: 0 }])
  expect(await ours.refusal('DELETE', `/items/${item_id}`)).toMatchObject({ status: 409, code: 'conflict.in_use', details: { estimate_lines: 2 } })
  expect(await ours.refusal('DELETE', `/contacts/${customer_id}`)).toMatchObject({ status: 409, code: 'conflict.in_use', details: { estimates: 1 } })
  await ours.send('DELETE', pathOf(estimate))
  await ours.send('DELETE', `/items/${item_id}`)
})

describe('what cannot be', () => {
  test.each<[Record<string, unknown>, number, string]>([
    [{ place_of_supply: 'IN-IN' }, 422, 'place_of_supply'], [{ date: '2026-11-10', expiry_date: '2026-11-09' }, 400, 'expiry_date'],
    [{ expiry_date: '2020-01-01' }, 400, 'expiry_date'], [{ currency_code: 'XXQ', exchange_rate: 2 }, 400, 'currency_code'],
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

  test('a line of no item, name or rate, and an estimate of no customer or lines', async () => {
    const { status, code, errors } = await ours.refusal('POST', '/estimates', { line_items: [{ quantity: 0 }], expiry_date: 'soon' })
    expect([status, code]).toEqual([422, 'validation.failed'])
    expect(errors.map(({ field }: Json) => field).toSorted())
      .toEqual(['customer_id', 'expiry_date', 'line_items.0.name', 'line_items.0.quantity', 'line_items.0.rate'])
  })
})

describe('PUT', () => {
  test('changes dates, reference and notes, in any state but CONVERTED, and leaves no trace of what changes nothing', async () => {
    for (const status of ['DRAFT', 'SENT', 'ACCEPTED', 'DECLINED', 'CANCELLED']) {
      const before = await inStatus(status)
      const told = { date: '2026-11-12', expiry_date: '2026-11-20T18:30:00Z', reference_number: 'RFQ 8', notes: 'Once more' }
      const after = await put(before, { ...told, unknown: 1 })
      expect(after).toEqual({ ...before, ...told, date: midnight('2026-11-12'), expiry_date: midnight('2026-11-21'), last_modified_time: after.last_modified_time })
      for (const same of [{}, told, { status }]) expect(await put(before, same)).toEqual(after)
      expect((await ours.changeLog(pathOf(before))).at(-1)).toEqual(['ESTIMATE_UPDATED', {
        date: { old: TODAY, new: '2026-11-12' }, expiry_date: { old: null, new: '2026-11-21' }, reference_number: { old: null, new: 'RFQ 8' },
        notes: { old: null, new: 'Once more' },
      }])
      expect(await put(before, { expiry_date: null, notes: null })).toMatchObject({ expiry_date: null, notes: null, reference_number: 'RFQ 8' })
    }
  })

  test.each([
    ['customer_id', '0190a000-0000-7000-8000-000000000000'], ['place_of_supply', 'IN-MH'], ['line_items', [line()]], ['branch_id', null],
    ['currency_code', 'USD'], ['exchange_rate', 2], ['tags', ['ABC']],
  ])('%s is fixed', async (field, value) => {
    const before = await draft()
    expect(await ours.refusal('PUT', pathOf(before), { notes: 'No', [field]: value })).toEqual({ status: 400, code: 'validation.invalid_value', field })
    expect(await read(before)).toEqual(before)
  })

  test('refuses what has the wrong shape, and an end before the date', async () => {
    const before = await draft({ date: '2026-11-10', expiry_date: '2026-11-12' })
    const { status, code, errors } = await ours.refusal('PUT', pathOf(before), { date: null, expiry_date: 'soon', notes: 5, status: 'OPEN' })
    expect([status, code, errors.map(({ field }: Json) => field).toSorted()])
      .toEqual([422, 'validation.failed', ['date', 'expiry_date', 'notes', 'status']])
    for (const body of [{ date: '2026-11-13' }, { expiry_date: '2026-11-09' }]) {
      expect(await ours.refusal('PUT', pathOf(before), body)).toEqual({ status: 400, code: 'validation.invalid_value', field: 'expiry_date' })
    }
  })
})

describe('its states', () => {
  // What PUT may make of an estimate (decisions §4), and from which statuses.
  const MOVES: Record<string, string[]> = { SENT: ['DRAFT'], DECLINED: ['DRAFT', 'SENT'], CANCELLED: ['DRAFT', 'SENT', 'ACCEPTED', 'DECLINED'] }
  const FROM = ['DRAFT', 'SENT', 'ACCEPTED', 'DECLINED', 'CANCELLED']
  const pairs = FROM.flatMap((from) => STATUSES.ESTIMATE.filter((to) => to !== from).map((to) => [from, to] as const))

  test.each(pairs)('from %s to %s', async (from, to) => {
    const before = await inStatus(from)
    if (MOVES[to]?.includes(from)) {
      const after = await put(before, { status: to, notes: 'Moved' })
      expect(after).toEqual({ ...before, status: to, notes: 'Moved', last_modified_time: after.last_modified_time })
      expect(await read(before)).toEqual(after)
      expect((await ours.changeLog(pathOf(before))).slice(-2).toSorted()).toEqual([
        ['ESTIMATE_STATUS_CHANGED', { status: { old: from, new: to } }], ['ESTIMATE_UPDATED', { notes: { old: null, new: 'Moved' } }],
      ])
    } else {
      expect(await ours.refusal('PUT', pathOf(before), { status: to, notes: 'Moved' })).toEqual(inState(from, MOVES[to] ?? []))
      expect(await read(before)).toEqual(before)
    }
  })

  test.each(FROM)('%s accepted, and deleted', async (from) => {
    const before = await inStatus(from)
    if (from === 'DRAFT' || from === 'SENT') {
      expect((await ours.send('POST', `${pathOf(before)}/accept`)).estimate).toMatchObject({ status: 'ACCEPTED' })
      expect((await ours.changeLog(pathOf(before))).at(-1)).toEqual(['ESTIMATE_ACCEPTED', { status: { old: from, new: 'ACCEPTED' } }])
    } else {
      expect(await ours.refusal('POST', `${pathOf(before)}/accept`)).toEqual(inState(from, ['DRAFT', 'SENT']))
    }
    expect(await ours.send('DELETE', pathOf(before))).toEqual({ code: 0, message: 'Estimate deleted.' })
    expect(await ours.refusal('GET', pathOf(before))).toEqual({ status: 404, code: 'not_found.resource' })
    expect(await service.sql('SELECT document, number FROM number_gaps WHERE org_id = $1 AND number = $2', ours.orgId, before.estimate_number))
      .toEqual([{ document: 'estimate', number: before.estimate_number }])
    expect((await ours.get(`/activity?entity_id=${before.estimate_id}&limit=1`)).activity).toMatchObject([{ action: 'ESTIMATE_DELETED', entity_type: 'ESTIMATE' }])
  })

  test('of accept, cancel and delete at once, what is done can be done in some order', async () => {
    for (let round = 0; round < 5; round += 1) {
      const estimate = await draft()
      const [accepted, cancelled, deleted] = await Promise.all([
        ours.client.post(`${pathOf(estimate)}/accept`), ours.client.put(pathOf(estimate), { status: 'CANCELLED' }), ours.client.delete(pathOf(estimate)),
      ])
      for (const { status } of [accepted, cancelled]) expect([200, 404, 409]).toContain(status)
      expect(deleted.status).toBe(200)
    }
  })
})

describe('lists', () => {
  let listed: TestOrganization
  let second: string
  beforeAll(async () => {
    listed = await openOrganization(service)
    second = await addContact(listed, { contact_name: 'Erode Looms' })
    await estimateIn(listed, { date: addDays(TODAY, -9), reference_number: 'RFQ 1' })
    await estimateIn(listed, { date: addDays(TODAY, -5), customer_id: second })
    await listed.send('POST', `${pathOf(await estimateIn(listed, { line_items: [line({ name: 'First' }), line({ name: 'Second' })] }))}/accept`)
  })
  const numbers = async (query: string) => (await listed.get(`/estimates?${query}`)).estimates.map(({ estimate_number }: Json) => Number(estimate_number.slice(4)))

  test('by status, customer, dates and reference, the newest first, each with its lines', async () => {
    for (const [query, wanted] of [
      ['', [3, 2, 1]], ['sort=created_time', [1, 2, 3]], ['status=ACCEPTED', [3]], ['status=DRAFT', [2, 1]], [`customer_id=${second}`, [2]],
      [`customer_id=${ours.customerId}`, []], ['customer_id=nobody', []], [`date_from=${addDays(TODAY, -5)}`, [3, 2]], [`date_to=${addDays(TODAY, -5)}`, [2, 1]],
      ['reference_number=RFQ%201', [1]], ['modified_since=2026-01-01', [3, 2, 1]], ['modified_since=2999-01-01', []],
    ] as const) expect([query, await numbers(query)]).toEqual([query, wanted])
    expect((await listed.listAll('/estimates', 'estimates', 1)).map(({ line_items }) => line_items.map(({ name }: Json) => name))).toEqual([['First', 'Second'], ['Slates'], ['Slates']])
  })

  test.each(['status=OPEN', 'date_from=soon', 'modified_since=yesterday'])('refuse %s', async (query) => {
    expect(await listed.refusal('GET', `/estimates?${query}`)).toMatchObject({ status: 400, code: 'validation.invalid_value', field: query.split('=')[0] })
  })
})
