// What can be done to a purchase order: create, change, open, cancel, delete.
import { decimalText } from '../domain/decimal.ts'
import { fault, invalidState } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import { nextStatus } from '../domain/lifecycle.ts'
import type { Lock, Scope } from '../models/find.ts'
import {
  findPurchaseOrder, purchaseOrderLines, purchaseOrders, type PurchaseOrder, type PurchaseOrderLineRow, type PurchaseOrderRow, type PurchaseOrderStatus,
} from '../models/purchase-order.ts'
import { numberGaps } from '../models/series.ts'
import type { Books } from './books.ts'
import { compareFields, throwRefusal, type Answered, type Sent } from './changeable.ts'
import { changesBetween } from './changes.ts'
import { numberDocument } from './numbering.ts'
import { changeableOrder, goodsDateOf, ORDER_TERMS, orderDateOf } from './order-drafting.ts'
import { drawUpPurchase, type PurchaseHead, type PurchaseLine, type PurchaseWanted } from './purchase.ts'
import { announcePurchaseOrder, recordPurchaseOrder } from './purchase-order-entries.ts'
import { redrawLines, termsToldOf, type LineSent } from './redrawing.ts'

/** The body of POST /purchase_orders. Dates as the wire sends them. */
export interface NewPurchaseOrder extends Omit<PurchaseWanted, 'round_off'> {
  date?: string | null
  expected_date?: string | null
  reference_number?: string | null
  notes?: string | null
}

export type PurchaseOrderChanges = Partial<Omit<NewPurchaseOrder, 'line_items'>> & { line_items?: LineSent[] }

/** A purchase order that is drawn up, but for what the books give it. */
export interface DrawnPurchaseOrder extends Pick<PurchaseOrderRow, 'expected_date' | 'reference_number' | 'notes'> {
  head: PurchaseHead
  lines: PurchaseLine[]
}

const TERMS = ['vendor_id', ...ORDER_TERMS] as const satisfies (keyof NewPurchaseOrder)[]
const REMARKS = ['date', 'expected_date', 'reference_number', 'notes'] as const satisfies (keyof NewPurchaseOrder)[]

/** The purchase order of this id, with its lines. Throws not_found.resource for one that the organisation does not have. */
export async function purchaseOrderOf(scope: Scope, id: string, lock: Lock = ''): Promise<PurchaseOrder> {
  const order = isId(id) ? await findPurchaseOrder(scope, id, lock) : null
  if (!order) throw fault('not_found.resource', { message: 'There is no such purchase order.' })
  return order
}

/**
 * Draws up a purchase order (specification, "Purchase order"; decisions §4). Throws not_found.resource for a vendor,
 * branch, item, tax or tag that is not the organisation's, and validation.invalid_value for a place of supply, date, rate
 * or amount that cannot be.
 */
export async function createPurchaseOrder(books: Books, wanted: NewPurchaseOrder): Promise<PurchaseOrder> {
  const date = orderDateOf(books, wanted.date)
  const { head, lines } = await drawUpPurchase(books, { ...wanted, round_off: null }, { date })
  return insertPurchaseOrder(books, {
    head,
    lines,
    expected_date: goodsDateOf('expected_date', wanted.expected_date, date),
    reference_number: wanted.reference_number ?? null,
    notes: wanted.notes ?? null,
  })
}

/** Enters a drawn purchase order into the books, as a DRAFT with a number of its own. */
export function insertPurchaseOrder(books: Books, { head, lines, ...told }: DrawnPurchaseOrder): PurchaseOrder {
  const row = books.insert(purchaseOrders, {
    ...head,
    ...told,
    id: books.newId(),
    purchase_order_number: numberDocument(books, 'PURCHASE_ORDER'),
    status: 'DRAFT',
    version: 1,
    created_time: books.now,
    last_modified_time: books.now,
  })
  const order = { ...row, lines: lines.map((line) => insertLine(books, row.id, line)), bills: [] }
  recordPurchaseOrder(books, order, 'PURCHASE_ORDER_CREATED')
  announcePurchaseOrder(books, order)
  return order
}

/**
 * Changes a draft whole, and prices it anew; of an open order the dates, reference and notes (decisions §10, Documents; §11).
 * Throws as compareFields and termsToldOf do.
 */
export async function changePurchaseOrder(
  books: Books, id: string, sent: Sent<PurchaseOrderChanges>, answered: Answered<PurchaseOrder>,
): Promise<PurchaseOrder> {
  const before = await purchaseOrderOf(books, id, 'FOR UPDATE')
  nextStatus('PURCHASE_ORDER', 'edit', before.status)
  const shown = answered(before)
  const { changed, refusal } = compareFields(sent, shown, changeableOrder(before.status, TERMS, REMARKS))
  const date = sent.date === undefined ? before.date : orderDateOf(books, sent.date)
  const redrawn = TERMS.some((term) => changed.has(term)) ? await drawUpAnew(books, before, sent, { date, shown }) : null
  throwRefusal(refusal)
  if (changed.size === 0) return before
  const expectedDate = sent.expected_date === undefined ? before.expected_date : sent.expected_date
  const told: Partial<PurchaseOrderRow> = { ...redrawn?.head, date, expected_date: goodsDateOf('expected_date', expectedDate, date) }
  if (sent.reference_number !== undefined) told.reference_number = sent.reference_number
  if (sent.notes !== undefined) told.notes = sent.notes
  const changes = changesBetween({ ...before, exchange_rate: decimalText(before.exchange_rate) }, told)
  const relined = redrawn && redrawLines(books, purchaseOrderLines, before, redrawn, (line) => insertLine(books, before.id, line))
  if (changes === null && !relined?.changes) return before
  const order = { ...change(books, before, told), lines: relined?.lines ?? before.lines }
  recordPurchaseOrder(books, order, 'PURCHASE_ORDER_UPDATED', { ...changes, ...relined?.changes })
  return order
}

/** DRAFT to OPEN: the vendor has it. Throws conflict.invalid_state for any other status. */
export async function openPurchaseOrder(books: Books, id: string): Promise<PurchaseOrder> {
  const before = await purchaseOrderOf(books, id, 'FOR UPDATE')
  return turnPurchaseOrder(books, before, nextStatus('PURCHASE_ORDER', 'open', before.status))
}

/** Cancels an order that nothing is billed of; one that is billed in part is still OPEN. Throws conflict.invalid_state. */
export async function cancelPurchaseOrder(books: Books, id: string): Promise<PurchaseOrder> {
  const before = await purchaseOrderOf(books, id, 'FOR UPDATE')
  const status = nextStatus('PURCHASE_ORDER', 'cancel', before.status)
  if (before.lines.some((line) => Number(line.quantity_billed) > 0)) {
    throw invalidState('Part of this order is billed.', before.status, ['DRAFT'], { bills: before.bills })
  }
  return turnPurchaseOrder(books, before, status)
}

/** Deletes a draft; its number is kept in the register of gaps. Throws conflict.invalid_state for any other status. */
export async function deletePurchaseOrder(books: Books, id: string): Promise<void> {
  const order = await purchaseOrderOf(books, id, 'FOR UPDATE')
  nextStatus('PURCHASE_ORDER', 'delete', order.status)
  books.delete(purchaseOrders, order)
  books.insert(numberGaps, {
    id: books.newId(), branch_id: order.branch_id, document: 'purchase order', number: order.purchase_order_number, series_name: null,
    reason: 'Draft deleted', time: books.now,
  })
  recordPurchaseOrder(books, order, 'PURCHASE_ORDER_DELETED')
}

/** Gives an order, found with a lock, the status that it has come to; one that it has already leaves no trace. */
export function turnPurchaseOrder(books: Books, before: PurchaseOrder, status: PurchaseOrderStatus): PurchaseOrder {
  if (before.status === status) return before
  const order = change(books, before, { status })
  recordPurchaseOrder(books, order, 'PURCHASE_ORDER_STATUS_CHANGED', changesBetween({ status: before.status }, { status }))
  return order
}

// Another vendor brings a place of supply of its own, and so does another branch to a vendor of unknown place.
async function drawUpAnew(books: Books, before: PurchaseOrder, sent: PurchaseOrderChanges, { date, shown }: { date: string; shown: object }) {
  const { terms: { line_items, ...terms }, existing, refusal } = termsToldOf(before, sent, shown)
  const same = (['vendor_id', 'branch_id'] as const).every((name) => sent[name] === undefined || sent[name]?.toLowerCase() === before[name])
  const place = same ? {} : { place_of_supply: null }
  const wanted = { vendor_id: before.vendor_id, ...terms, ...place, ...sent, line_items, round_off: null }
  const { head, lines } = await drawUpPurchase(books, wanted, { date, existing })
  throwRefusal(refusal)
  return { head, lines, existing, currency: head.currency_code }
}

function insertLine(books: Books, orderId: string, line: PurchaseLine): PurchaseOrderLineRow {
  return books.insert(purchaseOrderLines, { ...line, id: books.newId(), purchase_order_id: orderId, quantity_billed: '0' })
}

function change(books: Books, order: PurchaseOrder, told: Partial<PurchaseOrderRow>): PurchaseOrder {
  const changed = books.update<PurchaseOrderRow>(purchaseOrders, order, { ...told, version: order.version + 1, last_modified_time: books.now })
  return { ...changed, lines: order.lines, bills: order.bills }
}
