// Sales orders and their lines. Amounts are minor units of the order's currency.
import type { StatusOf } from '../domain/lifecycle.ts'
import { hasMany } from './association.ts'
import { documentsMade, documentsMadeFrom } from './conversion.ts'
import { DOCUMENT, LINE } from './document.ts'
import type { Lock, Scope } from './find.ts'
import { invoices } from './invoice.ts'
import { DATE, DECIMAL, TEXT, UUID, columnsOf, orNull, textOf, model, type RowOf } from './model.ts'
import type { Parts } from './whole-rows.ts'

export type SalesOrderStatus = StatusOf<'SALES_ORDER'>

export const salesOrders = model('sales_orders', {
  ...DOCUMENT,
  sales_order_number: TEXT,
  customer_id: UUID,
  customer_name: TEXT,
  shipment_date: orNull(DATE),
  status: textOf<SalesOrderStatus>(),
  /** The estimate that the order was made from. */
  estimate_id: orNull(UUID),
})
export type SalesOrderRow = RowOf<typeof salesOrders>

export const salesOrderLines = model('sales_order_lines', {
  ...LINE,
  sales_order_id: UUID,
  /** How much of the quantity has been invoiced. */
  quantity_invoiced: DECIMAL,
})
export type SalesOrderLineRow = RowOf<typeof salesOrderLines>

const lines = hasMany(salesOrders, 'lines', salesOrderLines, { by: 'sales_order_id', order: ['line_no'] })
const invoicesMade = documentsMade(invoices, 'sales_order_id')

/** A sales order with its lines in their order, and the ids of the invoices that were made from it. */
export interface SalesOrder extends SalesOrderRow {
  lines: SalesOrderLineRow[]
  invoices: string[]
}

export async function findSalesOrder(scope: Scope, id: string, lock: Lock = ''): Promise<SalesOrder | null> {
  const found = await lines.findWith(scope, id, lock)
  return found && (await withInvoices(scope, [found]))[0]!
}

/** Adds to many sales orders, and to pages of them, their lines and the ids of what was made from them. */
export const salesOrderParts: Parts<SalesOrderRow, SalesOrder> = {
  all: [...lines.parts.all, invoicesMade.part],
  group(rows, [foundLines, foundMade]) {
    const madeFrom = invoicesMade.idsOf(foundMade!)
    return lines.group(rows, foundLines as SalesOrderLineRow[]).map((row) => ({ ...row, invoices: madeFrom(row.id) }))
  },
  addTo: async (scope, rows) => withInvoices(scope, await lines.addTo(scope, rows)),
}

/** The order that an invoice was made from, with its lines, locked; null for an invoice without an order. */
export async function lockSalesOrderOf(scope: Scope, invoiceId: string): Promise<Omit<SalesOrder, 'invoices'> | null> {
  const [[row], lines] = await scope.connection.runBoth<SalesOrderRow, SalesOrderLineRow>(
    [LOCK_ORDER_OF, [scope.orgId, invoiceId]],
    [LINES_OF_ORDER_OF, [scope.orgId, invoiceId]],
  )
  return row ? { ...row, lines } : null
}

// A draft has no invoices: making one from it opens it.
async function withInvoices(scope: Scope, orders: Omit<SalesOrder, 'invoices'>[]): Promise<SalesOrder[]> {
  const made = await documentsMadeFrom(
    scope,
    'sales order',
    orders.filter(({ status }) => status !== 'DRAFT').map(({ id }) => id),
  )
  return orders.map((order) => ({ ...order, invoices: made.get(order.id) ?? [] }))
}

// The order of an invoice never changes, so this finds the same order before and after its row is locked.
const ORDER_OF = '(SELECT sales_order_id FROM invoices WHERE org_id = $1 AND id = $2)'
const LOCK_ORDER_OF = {
  name: 'lock sales order of an invoice',
  text: `SELECT ${columnsOf(salesOrders, 'o')} FROM sales_orders AS o WHERE org_id = $1 AND id = ${ORDER_OF} FOR UPDATE`,
}
const LINES_OF_ORDER_OF = {
  name: 'lines of the sales order of an invoice',
  text: `SELECT ${columnsOf(salesOrderLines, 'l')} FROM sales_order_lines AS l WHERE org_id = $1 AND sales_order_id = ${ORDER_OF} ORDER BY line_no`,
}
