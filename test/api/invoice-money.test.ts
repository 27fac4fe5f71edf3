// What invoices come to, over HTTP: taxes, rounding, totals, round-off and currencies, to the last minor unit.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { line } from '../fixtures/bodies.ts'
import { openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let ours: TestOrganization

beforeAll(async () => {
  service = await startService()
  ours = await openOrganization(service)
  // No call makes a tax, and none of those seeded bears cess.
  ours.taxes['GST 28% and cess'] = randomUUID()
  await service.sql(
    `INSERT INTO taxes (org_id, id, name, shape, cgst, sgst, igst, cess, created_time, last_modified_time)
     VALUES ($1, $2, 'GST 28% and cess', 'INTRA_STATE', 14, 14, 0, 12.5, now(), now())`, ours.orgId, ours.taxes['GST 28% and cess'])
})
afterAll(() => service.close())

const [HOME, AWAY] = ['IN-KA', 'IN-MH']

test.each([
  // tax, place, rate of one, [cgst, sgst, igst, cess], percentage
  ['GST 18%', HOME, 100, [9, 9, 0, 0], 18],
  ['GST 18%', AWAY, 100, [0, 0, 18, 0], 18],
  ['IGST 18%', HOME, 100, [9, 9, 0, 0], 18],
  ['IGST 18%', AWAY, 100, [0, 0, 18, 0], 18],
  ['GST 0%', HOME, 100, [0, 0, 0, 0], 0],
  ['GST 0.25%', HOME, 1000, [1.25, 1.25, 0, 0], 0.25],
  ['GST 40%', AWAY, 10, [0, 0, 4, 0], 40],
  // Each half is rounded by itself, half away from zero.
  ['GST 5%', HOME, 1, [0.03, 0.03, 0, 0], 5],
  ['GST 5%', AWAY, 1, [0, 0, 0.05, 0], 5],
  ['GST 3%', HOME, 0.33, [0, 0, 0, 0], 3],
  ['GST 3%', HOME, 0.34, [0.01, 0.01, 0, 0], 3],
  ['GST 28% and cess', HOME, 100, [14, 14, 0, 12.5], 28],
  ['GST 28% and cess', AWAY, 100.01, [0, 0, 28, 12.5], 28],
  ['Exempt', HOME, 100, [0, 0, 0, 0], 0],
  ['Nil Rated', AWAY, 100, [0, 0, 0, 0], 0],
  ['Non-GST', HOME, 100, [0, 0, 0, 0], 0],
  ['RCM 18%', HOME, 100, [0, 0, 0, 0], 18],
  ['RCM 18%', AWAY, 100, [0, 0, 0, 0], 18],
] as const)('%s in %s on %d', async (tax, place_of_supply, rate, [cgst, sgst, igst, cess], tax_percentage) => {
  const invoice = await ours.invoice({ place_of_supply, line_items: [line({ rate, tax_id: ours.taxes[tax] })] })
  const tax_amount = Number((cgst + sgst + igst + cess).toFixed(2))
  expect(invoice.line_items[0]).toMatchObject({ tax_percentage, item_total: rate, cgst, sgst, igst, cess, tax_amount })
  expect(invoice).toMatchObject({ sub_total: rate, tax_total: tax_amount, total: Number((rate + tax_amount).toFixed(2)) })
})

test.each([
  ['SEZ', HOME, 'GST 18%', ['validation.intra_state_tax']], ['SEZ_UNIT', HOME, 'GST 18%', ['validation.intra_state_tax']],
  ['SEZ', AWAY, 'GST 18%', []], ['SEZ', HOME, 'Exempt', []], ['REGISTERED', HOME, 'GST 18%', []], [null, HOME, 'GST 18%', []],
])('a customer %s supplied in %s with %s: warnings %p', async (gst_treatment, place_of_supply, tax, codes) => {
  const contact_name = `Kaveri Exports ${randomUUID()}`
  const { contact: { contact_id } } = await ours.send('POST', '/contacts', { contact_name, contact_type: 'CUSTOMER', gst_treatment })
  const body = { customer_id: contact_id, date: '2026-11-21', place_of_supply, line_items: [line({ tax_id: ours.taxes[tax]! })] }
  const { warnings, invoice } = await ours.send('POST', '/invoices', body)
  expect(warnings.map(({ code }: { code: string }) => code)).toEqual(codes)
  for (const { details } of warnings) expect(details).toEqual({ gst_treatment, place_of_supply: 'IN-KA' })
  // It changes nothing: the place of supply decides (specification, "Place of supply").
  expect(invoice.line_items[0].igst > 0).toBe(place_of_supply === AWAY)
})

test('the branch decides what is within the state', async () => {
  const branch_id = randomUUID()
  await service.sql(
    `INSERT INTO branches (org_id, id, code, name, state, is_default, is_active, invoice_prefix, bill_prefix, created_time, last_modified_time)
     VALUES ($1, $2, 'PUN', 'Pune', 'IN-MH', false, true, 'PUN-', 'PB-', now(), now())`, ours.orgId, branch_id)
  const line_items = [line({ tax_id: ours.taxes['GST 18%'] })]
  const taxesOf = async (place_of_supply: string) => {
    const { line_items: [{ cgst, sgst, igst }] } = await ours.invoice({ branch_id, place_of_supply, line_items })
    return [cgst, sgst, igst]
  }
  expect(await taxesOf(AWAY)).toEqual([9, 9, 0])
  expect(await taxesOf(HOME)).toEqual([0, 0, 18])
})

test.each([
  // quantity, rate, discount, taxable
  [3, 33.45, 0, 100.35],
  [3, 33.45, 0.35, 100],
  [1, 100, 100, 0],
  [1.5, 0.333333, 0, 0.5],
  [0.000001, 1000000, 0, 1],
  [1, 0.004999, 0, 0],
  [1, 0.005, 0, 0.01],
  [1, 10, 0.004999, 10],
  [1, 10, 0.005001, 9.99],
  [2, 1.111111, 0.222222, 2],
  [123456.789, 98.765432, 0, 12193263.1],
])('%d at %d less %d is %d', async (quantity, rate, discount, taxable) => {
  const { line_items: [{ item_total }], sub_total } = await ours.invoice({ line_items: [line({ quantity, rate, discount })] })
  expect([item_total, sub_total]).toEqual([taxable, taxable])
})

test('the tax of a document is the sum of its rounded lines', async () => {
  const each = line({ rate: 1, tax_id: ours.taxes['GST 5%'] })
  expect(await ours.invoice({ line_items: [each, each, each] })).toMatchObject({ sub_total: 3, tax_total: 0.18, total: 3.18 })
})

test('a discount above the gross is refused, with the limit', async () => {
  expect(await ours.refusedInvoice({ line_items: [line(), line({ quantity: 2, discount: 200.01 })] }))
    .toEqual({ status: 400, code: 'validation.invalid_value', field: 'line_items.1.discount', details: { limit: 200 } })
})

test.each([
  [[line({ rate: 1e13 })], 1e13],
  [[line({ rate: 1e13, quantity: 1.000001 })], null],
  [[line({ rate: 1e13 }), line({ rate: 0.01 })], null],
  [[line({ quantity: 1e13, rate: 1e13 })], null],
])('a total is 10^13 at most (%#)', async (line_items, total) => {
  if (total === null) {
    expect(await ours.refusedInvoice({ line_items })).toEqual({ status: 400, code: 'validation.invalid_value', field: 'total', details: { limit: 1e13 } })
  } else {
    expect((await ours.invoice({ line_items, auto_approve: true })).total).toBe(total)
  }
})

describe('round-off', () => {
  const off = { roundInvoiceTotals: false }
  const by = (roundingMethod: string) => ({ roundInvoiceTotals: true, roundingMethod })
  test.each([
    // preferences, the lines' sum, round_off as sent, as answered
    [off, 100.5, undefined, 0], [off, 100.5, null, 0], [off, 100.5, 0.3, 0.3], [off, 100.5, -0.5, -0.5], [off, 100.5, 0, 0], [off, 100.5, 25, 25],
    [by('nearest'), 100.49, undefined, -0.49], [by('nearest'), 100.5, undefined, 0.5], [by('nearest'), 100.51, null, 0.49],
    [by('nearest'), 100, undefined, 0], [by('nearest'), 0.49, undefined, -0.49],
    [by('up'), 100.01, undefined, 0.99], [by('up'), 100, undefined, 0], [by('down'), 100.99, undefined, -0.99], [by('down'), 100, undefined, 0],
    [by('nearest'), 100.4, 0, 0], [by('up'), 100.4, 0.1, 0.1], [by('down'), 100.4, -5, -5],
  ])('by %j, %d and %j give %d', async (preferences, rate, told, round_off) => {
    await ours.setPreferences(preferences)
    expect(await ours.invoice({ line_items: [line({ rate })], round_off: told })).toMatchObject({
      sub_total: rate, round_off, total: Number((rate + round_off).toFixed(2)), balance: Number((rate + round_off).toFixed(2)),
    })
  })

  test('a round-off never makes the total negative', async () => {
    await ours.setPreferences(off)
    expect((await ours.invoice({ round_off: -100 })).total).toBe(0)
    expect(await ours.refusedInvoice({ round_off: -100.01 }))
      .toEqual({ status: 400, code: 'validation.invalid_value', field: 'round_off', details: { limit: -100 } })
  })

  test.each([
    // preferences at the creation, as sent, preferences at the edit, then
    [off, 0.3, by('nearest'), -0.4], [off, 0, by('up'), 0.6], [off, undefined, by('down'), -0.4], [by('up'), undefined, by('down'), -0.4],
    [off, 1, by('nearest'), 1], [off, -1, by('nearest'), -1], [off, 7.25, by('nearest'), 7.25],
    [off, 0.3, off, 0.3], [by('nearest'), undefined, off, -0.4],
  ])('drawn up by %j with %j, edited by %j: %d', async (before, told, after, round_off) => {
    await ours.setPreferences(before)
    const { invoice_id, round_off: earlier } = await ours.invoice({ line_items: [line({ rate: 100.4 })], round_off: told })
    await ours.setPreferences(after)
    expect((await ours.get(`/invoices/${invoice_id}`)).invoice.round_off).toBe(earlier)
    const { invoice } = await ours.send('PUT', `/invoices/${invoice_id}`, { notes: 'edited' })
    const total = Number((100.4 + round_off).toFixed(2))
    expect(invoice).toMatchObject({ round_off, total, balance: total, notes: 'edited' })
    expect((await ours.get(`/invoices/${invoice_id}`)).invoice).toEqual(invoice)
  })

  test('an approval rounds nothing again', async () => {
    await ours.setPreferences(off)
    const { invoice_id } = await ours.invoice({ line_items: [line({ rate: 100.4 })] })
    await ours.setPreferences(by('nearest'))
    expect((await ours.send('POST', `/invoices/${invoice_id}/approve`)).invoice).toMatchObject({ round_off: 0, total: 100.4 })
    await ours.setPreferences(off)
  })
})

describe('currencies', () => {
  test.each([
    // currency, rate of one, item_total, IGST of 18 per cent
    ['USD', 10.005, 10.01, 1.8], ['JPY', 1050.5, 1051, 189], ['KWD', 1.2345, 1.235, 0.222],
  ])('%s has its own minor unit', async (currency_code, rate, item_total, igst) => {
    const invoice = await ours.invoice({
      currency_code, exchange_rate: 83.25, place_of_supply: AWAY, line_items: [line({ rate, tax_id: ours.taxes['GST 18%'] })],
    })
    expect(invoice).toMatchObject({ currency_code, exchange_rate: 83.25, line_items: [{ item_total, igst }], tax_total: igst })
    expect(invoice.total).toBe(Number((item_total + igst).toFixed(3)))
    expect((await ours.get(`/invoices/${invoice.invoice_id}`)).invoice).toEqual(invoice)
  })

  test('totals are rounded to the whole unit of their currency', async () => {
    await ours.setPreferences({ roundInvoiceTotals: true, roundingMethod: 'nearest' })
    const rounded = async (currency_code: string, rate: number) => {
      const { round_off, total } = await ours.invoice({ currency_code, exchange_rate: 2, line_items: [line({ rate })] })
      return [round_off, total]
    }
    expect(await rounded('JPY', 1050)).toEqual([0, 1050])
    expect(await rounded('KWD', 1.234)).toEqual([-0.234, 1])
    expect(await rounded('KWD', 1.5)).toEqual([0.5, 2])
    await ours.setPreferences({ roundInvoiceTotals: false })
  })

  test('without a rate it is 1', async () => {
    expect(await ours.invoice({ currency_code: 'USD' })).toMatchObject({ currency_code: 'USD', exchange_rate: 1 })
    expect(await ours.invoice({ currency_code: null, exchange_rate: null })).toMatchObject({ currency_code: 'INR', exchange_rate: 1 })
  })

  test('a rate has ten decimals, in every answer', async () => {
    const invoice = await ours.invoice({ currency_code: 'USD', exchange_rate: 83.123456789049 })
    expect(invoice.exchange_rate).toBe(83.123456789)
    expect((await ours.get(`/invoices/${invoice.invoice_id}`)).invoice).toEqual(invoice)
  })

  test.each([
    [{ currency_code: 'XYZ' }, 'currency_code'], [{ exchange_rate: 83 }, 'exchange_rate'], [{ currency_code: 'INR', exchange_rate: 1.01 }, 'exchange_rate'],
    [{ currency_code: 'USD', exchange_rate: 1e-11 }, 'exchange_rate'],
    [{ currency_code: 'USD', exchange_rate: 1e9, line_items: [line({ rate: 1e6 })] }, 'exchange_rate'],
  ])('%j is refused', async (body, field) => {
    expect(await ours.refusedInvoice(body)).toMatchObject({ status: 400, code: 'validation.invalid_value', field })
  })
})
