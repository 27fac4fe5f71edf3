// The customer ledger over HTTP: day by day as the receivable account has it, whatever moved it.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { credit, debit, reversalOf } from '../../domain/posting/posting.ts'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { addContact, openOrganization, TODAY } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)

const midnight = (date: string) => `${date}T00:00:00.000Z`
const ledgerOf = async (contactId: string, query = '') => (await ours.get(`/reports/customer_ledger?contact_id=${contactId}${query}`)).customer_ledger
const sale = (customer_id: string, date: string, rate: number, changes: Record<string, unknown> = {}) =>
  ours.invoice({ customer_id, date, line_items: [line({ rate })], auto_approve: true, ...changes })
const byHand = (contact_id: string, date: string, owed: number, memo: string) => ours.send('POST', '/journals', {
  date, memo, contact_id, lines: [{ account_id: ours.accounts['Accounts Receivable'], debit: owed }, { account_id: ours.accounts.Sales, credit: owed }],
})
const told = ({ transactions }: Json) => transactions.map(({ date, transaction_type, debit: dr, credit: cr, balance }: Json) => (
  `${date.slice(0, 10)} ${transaction_type} ${dr} ${cr} ${balance}`
))

test('a contact of no entries owes nothing', async () => {
  const id = await addContact(ours)
  expect(await ledgerOf(id)).toEqual({
    contact_id: id, contact_name: 'Meena Sarees', currency_code: 'INR', from_date: null, to_date: null, opening_balance: 0, total_debit: 0,
    total_credit: 0, closing_balance: 0, transactions: [],
  })
})

describe('a customer with a history', () => {
  let id: string
  let first: Json
  let voided: Json
  let voucher: Json

  beforeAll(async () => {
    id = await addContact(ours, { contact_name: 'Asha Traders' })
    await sale(await addContact(ours), '2026-05-02', 999)
    const later = await sale(id, '2026-05-20', 30.25)
    first = await sale(id, '2026-05-01', 100, { reference_number: 'PO 7' })
    voided = await sale(id, '2026-05-10', 50)
    await ours.send('POST', `/invoices/${voided.invoice_id}/void`, { date: '2026-05-12' })
    voucher = (await byHand(id, '2026-05-15', 10, 'Interest')).journal
    await ours.invoice({ customer_id: id })
    expect(later.status).toBe('SENT')
  })

  test('is listed in the order of dates, with a running balance', async () => {
    const ledger = await ledgerOf(id)
    expect(told(ledger)).toEqual([
      '2026-05-01 INVOICE 100 0 100', '2026-05-10 INVOICE 50 0 150', '2026-05-12 INVOICE 0 50 100', '2026-05-15 JOURNAL 10 0 110', '2026-05-20 INVOICE 30.25 0 140.25',
    ])
    expect(ledger).toMatchObject({ opening_balance: 0, total_debit: 190.25, total_credit: 50, closing_balance: 140.25 })
    expect(ledger.transactions[0]).toEqual({
      date: midnight('2026-05-01'), transaction_type: 'INVOICE', transaction_id: first.invoice_id, transaction_number: first.invoice_number,
      reference_number: 'PO 7', description: `Invoice ${first.invoice_number}`, debit: 100, credit: 0, balance: 100,
    })
    expect(ledger.transactions[2]).toMatchObject({ transaction_id: voided.invoice_id, description: `Void of invoice ${voided.invoice_number}` })
    expect(ledger.transactions[3]).toMatchObject({
      transaction_id: voucher.journal_id, transaction_number: voucher.journal_number, reference_number: null, description: 'Interest',
    })
  })

  test.each([
    ['&from_date=2026-05-10', 100, ['2026-05-10 INVOICE 50 0 150', '2026-05-12 INVOICE 0 50 100', '2026-05-15 JOURNAL 10 0 110', '2026-05-20 INVOICE 30.25 0 140.25']],
    ['&from_date=2026-05-11&to_date=2026-05-15', 150, ['2026-05-12 INVOICE 0 50 100', '2026-05-15 JOURNAL 10 0 110']],
    ['&to_date=2026-05-01', 0, ['2026-05-01 INVOICE 100 0 100']],
    ['&from_date=2027-01-01', 140.25, []],
  ])('%s', async (query, opening, lines) => {
    const ledger = await ledgerOf(id, query)
    expect([ledger.opening_balance, told(ledger)]).toEqual([opening, lines])
    expect(ledger.closing_balance).toBe(Math.round(100 * (opening + ledger.total_debit - ledger.total_credit)) / 100)
    const from = /from_date=([\d-]+)/.exec(query)?.[1]
    expect(ledger.from_date).toBe(from ? midnight(from) : null)
  })

  test('equals the ledger of the receivable account', async () => {
    const [row] = await service.sql<{ owed: bigint }>(
      `SELECT sum(l.debit - l.credit)::bigint AS owed FROM journal_lines AS l JOIN accounts AS a ON a.org_id = l.org_id AND a.id = l.account_id
       WHERE l.org_id = $1 AND l.contact_id = $2 AND a.role = 'ACCOUNTS_RECEIVABLE'`, ours.orgId, id,
    )
    expect((await ledgerOf(id)).closing_balance).toBe(Number(row!.owed) / 100)
  })
})

test('receipts, refunds and a deleted receipt', async () => {
  const id = await addContact(ours)
  const { invoice_id } = await sale(id, '2026-05-01', 100)
  const pay = async (changes: Record<string, unknown>) => (await ours.send('POST', '/payments', { flow: 'INCOMING', contact_id: id, ...changes })).payment
  const receipt = await pay({ date: '2026-05-03', amount: 120, reference_number: 'UTR 9', allocations: [{ invoice_id, amount: 100 }] })
  await pay({ date: '2026-05-04', amount: 20, flow: 'OUTGOING', payment_type: 'REFUND' })
  const slip = await pay({ date: '2026-05-02', amount: 5 })
  await ours.send('DELETE', `/payments/${slip.payment_id}`)
  const ledger = await ledgerOf(id)
  expect(told(ledger)).toEqual([
    '2026-05-01 INVOICE 100 0 100', '2026-05-02 RECEIPT 0 5 95', '2026-05-03 RECEIPT 0 120 -25', '2026-05-04 RECEIPT 20 0 -5', `${TODAY} RECEIPT 5 0 0`,
  ])
  expect(ledger.transactions[2]).toMatchObject({ transaction_id: receipt.payment_id, transaction_number: receipt.payment_number, reference_number: 'UTR 9' })
  // Of a payment that is gone the journal's own number is told.
  expect(ledger.transactions[1]).toMatchObject({ transaction_id: slip.payment_id, transaction_number: expect.stringMatching(/^JV-/), reference_number: null })
})

test('a credit note is called by its own number, and credits the customer on its day', async () => {
  const id = await addContact(ours)
  await sale(id, '2026-05-01', 100)
  const { credit_note: note } = await ours.send('POST', '/credit_notes', { customer_id: id, date: '2026-05-06', line_items: [line({ rate: 40 })], reference_number: 'RMA 3' })
  const ledger = await ledgerOf(id)
  expect(told(ledger)).toEqual(['2026-05-01 INVOICE 100 0 100', '2026-05-06 CREDIT_NOTE 0 40 60'])
  expect(ledger.transactions[1]).toMatchObject({ transaction_id: note.credit_note_id, transaction_number: note.credit_note_number, reference_number: 'RMA 3' })
})

test('a deleted voucher and its reversal are both there', async () => {
  const id = await addContact(ours)
  const { journal } = await byHand(id, '2026-05-15', 10, 'A slip')
  await ours.send('DELETE', `/journals/${journal.journal_id}`)
  const ledger = await ledgerOf(id)
  expect(told(ledger)).toEqual(['2026-05-15 JOURNAL 10 0 10', `${TODAY} JOURNAL 0 10 0`])
  expect(ledger.transactions.map(({ description }: Json) => description)).toEqual(['A slip', `Deletion of journal ${journal.journal_number}`])
})

test('lines of one entry are one transaction', async () => {
  const id = await addContact(ours)
  const receivable = ours.accounts['Accounts Receivable']
  await ours.send('POST', '/journals', {
    date: '2026-05-15', contact_id: id,
    lines: [{ account_id: receivable, debit: 3 }, { account_id: receivable, debit: 4 }, { account_id: receivable, credit: 2 }, { account_id: ours.accounts.Sales, credit: 5 }],
  })
  expect(told(await ledgerOf(id))).toEqual(['2026-05-15 JOURNAL 7 2 5'])
})

test('what is refused', async () => {
  const at = '/reports/customer_ledger'
  const theirs = await openOrganization(service)
  expect(await ours.refusal('GET', at)).toEqual({ status: 400, code: 'validation.required_field', field: 'contact_id' })
  for (const id of [theirs.customerId, 'x', '']) {
    expect(await ours.refusal('GET', `${at}?contact_id=${id}`)).toEqual({ status: 404, code: 'not_found.resource' })
  }
  expect(await ours.refusal('GET', `${at}?contact_id=${ours.customerId}&from_date=soon`)).toEqual({ status: 400, code: 'validation.invalid_value', field: 'from_date' })
  const token = await service.token(ours.orgId, { scopes: ['Svc.invoices.READ'] })
  expect((await service.call('GET', `${at}?contact_id=${ours.customerId}`, { token })).status).toBe(403)
})

test('thousands of entries are listed completely and in order', async () => {
  const id = await addContact(ours)
  // More than are fetched at once.
  const entries = 2_400
  const [receivable, sales] = [ours.accounts['Accounts Receivable']!, ours.accounts.Sales!]
  for (let written = 0; written < entries; written += 400) {
    await ours.write((books) => {
      for (let n = written + 1; n <= written + 400; n += 1) {
        const [owed, sold] = [debit(receivable, BigInt(n), { contactId: id }), credit(sales, BigInt(n))]
        const lines = n % 3 === 0 ? reversalOf([owed, sold]) : [owed, sold]
        books.post({ date: `2026-0${1 + (n % 9)}-1${n % 10}`, source: 'MANUAL', sourceId: null, memo: `${n}`, contactId: id, branchId: null, lines })
      }
    })
  }
  const { transactions, closing_balance, total_debit, total_credit } = await ledgerOf(id)
  expect(new Set(transactions.map(({ description }: Json) => description)).size).toBe(entries)
  let balance = 0
  for (const [index, { date, debit: dr, credit: cr, balance: after }] of transactions.entries()) {
    balance += Math.round(100 * dr) - Math.round(100 * cr)
    expect(Math.round(100 * after)).toBe(balance)
    if (index > 0) expect(date >= transactions[index - 1].date).toBe(true)
  }
  expect([closing_balance, Math.round(100 * (total_debit - total_credit))]).toEqual([balance / 100, balance])
})
