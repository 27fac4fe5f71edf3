// Bills over HTTP: what the body of a new one may say, what is answered, and the filters of lists.
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { addDays } from '../../domain/dates.ts'
import { billBody, line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { addContact, addItem, openOrganization, THIS_YEAR, TODAY, type TestOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)
const theirs = await openOrganization(service)

const midnight = (date: string) => `${date}T00:00:00.000Z`
const fieldsOf = ({ errors }: Json) => errors.map(({ field }: Json) => field)
const numbers = ({ bills }: Json) => bills.map(({ bill_number }: Json) => bill_number)

test('a bill answers all that is known of it, in lists as alone', async () => {
  const branch = (await ours.get('/branches')).branches[0].branch_id
  const { body, status } = await ours.client.post('/bills', {
    vendor_id: ours.vendorId, date: '2026-11-10', place_of_supply: '29', reference_number: 'PO 7', notes: 'In two parcels',
    bill_number: 'TM/26/1', round_off: 0.5, shipping_charge: 50,
    line_items: [line({ quantity: 2.5, rate: 10.4, discount: 1, tax_id: ours.taxes['GST 18%'], unit: 'NOS', hsn_or_sac: '9609', description: 'Small' })],
  })
  expect([status, body.code, body.message]).toEqual([201, 0, 'Bill created.'])
  expect(body.bill).toEqual({
    bill_id: expect.any(String), bill_number: 'TM/26/1', branch_id: branch, vendor_id: ours.vendorId, vendor_name: 'Tiruppur Mills',
    date: midnight('2026-11-10'), due_date: midnight('2026-11-10'), reference_number: 'PO 7', place_of_supply: 'IN-KA',
    currency_code: 'INR', exchange_rate: 1,
    line_items: [{
      line_item_id: expect.any(String), item_id: null, name: 'Slates', description: 'Small', hsn_or_sac: '9609', quantity: 2.5,
      unit: 'NOS', rate: 10.4, discount: 1, tax_id: ours.taxes['GST 18%'], tax_percentage: 18, account_id: ours.accounts.Purchases, item_total: 25,
      cgst: 2.25, sgst: 2.25, igst: 0, cess: 0, tax_amount: 4.5,
    }],
    sub_total: 25, tax_total: 4.5, round_off: 0.5, total: 30, payment_made: 0, vendor_credits_applied: 0, balance: 30,
    status: 'DRAFT', purchase_order_id: null, is_overdue: expect.any(Boolean), days_overdue: expect.any(Number), notes: 'In two parcels', tags: [],
    created_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/), last_modified_time: body.bill.created_time,
  })
  expect((await ours.get(`/bills/${body.bill.bill_id}`)).bill).toEqual(body.bill)
  expect((await ours.get('/bills?bill_number=TM/26/1')).bills).toEqual([body.bill])
  expect(await theirs.refusal('GET', `/bills/${body.bill.bill_id}`)).toEqual({ status: 404, code: 'not_found.resource' })
  expect(await ours.refusal('GET', '/bills/TM-1')).toEqual({ status: 404, code: 'not_found.resource' })
})

test('auto_approve opens it at once, and says so; no Idempotency-Key is needed', async () => {
  const { status, body } = await ours.client.call('POST', '/bills', { body: billBody(ours, { auto_approve: true }) })
  expect([status, body.message, body.bill.status]).toEqual([201, 'Bill created and approved.', 'OPEN'])
  for (const auto_approve of [false, null, undefined]) expect((await ours.bill({ auto_approve })).status).toBe('DRAFT')
})

describe('numbers', () => {
  test('of ours count by branch and financial year; the vendor\'s own are taken as they are, twice if need be', async () => {
    const other = await openOrganization(service)
    const [year, next] = [THIS_YEAR.start, addDays(THIS_YEAR.end, 1)]
    const first = `BILL-${THIS_YEAR.label}-001`
    expect((await other.bill({ date: year })).bill_number).toBe(first)
    expect((await other.bill({ date: year, bill_number: 'INV 9' })).bill_number).toBe('INV 9')
    expect((await other.bill({ date: year, bill_number: 'INV 9' })).bill_number).toBe('INV 9')
    expect((await other.bill({ date: THIS_YEAR.end, bill_number: null })).bill_number).toBe(`BILL-${THIS_YEAR.label}-002`)
    expect((await other.bill({ date: next })).bill_number).toMatch(/^BILL-.*-001$/)
    await other.bill({ date: year, bill_number: `BILL-${THIS_YEAR.label}-003` })
    expect((await other.bill({ date: year })).bill_number).toBe(`BILL-${THIS_YEAR.label}-004`)
  })

  test('take the branch\'s own prefix, and the branch decides what is within the state', async () => {
    const branch_id = randomUUID()
    await service.sql(
      `INSERT INTO branches (org_id, id, code, name, state, is_default, is_active, invoice_prefix, bill_prefix, created_time, last_modified_time)
       VALUES ($1, $2, 'PUN', 'Pune', 'IN-MH', false, true, 'PUN-', 'PB-', now(), now())`, ours.orgId, branch_id)
    const line_items = [line({ tax_id: ours.taxes['GST 18%'] })]
    const at = (place_of_supply: string) => ours.bill({ branch_id, place_of_supply, line_items, date: THIS_YEAR.start })
    const [home, away] = [await at('IN-MH'), await at('IN-KA')]
    expect([home.bill_number, away.bill_number]).toEqual([`PB-${THIS_YEAR.label}-001`, `PB-${THIS_YEAR.label}-002`])
    expect(home.line_items[0]).toMatchObject({ cgst: 9, sgst: 9, igst: 0 })
    expect(away.line_items[0]).toMatchObject({ cgst: 0, sgst: 0, igst: 18 })
  })
})

describe('lines', () => {
  test('an item fills what the line leaves open, at its purchase rate, and the line wins', async () => {
    const item_id = await addItem(ours, { rate: 900, purchase_rate: 700.25, tax_id: ours.taxes['GST 5%'], hsn_or_sac: '5004', account_id: ours.accounts['Service Income'] })
    const { line_items: [filled, overridden], bill_id } = await ours.bill({
      line_items: [{ item_id, quantity: 1 }, { item_id, quantity: 1, rate: 0, name: 'Gold thread', tax_id: ours.taxes['GST 18%'] }], auto_approve: true,
    })
    expect(filled).toMatchObject({ item_id, name: 'Silk thread', rate: 700.25, tax_percentage: 5, hsn_or_sac: '5004' })
    expect(overridden).toMatchObject({ item_id, name: 'Gold thread', rate: 0, tax_percentage: 18 })
    expect((await ours.billLedger(bill_id))[0]).toMatch(/^Dr Purchases 700\.25\n/)
    expect(await ours.refusal('DELETE', `/items/${item_id}`))
      .toMatchObject({ status: 409, code: 'conflict.in_use', details: { invoice_lines: 0, bill_lines: 2 } })
  })

  test.each([
    ['GST 18%', 'IN-KA', [9, 9, 0], 118], ['IGST 18%', 'IN-KA', [9, 9, 0], 118], ['GST 18%', 'IN-MH', [0, 0, 18], 118],
    ['Exempt', 'IN-KA', [0, 0, 0], 100], ['RCM 18%', 'IN-KA', [0, 0, 0], 100], ['RCM 18%', 'IN-MH', [0, 0, 0], 100],
  ] as const)('of %s in %s', async (tax, place_of_supply, [cgst, sgst, igst], total) => {
    const bill = await ours.bill({ place_of_supply, line_items: [line({ tax_id: ours.taxes[tax] })] })
    expect(bill.line_items[0]).toMatchObject({ cgst, sgst, igst, tax_amount: cgst + sgst + igst })
    expect(bill).toMatchObject({ sub_total: 100, tax_total: total - 100, total })
  })

  test.each<[Json, string[]]>([
    [{}, ['line_items.0.quantity', 'line_items.0.name', 'line_items.0.rate']], [line({ rate: null }), ['line_items.0.rate']],
    [line({ quantity: 0 }), ['line_items.0.quantity']], [line({ discount: -1 }), ['line_items.0.discount']],
  ])('%j is no line', async (wrong, fields) => {
    const refused = await ours.refusedBill({ line_items: [wrong] })
    expect([refused.status, refused.code, fieldsOf(refused).toSorted()]).toEqual([422, 'validation.failed', fields.toSorted()])
  })
})

describe('round-off', () => {
  test.each([[undefined, 0, 100.49], [0, 0, 100.49], [0.51, 0.51, 101], [-0.49, -0.49, 100], [-100.49, -100.49, 0]])('%j by hand, never by itself', async (told, round_off, total) => {
    await ours.setPreferences({ roundInvoiceTotals: true })
    expect(await ours.bill({ line_items: [line({ rate: 100.49 })], round_off: told })).toMatchObject({ round_off, total, balance: total })
  })

  test('does not take away more than the bill comes to', async () => {
    expect(await ours.refusedBill({ round_off: -100.01 }))
      .toEqual({ status: 400, code: 'validation.invalid_value', field: 'round_off', details: { limit: -100 } })
  })
})

describe('refusals', () => {
  test('every missing field is reported at once', async () => {
    const refused = await ours.refusal('POST', '/bills', {})
    expect([refused.status, refused.code, fieldsOf(refused).toSorted()])
      .toEqual([422, 'validation.failed', ['date', 'line_items', 'place_of_supply', 'vendor_id']])
  })

  test('ids of another organisation, and what is no id, do not exist', async () => {
    const [theirItem, theirBranch] = [await addItem(theirs), (await theirs.get('/branches')).branches[0].branch_id]
    const bodies: [string, (id: string) => Json, string][] = [
      ['vendor_id', (id) => ({ vendor_id: id }), theirs.vendorId],
      ['branch_id', (id) => ({ branch_id: id }), theirBranch],
      ['line_items.1.item_id', (id) => ({ line_items: [line(), { item_id: id, quantity: 1 }] }), theirItem],
      ['line_items.0.tax_id', (id) => ({ line_items: [line({ tax_id: id })] }), theirs.taxes['GST 18%']!],
      ['tags', (id) => ({ tags: [id] }), randomUUID()],
    ]
    for (const [field, body, id] of bodies) {
      for (const unknown of [id, 'nobody']) expect(await ours.refusedBill(body(unknown))).toEqual({ status: 404, code: 'not_found.resource', field })
    }
  })

  test('a customer is no vendor, and who is both is one', async () => {
    expect(await ours.refusedBill({ vendor_id: ours.customerId })).toEqual({ status: 400, code: 'validation.invalid_value', field: 'vendor_id' })
    expect((await ours.bill({ vendor_id: await addContact(ours, { contact_type: 'BOTH' }) })).status).toBe('DRAFT')
  })

  test.each([
    [{ place_of_supply: 'IN-IN' }, 422, 'place_of_supply'], [{ due_date: '2026-11-09' }, 400, 'due_date'],
    [{ currency_code: 'XXQ', exchange_rate: 2 }, 400, 'currency_code'], [{ exchange_rate: 2 }, 400, 'exchange_rate'],
    [{ line_items: [line({ rate: 1e13 }), line()] }, 400, 'total'], [{ line_items: [line({ discount: 101 })] }, 400, 'line_items.0.discount'],
  ])('%j cannot be', async (changes, status, field) => {
    expect(await ours.refusedBill(changes)).toMatchObject({ status, code: 'validation.invalid_value', field })
  })
})

test('a vendor with bills is in use', async () => {
  const vendor_id = await addContact(ours, { contact_type: 'VENDOR', payment_terms: 30 })
  expect((await ours.bill({ vendor_id })).due_date).toBe(midnight('2026-12-10'))
  expect(await ours.refusal('DELETE', `/contacts/${vendor_id}`))
    .toMatchObject({ status: 409, code: 'conflict.in_use', details: { invoices: 0, bills: 1, journal_lines: 0 } })
})

describe('lists', () => {
  let listed: TestOrganization
  let secondVendor: string
  beforeAll(async () => {
    listed = await openOrganization(service)
    secondVendor = await addContact(listed, { contact_type: 'VENDOR', contact_name: 'Erode Looms' })
    const [past, coming] = [addDays(TODAY, -10), addDays(TODAY, 10)]
    await listed.bill({ bill_number: 'A', date: past, due_date: past, auto_approve: true })
    await listed.bill({ bill_number: 'B', date: past, due_date: coming, auto_approve: true, reference_number: 'PO 1' })
    await listed.bill({ bill_number: 'C', date: TODAY, vendor_id: secondVendor })
    await listed.bill({ bill_number: 'D', date: past, due_date: past, vendor_id: secondVendor })
  })

  test.each<[string, () => string, string[]]>([
    ['nothing', () => '', ['D', 'C', 'B', 'A']],
    ['the oldest first', () => 'sort=created_time', ['A', 'B', 'C', 'D']],
    ['a status', () => 'status=DRAFT', ['D', 'C']],
    ['a vendor', () => `vendor_id=${secondVendor}`, ['D', 'C']],
    ['a vendor of others', () => `vendor_id=${theirs.vendorId}`, []],
    ['a first day', () => `date_from=${TODAY}`, ['C']],
    ['a last day', () => `date_to=${addDays(TODAY, -1)}`, ['D', 'B', 'A']],
    ['a reference', () => 'reference_number=PO%201', ['B']],
    ['a number', () => 'bill_number=A', ['A']],
    ['what is overdue', () => 'overdue=true', ['A']],
    ['what is not', () => 'overdue=false', ['D', 'C', 'B']],
    ['what changed', () => `modified_since=${addDays(TODAY, 2)}`, []],
  ])('asked for %s', async (_what, query, expected) => {
    expect(numbers(await listed.get(`/bills?${query()}`))).toEqual(expected)
  })

  test('walk through pages, and show how long a bill is overdue', async () => {
    expect((await listed.listAll('/bills', 'bills', 1)).map(({ bill_number, is_overdue, days_overdue }) => [bill_number, is_overdue, days_overdue]))
      .toEqual([['D', false, 0], ['C', false, 0], ['B', false, 0], ['A', true, 10]])
    expect(await listed.refusal('GET', '/bills?status=SENT')).toMatchObject({ status: 400, code: 'validation.invalid_value', field: 'status' })
  })
})
