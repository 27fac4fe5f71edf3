// A sales order as JSON, in and out.
import { Type, type Static } from 'typebox'
import { showDate } from '../../domain/dates.ts'
import { STATUSES } from '../../domain/lifecycle.ts'
import { toAmount } from '../../domain/money.ts'
import type { SalesOrder as SalesOrderWithLines } from '../../models/sales-order.ts'
import { Tags } from './document.ts'
import { Amount, Currency, DocumentDate, Id, nullable, optional, Reference, Text, Timestamp } from './fields.ts'
import { ChangedLineItems, LineItem, NewLineItems, showLineItem } from './line-item.ts'

export const SALES_ORDER_STATUSES = [...STATUSES.SALES_ORDER]

const told = {
  shipment_date: optional(DocumentDate),
  place_of_supply: optional(Type.String({ minLength: 1, maxLength: 100 })),
  branch_id: optional(Reference),
  currency_code: optional(Currency),
  exchange_rate: optional(Type.Number({ exclusiveMinimum: 0, maximum: 1e9 })),
  reference_number: optional(Text(100)),
  notes: optional(Text(5000)),
  tags: optional(Tags),
}

export const NewSalesOrder = Type.Object({
  customer_id: Reference, line_items: NewLineItems, date: optional(DocumentDate), ...told,
})

export const SalesOrderChanges = Type.Object({
  customer_id: Type.Optional(Reference), line_items: Type.Optional(ChangedLineItems), date: Type.Optional(DocumentDate), ...told,
})

const SalesOrderLine = Type.Object({ ...LineItem.properties, quantity_invoiced: Type.Number({ description: 'Of the quantity.' }) })

export const SalesOrder = Type.Object({
  sales_order_id: Id,
  sales_order_number: Type.String(),
  branch_id: Id,
  customer_id: Id,
  customer_name: Type.String(),
  date: Timestamp,
  shipment_date: nullable(Timestamp),
  reference_number: nullable(Type.String()),
  place_of_supply: Type.String(),
  currency_code: Type.String(),
  exchange_rate: Type.Number(),
  line_items: Type.Array(SalesOrderLine),
  sub_total: Amount,
  tax_total: Amount,
  total: Amount,
  status: Type.Enum(SALES_ORDER_STATUSES),
  estimate_id: nullable(Id),
  invoices: Type.Array(Id, { description: 'What was made of the order, in order.' }),
  notes: nullable(Type.String()),
  tags: Type.Array(Id),
  created_time: Timestamp,
  last_modified_time: Timestamp,
})

export function showSalesOrder(order: SalesOrderWithLines): Static<typeof SalesOrder> {
  const amount = (minor: bigint) => toAmount(minor, order.currency_code)
  return {
    sales_order_id: order.id,
    sales_order_number: order.sales_order_number,
    branch_id: order.branch_id,
    customer_id: order.customer_id,
    customer_name: order.customer_name,
    date: showDate(order.date),
    shipment_date: order.shipment_date === null ? null : showDate(order.shipment_date),
    reference_number: order.reference_number,
    place_of_supply: order.place_of_supply,
    currency_code: order.currency_code,
    exchange_rate: Number(order.exchange_rate),
    line_items: order.lines.map((line) => (
      { ...showLineItem(line, order.currency_code), quantity_invoiced: Number(line.quantity_invoiced) }
    )),
    sub_total: amount(order.sub_total),
    tax_total: amount(order.tax_total),
    total: amount(order.total),
    status: order.status,
    estimate_id: order.estimate_id,
    invoices: order.invoices,
    notes: order.notes,
    tags: order.tags,
    created_time: order.created_time.toISOString(),
    last_modified_time: order.last_modified_time.toISOString(),
  }
}
