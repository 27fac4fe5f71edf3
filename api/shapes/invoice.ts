// An invoice as JSON, in and out.
import { Type, type Static } from 'typebox'
import { showDate } from '../../domain/dates.ts'
import { STATUSES } from '../../domain/lifecycle.ts'
import { daysOverdue, isOverdue } from '../../domain/overdue.ts'
import { toAmount } from '../../domain/money.ts'
import type { Invoice as InvoiceWithLines } from '../../models/invoice.ts'
import { EInvoice } from './e-invoice.ts'
import { documentFields, newDocument, PlaceOfSupply, RoundOff, showDocument } from './document.ts'
import { Amount, DocumentDate, Id, Name, nullable, optional, Reference, Text, Timestamp } from './fields.ts'

export const INVOICE_STATUSES = [...STATUSES.INVOICE]

export const NewInvoice = Type.Object(
  {
    customer_id: Reference,
    date: DocumentDate,
    place_of_supply: PlaceOfSupply,
    ...newDocument,
    invoice_number: optional(Name(50)),
    series_name: optional(Name(50)),
    due_date: optional(DocumentDate),
    salesperson_id: optional(Text(100)),
    round_off: optional(RoundOff),
    auto_approve: optional(Type.Boolean()),
  },
  {
    examples: [
      {
        customer_id: 'the contact_id of a customer',
        date: '2026-11-21',
        place_of_supply: 'IN-KA',
        auto_approve: true,
        line_items: [{ name: 'Ruled notebook', quantity: 100, rate: 49.5, discount: 50 }],
      },
    ],
  },
)

export const InvoiceChanges = Type.Object(
  {
    reference_number: optional(Text(100)),
    due_date: Type.Optional(DocumentDate),
    notes: optional(Text(5000)),
  },
  { examples: [{ reference_number: 'PO-7781', due_date: '2026-12-31' }] },
)

export const Invoice = Type.Object({
  invoice_id: Id,
  invoice_number: Type.String(),
  series_name: nullable(Type.String()),
  customer_id: Id,
  customer_name: Type.String(),
  due_date: Timestamp,
  salesperson_id: nullable(Type.String()),
  ...documentFields,
  payment_made: Amount,
  credits_applied: Amount,
  balance: Amount,
  status: Type.Enum(INVOICE_STATUSES),
  is_overdue: Type.Boolean(),
  days_overdue: Type.Integer(),
  sales_order_id: nullable(Id),
  estimate_id: nullable(Id),
  payment_link_url: nullable(
    Type.String({ description: 'Of invoices that a recurring schedule generates with auto_charge.' }),
  ),
  e_invoice: EInvoice,
  dispute: nullable(
    Type.Object(
      { reason: Type.String(), disputed_at: Timestamp },
      { description: 'Null unless the customer disputes the invoice; nobody is reminded of it then.' },
    ),
  ),
})

export const DisputeRequest = Type.Object(
  { reason: Name(500) },
  { examples: [{ reason: 'Ten of the hundred notebooks were torn' }] },
)

/** `today` is the date in the organisation's time zone, for `is_overdue` and `days_overdue`. */
export function showInvoice(invoice: InvoiceWithLines, today: string): Static<typeof Invoice> {
  const amount = (minor: bigint) => toAmount(minor, invoice.currency_code)
  return {
    invoice_id: invoice.id,
    invoice_number: invoice.invoice_number,
    series_name: invoice.series_name,
    customer_id: invoice.customer_id,
    customer_name: invoice.customer_name,
    due_date: showDate(invoice.due_date),
    salesperson_id: invoice.salesperson_id,
    ...showDocument(invoice),
    payment_made: amount(invoice.payment_made),
    credits_applied: amount(invoice.credits_applied),
    balance: amount(invoice.balance),
    status: invoice.status,
    is_overdue: isOverdue(invoice, today),
    days_overdue: daysOverdue(invoice, today),
    sales_order_id: invoice.sales_order_id,
    estimate_id: invoice.estimate_id,
    payment_link_url: invoice.payment_link_url,
    e_invoice: invoice.e_invoice,
    dispute: invoice.dispute,
  }
}
