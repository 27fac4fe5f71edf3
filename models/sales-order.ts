// Sales orders and their lines. Amounts are minor units of the order's currency.
import type { StatusOf } from '../domain/lifecycle.ts'
import { DOCUMENT, LINE, type DocumentRow, type LineRow } from './document.ts'
import { askRow, type Lock, type Scope } from './find.ts'
import { table } from './table.ts'

export type SalesOrderStatus = StatusOf<'SALES_ORDER'>

export interface SalesOrderRow extends DocumentRow {
  sales_order_number: string
  customer_id: string
  customer_name: string
  shipment_date: string | null
  status: SalesOrderStatus
  /** The estimate that the order was made of. */
  estimate_id: string | null
}

export const salesOrders = table<SalesOrderRow>('sales_orders', {
  ...DOCUMENT, sales_order_number: 'text', customer_id: 'uuid', customer_name: 'text', shipment_date: 'date',
  status: 'text', estimate_id: 'uuid',
})

export interface SalesOrderLineRow extends LineRow {
  sales_order_id: string
  /** How much of the quantity has gone into invoices. */
  quantity_invoiced: string
}

export const salesOrderLines = table<SalesOrderLineRow>('sales_order_lines', { ...LINE, sales_order_id: 'uuid', quantity_invoiced: 'decimal' })

/** A sales order with its lines in their order, and the ids of the invoices that were made of it. */
export interface SalesOrder extends SalesOrderRow {
  lines: SalesOrderLineRow[]
  invoices: string[]
}

export async function findSalesOrder(scope: Scope, id: string, lock: Lock = ''): Promise<SalesOrder | null> {
  const [[row], lines] = await scope.connection.runBoth<SalesOrderRow, SalesOrderLineRow>(
    askRow(scope, salesOrders, id, lock), [LINES, [scope.orgId, [id]]],
  )
  return row ? (await withInvoices(scope, [{ ...row, lines }]))[0]! : null
}

/** Puts the lines of many sales orders to them, in one query, and what was made of them. */
export async function withSalesOrderLines(scope: Scope, rows: SalesOrderRow[]): Promise<SalesOrder[]> {
  if (rows.length === 0) return []
  const found = await scope.connection.run<SalesOrderLineRow>(LINES, [scope.orgId, rows.map(({ id }) => id)])
  const lines = Map.groupBy(found, ({ sales_order_id }) => sales_order_id)
  return withInvoices(scope, rows.map((row) => ({ ...row, lines: lines.get(row.id) ?? [] })))
}

/** Puts to sales orders the invoices that were made of them. Nothing is made of an order yet. */
export async function withInvoices(_scope: Scope, orders: Omit<SalesOrder, 'invoices'>[]): Promise<SalesOrder[]> {
  return orders.map((order) => ({ ...order, invoices: [] }))
}

const LINES = {
  name: 'lines of sales orders',
  text: 'SELECT * FROM sales_order_lines WHERE org_id = $1 AND sales_order_id = ANY ($2) ORDER BY sales_order_id, line_no',
}
