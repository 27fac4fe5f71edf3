// Settles invoices and bills: applies payments and credits to them, and takes payments off again.
import { statusAfterMoney, type Allocation, type OpenDocument } from '../../domain/allocation.ts'
import { isId } from '../../domain/ids.ts'
import { settledStatus } from '../../domain/lifecycle.ts'
import { sum, type Minor } from '../../domain/money.ts'
import type { Flow } from '../../domain/posting/payment.ts'
import { bills, type BillRow } from '../../models/bill.ts'
import type { CreditNoteRow } from '../../models/credit-note.ts'
import { lockRows } from '../../models/find.ts'
import { invoices, type InvoiceRow } from '../../models/invoice.ts'
import {
  lockPaymentsOn,
  paymentAllocations,
  payments,
  paymentsOn,
  settledInBase,
  type AllocationRow,
  type PaymentRow,
} from '../../models/payment.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { announceDocument, recordDocument } from '../documents/document-entries.ts'
import { differenceOf, postExchangeDifference, type Roles } from './payment-entries.ts'

/** A locked invoice or bill that money and credit can be applied to; once in a unit of work. */
export interface Settleable extends OpenDocument {
  /** Applies money of a payment to the document, or takes it off when negative; in minor units. */
  settle(money: Minor, payment: PaymentRow): void
  /** Applies credit of a note to the document, in minor units. */
  credit(amount: Minor, note: CreditNoteRow): Credited
}

/** A document after a credit is applied to it; amounts in minor units of its currency. */
export interface Credited {
  balance: Minor
  status: string
  /** By money and credits together. */
  settled: Minor
  /** By credits alone. */
  credits: Minor
}

/**
 * The documents that a payment of this flow settles, by id: invoices or bills, locked in the order of their ids. Ids that
 * the organisation does not have are left out.
 */
export async function documentsToSettle(books: Books, flow: Flow, ids: string[]): Promise<Map<string, Settleable>> {
  const unique = [...new Set(ids)]
  const found =
    flow === 'INCOMING'
      ? (await lockRows(books, invoices, unique)).map((row) => invoiceToSettle(books, row))
      : (await lockRows(books, bills, unique)).map((row) => billToSettle(books, row))
  // In the organisation's currency the settled base amount is total less balance. For the others it is read now that they are locked.
  const foreign = found.filter(({ currency }) => currency !== books.organization.currency_code)
  const settled =
    foreign.length === 0
      ? new Map<string, Minor>()
      : await settledInBase(
          books,
          foreign.map(({ id }) => id),
        )
  for (const document of foreign) document.settledBase = settled.get(document.id) ?? 0n
  return new Map(found.map((document) => [document.id, document]))
}

/** Inserts the allocations of a payment; `appliedDate` is the day of a later apply, null for those recorded with the payment. */
export function keepAllocations(
  books: Books,
  payment: PaymentRow,
  allocations: Allocation[],
  appliedDate: string | null,
): AllocationRow[] {
  return allocations.map(({ documentId, amount, settledBase, relievedBase }) =>
    books.insert(paymentAllocations, {
      id: books.newId(),
      payment_id: payment.id,
      invoice_id: payment.flow === 'INCOMING' ? documentId : null,
      bill_id: payment.flow === 'OUTGOING' ? documentId : null,
      amount,
      settled_base: settledBase,
      relieved_base: relievedBase,
      applied_date: appliedDate,
    }),
  )
}

/** Applies the allocations of a payment to their documents. */
export function settleDocuments(
  payment: PaymentRow,
  allocations: AllocationRow[],
  documents: Map<string, Settleable>,
): void {
  for (const [id, amount] of moneyByDocument(allocations)) documents.get(id)!.settle(amount, payment)
}

/** Takes all allocations of a payment off their documents. */
export async function releaseDocuments(
  books: Books,
  payment: PaymentRow & { allocations: AllocationRow[] },
): Promise<void> {
  const taken = moneyByDocument(payment.allocations)
  const documents = await documentsToSettle(books, payment.flow, [...taken.keys()])
  for (const [id, amount] of taken) documents.get(id)!.settle(-amount, payment)
}

function moneyByDocument(allocations: AllocationRow[]): Map<string, Minor> {
  const money = new Map<string, Minor>()
  for (const { invoice_id, bill_id, amount } of allocations) {
    const id = (invoice_id ?? bill_id)!
    money.set(id, (money.get(id) ?? 0n) + amount)
  }
  return money
}

/** Locks the payments on a document before the document: every command locks in this sequence. */
export async function lockBeforeVoid(books: Books, documentId: string): Promise<Roles> {
  return isId(documentId) ? lockPaymentsOn(books, documentId) : { roles: {} }
}

/**
 * Takes all payments off a document that is voided; their money becomes unapplied (decisions §4, Void). The exchange
 * difference of the allocations is posted back, dated `date`. The document must be locked.
 */
export async function releasePayments(books: Books, documentId: string, date: string, accounts: Roles): Promise<void> {
  const found = await paymentsOn(books, documentId)
  for (const allocations of Map.groupBy(found, ({ id }) => id).values()) {
    const payment = allocations[0]!
    for (const { allocation_id } of allocations) books.delete(paymentAllocations, { id: allocation_id })
    postExchangeDifference(books, payment, -differenceOf(allocations), date, accounts)
    const columns = { allocated: payment.allocated - sum(allocations.map(({ taken }) => taken)) }
    books.change(payments, payment, columns)
    recordDocument(books, 'PAYMENT', payment, 'PAYMENT_UPDATED', changesBetween(payment, columns))
  }
}

function invoiceToSettle(books: Books, row: InvoiceRow): Settleable {
  const update = (columns: SettledColumns<InvoiceRow>, taken: Minor, metadata: Source) => {
    const balance = row.balance - taken
    const invoice = { ...books.change(invoices, row, columns), balance }
    recordDocument(
      books,
      'INVOICE',
      invoice,
      `INVOICE_${verbOf(taken, balance)}`,
      changesBetween(row, { ...columns, balance }),
      metadata,
    )
    if (balance === 0n) announceDocument(books, 'INVOICE', 'INVOICE_PAID', invoice)
    else announceDocument(books, 'INVOICE', 'INVOICE_UPDATED', invoice, { changed: changedBy(row, columns) })
    return { balance, status: invoice.status, settled: row.total - balance, credits: invoice.credits_applied }
  }
  return {
    kind: 'INVOICE',
    id: row.id,
    contactId: row.customer_id,
    currency: row.currency_code,
    exchangeRate: row.exchange_rate,
    status: row.status,
    total: row.total,
    balance: row.balance,
    settledBase: row.total - row.balance,
    settle(money, { id }) {
      update({ payment_made: row.payment_made + money, status: statusAfterMoney('INVOICE', row, money) }, money, {
        payment_id: id,
      })
    },
    credit(amount, { id }) {
      const status = settledStatus('INVOICE', { total: row.total, balance: row.balance - amount, by: 'credit' })
      return update({ credits_applied: row.credits_applied + amount, status }, amount, { credit_note_id: id })
    },
  }
}

function billToSettle(books: Books, row: BillRow): Settleable {
  const update = (columns: SettledColumns<BillRow>, taken: Minor, metadata: Source) => {
    const balance = row.balance - taken
    const bill = { ...books.change(bills, row, columns), balance }
    recordDocument(
      books,
      'BILL',
      bill,
      `BILL_${verbOf(taken, balance)}`,
      changesBetween(row, { ...columns, balance }),
      metadata,
    )
    if (balance === 0n) announceDocument(books, 'BILL', 'BILL_PAID', bill)
    else announceDocument(books, 'BILL', 'BILL_UPDATED', bill, { changed: changedBy(row, columns) })
    return { balance, status: bill.status, settled: row.total - balance, credits: bill.vendor_credits_applied }
  }
  return {
    kind: 'BILL',
    id: row.id,
    contactId: row.vendor_id,
    currency: row.currency_code,
    exchangeRate: row.exchange_rate,
    status: row.status,
    total: row.total,
    balance: row.balance,
    settledBase: row.total - row.balance,
    settle(money, { id }) {
      update({ payment_made: row.payment_made + money, status: statusAfterMoney('BILL', row, money) }, money, {
        payment_id: id,
      })
    },
    credit(amount, { id }) {
      const status = settledStatus('BILL', { total: row.total, balance: row.balance - amount, by: 'credit' })
      return update({ vendor_credits_applied: row.vendor_credits_applied + amount, status }, amount, {
        credit_note_id: id,
      })
    },
  }
}

/** The payment or note that changed the balance, for the activity entry. */
type Source = { payment_id: string } | { credit_note_id: string }
type SettledColumns<Row extends { status: string }> = Partial<Row> & Pick<Row, 'status'>

const verbOf = (taken: Minor, balance: Minor) => (taken < 0n ? 'UPDATED' : balance === 0n ? 'PAID' : 'PARTIALLY_PAID')
const changedBy = (before: { status: string }, { status, ...amounts }: { status: string }) => [
  ...Object.keys(amounts),
  'balance',
  ...(before.status === status ? [] : ['status']),
]
