// Purchase orders and their lines. Amounts are minor units of the order's currency.
import type { StatusOf } from '../domain/lifecycle.ts'
import { askRow, type Lock, type Scope } from './find.ts'
import { table } from './table.ts'

export type PurchaseOrderStatus = StatusOf<'PURCHASE_ORDER'>

export interface PurchaseOrderRow {
  org_id: string
  id: string
  branch_id: string
  purchase_order_number: string
  vendor_id: string
  vendor_name: string
  date: string
  expected_date: string | null
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
  status: PurchaseOrderStatus
  notes: string | null
  tags: string[]
  version: number
  created_time: Date
  last_modified_time: Date
}

export const purchaseOrders = table<PurchaseOrderRow>('purchase_orders', {
  org_id: 'uuid', id: 'uuid', branch_id: 'uuid', purchase_order_number: 'text', vendor_id: 'uuid',
  vendor_name: 'text', date: 'date', expected_date: 'date', reference_number: 'text', place_of_supply: 'text',
  currency_code: 'text', exchange_rate: 'decimal', sub_total: 'minor', cgst: 'minor', sgst: 'minor', igst: 'minor',
  cess: 'minor', tax_total: 'minor', round_off: 'minor', total: 'minor', status: 'text', notes: 'text', tags: 'uuids',
  version: 'integer', created_time: 'time', last_modified_time: 'time',
})

/** Quantities, rate, discount and percentage are decimal text. */
export interface PurchaseOrderLineRow {
  org_id: string
  id: string
  purchase_order_id: string
  line_no: number
  item_id: string | null
  name: string
  description: string | null
  hsn_or_sac: string | null
  quantity: string
  /** How much of the quantity has gone into bills. */
  quantity_billed: string
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
  /** What the buyer assesses upon itself under reverse charge. */
  rcm_cgst: bigint
  rcm_sgst: bigint
  rcm_igst: bigint
  rcm_cess: bigint
}

export const purchaseOrderLines = table<PurchaseOrderLineRow>('purchase_order_lines', {
  org_id: 'uuid', id: 'uuid', purchase_order_id: 'uuid', line_no: 'integer', item_id: 'uuid', name: 'text',
  description: 'text', hsn_or_sac: 'text', quantity: 'decimal', quantity_billed: 'decimal', unit: 'text',
  rate: 'decimal', discount: 'decimal', tax_id: 'uuid', tax_percentage: 'decimal', account_id: 'uuid',
  item_total: 'minor', cgst: 'minor', sgst: 'minor', igst: 'minor', cess: 'minor', rcm_cgst: 'minor',
  rcm_sgst: 'minor', rcm_igst: 'minor', rcm_cess: 'minor',
})

/** A purchase order with its lines in their order, and the ids of the bills that were made of it. */
export interface PurchaseOrder extends PurchaseOrderRow {
  lines: PurchaseOrderLineRow[]
  bills: string[]
}

export async function findPurchaseOrder(scope: Scope, id: string, lock: Lock = ''): Promise<PurchaseOrder | null> {
  const [[row], lines] = await scope.connection.runBoth<PurchaseOrderRow, PurchaseOrderLineRow>(
    askRow(scope, purchaseOrders, id, lock), [LINES, [scope.orgId, [id]]],
  )
  return row ? (await withBills(scope, [{ ...row, lines }]))[0]! : null
}

/** Puts the lines of many purchase orders to them, in one query, and what was made of them. */
export async function withPurchaseOrderLines(scope: Scope, rows: PurchaseOrderRow[]): Promise<PurchaseOrder[]> {
  if (rows.length === 0) return []
  const found = await scope.connection.run<PurchaseOrderLineRow>(LINES, [scope.orgId, rows.map(({ id }) => id)])
  const lines = Map.groupBy(found, ({ purchase_order_id }) => purchase_order_id)
  return withBills(scope, rows.map((row) => ({ ...row, lines: lines.get(row.id) ?? [] })))
}

/** Puts to purchase orders the bills that were made of them. Nothing is made of an order yet. */
export async function withBills(_scope: Scope, orders: Omit<PurchaseOrder, 'bills'>[]): Promise<PurchaseOrder[]> {
  return orders.map((order) => ({ ...order, bills: [] }))
}

const LINES = {
  name: 'lines of purchase orders',
  text: 'SELECT * FROM purchase_order_lines WHERE org_id = $1 AND purchase_order_id = ANY ($2) ORDER BY purchase_order_id, line_no',
}
