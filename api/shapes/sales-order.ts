// A sales order as JSON, in and out.
import { Type, type Static } from 'typebox'
import { showDate } from '../../domain/dates.ts'
import { STATUSES } from '../../domain/lifecycle.ts'
import type { SalesOrder as SalesOrderWithLines } from '../../models/sales-order.ts'
import { newDocument, PlaceOfSupply, showUnrounded, unroundedFields } from './document.ts'
import { DocumentDate, Id, nullable, optional, Reference, Timestamp } from './fields.ts'
import { ChangedLineItems, LineItem } from './line-item.ts'

export const SALES_ORDER_STATUSES = [...STATUSES.SALES_ORDER]

const fields = {
  ...newDocument,
  shipment_date: optional(DocumentDate),
  place_of_supply: optional(PlaceOfSupply),
}

export const NewSalesOrder = Type.Object({
  customer_id: Reference,
  date: optional(DocumentDate),
  ...fields,
})

export const SalesOrderChanges = Type.Object({
  customer_id: Type.Optional(Reference),
  date: Type.Optional(DocumentDate),
  ...fields,
  line_items: Type.Optional(ChangedLineItems),
})

const SalesOrderLine = Type.Object({
  ...LineItem.properties,
  quantity_invoiced: Type.Number({ description: 'The part of quantity.' }),
})

export const SalesOrder = Type.Object({
  sales_order_id: Id,
  sales_order_number: Type.String(),
  customer_id: Id,
  customer_name: Type.String(),
  shipment_date: nullable(Timestamp),
  ...unroundedFields,
  line_items: Type.Array(SalesOrderLine),
  status: Type.Enum(SALES_ORDER_STATUSES),
  estimate_id: nullable(Id),
  invoices: Type.Array(Id, { description: 'In order of creation.' }),
})

export function showSalesOrder(order: SalesOrderWithLines): Static<typeof SalesOrder> {
  const { line_items, ...document } = showUnrounded(order)
  return {
    sales_order_id: order.id,
    sales_order_number: order.sales_order_number,
    customer_id: order.customer_id,
    customer_name: order.customer_name,
    shipment_date: order.shipment_date === null ? null : showDate(order.shipment_date),
    ...document,
    line_items: line_items.map((line, index) => ({
      ...line,
      quantity_invoiced: Number(order.lines[index]!.quantity_invoiced),
    })),
    status: order.status,
    estimate_id: order.estimate_id,
    invoices: order.invoices,
  }
}
