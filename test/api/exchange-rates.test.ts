// A foreign currency without its rate: the organisation's latest, or 1 with a warning; a payment needs one.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { purchaseOrderSource, salesOrderSource } from '../fixtures/conversions.ts'
import { addContact, openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let ours: TestOrganization
beforeAll(async () => {
  service = await startService()
  ours = await openOrganization(service)
  const other = await openOrganization(service)
  await keep(ours.orgId, 'USD', 'INR', 83.25, '2026-11-01')
  await keep(ours.orgId, 'USD', 'INR', 84.1234567891, '2026-11-08')
  await keep(ours.orgId, 'USD', 'INR', 99, '2026-11-11')
  await keep(ours.orgId, 'USD', 'EUR', 0.9, '2026-11-09')
  // Neither the inverse of a pair nor another organisation's rate counts.
  await keep(ours.orgId, 'INR', 'GBP', 0.01, '2026-11-01')
  await keep(other.orgId, 'GBP', 'INR', 105, '2026-11-01')
})
afterAll(() => service.close())

const keep = (orgId: string, from: string, to: string, rate: number, date: string) => service.sql(
  `INSERT INTO exchange_rates (org_id, id, from_currency, to_currency, rate, rate_date, source) VALUES ($1, gen_random_uuid(), $2, $3, $4, $5, 'TEST')`,
  orgId, from, to, rate, date)

const date = '2026-11-10'
const KINDS: [string, string, () => Json][] = [
  ['invoices', 'invoice', () => ({ customer_id: ours.customerId, place_of_supply: 'IN-KA' })],
  ['bills', 'bill', () => ({ vendor_id: ours.vendorId, place_of_supply: 'IN-KA', reference_number: randomUUID() })],
  ['estimates', 'estimate', () => ({ customer_id: ours.customerId })],
  ['sales_orders', 'sales_order', () => ({ customer_id: ours.customerId })],
  ['purchase_orders', 'purchase_order', () => ({ vendor_id: ours.vendorId })],
  ['credit_notes', 'credit_note', () => ({ customer_id: ours.customerId })],
  ['credit_notes', 'credit_note', () => ({ customer_id: ours.vendorId })],
  ['debit_notes', 'debit_note', () => ({ vendor_id: ours.vendorId })],
]
const assumed = (currency: string) => [{
  code: 'validation.exchange_rate_assumed', message: expect.stringContaining(currency), details: { from_currency: currency, to_currency: 'INR', exchange_rate: 1 },
}]

describe.each(KINDS)('%s', (list, one, body) => {
  test.each<[string, Json, number, Json[]]>([
    ['the latest rate on or before the date', { currency_code: 'USD' }, 84.1234567891, []],
    ['that of the day itself', { currency_code: 'USD', date: '2026-11-08' }, 84.1234567891, []],
    ['an earlier one', { currency_code: 'USD', date: '2026-11-07', exchange_rate: null }, 83.25, []],
    ['1 before the first', { currency_code: 'USD', date: '2026-10-31' }, 1, assumed('USD')],
    ['1 where there is none', { currency_code: 'GBP' }, 1, assumed('GBP')],
    ['the rate that is sent', { currency_code: 'USD', exchange_rate: 2 }, 2, []],
    ['even where it is 1', { currency_code: 'GBP', exchange_rate: 1 }, 1, []],
    ['1 for the books\' own', {}, 1, []],
  ])('take %s', async (_case, told, rate, warnings) => {
    const answered = await ours.send('POST', `/${list}`, { date, line_items: [line()], ...body(), ...told })
    expect([answered[one].exchange_rate, answered.warnings]).toEqual([rate, warnings])
  })
})

test('a draft that changes its currency takes the rate of its date; one that keeps it keeps its rate', async () => {
  const { purchase_order_id } = await ours.purchaseOrder({ date, currency_code: 'USD', exchange_rate: 70 })
  const put = (changes: Json) => ours.send('PUT', `/purchase_orders/${purchase_order_id}`, changes)
  expect(await put({ line_items: [line({ rate: 5 })], date: '2026-11-12' })).toMatchObject({ purchase_order: { exchange_rate: 70 }, warnings: [] })
  expect(await put({ currency_code: 'GBP' })).toMatchObject({ purchase_order: { exchange_rate: 1 }, warnings: assumed('GBP') })
  expect(await put({ currency_code: 'USD' })).toMatchObject({ purchase_order: { exchange_rate: 99 }, warnings: [] })
})

test('what is converted, or given back, carries the rate of its source', async () => {
  const [order, sale] = [await ours.purchaseOrder({ date, currency_code: 'USD' }), await ours.salesOrder({ date: '2026-10-01', currency_code: 'USD' })]
  const [bought, sold] = [await ours.conversionRow(await ours.convert({ ...purchaseOrderSource(order), auto_approve: true })), await ours.conversionRow(await ours.convert(salesOrderSource(sale)))]
  expect((await ours.get(`/bills/${bought.bill_id}`)).bill.exchange_rate).toBe(84.1234567891)
  expect((await ours.get(`/invoices/${sold.invoice_id}`)).invoice.exchange_rate).toBe(1)
  const note = await ours.send('POST', '/debit_notes', { vendor_id: ours.vendorId, bill_id: bought.bill_id, date: '2026-11-12', line_items: [line()] })
  expect([note.debit_note.exchange_rate, note.warnings]).toEqual([84.1234567891, []])
})

describe('a payment', () => {
  const body = (changes: Json) => ({ flow: 'INCOMING', contact_id: ours.customerId, date, amount: 10, ...changes })
  const needed = { status: 422, code: 'validation.failed', errors: [{ field: 'exchange_rate', code: 'required', message: 'is required unless currency_code is INR' }] }

  test('takes the latest rate, and is refused where there is none', async () => {
    expect((await ours.send('POST', '/payments', body({ currency_code: 'USD' }))).payment.exchange_rate).toBe(84.1234567891)
    expect((await ours.send('POST', '/payments', body({ currency_code: 'USD', exchange_rate: 82, reference_number: 'B' }))).payment.exchange_rate).toBe(82)
    for (const none of [{ currency_code: 'GBP' }, { currency_code: 'USD', date: '2026-10-31' }]) {
      expect(await ours.refusal('POST', '/payments', body(none))).toEqual(needed)
    }
  })

  test('changed to another currency, or to a contact of one, as well', async () => {
    const { payment } = await ours.send('POST', '/payments', body({ amount: 7 }))
    const put = (changes: Json) => ours.send('PUT', `/payments/${payment.payment_id}`, changes)
    expect((await put({ currency_code: 'USD', date: '2026-11-12' })).payment).toMatchObject({ currency_code: 'USD', exchange_rate: 99 })
    expect((await put({ date })).payment).toMatchObject({ currency_code: 'USD', exchange_rate: 99 })
    expect((await put({ currency_code: 'INR' })).payment.exchange_rate).toBe(1)
    const [dollars, pounds] = [await addContact(ours, { currency_code: 'USD' }), await addContact(ours, { currency_code: 'GBP' })]
    expect((await put({ contact_id: dollars })).payment).toMatchObject({ currency_code: 'USD', exchange_rate: 84.1234567891 })
    expect(await ours.refusal('PUT', `/payments/${payment.payment_id}`, { contact_id: pounds })).toEqual(needed)
    expect(await ours.refusal('PUT', `/payments/${payment.payment_id}`, { currency_code: 'GBP' })).toEqual(needed)
  })
})
