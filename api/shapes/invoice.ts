// An invoice as JSON, in and out.
import { Type, type Static } from 'typebox'
import { showDate } from '../../domain/dates.ts'
import { daysOverdue, isOverdue, STATUSES } from '../../domain/lifecycle.ts'
import { toAmount } from '../../domain/money.ts'
import type { Invoice as InvoiceWithLines } from '../../models/invoice.ts'
import { Amount, Currency, DocumentDate, Id, Name, nullable, optional, Reference, Text, Timestamp } from './fields.ts'
import { LineItem, NewLineItems, showLineItem } from './line-item.ts'

export const INVOICE_STATUSES = [...STATUSES.INVOICE]

export const NewInvoice = Type.Object({
  customer_id: Reference,
  date: DocumentDate,
  place_of_supply: Type.String({ minLength: 1, maxLength: 100 }),
  line_items: NewLineItems,
  invoice_number: optional(Name(50)),
  series_name: optional(Name(50)),
  branch_id: optional(Reference),
  due_date: optional(DocumentDate),
  currency_code: optional(Currency),
  exchange_rate: optional(Type.Number({ exclusiveMinimum: 0, maximum: 1e9 })),
  reference_number: optional(Text(100)),
  salesperson_id: optional(Text(100)),
  notes: optional(Text(5000)),
  round_off: optional(Type.Number({ minimum: -1e13, maximum: 1e13 })),
  tags: optional(Type.Array(Reference, { maxItems: 50, description: 'Cost centers.' })),
  auto_approve: optional(Type.Boolean()),
}, {
  examples: [{
    customer_id: 'the contact_id of a customer', date: '2026-11-21', place_of_supply: 'IN-KA', auto_approve: true,
    line_items: [{ name: 'Ruled notebook', quantity: 100, rate: 49.5, discount: 50 }],
  }],
})

export const InvoiceChanges = Type.Object({
  reference_number: optional(Text(100)),
  due_date: Type.Optional(DocumentDate),
  notes: optional(Text(5000)),
}, { examples: [{ reference_number: 'PO-7781', due_date: '2026-12-31' }] })

export const VoidRequest = Type.Object({ reason: optional(Text(500)), date: optional(DocumentDate) }, {
  examples: [{ reason: 'Booked for the wrong customer' }],
})

export const Invoice = Type.Object({
  invoice_id: Id,
  invoice_number: Type.String(),
  series_name: nullable(Type.String()),
  branch_id: Id,
  customer_id: Id,
  customer_name: Type.String(),
  date: Timestamp,
  due_date: Timestamp,
  reference_number: nullable(Type.String()),
  salesperson_id: nullable(Type.String()),
  place_of_supply: Type.String(),
  currency_code: Type.String(),
  exchange_rate: Type.Number(),
  line_items: Type.Array(LineItem),
  sub_total: Amount,
  tax_total: Amount,
  round_off: Amount,
  total: Amount,
  payment_made: Amount,
  credits_applied: Amount,
  balance: Amount,
  status: Type.Enum(INVOICE_STATUSES),
  is_overdue: Type.Boolean(),
  days_overdue: Type.Integer(),
  notes: nullable(Type.String()),
  tags: Type.Array(Id),
  created_time: Timestamp,
  last_modified_time: Timestamp,
})

/** `today` is the date in the organisation's zone, for what is overdue. */
export function showInvoice(invoice: InvoiceWithLines, today: string): Static<typeof Invoice> {
  const amount = (minor: bigint) => toAmount(minor, invoice.currency_code)
  const dues = { status: invoice.status, dueDate: invoice.due_date, balance: invoice.balance }
  return {
    invoice_id: invoice.id,
    invoice_number: invoice.invoice_number,
    series_name: invoice.series_name,
    branch_id: invoice.branch_id,
    customer_id: invoice.customer_id,
    customer_name: invoice.customer_name,
    date: showDate(invoice.date),
    due_date: showDate(invoice.due_date),
    reference_number: invoice.reference_number,
    salesperson_id: invoice.salesperson_id,
    place_of_supply: invoice.place_of_supply,
    currency_code: invoice.currency_code,
    exchange_rate: Number(invoice.exchange_rate),
    line_items: invoice.lines.map((line) => showLineItem(line, invoice.currency_code)),
    sub_total: amount(invoice.sub_total),
    tax_total: amount(invoice.tax_total),
    round_off: amount(invoice.round_off),
    total: amount(invoice.total),
    payment_made: amount(invoice.payment_made),
    credits_applied: amount(invoice.credits_applied),
    balance: amount(invoice.balance),
    status: invoice.status,
    is_overdue: isOverdue(dues, today),
    days_overdue: daysOverdue(dues, today),
    notes: invoice.notes,
    tags: invoice.tags,
    created_time: invoice.created_time.toISOString(),
    last_modified_time: invoice.last_modified_time.toISOString(),
  }
}
