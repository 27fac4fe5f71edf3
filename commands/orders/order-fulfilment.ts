// Keeps how much of the lines of an order is invoiced or billed, and the status that follows.
import { statusConverted, statusReleased, type OrderLine, type Part } from '../../domain/conversion.ts'
import { decimalText, Exact } from '../../domain/decimal.ts'
import { isId } from '../../domain/ids.ts'
import type { BillLineRow } from '../../models/bill.ts'
import type { InvoiceLineRow } from '../../models/invoice.ts'
import {
  lockPurchaseOrderOf,
  purchaseOrderLines,
  purchaseOrders,
  type PurchaseOrder,
  type PurchaseOrderLineRow,
  type PurchaseOrderRow,
} from '../../models/purchase-order.ts'
import {
  lockSalesOrderOf,
  salesOrderLines,
  salesOrders,
  type SalesOrder,
  type SalesOrderLineRow,
  type SalesOrderRow,
} from '../../models/sales-order.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { recordDocument } from '../documents/document-entries.ts'

type Lines<O extends { lines: unknown }> = Omit<O, 'invoices' | 'bills'>

export const invoicedLine = ({
  id,
  quantity,
  rate,
  discount,
  quantity_invoiced: converted,
}: SalesOrderLineRow): OrderLine => ({ id, quantity, rate, discount, converted })
export const billedLine = ({
  id,
  quantity,
  rate,
  discount,
  quantity_billed: converted,
}: PurchaseOrderLineRow): OrderLine => ({ id, quantity, rate, discount, converted })

/** Adds the quantities of a new invoice to a locked order. Throws conflict.invalid_state where the order cannot be converted. */
export function fulfilSalesOrder(books: Books, order: SalesOrder, parts: Part[], invoiceId: string): void {
  const lines = withInvoiced(books, order.lines, new Map(parts.map(({ lineId, converted }) => [lineId, converted])))
  const status = statusConverted('SALES_ORDER', order.status, lines.map(invoicedLine))
  updateSalesOrder(books, order, lines, { action: 'SALES_ORDER_STATUS_CHANGED', status, invoiceId })
}

/** Locks the sales order of an invoice, before the invoice: every command locks in this sequence. Null where there is none. */
export async function lockOrderOfInvoice(books: Books, invoiceId: string): Promise<Lines<SalesOrder> | null> {
  return isId(invoiceId) ? lockSalesOrderOf(books, invoiceId) : null
}

/** Takes the quantities of a deleted or voided invoice off its locked order. A CLOSED order stays CLOSED. */
export function releaseSalesOrder(
  books: Books,
  order: Lines<SalesOrder>,
  invoice: { id: string; lines: InvoiceLineRow[] },
): void {
  const taken = takenBy(invoice.lines, ({ sales_order_line_id }) => sales_order_line_id)
  const lines = withInvoiced(books, order.lines, leftAfter(order.lines.map(invoicedLine), taken))
  const status = statusReleased('SALES_ORDER', order.status, lines.map(invoicedLine))
  const action = status === order.status ? 'SALES_ORDER_UPDATED' : 'SALES_ORDER_STATUS_CHANGED'
  updateSalesOrder(books, order, lines, { action, status, invoiceId: invoice.id })
}

/** Adds the quantities of a new bill to a locked order. Throws conflict.invalid_state where the order cannot be converted. */
export function fulfilPurchaseOrder(books: Books, order: PurchaseOrder, parts: Part[], billId: string): void {
  const lines = withBilled(books, order.lines, new Map(parts.map(({ lineId, converted }) => [lineId, converted])))
  const status = statusConverted('PURCHASE_ORDER', order.status, lines.map(billedLine))
  updatePurchaseOrder(books, order, lines, { action: 'PURCHASE_ORDER_STATUS_CHANGED', status, billId })
}

/** Locks the purchase order of a bill, before the bill: every command locks in this sequence. Null where there is none. */
export async function lockOrderOfBill(books: Books, billId: string): Promise<Lines<PurchaseOrder> | null> {
  return isId(billId) ? lockPurchaseOrderOf(books, billId) : null
}

/** Takes the quantities of a deleted or voided bill off its locked order. */
export function releasePurchaseOrder(
  books: Books,
  order: Lines<PurchaseOrder>,
  bill: { id: string; lines: BillLineRow[] },
): void {
  const taken = takenBy(bill.lines, ({ purchase_order_line_id }) => purchase_order_line_id)
  const lines = withBilled(books, order.lines, leftAfter(order.lines.map(billedLine), taken))
  const status = statusReleased('PURCHASE_ORDER', order.status, lines.map(billedLine))
  const action = status === order.status ? 'PURCHASE_ORDER_UPDATED' : 'PURCHASE_ORDER_STATUS_CHANGED'
  updatePurchaseOrder(books, order, lines, { action, status, billId: bill.id })
}

function withInvoiced(books: Books, lines: SalesOrderLineRow[], invoiced: Map<string, string>): SalesOrderLineRow[] {
  return lines.map((line) => {
    const quantity = invoiced.get(line.id)
    return quantity === undefined
      ? line
      : books.update<SalesOrderLineRow>(salesOrderLines, line, { quantity_invoiced: quantity })
  })
}

function withBilled(books: Books, lines: PurchaseOrderLineRow[], billed: Map<string, string>): PurchaseOrderLineRow[] {
  return lines.map((line) => {
    const quantity = billed.get(line.id)
    return quantity === undefined
      ? line
      : books.update<PurchaseOrderLineRow>(purchaseOrderLines, line, { quantity_billed: quantity })
  })
}

function updateSalesOrder(
  books: Books,
  before: Lines<SalesOrder>,
  lines: SalesOrderLineRow[],
  {
    action,
    status,
    invoiceId,
  }: { action: `SALES_ORDER_${string}`; status: SalesOrderRow['status']; invoiceId: string },
): void {
  const order = books.change(salesOrders, before, { status })
  const [was, is] = [before.lines, lines].map((each) => total(each.map(({ quantity_invoiced }) => quantity_invoiced)))
  const changes = changesBetween({ status: before.status, quantity_invoiced: was }, { status, quantity_invoiced: is })
  recordDocument(books, 'SALES_ORDER', order, action, changes, { invoice_id: invoiceId })
}

function updatePurchaseOrder(
  books: Books,
  before: Lines<PurchaseOrder>,
  lines: PurchaseOrderLineRow[],
  {
    action,
    status,
    billId,
  }: { action: `PURCHASE_ORDER_${string}`; status: PurchaseOrderRow['status']; billId: string },
): void {
  const order = books.change(purchaseOrders, before, { status })
  const [was, is] = [before.lines, lines].map((each) => total(each.map(({ quantity_billed }) => quantity_billed)))
  const changes = changesBetween({ status: before.status, quantity_billed: was }, { status, quantity_billed: is })
  recordDocument(books, 'PURCHASE_ORDER', order, action, changes, { bill_id: billId })
}

// The quantity of each line of the order that the lines of a document took.
function takenBy<Line extends { quantity: string }>(
  lines: Line[],
  lineOf: (line: Line) => string | null,
): Map<string, Exact> {
  const taken = new Map<string, Exact>()
  for (const line of lines) {
    const id = lineOf(line)
    if (id !== null) taken.set(id, new Exact(line.quantity).plus(taken.get(id) ?? 0))
  }
  return taken
}

const leftAfter = (lines: OrderLine[], taken: Map<string, Exact>): Map<string, string> =>
  new Map(
    lines.flatMap(({ id, converted }) => {
      const back = taken.get(id)
      return back === undefined ? [] : [[id, decimalText(new Exact(converted).minus(back))]]
    }),
  )
const total = (quantities: string[]): number =>
  quantities.reduce((all, each) => all.plus(each), new Exact(0)).toNumber()
