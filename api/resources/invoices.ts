// The invoices' routes.
import { Type } from 'typebox'
import type { Books } from '../../commands/books/books.ts'
import { today } from '../../commands/documents/drafting.ts'
import { retryInvoiceEInvoice } from '../../commands/e-invoices/settle-e-invoice.ts'
import { disputeInvoice, resolveDispute } from '../../commands/sales/disputes.ts'
import {
  approveInvoice,
  changeInvoice,
  createInvoice,
  deleteInvoice,
  voidInvoice,
} from '../../commands/sales/invoices.ts'
import { invoices, invoiceParts, type Invoice as InvoiceWithLines, type InvoiceRow } from '../../models/invoice.ts'
import { dateFrom, dateTo, equals, listing, overdue, sameId, tagged } from '../http/listing.ts'
import { renderedRow, type Rendering } from '../http/cached-rows.ts'
import { route } from '../http/route.ts'
import { todayAt } from '../http/today.ts'
import { one } from '../shapes/fields.ts'
import { VoidRequest } from '../shapes/document.ts'
import {
  DisputeRequest,
  Invoice,
  INVOICE_STATUSES,
  InvoiceChanges,
  NewInvoice,
  showInvoice,
} from '../shapes/invoice.ts'
import { lineProblems } from '../shapes/line-item.ts'

const tag = 'Invoices'
const answer = one('invoice', Invoice)

const answered = (books: Books) => (invoice: InvoiceWithLines) => showInvoice(invoice, today(books))
const shown = (books: Books, invoice: InvoiceWithLines, message: string) => ({
  message,
  invoice: answered(books)(invoice),
})

const rendering: Rendering<InvoiceRow, InvoiceWithLines> = {
  kind: 'INVOICE',
  table: invoices,
  parts: invoiceParts,
  show(rows, context) {
    const today = todayAt(context)
    return rows.map((invoice) => showInvoice(invoice, today))
  },
  shownWith: todayAt,
}

export const invoiceRoutes = [
  listing({
    path: '/invoices',
    tag,
    does: 'List invoices',
    scope: 'invoices.READ',
    key: 'invoices',
    ...rendering,
    shape: Invoice,
    filters: {
      status: equals(Type.Enum(INVOICE_STATUSES)),
      customer_id: sameId(),
      date_from: dateFrom(),
      date_to: dateTo(),
      tag: tagged(),
      reference_number: equals(),
      invoice_number: equals(),
      overdue: overdue('INVOICE'),
    },
  }),
  route({
    method: 'GET',
    path: '/invoices/{invoice_id}',
    tag,
    does: 'Read an invoice',
    scope: 'invoices.READ',
    answer,
    read: async (context, { params }) => ({ invoice: await renderedRow(context, rendering, params.invoice_id!) }),
  }),
  route({
    method: 'POST',
    path: '/invoices',
    tag,
    does: 'Create an invoice, and approve it on request',
    scope: 'invoices.CREATE',
    status: 201,
    keyRequired: true,
    answer,
    warns: true,
    body: NewInvoice,
    alsoCheck: lineProblems,
    async write(books, { body }) {
      const invoice = await createInvoice(books, body)
      return shown(books, invoice, body.auto_approve ? 'Invoice created and approved.' : 'Invoice created.')
    },
  }),
  route({
    method: 'PUT',
    path: '/invoices/{invoice_id}',
    tag,
    does: "Change a draft's reference, due date or notes",
    scope: 'invoices.UPDATE',
    answer,
    body: InvoiceChanges,
    write: async (books, { params, body }) =>
      shown(books, await changeInvoice(books, params.invoice_id!, body, answered(books)), 'Invoice updated.'),
  }),
  route({
    method: 'POST',
    path: '/invoices/{invoice_id}/approve',
    tag,
    does: 'Approve a draft: post its journal',
    scope: 'invoices.UPDATE',
    answer,
    write: async (books, { params }) =>
      shown(books, await approveInvoice(books, params.invoice_id!), 'Invoice approved.'),
  }),
  route({
    method: 'POST',
    path: '/invoices/{invoice_id}/void',
    tag,
    does: 'Void an invoice: reverse its journal',
    scope: 'invoices.UPDATE',
    answer,
    warns: true,
    body: VoidRequest,
    write: async (books, { params, body }) =>
      shown(books, await voidInvoice(books, params.invoice_id!, body), 'Invoice voided.'),
  }),
  route({
    method: 'POST',
    path: '/invoices/{invoice_id}/e_invoice/retry',
    tag,
    does: 'Register an invoice again whose e-invoice has failed, or cancel the IRN of a void one again',
    scope: 'invoices.UPDATE',
    answer,
    write: async (books, { params }) =>
      shown(books, await retryInvoiceEInvoice(books, params.invoice_id!), 'E-invoice queued.'),
  }),
  route({
    method: 'POST',
    path: '/invoices/{invoice_id}/dispute',
    tag,
    does: 'Note that the customer disputes an invoice: nobody is reminded of it',
    scope: 'invoices.UPDATE',
    answer,
    body: DisputeRequest,
    write: async (books, { params, body }) =>
      shown(books, await disputeInvoice(books, params.invoice_id!, body.reason), 'Dispute noted.'),
  }),
  route({
    method: 'POST',
    path: '/invoices/{invoice_id}/resolve_dispute',
    tag,
    does: 'Note that the dispute of an invoice is settled',
    scope: 'invoices.UPDATE',
    answer,
    write: async (books, { params }) =>
      shown(books, await resolveDispute(books, params.invoice_id!), 'Dispute resolved.'),
  }),
  route({
    method: 'DELETE',
    path: '/invoices/{invoice_id}',
    tag,
    does: 'Delete a draft',
    scope: 'invoices.DELETE',
    answer: Type.Object({}),
    async write(books, { params }) {
      await deleteInvoice(books, params.invoice_id!)
      return { message: 'Invoice deleted.' }
    },
  }),
]
