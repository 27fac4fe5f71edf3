// What can be done to a sales order: create, change, open, close, cancel.
import { decimalText } from '../domain/decimal.ts'
import { fault } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import { nextStatus } from '../domain/lifecycle.ts'
import type { Lock, Scope } from '../models/find.ts'
import {
  findSalesOrder, salesOrderLines, salesOrders, type SalesOrder, type SalesOrderLineRow, type SalesOrderRow, type SalesOrderStatus,
} from '../models/sales-order.ts'
import type { Books } from './books.ts'
import { compareFields, throwRefusal, type Answered, type Sent } from './changeable.ts'
import { changesBetween } from './changes.ts'
import { numberDocument } from './numbering.ts'
import { changeableOrder, goodsDateOf, ORDER_TERMS, orderDateOf } from './order-drafting.ts'
import { redrawLines, termsToldOf, type LineSent } from './redrawing.ts'
import { drawUpSale, type SaleHead, type SaleLine, type SaleWanted } from './sale.ts'
import { announceSalesOrder, recordSalesOrder } from './sales-order-entries.ts'

/** The body of POST /sales_orders. Dates as the wire sends them. */
export interface NewSalesOrder extends Omit<SaleWanted, 'round_off'> {
  date?: string | null
  shipment_date?: string | null
  reference_number?: string | null
  notes?: string | null
}

export type SalesOrderChanges = Partial<Omit<NewSalesOrder, 'line_items'>> & { line_items?: LineSent[] }

/** A sales order that is drawn up, but for what the books give it. */
export interface DrawnSalesOrder extends Pick<SalesOrderRow, 'shipment_date' | 'reference_number' | 'notes' | 'estimate_id'> {
  /** DRAFT unless told. */
  status?: SalesOrderStatus
  head: SaleHead
  lines: SaleLine[]
}

const TERMS = ['customer_id', ...ORDER_TERMS] as const satisfies (keyof NewSalesOrder)[]
const REMARKS = ['date', 'shipment_date', 'reference_number', 'notes'] as const satisfies (keyof NewSalesOrder)[]

/** The sales order of this id, with its lines. Throws not_found.resource for one that the organisation does not have. */
export async function salesOrderOf(scope: Scope, id: string, lock: Lock = ''): Promise<SalesOrder> {
  const order = isId(id) ? await findSalesOrder(scope, id, lock) : null
  if (!order) throw fault('not_found.resource', { message: 'There is no such sales order.' })
  return order
}

/**
 * Draws up a sales order (specification, "Sales order"; decisions §4). Throws not_found.resource for a customer, branch,
 * item, tax or tag that is not the organisation's, and validation.invalid_value for a place of supply, date, rate or
 * amount that cannot be.
 */
export async function createSalesOrder(books: Books, wanted: NewSalesOrder): Promise<SalesOrder> {
  const date = orderDateOf(books, wanted.date)
  const { head, lines } = await drawUpSale(books, { ...wanted, round_off: null }, { date })
  return insertSalesOrder(books, {
    head,
    lines,
    shipment_date: goodsDateOf('shipment_date', wanted.shipment_date, date),
    reference_number: wanted.reference_number ?? null,
    notes: wanted.notes ?? null,
    estimate_id: null,
  })
}

/** Enters a drawn sales order into the books, with a number of its own. */
export function insertSalesOrder(books: Books, { head, lines, status = 'DRAFT', ...told }: DrawnSalesOrder): SalesOrder {
  const row = books.insert(salesOrders, {
    ...head,
    ...told,
    id: books.newId(),
    sales_order_number: numberDocument(books, 'SALES_ORDER'),
    status,
    version: 1,
    created_time: books.now,
    last_modified_time: books.now,
  })
  const order = { ...row, lines: lines.map((line) => insertLine(books, row.id, line)), invoices: [] }
  recordSalesOrder(books, order, 'SALES_ORDER_CREATED')
  announceSalesOrder(books, order)
  return order
}

/**
 * Changes a draft whole, and prices it anew; of an open order the dates, reference and notes (decisions §10, Documents; §11).
 * Throws as compareFields and termsToldOf do.
 */
export async function changeSalesOrder(
  books: Books, id: string, sent: Sent<SalesOrderChanges>, answered: Answered<SalesOrder>,
): Promise<SalesOrder> {
  const before = await salesOrderOf(books, id, 'FOR UPDATE')
  nextStatus('SALES_ORDER', 'edit', before.status)
  const shown = answered(before)
  const { changed, refusal } = compareFields(sent, shown, changeableOrder(before.status, TERMS, REMARKS))
  const date = sent.date === undefined ? before.date : orderDateOf(books, sent.date)
  const redrawn = TERMS.some((term) => changed.has(term)) ? await drawUpAnew(books, before, sent, { date, shown }) : null
  throwRefusal(refusal)
  if (changed.size === 0) return before
  const shipmentDate = sent.shipment_date === undefined ? before.shipment_date : sent.shipment_date
  const told: Partial<SalesOrderRow> = { ...redrawn?.head, date, shipment_date: goodsDateOf('shipment_date', shipmentDate, date) }
  if (sent.reference_number !== undefined) told.reference_number = sent.reference_number
  if (sent.notes !== undefined) told.notes = sent.notes
  const changes = changesBetween({ ...before, exchange_rate: decimalText(before.exchange_rate) }, told)
  const relined = redrawn && redrawLines(books, salesOrderLines, before, redrawn, (line) => insertLine(books, before.id, line))
  if (changes === null && !relined?.changes) return before
  const order = { ...change(books, before, told), lines: relined?.lines ?? before.lines }
  recordSalesOrder(books, order, 'SALES_ORDER_UPDATED', { ...changes, ...relined?.changes })
  return order
}

/** DRAFT to OPEN: the customer's word is had. Throws conflict.invalid_state for any other status. */
export const openSalesOrder = (books: Books, id: string): Promise<SalesOrder> => move(books, id, 'open')

/** Closes an open order: what is left of it is not invoiced any more. Throws conflict.invalid_state. */
export const closeSalesOrder = (books: Books, id: string): Promise<SalesOrder> => move(books, id, 'close')

/** Cancels an order that nothing is invoiced of. Throws conflict.invalid_state. */
export const cancelSalesOrder = (books: Books, id: string): Promise<SalesOrder> => move(books, id, 'cancel')

/** Gives an order, found with a lock, the status that it has come to; one that it has already leaves no trace. */
export function turnSalesOrder(books: Books, before: SalesOrder, status: SalesOrderStatus): SalesOrder {
  if (before.status === status) return before
  const order = change(books, before, { status })
  recordSalesOrder(books, order, 'SALES_ORDER_STATUS_CHANGED', changesBetween({ status: before.status }, { status }))
  return order
}

async function move(books: Books, id: string, verb: 'open' | 'close' | 'cancel'): Promise<SalesOrder> {
  const before = await salesOrderOf(books, id, 'FOR UPDATE')
  return turnSalesOrder(books, before, nextStatus('SALES_ORDER', verb, before.status))
}

// Another customer brings a place of supply of their own.
async function drawUpAnew(books: Books, before: SalesOrder, sent: SalesOrderChanges, { date, shown }: { date: string; shown: object }) {
  const { terms: { line_items, ...terms }, existing, refusal } = termsToldOf(before, sent, shown)
  const sameCustomer = sent.customer_id === undefined || sent.customer_id.toLowerCase() === before.customer_id
  const place = sameCustomer ? {} : { place_of_supply: null }
  const wanted = { customer_id: before.customer_id, ...terms, ...place, ...sent, line_items, round_off: null }
  const { head, lines } = await drawUpSale(books, wanted, { date, existing })
  throwRefusal(refusal)
  return { head, lines, existing, currency: head.currency_code }
}

function insertLine(books: Books, orderId: string, line: SaleLine): SalesOrderLineRow {
  return books.insert(salesOrderLines, { ...line, id: books.newId(), sales_order_id: orderId, quantity_invoiced: '0' })
}

function change(books: Books, order: SalesOrder, told: Partial<SalesOrderRow>): SalesOrder {
  const changed = books.update<SalesOrderRow>(salesOrders, order, { ...told, version: order.version + 1, last_modified_time: books.now })
  return { ...changed, lines: order.lines, invoices: order.invoices }
}
