// Invoices and their lines. Amounts are minor units of the invoice's currency.
import type { ShownEInvoice } from '../domain/e-invoice/state.ts'
import type { Dispute } from '../domain/dispute.ts'
import type { StatusOf } from '../domain/lifecycle.ts'
import { hasMany } from './association.ts'
import { DOCUMENT, LINE } from './document.ts'
import type { Lock, Scope } from './find.ts'
import { DATE, MINOR, TEXT, UUID, generated, json, orNull, textOf, model, type RowOf } from './model.ts'

export type InvoiceStatus = StatusOf<'INVOICE'>

export const invoices = model('invoices', {
  ...DOCUMENT,
  invoice_number: TEXT,
  series_name: orNull(TEXT),
  customer_id: UUID,
  customer_name: TEXT,
  due_date: DATE,
  salesperson_id: orNull(TEXT),
  payment_made: MINOR,
  credits_applied: MINOR,
  balance: generated(MINOR),
  status: textOf<InvoiceStatus>(),
  /** The online payment link of an invoice that a schedule has generated. */
  payment_link_url: orNull(TEXT),
  /** The order that the invoice was made from, and the estimate that the order was made from. */
  sales_order_id: orNull(UUID),
  estimate_id: orNull(UUID),
  /** Its registration as callers see it; models/e-invoice.ts has the rest. */
  e_invoice: orNull(json<ShownEInvoice>()),
  /** Why the customer does not owe it, or not all of it, as they say; null while nobody says so. */
  dispute: orNull(json<Dispute>()),
})
export type InvoiceRow = RowOf<typeof invoices>

export const invoiceLines = model('invoice_lines', {
  ...LINE,
  invoice_id: UUID,
  /** The line of the order that this line was made from. */
  sales_order_line_id: orNull(UUID),
})
export type InvoiceLineRow = RowOf<typeof invoiceLines>

const lines = hasMany(invoices, 'lines', invoiceLines, { by: 'invoice_id', order: ['line_no'] })

/** An invoice with its lines in their order. */
export interface Invoice extends InvoiceRow {
  lines: InvoiceLineRow[]
}

export const findInvoice = (scope: Scope, id: string, lock: Lock = ''): Promise<Invoice | null> =>
  lines.findWith(scope, id, lock)

/** Adds their lines to many invoices, and reads pages of invoices with them. */
export const invoiceParts = lines.parts
