// Enters a priced invoice into the books: its rows, its activity, its event, and its journal once it is approved.
import { nextStatus } from '../../domain/lifecycle.ts'
import { invoicePosting } from '../../domain/posting/invoice.ts'
import type { DocumentContext, PostingAccounts } from '../../models/document-context.ts'
import { invoiceLines, invoices, type Invoice, type InvoiceLineRow, type InvoiceRow } from '../../models/invoice.ts'
import type { Books } from '../books/books.ts'
import { announceDocument, postDocument, recordDocument } from '../documents/document-entries.ts'
import { saleFigures } from '../documents/posting-figures.ts'
import { eInvoiceToCome, queueEInvoice } from '../e-invoices/queue-e-invoice.ts'
import type { SaleHead, SaleLine } from './sale.ts'

/** A priced invoice, without the columns that the books add; they also give it an id, unless it has one. */
export type DraftedInvoice = SaleHead &
  Partial<Pick<InvoiceRow, 'id'>> &
  Pick<
    InvoiceRow,
    | 'invoice_number'
    | 'series_name'
    | 'due_date'
    | 'reference_number'
    | 'salesperson_id'
    | 'notes'
    | 'sales_order_id'
    | 'estimate_id'
    | 'payment_link_url'
  >
export type DraftedInvoiceLine = SaleLine & Pick<InvoiceLineRow, 'sales_order_line_id'>

/** Adds a priced invoice to the books: as a draft, or approved, posted to these accounts and with its e-invoice queued. */
export function enterInvoice(
  books: Books,
  context: DocumentContext,
  drafted: DraftedInvoice,
  draftedLines: DraftedInvoiceLine[],
  approved: boolean,
): Invoice {
  const row = books.create(invoices, {
    ...drafted,
    payment_made: 0n,
    credits_applied: 0n,
    balance: drafted.total,
    status: approved ? nextStatus('INVOICE', 'approve', 'DRAFT') : 'DRAFT',
    e_invoice: approved ? eInvoiceToCome(books, drafted, draftedLines, context) : null,
    dispute: null,
  })
  const lines = draftedLines.map((line) =>
    books.insert(invoiceLines, { ...line, id: books.newId(), invoice_id: row.id }),
  )
  const invoice = { ...row, lines }
  recordDocument(books, 'INVOICE', invoice, 'INVOICE_CREATED')
  if (approved) {
    postInvoice(books, invoice, context)
    queueEInvoice(books, 'INVOICE', invoice)
    recordDocument(books, 'INVOICE', invoice, 'INVOICE_SENT', { status: { old: 'DRAFT', new: row.status } })
  }
  announceDocument(books, 'INVOICE', 'INVOICE_CREATED', invoice)
  return invoice
}

/** Posts the journal of an approved invoice, with its date. */
export function postInvoice(books: Books, invoice: Invoice, accounts: PostingAccounts): void {
  postDocument(books, 'INVOICE', invoice, invoicePosting(saleFigures(books, invoice, accounts)))
}
