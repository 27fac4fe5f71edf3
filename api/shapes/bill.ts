// A bill as JSON, in and out.
import { Type, type Static } from 'typebox'
import { showDate } from '../../domain/dates.ts'
import { STATUSES } from '../../domain/lifecycle.ts'
import { daysOverdue, isOverdue } from '../../domain/overdue.ts'
import { toAmount } from '../../domain/money.ts'
import type { Bill as BillWithLines } from '../../models/bill.ts'
import { documentFields, newDocument, PlaceOfSupply, RoundOff, showDocument } from './document.ts'
import { Amount, DocumentDate, Id, Name, nullable, optional, Reference, Text, Timestamp } from './fields.ts'
import { NewPurchaseLines } from './line-item.ts'

export const BILL_STATUSES = [...STATUSES.BILL]

export const NewBill = Type.Object({
  vendor_id: Reference,
  date: DocumentDate,
  place_of_supply: PlaceOfSupply,
  ...newDocument,
  line_items: NewPurchaseLines,
  bill_number: optional(Name(50)),
  due_date: optional(DocumentDate),
  round_off: optional(RoundOff),
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
  vendor_id: Id,
  vendor_name: Type.String(),
  due_date: Timestamp,
  ...documentFields,
  payment_made: Amount,
  vendor_credits_applied: Amount,
  balance: Amount,
  status: Type.Enum(BILL_STATUSES),
  is_overdue: Type.Boolean(),
  days_overdue: Type.Integer(),
  purchase_order_id: nullable(Id),
})

/** `today` is the date in the organisation's time zone, for `is_overdue` and `days_overdue`. */
export function showBill(bill: BillWithLines, today: string): Static<typeof Bill> {
  const amount = (minor: bigint) => toAmount(minor, bill.currency_code)
  return {
    bill_id: bill.id,
    bill_number: bill.bill_number,
    vendor_id: bill.vendor_id,
    vendor_name: bill.vendor_name,
    due_date: showDate(bill.due_date),
    ...showDocument(bill),
    payment_made: amount(bill.payment_made),
    vendor_credits_applied: amount(bill.vendor_credits_applied),
    balance: amount(bill.balance),
    status: bill.status,
    is_overdue: isOverdue(bill, today),
    days_overdue: daysOverdue(bill, today),
    purchase_order_id: bill.purchase_order_id,
  }
}
