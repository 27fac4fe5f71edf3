// What documents of sales and purchases say on paper: titles by the rules of GST, sums as in the books.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { GST_TAX_LIST } from '../../../domain/gst.ts'
import { printTrade } from '../../../domain/print/print-trade.ts'
import { PrintedDocument } from '../../../domain/print/printed-document.ts'
import { CUT_MARK } from '../../../domain/print/printable-text.ts'
import type { EInvoiceOnPaper, PrintedTrade, Surroundings } from '../../../domain/print/printed-source.ts'
import { ABROAD, AROUND, around, taxNamed, tradeOf, type LineOf } from './trades.ts'

const contract = Compile(PrintedDocument)
const print = (trade: PrintedTrade, surroundings: Surroundings = AROUND) => printTrade(trade, surroundings, null)
const line = (tax: string | null, changes: LineOf = {}): LineOf => ({ tax: tax === null ? null : taxNamed(tax), ...changes })
const minor = (text: string) => BigInt(text.replaceAll(/[,.]/g, ''))
const E_INVOICE: EInvoiceOnPaper = { status: 'GENERATED', irn: 'a'.repeat(64), ack_no: '112010036563310', ack_date: '2026-04-01 14:05:00', cancelled_at: null }

describe('the title', () => {
  test.each<[string, string, LineOf[], Surroundings, Partial<PrintedTrade>]>([
    ['of taxed lines', 'TAX INVOICE', [line('GST 18%')], AROUND, {}],
    ['of a line at 0 %', 'TAX INVOICE', [line('GST 0%')], AROUND, {}],
    ['of taxed and exempt lines', 'TAX INVOICE', [line('GST 18%'), line('Exempt')], AROUND, {}],
    ['of the same to who is not registered', 'INVOICE-CUM-BILL OF SUPPLY', [line('GST 18%'), line('Exempt')], around('contact', { gst_no: null }), {}],
    ['of taxed lines to who is not registered', 'TAX INVOICE', [line('GST 18%'), line('GST 0%')], around('contact', { gst_no: null }), {}],
    ['of exempt lines to who is not registered', 'BILL OF SUPPLY', [line('Exempt'), line('Nil Rated')], around('contact', { gst_no: null }), {}],
    ['of exempt, nil-rated and non-GST lines', 'BILL OF SUPPLY', [line('Exempt'), line('Nil Rated'), line('Non-GST')], AROUND, {}],
    ['of lines without any tax', 'INVOICE', [line(null)], AROUND, {}],
    ['of exempt lines and one without a tax', 'TAX INVOICE', [line('Exempt'), line(null)], AROUND, {}],
    ['of who is not registered', 'INVOICE', [line('Exempt')], around('organization', { gstin: null }), {}],
    ['of a branch in another state without a GSTIN', 'INVOICE', [line('GST 18%')], around('branch', { state: 'IN-TN', is_default: false }), {}],
    ['of an export', 'EXPORT INVOICE', [line('IGST 18%')], ABROAD, {}],
    ['of an export of exempt goods', 'EXPORT INVOICE', [line('Exempt')], ABROAD, {}],
    ['under reverse charge', 'TAX INVOICE', [line('RCM 5%')], AROUND, {}],
    ['of a bill', 'BILL', [line('GST 18%')], AROUND, { kind: 'BILL' }],
    ['of an estimate', 'ESTIMATE', [line('GST 18%')], AROUND, { kind: 'ESTIMATE' }],
    ['of a credit note', 'CREDIT NOTE', [line('GST 18%')], AROUND, { kind: 'CREDIT_NOTE' }],
    ['of a credit note of a vendor', 'VENDOR CREDIT NOTE', [line('GST 18%')], AROUND, { kind: 'CREDIT_NOTE', from_vendor: true }],
    ['of a debit note', 'DEBIT NOTE', [line('GST 18%')], AROUND, { kind: 'DEBIT_NOTE' }],
    ['of a purchase order', 'PURCHASE ORDER', [line('GST 18%')], AROUND, { kind: 'PURCHASE_ORDER' }],
  ])('%s is %s', (_, title, lines, surroundings, changes) => {
    expect(print(tradeOf(lines, changes), surroundings).title).toBe(title)
  })
})

describe('copies', () => {
  const copies = (trade: PrintedTrade, eInvoice: EInvoiceOnPaper | null = null) => printTrade(trade, AROUND, eInvoice).copies.map(({ name, mark }) => `${mark}${name}`)

  test('are three of goods, two of services; this is the original', () => {
    const three = ['XORIGINAL FOR RECIPIENT', 'DUPLICATE FOR TRANSPORTER', 'TRIPLICATE FOR SUPPLIER']
    expect(copies(tradeOf([line('GST 18%')]))).toEqual(three)
    expect(copies(tradeOf([line('GST 18%', { hsn: '998713' }), line('GST 18%')]))).toEqual(three)
    expect(copies(tradeOf([line('Exempt')]))).toEqual(three)
    expect(copies(tradeOf([line('GST 18%', { hsn: '998713' })]))).toEqual(['XORIGINAL FOR RECIPIENT', 'DUPLICATE FOR SUPPLIER'])
    expect(print(tradeOf([line('GST 18%')])).copy).toBe('ORIGINAL FOR RECIPIENT')
  })

  test('are none of a draft, of another kind, and of what is registered as an e-invoice', () => {
    expect(copies(tradeOf([line('GST 18%')], { status: 'DRAFT' }))).toEqual([])
    expect(copies(tradeOf([line('GST 18%')], { kind: 'ESTIMATE' }))).toEqual([])
    expect(copies(tradeOf([line('GST 18%')]), E_INVOICE)).toEqual([])
  })
})

describe('what the rules ask to be written', () => {
  const written = (trade: PrintedTrade, surroundings: Surroundings) => print(trade, surroundings).endorsements.map(({ text }) => text)
  const SEZ = around('contact', { gst_treatment: 'SEZ' })
  const LUT = 'UNDER BOND OR LETTER OF UNDERTAKING WITHOUT PAYMENT OF INTEGRATED TAX'

  test('on an export, and on a supply to a special economic zone', () => {
    const [taxed, untaxed] = [tradeOf([line('IGST 18%')], {}, false), tradeOf([line('IGST 0%')], {}, false)]
    expect(written(taxed, ABROAD)).toEqual(['SUPPLY MEANT FOR EXPORT ON PAYMENT OF INTEGRATED TAX'])
    expect(written(untaxed, ABROAD)).toEqual([`SUPPLY MEANT FOR EXPORT ${LUT}`])
    expect(written(taxed, SEZ)).toEqual(['SUPPLY TO SEZ UNIT OR SEZ DEVELOPER FOR AUTHORISED OPERATIONS ON PAYMENT OF INTEGRATED TAX'])
    expect(written(untaxed, SEZ)).toEqual([`SUPPLY TO SEZ UNIT OR SEZ DEVELOPER FOR AUTHORISED OPERATIONS ${LUT}`])
    expect(print(taxed, ABROAD)).toMatchObject({ place_of_supply: 'Outside India (96)', details: [{ label: 'Country of destination', value: 'United States of America' }] })
    expect(print(taxed, ABROAD).party).toMatchObject({ state: '', gstin: '', address: [{ text: '450 Pine Street' }, { text: 'Portland 97204' }, { text: 'United States of America' }] })
  })

  test('not where the books charged CGST, at home, or for a deemed export', () => {
    expect(written(tradeOf([line('GST 18%')]), ABROAD)).toEqual([])
    expect(written(tradeOf([line('IGST 18%')], {}, false), AROUND)).toEqual([])
    expect(written(tradeOf([line('IGST 18%')], {}, false), around('contact', { gst_treatment: 'DEEMED_EXPORT' }))).toEqual([])
    expect(written(tradeOf([line('IGST 18%')], {}, false), around('contact', { gst_no: null, billing_address: { country: ' india ' } }))).toEqual([])
  })

  test('under reverse charge, with what the recipient owes', () => {
    const trade = tradeOf([line('RCM 5%'), line('GST 18%')], {}, false)
    expect(print(trade)).toMatchObject({
      reverse_charge: 'Yes', endorsements: [{ text: 'TAX IS PAYABLE ON REVERSE CHARGE BASIS' }], reverse_charge_taxes: [{ label: 'IGST @ 5%', amount: '50.00' }],
    })
    expect(print(trade).lines.map(({ tax_rate, tax }) => [tax_rate, tax])).toEqual([['5% RCM', ''], ['18%', '180.00']])
    expect(print(tradeOf([line('GST 18%')]))).toMatchObject({ reverse_charge: 'No', reverse_charge_taxes: [] })
  })
})

test.each([
  ['DRAFT', false, 'DRAFT', []], ['CANCELLED', false, 'CANCELLED', []], ['PAID', false, '', []], ['DECLINED', false, '', []],
  ['DRAFT', true, 'SPECIMEN', ['DRAFT']], ['CANCELLED', true, 'SPECIMEN', ['CANCELLED']], ['SENT', true, 'SPECIMEN', []],
])('%s, sandbox %s: the watermark is %s', (status, sandbox, watermark, endorsements) => {
  const printed = print(tradeOf([line('GST 18%')], { status }), around('organization', { sandbox }))
  expect([printed.watermark, printed.endorsements.map(({ text }) => text)]).toEqual([watermark, endorsements])
})

describe('paying', () => {
  const pays = ({ upi_id, bank, payment_link, balance_due }: PrintedDocument) => [upi_id, bank.length, payment_link, balance_due]
  const LINK = { payment_link_url: 'https://pay.example/1' }

  test('an approved invoice says how', () => {
    expect(pays(print(tradeOf([{}], LINK)))).toEqual(['asha@example', 4, 'https://pay.example/1', '₹ 1,180.00'])
    expect(pays(print(tradeOf([{}], { ...LINK, paid: 18_000n })))).toEqual(['asha@example', 4, '', '₹ 1,000.00'])
    expect(print(tradeOf([{}], { paid: 18_000n })).settled).toEqual([{ label: 'Paid', amount: '180.00' }])
  })

  test.each<[string, Partial<PrintedTrade>, Surroundings]>([
    ['a draft', { status: 'DRAFT' }, AROUND], ['a cancelled one', { status: 'CANCELLED' }, AROUND], ['a paid one', { paid: 118_000n, status: 'PAID' }, AROUND], ['an estimate', { kind: 'ESTIMATE' }, AROUND],
  ])('%s has no UPI code and no link', (_, changes, surroundings) => {
    expect(print(tradeOf([{}], { ...LINK, ...changes }), surroundings)).toMatchObject({ upi_id: '', payment_link: '' })
  })

  test.each([
    [`https://pay.example/${'x'.repeat(400)}`, true], [`https://pay.example/${'x'.repeat(2_000)}`, false], ['javascript:alert(1)', false], ['https://a b', false],
  ])('a link is printed whole, or not at all: %s', (payment_link_url, isPrinted) => {
    expect(print(tradeOf([{}], { payment_link_url })).payment_link).toBe(isPrinted ? payment_link_url : '')
  })

  test('nor has an invoice in another currency a UPI code, or one of a sandbox', () => {
    expect(print(tradeOf([{}], { currency_code: 'USD', exchange_rate: '83.25' })).upi_id).toBe('')
    expect(print(tradeOf([{}]), around('organization', { sandbox: true })).upi_id).toBe('')
    expect(print(tradeOf([{}]), { ...AROUND, pdf: null })).toMatchObject({ upi_id: '', bank: [], terms: [], footer: '', signatory: '', signatory_role: 'Authorised signatory' })
  })

  test.each([[null, 'S. Rao'], ['Director', 'S. Rao, Director'], ['authorised signatory', 'S. Rao']])('who signs as %s does so as the authorised signatory', (designation, signatory) => {
    expect(print(tradeOf([{}]), around('pdf', { signatory: { name: 'S. Rao', designation } }))).toMatchObject({ signatory, signatory_role: 'Authorised signatory' })
  })
})

test('an invoice in another currency says its rate, and what GST is paid on; they add up', () => {
  const trade = tradeOf([{ rate: '145.33', quantity: '7' }], { currency_code: 'USD', exchange_rate: '83.2517' }, false)
  const printed = print(trade, ABROAD)
  expect(printed.total).toMatch(/^USD [\d,]+\.\d\d$/)
  expect(printed.amount_in_words).toMatch(/^US Dollars /)
  const [rate, taxable, tax, ...rest] = printed.base_amounts.map(({ label, amount }) => [label, amount] as const)
  expect(rate).toEqual(['Exchange rate', '1 USD = 83.2517 INR'])
  const total = rest.pop()!
  expect(total[0]).toBe('Total in INR')
  expect([taxable!, tax!, ...rest].reduce((sum, [, amount]) => sum + minor(amount), 0n)).toBe(minor(total[1]))
})

test('notes name what they are against, with its date, and the reason', () => {
  const source = { kind: 'INVOICE' as const, number: 'INV-42', date: '2026-03-01', total: null, amount: null }
  const note = print(tradeOf([{}], { kind: 'CREDIT_NOTE', reason: 'Returned', due_date: null, credited: 100_000n }), { ...AROUND, sources: [source] })
  expect(note.details).toEqual([{ label: 'Against invoice', value: 'INV-42' }, { label: 'Invoice date', value: '01 Mar 2026' }, { label: 'Reason', value: 'Returned' }])
  expect(note).toMatchObject({ number_label: 'Credit note no.', date_label: 'Credit note date', due_label: '', due_date: '', party: { heading: 'Credit to' } })
  expect(note.settled).toEqual([{ label: 'Applied', amount: '1,000.00' }, { label: 'Remaining', amount: '180.00' }])
  const order = { ...source, kind: 'SALES_ORDER' as const, number: 'SO-1' }
  expect(print(tradeOf([{}], { reference_number: 'PO 7' }), { ...AROUND, sources: [order] }).details)
    .toEqual([{ label: 'Reference', value: 'PO 7' }, { label: 'Sales order', value: 'SO-1' }])
})

test('cess is printed with its rate, and taxes by rate in their order', () => {
  const trade = tradeOf([line('GST 28%', { tax: { ...taxNamed('GST 28%'), cess: '12' } }), line('GST 5%'), line('GST 28%', { tax: { ...taxNamed('GST 28%'), cess: '1' } })], {}, false)
  expect(print(trade).totals).toEqual([
    { label: 'Taxable value', amount: '3,000.00' }, { label: 'IGST @ 5%', amount: '50.00' }, { label: 'IGST @ 28%', amount: '560.00' },
    { label: 'Cess @ 1%', amount: '10.00' }, { label: 'Cess @ 12%', amount: '120.00' },
  ])
  expect(print(trade).hsn_summary.map(({ rate, tax }) => [rate, tax])).toEqual([['28% + 12%', '400.00'], ['5%', '50.00'], ['28% + 1%', '290.00']])
})

test('a union territory without a legislature charges UTGST', () => {
  const printed = print(tradeOf([{}], { place_of_supply: 'IN-CH' }), around('branch', { state: 'IN-CH', gstin: '04AABCT1332L1ZY' }))
  expect([printed.sgst_label, ...printed.totals.map(({ label }) => label)]).toEqual(['UTGST', 'Taxable value', 'CGST @ 9%', 'UTGST @ 9%'])
})

test('descriptions that would fill books are cut, and then left out', () => {
  const printed = print(tradeOf(Array.from({ length: 500 }, () => line('GST 18%', { description: 'a\n'.repeat(1_000) }))))
  const described = printed.lines.filter(({ description }) => description !== CUT_MARK)
  expect(described.length).toBeLessThan(400)
  expect(described.length).toBeGreaterThan(10)
  expect(described.reduce((lines, { description }) => lines + description.split('\n').length, 0)).toBeLessThan(2_600)
  expect(printed.lines).toHaveLength(500)
})

describe('sums on paper', () => {
  const decimal = (max: number, digits: number) => fc.integer({ min: 1, max }).map((value) => String(value / 10 ** digits))
  const anyLine = fc.record({
    tax: fc.option(fc.constantFrom(...GST_TAX_LIST, { ...taxNamed('GST 28%'), name: 'cess', cess: '12' })),
    quantity: decimal(100_000, 3), rate: decimal(10_000_000, 2), hsn: fc.constantFrom('5004', '998713', null, '  ', '8471 <&>'),
  })

  test('are those of the document', () => {
    fc.assert(fc.property(fc.array(anyLine, { minLength: 1, maxLength: 12 }), fc.boolean(), fc.constantFrom('INR', 'USD', 'KWD', 'JPY'), (lines, intra, currency) => {
      const trade = tradeOf(lines, { currency_code: currency, exchange_rate: currency === 'INR' ? '1' : '83.25' }, intra)
      const printed = print(trade)
      expect([...contract.Errors(printed)]).toEqual([])
      const added = (amounts: string[]) => amounts.reduce((sum, amount) => sum + (amount === '' ? 0n : minor(amount)), 0n)
      expect(added(printed.totals.map(({ amount }) => amount))).toBe(trade.total)
      expect(minor(printed.total.replace(/^\S+ /, ''))).toBe(trade.total)
      expect(added(printed.lines.map(({ taxable }) => taxable))).toBe(trade.sub_total)
      expect(added(printed.lines.map(({ total }) => total))).toBe(trade.sub_total + trade.tax_total)
      for (const tax of ['taxable', 'cgst', 'sgst', 'igst', 'cess', 'tax'] as const) {
        expect(added(printed.hsn_summary.map((row) => row[tax]))).toBe(added([printed.hsn_totals[tax]]))
      }
      if (printed.hsn_summary.length > 0) expect(minor(printed.hsn_totals.tax)).toBe(trade.tax_total)
      expect(new Set(printed.hsn_summary.map(({ hsn, rate }) => `${hsn} ${rate}`)).size).toBe(printed.hsn_summary.length)
    }), { numRuns: 300 })
  })
})

test.each<[string, LineOf[], string, number]>([
  ['taxed lines', [line('GST 18%'), line('Exempt')], 'Taxable value', 2], ['lines at 0 %', [line('GST 0%')], 'Taxable value', 1],
  ['lines under reverse charge', [line('RCM 5%')], 'Taxable value', 1], ['exempt lines', [line('Exempt')], 'Value of supply', 0], ['lines without a tax', [line(null)], 'Subtotal', 0],
])('the value of %s, and their summary', (_, lines, label, rows) => {
  const { totals, hsn_summary } = print(tradeOf(lines))
  expect([totals[0]!.label, hsn_summary.length]).toEqual([label, rows])
})

test('an address of any shape prints, or does not', () => {
  const address = fc.option(fc.dictionary(fc.constantFrom('address', 'line1', 'city', 'zip', 'pincode', 'state', 'state_code', 'country', 'x'), fc.jsonValue() as fc.Arbitrary<unknown>))
  fc.assert(fc.property(address, address, (own, other) => {
    const surroundings = around('contact', { gst_no: null, billing_address: own, shipping_address: other })
    expect([...contract.Errors(print(tradeOf([{}]), { ...surroundings, organization: { ...AROUND.organization, address: other } }))]).toEqual([])
  }))
})
