// A bill as JSON, in and out.
import { Type, type Static } from 'typebox'
import { showDate } from '../../domain/dates.ts'
import { daysOverdue, isOverdue, STATUSES } from '../../domain/lifecycle.ts'
import { toAmount } from '../../domain/money.ts'
import type { Bill as BillWithLines } from '../../models/bill.ts'
import { Amount, Currency, DocumentDate, Id, Name, nullable, optional, Reference, Text, Timestamp } from './fields.ts'
import { LineItem, NewLineItems, showLineItem } from './line-item.ts'

export const BILL_STATUSES = [...STATUSES.BILL]

export const NewBill = Type.Object({
  vendor_id: Reference,
  date: DocumentDate,
  place_of_supply: Type.String({ minLength: 1, maxLength: 100 }),
  line_items: NewLineItems,
  bill_number: optional(Name(50)),
  branch_id: optional(Reference),
  due_date: optional(DocumentDate),
  currency_code: optional(Currency),
  exchange_rate: optional(Type.Number({ exclusiveMinimum: 0, maximum: 1e9 })),
  reference_number: optional(Text(100)),
  notes: optional(Text(5000)),
  round_off: optional(Type.Number({ minimum: -1e13, maximum: 1e13 })),
  tags: optional(Type.Array(Reference, { maxItems: 50, description: 'Cost centers.' })),
  auto_approve: optional(Type.Boolean()),
})

export const BillChanges = Type.Object({
  bill_number: Type.Optional(Name(50)),
  reference_number: optional(Text(100)),
  date: Type.Optional(DocumentDate),
  due_date: Type.Optional(DocumentDate),
  notes: optional(Text(5000)),
})

export const Bill = Type.Object({
  bill_id: Id,
  bill_number: Type.String(),
  branch_id: Id,
  vendor_id: Id,
  vendor_name: Type.String(),
  date: Timestamp,
  due_date: Timestamp,
  reference_number: nullable(Type.String()),
  place_of_supply: Type.String(),
  currency_code: Type.String(),
  exchange_rate: Type.Number(),
  line_items: Type.Array(LineItem),
  sub_total: Amount,
  tax_total: Amount,
  round_off: Amount,
  total: Amount,
  payment_made: Amount,
  vendor_credits_applied: Amount,
  balance: Amount,
  status: Type.Enum(BILL_STATUSES),
  is_overdue: Type.Boolean(),
  days_overdue: Type.Integer(),
  notes: nullable(Type.String()),
  tags: Type.Array(Id),
  created_time: Timestamp,
  last_modified_time: Timestamp,
})

/** `today` is the date in the organisation's zone, for what is overdue. */
export function showBill(bill: BillWithLines, today: string): Static<typeof Bill> {
  const amount = (minor: bigint) => toAmount(minor, bill.currency_code)
  const dues = { status: bill.status, dueDate: bill.due_date, balance: bill.balance }
  return {
    bill_id: bill.id,
    bill_number: bill.bill_number,
    branch_id: bill.branch_id,
    vendor_id: bill.vendor_id,
    vendor_name: bill.vendor_name,
    date: showDate(bill.date),
    due_date: showDate(bill.due_date),
    reference_number: bill.reference_number,
    place_of_supply: bill.place_of_supply,
    currency_code: bill.currency_code,
    exchange_rate: Number(bill.exchange_rate),
    line_items: bill.lines.map((line) => showLineItem(line, bill.currency_code)),
    sub_total: amount(bill.sub_total),
    tax_total: amount(bill.tax_total),
    round_off: amount(bill.round_off),
    total: amount(bill.total),
    payment_made: amount(bill.payment_made),
    vendor_credits_applied: amount(bill.vendor_credits_applied),
    balance: amount(bill.balance),
    status: bill.status,
    is_overdue: isOverdue(dues, today),
    days_overdue: daysOverdue(dues, today),
    notes: bill.notes,
    tags: bill.tags,
    created_time: bill.created_time.toISOString(),
    last_modified_time: bill.last_modified_time.toISOString(),
  }
}
