// The commands on invoices: create, approve, change, void, delete.
import { dueDateOf } from '../../domain/document-dates.ts'
import { changedFields, type Answered, type Sent } from '../../domain/fixed-fields.ts'
import { nextStatus, openBalance, refuseVoid } from '../../domain/lifecycle.ts'
import { autoRoundOff, keepsRoundOffOnEdit } from '../../domain/totals.ts'
import { readPostingAccounts } from '../../models/document-context.ts'
import { documentFinder } from '../../models/existing-document.ts'
import type { PaymentLinks } from '../../gateways/payment-links/payment-links.ts'
import { findInvoice, invoices, type Invoice, type InvoiceRow } from '../../models/invoice.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import {
  announceDocument,
  recordDeletion,
  recordDocument,
  registerGap,
  reverseDocument,
} from '../documents/document-entries.ts'
import { documentDateOf } from '../documents/drafting.ts'
import { numberInvoice } from '../documents/numbering.ts'
import { lockOrderOfInvoice, releaseSalesOrder } from '../orders/order-fulfilment.ts'
import { eInvoiceToComeOf, queueEInvoice, voidedEInvoice } from '../e-invoices/queue-e-invoice.ts'
import { enterInvoice, postInvoice } from './invoice-entries.ts'
import { draftSale, type SaleInput } from './sale.ts'
import { lockBeforeVoid, releasePayments } from '../payments/settlement.ts'
import { warnOfUnappliedNotes } from './unapplied-notes.ts'

/** The body of POST /invoices. Dates as the wire sends them. */
export interface NewInvoice extends SaleInput {
  date: string
  place_of_supply: string
  invoice_number?: string | null
  series_name?: string | null
  due_date?: string | null
  reference_number?: string | null
  salesperson_id?: string | null
  notes?: string | null
  auto_approve?: boolean | null
}

export interface InvoiceChanges {
  reference_number?: string | null
  due_date?: string
  notes?: string | null
}

const CHANGEABLE = ['reference_number', 'due_date', 'notes'] as const satisfies (keyof InvoiceChanges)[]

// The fields that are fixed once the invoice is created (specification, PUT /invoices).
const FIXED = [
  'customer_id',
  'date',
  'place_of_supply',
  'line_items',
  'invoice_number',
  'series_name',
  'branch_id',
  'currency_code',
  'exchange_rate',
  'salesperson_id',
  'round_off',
  'tags',
  'auto_approve',
] as const satisfies (keyof NewInvoice)[]

/** The invoice of this id, with its lines. Throws not_found.resource for one that the organisation does not have. */
export const invoiceOf = documentFinder('INVOICE', findInvoice)

/**
 * Creates an invoice, and approves it with `auto_approve` (specification, "POST /invoices body"). With `paymentLinks`, one
 * that is to be paid gets a link.
 * Throws not_found.resource for a customer, branch, item, tax or tag that is not the organisation's, and
 * validation.invalid_value for an invalid place of supply, number, date, rate or amount.
 */
export async function createInvoice(
  books: Books,
  input: NewInvoice,
  paymentLinks: PaymentLinks | null = null,
): Promise<Invoice> {
  const date = documentDateOf(books, input.date)
  const {
    context,
    customer,
    head,
    lines: drafted,
  } = await draftSale(books, input, {
    date,
    invoiceNumber: input.invoice_number ?? null,
    rounded: true,
  })
  const dueDate = dueDateOf(input.due_date, date, customer.payment_terms)
  const { number, seriesName } = numberInvoice(books, context, date, input)
  const id = books.newId()
  const { total, currency_code: currency } = head
  return enterInvoice(
    books,
    context,
    {
      ...head,
      id,
      invoice_number: number,
      series_name: seriesName,
      due_date: dueDate,
      reference_number: input.reference_number ?? null,
      salesperson_id: input.salesperson_id ?? null,
      notes: input.notes ?? null,
      sales_order_id: null,
      estimate_id: null,
      payment_link_url:
        paymentLinks && total > 0n ? paymentLinks.linkOf({ orgId: books.orgId, invoiceId: id, total, currency }) : null,
    },
    drafted.map((line) => ({ ...line, sales_order_line_id: null })),
    input.auto_approve ?? false,
  )
}

/** DRAFT to SENT: posts the journal. Throws conflict.invalid_state for any other status. */
export async function approveInvoice(books: Books, id: string): Promise<Invoice> {
  const draft = await invoiceOf(books, id, 'FOR UPDATE')
  const status = nextStatus('INVOICE', 'approve', draft.status)
  const invoice = change(books, draft, { status, e_invoice: await eInvoiceToComeOf(books, draft) })
  queueEInvoice(books, 'INVOICE', invoice)
  postInvoice(books, invoice, await readPostingAccounts(books))
  recordDocument(books, 'INVOICE', invoice, 'INVOICE_SENT', changesBetween({ status: draft.status }, { status }))
  announceDocument(books, 'INVOICE', 'INVOICE_UPDATED', invoice, { changed: ['status'] })
  return invoice
}

/**
 * Changes a draft's reference, due date or notes (specification, PUT /invoices). A change computes the round-off again if the
 * organisation's preference is on, unless it was set by hand (see keepsRoundOffOnEdit). Throws conflict.invalid_state for
 * any other status, validation.invalid_value for a due date before the date, and as changedFields does.
 */
export async function changeInvoice(
  books: Books,
  id: string,
  sent: Sent<InvoiceChanges>,
  answered: Answered<Invoice>,
): Promise<Invoice> {
  const draft = await invoiceOf(books, id, 'FOR UPDATE')
  nextStatus('INVOICE', 'edit', draft.status)
  const instead = { fields: FIXED, advice: 'void the invoice and create a new one' }
  const changed = changedFields(sent, { ...answered(draft), auto_approve: false }, { fields: CHANGEABLE, instead })
  const columns: Partial<InvoiceRow> = {}
  if (changed.has('reference_number')) columns.reference_number = sent.reference_number ?? null
  if (changed.has('notes')) columns.notes = sent.notes ?? null
  if (changed.has('due_date')) columns.due_date = dueDateOf(sent.due_date, draft.date, 0)
  if (changed.size > 0) Object.assign(columns, reroundedTotals(books, draft))
  const changes = changesBetween(draft, columns)
  if (changes === null) return draft
  const invoice = change(books, draft, columns)
  recordDocument(books, 'INVOICE', invoice, 'INVOICE_UPDATED', changes)
  announceDocument(books, 'INVOICE', 'INVOICE_UPDATED', invoice, { changed: Object.keys(changes) })
  return invoice
}

/**
 * Cancels an invoice: reverses its journal on `date`, by default today, and makes its payments unapplied (decisions §4). The
 * void of a draft posts nothing. The quantities of its sales order can be invoiced again.
 * Throws conflict.invoice_paid, conflict.credit_applied, conflict.already_cancelled, or as voidedEInvoice does.
 */
export async function voidInvoice(
  books: Books,
  id: string,
  input: { reason?: string | null; date?: string | null },
): Promise<Invoice> {
  const accounts = await lockBeforeVoid(books, id)
  const order = await lockOrderOfInvoice(books, id)
  const before = await invoiceOf(books, id, 'FOR UPDATE')
  refuseVoid('INVOICE', before.status, before.credits_applied)
  const date = documentDateOf(books, input.date)
  await warnOfUnappliedNotes(books, 'invoice', before.id)
  if (before.payment_made > 0n) await releasePayments(books, before.id, date, accounts)
  const eInvoice = await voidedEInvoice(books, 'INVOICE', before)
  const invoice = change(books, before, { status: 'CANCELLED', payment_made: 0n, ...eInvoice })
  if (order) releaseSalesOrder(books, order, invoice)
  if (before.status !== 'DRAFT') await reverseDocument(books, 'INVOICE', invoice, { date, why: 'Void' })
  const changes = changesBetween({ status: before.status }, { status: invoice.status })
  recordDocument(books, 'INVOICE', invoice, 'INVOICE_VOIDED', changes, { reason: input.reason ?? null })
  announceDocument(books, 'INVOICE', 'INVOICE_VOIDED', invoice)
  return invoice
}

/**
 * Deletes a draft. Its number is entered into the register of gaps, and the quantities of its sales order can be invoiced again.
 * Throws conflict.invalid_state for any other status.
 */
export async function deleteInvoice(books: Books, id: string): Promise<void> {
  const order = await lockOrderOfInvoice(books, id)
  const invoice = await invoiceOf(books, id, 'FOR UPDATE')
  nextStatus('INVOICE', 'delete', invoice.status)
  books.delete(invoices, invoice)
  if (order) releaseSalesOrder(books, order, invoice)
  registerGap(books, 'INVOICE', invoice, 'Draft deleted')
  await recordDeletion(books, 'INVOICE', invoice)
}

function change(books: Books, invoice: Invoice, { balance: _computed, ...columns }: Partial<InvoiceRow>): Invoice {
  const changed = books.change(invoices, invoice, columns)
  return {
    ...changed,
    balance: openBalance(changed.status, changed.total, changed.payment_made, changed.credits_applied),
  }
}

function reroundedTotals(books: Books, draft: Invoice): Partial<InvoiceRow> {
  const { roundInvoiceTotals, roundingMethod } = books.organization.preferences
  if (!roundInvoiceTotals || keepsRoundOffOnEdit(draft.round_off, draft.currency_code)) return {}
  const before = draft.sub_total + draft.tax_total
  const roundOff = autoRoundOff(before, draft.currency_code, roundingMethod)
  return { round_off: roundOff, total: before + roundOff, balance: before + roundOff }
}
