// Purchase orders and their lines. Amounts are minor units of the order's currency.
import type { StatusOf } from '../domain/lifecycle.ts'
import { hasMany } from './association.ts'
import { bills } from './bill.ts'
import { documentsMade, documentsMadeFrom } from './conversion.ts'
import { DOCUMENT, LINE, REVERSE_CHARGE } from './document.ts'
import type { Lock, Scope } from './find.ts'
import { DATE, DECIMAL, TEXT, UUID, columnsOf, orNull, textOf, model, type RowOf } from './model.ts'
import type { Parts } from './whole-rows.ts'

export type PurchaseOrderStatus = StatusOf<'PURCHASE_ORDER'>

export const purchaseOrders = model('purchase_orders', {
  ...DOCUMENT,
  purchase_order_number: TEXT,
  vendor_id: UUID,
  vendor_name: TEXT,
  expected_date: orNull(DATE),
  status: textOf<PurchaseOrderStatus>(),
})
export type PurchaseOrderRow = RowOf<typeof purchaseOrders>

export const purchaseOrderLines = model('purchase_order_lines', {
  ...LINE,
  ...REVERSE_CHARGE,
  purchase_order_id: UUID,
  /** How much of the quantity has been billed. */
  quantity_billed: DECIMAL,
})
export type PurchaseOrderLineRow = RowOf<typeof purchaseOrderLines>

const lines = hasMany(purchaseOrders, 'lines', purchaseOrderLines, { by: 'purchase_order_id', order: ['line_no'] })
const billsMade = documentsMade(bills, 'purchase_order_id')

/** A purchase order with its lines in their order, and the ids of the bills that were made from it. */
export interface PurchaseOrder extends PurchaseOrderRow {
  lines: PurchaseOrderLineRow[]
  bills: string[]
}

export async function findPurchaseOrder(scope: Scope, id: string, lock: Lock = ''): Promise<PurchaseOrder | null> {
  const found = await lines.findWith(scope, id, lock)
  return found && (await withBills(scope, [found]))[0]!
}

/** Adds to many purchase orders, and to pages of them, their lines and the ids of what was made from them. */
export const purchaseOrderParts: Parts<PurchaseOrderRow, PurchaseOrder> = {
  all: [...lines.parts.all, billsMade.part],
  group(rows, [foundLines, foundMade]) {
    const madeFrom = billsMade.idsOf(foundMade!)
    return lines.group(rows, foundLines as PurchaseOrderLineRow[]).map((row) => ({ ...row, bills: madeFrom(row.id) }))
  },
  addTo: async (scope, rows) => withBills(scope, await lines.addTo(scope, rows)),
}

/** The order that a bill was made from, with its lines, locked; null for a bill without an order. */
export async function lockPurchaseOrderOf(scope: Scope, billId: string): Promise<Omit<PurchaseOrder, 'bills'> | null> {
  const [[row], lines] = await scope.connection.runBoth<PurchaseOrderRow, PurchaseOrderLineRow>(
    [LOCK_ORDER_OF, [scope.orgId, billId]],
    [LINES_OF_ORDER_OF, [scope.orgId, billId]],
  )
  return row ? { ...row, lines } : null
}

// A draft has no bills: making one from it opens it.
async function withBills(scope: Scope, orders: Omit<PurchaseOrder, 'bills'>[]): Promise<PurchaseOrder[]> {
  const made = await documentsMadeFrom(
    scope,
    'purchase order',
    orders.filter(({ status }) => status !== 'DRAFT').map(({ id }) => id),
  )
  return orders.map((order) => ({ ...order, bills: made.get(order.id) ?? [] }))
}

// The order of a bill never changes, so this finds the same order before and after its row is locked.
const ORDER_OF = '(SELECT purchase_order_id FROM bills WHERE org_id = $1 AND id = $2)'
const LOCK_ORDER_OF = {
  name: 'lock purchase order of a bill',
  text: `SELECT ${columnsOf(purchaseOrders, 'o')} FROM purchase_orders AS o WHERE org_id = $1 AND id = ${ORDER_OF} FOR UPDATE`,
}
const LINES_OF_ORDER_OF = {
  name: 'lines of the purchase order of a bill',
  text: `SELECT ${columnsOf(purchaseOrderLines, 'l')} FROM purchase_order_lines AS l WHERE org_id = $1 AND purchase_order_id = ${ORDER_OF} ORDER BY line_no`,
}
