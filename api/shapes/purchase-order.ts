// A purchase order as JSON, in and out.
import { Type, type Static } from 'typebox'
import { showDate } from '../../domain/dates.ts'
import { STATUSES } from '../../domain/lifecycle.ts'
import type { PurchaseOrder as PurchaseOrderWithLines } from '../../models/purchase-order.ts'
import { newDocument, PlaceOfSupply, showUnrounded, unroundedFields } from './document.ts'
import { DocumentDate, Id, nullable, optional, Reference, Timestamp } from './fields.ts'
import { ChangedPurchaseLines, LineItem, NewPurchaseLines } from './line-item.ts'

export const PURCHASE_ORDER_STATUSES = [...STATUSES.PURCHASE_ORDER]

const fields = {
  ...newDocument,
  expected_date: optional(DocumentDate),
  place_of_supply: optional(PlaceOfSupply),
}

export const NewPurchaseOrder = Type.Object({
  vendor_id: Reference,
  date: optional(DocumentDate),
  ...fields,
  line_items: NewPurchaseLines,
})

export const PurchaseOrderChanges = Type.Object({
  vendor_id: Type.Optional(Reference),
  date: Type.Optional(DocumentDate),
  ...fields,
  line_items: Type.Optional(ChangedPurchaseLines),
})

const PurchaseOrderLine = Type.Object({
  ...LineItem.properties,
  quantity_billed: Type.Number({ description: 'The part of quantity.' }),
})

export const PurchaseOrder = Type.Object({
  purchase_order_id: Id,
  purchase_order_number: Type.String(),
  vendor_id: Id,
  vendor_name: Type.String(),
  expected_date: nullable(Timestamp),
  ...unroundedFields,
  line_items: Type.Array(PurchaseOrderLine),
  status: Type.Enum(PURCHASE_ORDER_STATUSES),
  bills: Type.Array(Id, { description: 'In order of creation.' }),
})

export function showPurchaseOrder(order: PurchaseOrderWithLines): Static<typeof PurchaseOrder> {
  const { line_items, ...document } = showUnrounded(order)
  return {
    purchase_order_id: order.id,
    purchase_order_number: order.purchase_order_number,
    vendor_id: order.vendor_id,
    vendor_name: order.vendor_name,
    expected_date: order.expected_date === null ? null : showDate(order.expected_date),
    ...document,
    line_items: line_items.map((line, index) => ({
      ...line,
      quantity_billed: Number(order.lines[index]!.quantity_billed),
    })),
    status: order.status,
    bills: order.bills,
  }
}
