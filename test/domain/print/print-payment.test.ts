// What receipts and vouchers say on paper.
import { describe, expect, test } from '@jest/globals'
import { Compile } from 'typebox/compile'
import { printPayment, voucherTitle } from '../../../domain/print/print-payment.ts'
import { PrintedDocument } from '../../../domain/print/printed-document.ts'
import { AROUND, paymentOf } from './trades.ts'

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
