// Notes that a customer disputes an invoice, and that the dispute is settled.
import { refuseDispute, refuseResolution, type Dispute } from '../../domain/dispute.ts'
import { invoices, type Invoice } from '../../models/invoice.ts'
import type { Books } from '../books/books.ts'
import { announceDocument, recordDocument } from '../documents/document-entries.ts'
import { invoiceOf } from './invoices.ts'

/** Throws not_found.resource, and conflict.invalid_state for an invoice that is not owed or is disputed already. */
export async function disputeInvoice(books: Books, id: string, reason: string): Promise<Invoice> {
  const invoice = await invoiceOf(books, id, 'FOR UPDATE')
  refuseDispute(invoice)
  const dispute = { reason: reason.trim(), disputed_at: books.now.toISOString() }
  return changeDispute(books, invoice, dispute, 'INVOICE_DISPUTED')
}

/** Throws not_found.resource, and conflict.invalid_state for an invoice that nobody disputes. Its status does not matter. */
export async function resolveDispute(books: Books, id: string): Promise<Invoice> {
  const invoice = await invoiceOf(books, id, 'FOR UPDATE')
  refuseResolution(invoice)
  return changeDispute(books, invoice, null, 'INVOICE_DISPUTE_RESOLVED')
}

function changeDispute(
  books: Books,
  before: Invoice,
  dispute: Dispute | null,
  action: 'INVOICE_DISPUTED' | 'INVOICE_DISPUTE_RESOLVED',
): Invoice {
  const invoice = books.change(invoices, before, { dispute })
  recordDocument(books, 'INVOICE', invoice, action, { dispute: { old: before.dispute, new: dispute } })
  announceDocument(books, 'INVOICE', 'INVOICE_UPDATED', invoice, { changed: ['dispute'] })
  return invoice
}
