// A purchase order as JSON, in and out.
import { Type, type Static } from 'typebox'
import { showDate } from '../../domain/dates.ts'
import { STATUSES } from '../../domain/lifecycle.ts'
import { toAmount } from '../../domain/money.ts'
import type { PurchaseOrder as PurchaseOrderWithLines } from '../../models/purchase-order.ts'
import { Tags } from './document.ts'
import { Amount, Currency, DocumentDate, Id, nullable, optional, Reference, Text, Timestamp } from './fields.ts'
import { ChangedPurchaseLines, LineItem, NewPurchaseLines, showLineItem } from './line-item.ts'

export const PURCHASE_ORDER_STATUSES = [...STATUSES.PURCHASE_ORDER]

const told = {
  expected_date: optional(DocumentDate),
  place_of_supply: optional(Type.String({ minLength: 1, maxLength: 100 })),
  branch_id: optional(Reference),
  currency_code: optional(Currency),
  exchange_rate: optional(Type.Number({ exclusiveMinimum: 0, maximum: 1e9 })),
  reference_number: optional(Text(100)),
  notes: optional(Text(5000)),
  tags: optional(Tags),
}

export const NewPurchaseOrder = Type.Object({
  vendor_id: Reference, line_items: NewPurchaseLines, date: optional(DocumentDate), ...told,
})

export const PurchaseOrderChanges = Type.Object({
  vendor_id: Type.Optional(Reference), line_items: Type.Optional(ChangedPurchaseLines), date: Type.Optional(DocumentDate), ...told,
})

const PurchaseOrderLine = Type.Object({ ...LineItem.properties, quantity_billed: Type.Number({ description: 'Of the quantity.' }) })

export const PurchaseOrder = Type.Object({
  purchase_order_id: Id,
  purchase_order_number: Type.String(),
  branch_id: Id,
  vendor_id: Id,
  vendor_name: Type.String(),
  date: Timestamp,
  expected_date: nullable(Timestamp),
  reference_number: nullable(Type.String()),
  place_of_supply: Type.String(),
  currency_code: Type.String(),
  exchange_rate: Type.Number(),
  line_items: Type.Array(PurchaseOrderLine),
  sub_total: Amount,
  tax_total: Amount,
  total: Amount,
  status: Type.Enum(PURCHASE_ORDER_STATUSES),
  bills: Type.Array(Id, { description: 'What was made of the order, in order.' }),
  notes: nullable(Type.String()),
  tags: Type.Array(Id),
  created_time: Timestamp,
  last_modified_time: Timestamp,
})

export function showPurchaseOrder(order: PurchaseOrderWithLines): Static<typeof PurchaseOrder> {
  const amount = (minor: bigint) => toAmount(minor, order.currency_code)
  return {
    purchase_order_id: order.id,
    purchase_order_number: order.purchase_order_number,
    branch_id: order.branch_id,
    vendor_id: order.vendor_id,
    vendor_name: order.vendor_name,
    date: showDate(order.date),
    expected_date: order.expected_date === null ? null : showDate(order.expected_date),
    reference_number: order.reference_number,
    place_of_supply: order.place_of_supply,
    currency_code: order.currency_code,
    exchange_rate: Number(order.exchange_rate),
    line_items: order.lines.map((line) => (
      { ...showLineItem(line, order.currency_code), quantity_billed: Number(line.quantity_billed) }
    )),
    sub_total: amount(order.sub_total),
    tax_total: amount(order.tax_total),
    total: amount(order.total),
    status: order.status,
    bills: order.bills,
    notes: order.notes,
    tags: order.tags,
    created_time: order.created_time.toISOString(),
    last_modified_time: order.last_modified_time.toISOString(),
  }
}
