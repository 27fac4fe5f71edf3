// Sales orders and their lines. Amounts are minor units of the order's currency.
import type { StatusOf } from '../domain/lifecycle.ts'
import { askRow, type Lock, type Scope } from './find.ts'
import { table } from './table.ts'

export type SalesOrderStatus = StatusOf<'SALES_ORDER'>

export interface SalesOrderRow {
  org_id: string
  id: string
  branch_id: string
  sales_order_number: string
  customer_id: string
  customer_name: string
  date: string
  shipment_date: string | null
  reference_number: string | null
  place_of_supply: string
  currency_code: string
  exchange_rate: string
  sub_total: bigint
  cgst: bigint
  sgst: bigint
  igst: bigint
  cess: bigint
  tax_total: bigint
  /** Always 0: only an invoice or a bill is rounded. */
  round_off: bigint
  total: bigint
  status: SalesOrderStatus
  /** The estimate that the order was made of. */
  estimate_id: string | null
  notes: string | null
  tags: string[]
  version: number
  created_time: Date
  last_modified_time: Date
}

export const salesOrders = table<SalesOrderRow>('sales_orders', {
  org_id: 'uuid', id: 'uuid', branch_id: 'uuid', sales_order_number: 'text', customer_id: 'uuid',
  customer_name: 'text', date: 'date', shipment_date: 'date', reference_number: 'text', place_of_supply: 'text',
  currency_code: 'text', exchange_rate: 'decimal', sub_total: 'minor', cgst: 'minor', sgst: 'minor', igst: 'minor',
  cess: 'minor', tax_total: 'minor', round_off: 'minor', total: 'minor', status: 'text', estimate_id: 'uuid',
  notes: 'text', tags: 'uuids', version: 'integer', created_time: 'time', last_modified_time: 'time',
})

/** Quantities, rate, discount and percentage are decimal text. */
export interface SalesOrderLineRow {
  org_id: string
  id: string
  sales_order_id: string
  line_no: number
  item_id: string | null
  name: string
  description: string | null
  hsn_or_sac: string | null
  quantity: string
  /** How much of the quantity has gone into invoices. */
  quantity_invoiced: string
  unit: string | null
  rate: string
  discount: string
  tax_id: string | null
  tax_percentage: string
  account_id: string
  item_total: bigint
  cgst: bigint
  sgst: bigint
  igst: bigint
  cess: bigint
}

export const salesOrderLines = table<SalesOrderLineRow>('sales_order_lines', {
  org_id: 'uuid', id: 'uuid', sales_order_id: 'uuid', line_no: 'integer', item_id: 'uuid', name: 'text',
  description: 'text', hsn_or_sac: 'text', quantity: 'decimal', quantity_invoiced: 'decimal', unit: 'text',
  rate: 'decimal', discount: 'decimal', tax_id: 'uuid', tax_percentage: 'decimal', account_id: 'uuid',
  item_total: 'minor', cgst: 'minor', sgst: 'minor', igst: 'minor', cess: 'minor',
})

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
