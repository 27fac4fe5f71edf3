// Amounts below the minor unit, wherever a caller sends one: rounded half away from zero, in one way (decisions §11).
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)

const date = '2026-11-10'
const created = async (path: string, body: Json) => ours.send('POST', path, { date, ...body })
const money = () => ({ account_id: ours.accounts.Rent, paid_through_account_id: ours.accounts['Bank Account'] })
const receipt = (body: Json) => created('/payments', { flow: 'INCOMING', contact_id: ours.customerId, amount: 50, reference_number: randomUUID(), ...body })
const sides = (debit: number, credit: number) => [{ account_id: money().account_id, debit }, { account_id: money().paid_through_account_id, credit }]
const advance = async () => (await receipt({})).payment.payment_id
const sent = async () => (await ours.sentInvoice({})).invoice_id
const opened = async () => (await ours.openBill({})).bill_id

// Each amount field of each body: what answers the amount that was taken for the one that is sent.
const FIELDS: [string, (amount: number) => Promise<number>][] = [
  ['POST /invoices round_off', async (round_off) => (await ours.invoice({ round_off })).round_off],
  ['POST /bills round_off', async (round_off) => (await ours.bill({ round_off })).round_off],
  ['POST /credit_notes round_off', async (round_off) => (await ours.creditNote({ round_off })).round_off],
  ['POST /credit_notes round_off of a vendor', async (round_off) => (await ours.vendorCreditNote({ round_off })).round_off],
  ['POST /debit_notes round_off', async (round_off) => (await ours.debitNote({ round_off })).round_off],
  ['PUT /credit_notes round_off', async (round_off) => {
    const { credit_note_id } = await ours.creditNote({ is_draft: true })
    return (await ours.send('PUT', `/credit_notes/${credit_note_id}`, { round_off })).credit_note.round_off
  }],
  ['PUT /debit_notes round_off', async (round_off) => {
    const { debit_note_id } = await ours.debitNote({ is_draft: true })
    return (await ours.send('PUT', `/debit_notes/${debit_note_id}`, { round_off })).debit_note.round_off
  }],
  ['POST /contacts opening_balance', async (opening_balance) => (await created('/contacts', { contact_name: 'M', opening_balance })).contact.opening_balance],
  ['POST /contacts credit_limit', async (credit_limit) => (await created('/contacts', { contact_name: 'M', credit_limit })).contact.credit_limit],
  ['POST /payments amount', async (amount) => (await receipt({ amount })).payment.amount],
  ['POST /payments bank_charges', async (bank_charges) => (await receipt({ bank_charges })).payment.bank_charges],
  ['POST /payments tds_amount', async (tds_amount) => (await receipt({ tds_amount })).payment.tds_amount],
  ['POST /payments allocations.amount', async (amount) => (await receipt({ allocations: [{ invoice_id: await sent(), amount }] })).payment.allocations[0].amount],
  ['POST /payments/{payment_id}/apply amount', async (amount) => (
    (await created(`/payments/${await advance()}/apply`, { invoice_id: await sent(), amount })).payment.allocations[0].amount
  )],
  ['PUT /payments amount', async (amount) => (await ours.send('PUT', `/payments/${await advance()}`, { amount })).payment.amount],
  ['PUT /payments bank_charges', async (bank_charges) => (await ours.send('PUT', `/payments/${await advance()}`, { bank_charges })).payment.bank_charges],
  ['POST apply-to-invoice amount', async (amount) => (await ours.applyCredit((await ours.creditNote()).credit_note_id, { invoice_id: await sent() }, amount)).credit_note.applied_amount],
  ['POST apply-to-bill amount', async (amount) => (await ours.applyCredit((await ours.vendorCreditNote()).credit_note_id, { bill_id: await opened() }, amount)).credit_note.applied_amount],
  ['POST /expenses amount', async (amount) => (await created('/expenses', { ...money(), amount })).expense.amount],
  ['POST /expenses line_items.amount', async (amount) => (await created('/expenses', { ...money(), line_items: [{ amount }] })).expense.line_items[0].amount],
  ['PUT /expenses amount', async (amount) => {
    const { expense } = await created('/expenses', { ...money(), amount: 9 })
    return (await ours.send('PUT', `/expenses/${expense.expense_id}`, { amount })).expense.amount
  }],
  ['POST /journals debit', async (debit) => (await created('/journals', { lines: sides(debit, 0.63) })).journal.lines[0].debit],
  ['POST /journals credit', async (credit) => (await created('/journals', { lines: sides(0.63, credit) })).journal.lines[1].credit],
]

test.each(FIELDS)('%s', async (_field, taken) => {
  expect([await taken(0.625), await taken(0.6349999), await taken(0.62500000001)]).toEqual([0.63, 0.63, 0.63])
})

describe('what rounds to nothing', () => {
  const least = 0.004
  test.each<[string, () => Promise<Json>, string]>([
    ['a payment', () => ours.refusal('POST', '/payments', { flow: 'INCOMING', contact_id: ours.customerId, date, amount: least }), 'amount'],
    ['an allocation', async () => ours.refusal('POST', '/payments', {
      flow: 'INCOMING', contact_id: ours.customerId, date, amount: 5, allocations: [{ invoice_id: await sent(), amount: least }],
    }), 'allocations.0.amount'],
    ['an apply', async () => ours.refusal('POST', `/payments/${await advance()}/apply`, { invoice_id: await sent(), amount: least }), 'amount'],
    ['a credit', async () => ours.refusedApplication((await ours.creditNote()).credit_note_id, { invoice_id: await sent() }, least), 'amount'],
    ['an expense', () => ours.refusal('POST', '/expenses', { ...money(), date, amount: least }), 'amount'],
    ["an expense's line", () => ours.refusal('POST', '/expenses', { ...money(), date, line_items: [{ amount: 1 }, { amount: least }] }), 'line_items.1.amount'],
    ["a journal's debit", () => ours.refusal('POST', '/journals', { date, lines: sides(least, 0.01) }), 'lines.0.debit'],
  ])('%s is refused', async (_case, refusal, field) => {
    expect(await refusal()).toMatchObject({ status: 400, code: 'validation.invalid_value', field })
  })
})

describe('the round-off of a note', () => {
  test('makes it as large as a rounded invoice, which it settles whole', async () => {
    await ours.setPreferences({ roundInvoiceTotals: true })
    const lines = [line({ rate: 99.6 })]
    const invoice = await ours.sentInvoice({ line_items: lines })
    await ours.setPreferences({ roundInvoiceTotals: false })
    expect(invoice).toMatchObject({ round_off: 0.4, total: 100 })
    const note = await ours.creditNote({ invoice_id: invoice.invoice_id, line_items: lines, round_off: invoice.round_off })
    expect(note).toMatchObject({ sub_total: 99.6, round_off: 0.4, total: 100, balance_amount: 100 })
    expect(await ours.ledger(note.credit_note_id)).toEqual([
      'Dr Sales 99.60\nDr Round Off 0.40\n   Cr Accounts Receivable (customer) 100.00',
    ])
    expect(await ours.applyCredit(note.credit_note_id, { invoice_id: invoice.invoice_id }, 100)).toMatchObject({ credit_note: { status: 'APPLIED' }, invoice: { balance: 0, status: 'CREDIT_APPLIED' } })
  })

  test('and a vendor\'s, whose bill was rounded down', async () => {
    const lines = [line({ rate: 100.3 })]
    const bill = await ours.openBill({ line_items: lines, round_off: -0.3 })
    const note = await ours.vendorCreditNote({ bill_id: bill.bill_id, line_items: lines, round_off: -0.3 })
    expect((await ours.ledger(note.credit_note_id)).map((each) => each.replaceAll('(customer)', '(vendor)'))).toEqual([
      'Dr Accounts Payable (vendor) 100.00\nDr Round Off 0.30\n   Cr Purchases 100.30',
    ])
    expect(await ours.applyCredit(note.credit_note_id, { bill_id: bill.bill_id }, 100)).toMatchObject({ bill: { balance: 0, status: 'PAID' } })
  })

  test('is below 1, and stays with a draft that changes its lines', async () => {
    for (const round_off of [1, -1, 5]) {
      expect((await ours.refusedCreditNote({ round_off })).errors).toMatchObject([{ field: 'round_off', code: 'out_of_range' }])
      expect((await ours.refusedDebitNote({ round_off })).errors).toMatchObject([{ field: 'round_off', code: 'out_of_range' }])
    }
    for (const round_off of [0.995, -0.999]) {
      expect(await ours.refusedCreditNote({ round_off })).toEqual({ status: 400, code: 'validation.invalid_value', field: 'round_off' })
      expect(await ours.refusedDebitNote({ round_off })).toEqual({ status: 400, code: 'validation.invalid_value', field: 'round_off' })
    }
    const { credit_note_id } = await ours.creditNote({ is_draft: true, round_off: -0.99 })
    const put = async (changes: Json) => (await ours.send('PUT', `/credit_notes/${credit_note_id}`, changes)).credit_note
    expect(await put({ line_items: [line({ rate: 7 })] })).toMatchObject({ round_off: -0.99, total: 6.01 })
    expect(await put({ round_off: null })).toMatchObject({ round_off: 0, total: 7 })
  })
})
