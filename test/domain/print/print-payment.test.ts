// What receipts and vouchers say on paper.
import { describe, expect, test } from '@jest/globals'
import { Compile } from 'typebox/compile'
import { printPayment, voucherTitle } from '../../../domain/print/print-payment.ts'
import { PrintedDocument } from '../../../domain/print/printed-document.ts'
import type { OwedTax, ReferredDocument } from '../../../domain/print/printed-source.ts'
import { ABROAD, AROUND, paymentOf } from './trades.ts'

test.each([
  ['INCOMING', 'REGULAR', 'RECEIPT'], ['INCOMING', 'ADVANCE', 'RECEIPT VOUCHER'], ['INCOMING', 'REFUND', 'RECEIPT'],
  ['OUTGOING', 'REGULAR', 'PAYMENT VOUCHER'], ['OUTGOING', 'ADVANCE', 'PAYMENT VOUCHER'], ['OUTGOING', 'REFUND', 'REFUND VOUCHER'],
] as const)('%s %s is a %s', (flow, payment_type, title) => expect(voucherTitle({ flow, payment_type })).toBe(title))

describe('a receipt', () => {
  const sources = [{ kind: 'INVOICE' as const, number: 'INV-1', date: '2026-03-01', total: '11800000', amount: '9500000' }]
  const printed = printPayment(paymentOf({ tds_amount: 100_000n, bank_charges: 5_000n, allocated: 9_500_000n }), { ...AROUND, sources, account: 'HDFC' })

  test('adds up from what the bank received to what it settles', () => {
    expect([...Compile(PrintedDocument).Errors(printed)]).toEqual([])
    expect(printed.totals).toEqual([{ label: 'Received', amount: '98,950.00' }, { label: 'TDS deducted', amount: '1,000.00' }, { label: 'Bank charges', amount: '50.00' }])
    expect(printed).toMatchObject({ total_label: 'Gross amount', total: '₹ 1,00,000.00', amount_in_words: 'Indian Rupees One Lakh Only' })
    expect(printed.settled).toEqual([{ label: 'Applied', amount: '95,000.00' }, { label: 'Not yet applied', amount: '5,000.00' }])
  })

  test('names what it settles, how and where the money came', () => {
    expect(printed.allocations).toEqual([{ kind: 'Invoice', number: 'INV-1', date: '01 Mar 2026', total: '1,18,000.00', amount: '95,000.00' }])
    expect(printed.details).toEqual([{ label: 'Mode', value: 'Bank transfer' }, { label: 'Reference', value: 'UTR 1' }, { label: 'Received in', value: 'HDFC' }])
    expect(printed).toMatchObject({ party: { heading: 'Received from', name: 'Meena Sarees' }, number_label: 'Receipt no.', notes: [{ text: 'With thanks' }] })
  })
})

test('a payment voucher adds the charges of the bank', () => {
  const printed = printPayment(paymentOf({ flow: 'OUTGOING', tds_amount: 100_000n, bank_charges: 5_000n, mode: 'OTHER' }), AROUND)
  expect(printed.totals).toEqual([{ label: 'Paid', amount: '99,050.00' }, { label: 'TDS deducted', amount: '1,000.00' }, { label: 'Bank charges', amount: '-50.00' }])
  expect(printed).toMatchObject({ title: 'PAYMENT VOUCHER', party: { heading: 'Paid to' }, place_of_supply: '', details: [{ label: 'Reference' }] })
})

describe('a payment voucher of bills whose tax we owe', () => {
  const bill = (number: string, owed: OwedTax | null): ReferredDocument => ({ kind: 'BILL', number, date: '2026-03-01', total: '1200000', amount: '600000', owed })
  const tax = { rate: '5.00', cess_rate: '0', cgst: '0', sgst: '0', igst: '0', cess: '0' }
  const freight = { place_of_supply: 'IN-TN', branch_state: 'IN-KA', names: ['Freight', 'Loading'], taxes: [{ ...tax, igst: '60000' }] }
  const printedOf = (...owed: (OwedTax | null)[]) =>
    printPayment(paymentOf({ flow: 'OUTGOING', amount: 600_000n, allocated: 600_000n }), { ...AROUND, sources: owed.map((one, place) => bill(`B-${place}`, one)) })

  test('says what was supplied, where, and the tax by its rates, of all bills together (rule 52)', () => {
    const legal = { place_of_supply: 'IN-KA', branch_state: 'IN-KA', names: ['Advice', 'Freight'], taxes: [{ ...tax, rate: '18', cess_rate: '1', cgst: '9000', sgst: '9000', cess: '1000' }] }
    const printed = printedOf(freight, legal, null, { ...freight, names: [] })
    expect([...Compile(PrintedDocument).Errors(printed)]).toEqual([])
    expect(printed).toMatchObject({ title: 'PAYMENT VOUCHER', reverse_charge: 'Yes', place_of_supply: 'Tamil Nadu (33), Karnataka (29)' })
    expect(printed.reverse_charge_taxes).toEqual([
      { label: 'IGST @ 5%', amount: '1,200.00' }, { label: 'CGST @ 9%', amount: '90.00' }, { label: 'SGST @ 9%', amount: '90.00' }, { label: 'Cess @ 1%', amount: '10.00' },
    ])
    expect(printed.details.at(-1)).toEqual({ label: 'Goods or services', value: 'Freight, Loading, Advice' })
  })

  test('has UTGST where the branch is in such a territory', () => {
    const local = { ...freight, place_of_supply: 'IN-CH', branch_state: 'IN-CH', taxes: [{ ...tax, cgst: '2500', sgst: '2500' }] }
    expect(printedOf(local).reverse_charge_taxes.map(({ label }) => label)).toEqual(['CGST @ 2.5%', 'UTGST @ 2.5%'])
  })

  test('says nothing of it where the vendor has charged the tax', () => {
    expect(printedOf(null)).toMatchObject({ reverse_charge: '', place_of_supply: '', reverse_charge_taxes: [], details: [{ label: 'Mode' }, { label: 'Reference' }] })
  })
})

test('an advance from abroad is for a supply outside India', () => {
  expect(printPayment(paymentOf({ payment_type: 'ADVANCE' }), ABROAD).place_of_supply).toBe('Outside India (96)')
})

test('an advance says the place of supply; one in another currency what it comes to', () => {
  const printed = printPayment(paymentOf({ payment_type: 'ADVANCE', currency_code: 'USD', exchange_rate: '83.25', amount: 10_000n }), AROUND)
  expect(printed).toMatchObject({ title: 'RECEIPT VOUCHER', place_of_supply: 'Tamil Nadu (33)', total: 'USD 100.00', totals: [], total_label: 'Amount received' })
  expect(printed.base_amounts).toEqual([{ label: 'Exchange rate', amount: '1 USD = 83.25 INR' }, { label: 'Amount in INR', amount: '8,325.00' }])
  expect(printed.settled).toEqual([{ label: 'Not yet applied', amount: '100.00' }])
})

test('a refund names the receipt that its reference is the number of, with its date', () => {
  const receipt = { kind: 'PAYMENT' as const, number: 'PAY-7', date: '2026-02-01', total: null, amount: null }
  const refund = paymentOf({ flow: 'OUTGOING', payment_type: 'REFUND', reference_number: 'PAY-7' })
  expect(printPayment(refund, { ...AROUND, sources: [receipt] })).toMatchObject({
    details: [{ label: 'Mode' }, { label: 'Against receipt', value: 'PAY-7' }, { label: 'Receipt date', value: '01 Feb 2026' }], allocations: [], reverse_charge: 'No',
  })
  expect(printPayment(refund, AROUND).details).toEqual([{ label: 'Mode', value: 'Bank transfer' }, { label: 'Reference', value: 'PAY-7' }])
})

test('a refund is applied to nothing, and a sandbox prints specimens', () => {
  const sandbox = { ...AROUND, organization: { ...AROUND.organization, sandbox: true } }
  expect(printPayment(paymentOf({ flow: 'OUTGOING', payment_type: 'REFUND' }), sandbox)).toMatchObject({ title: 'REFUND VOUCHER', settled: [], watermark: 'SPECIMEN' })
})
