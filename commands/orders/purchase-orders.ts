// The commands on purchase orders: create, change, open, cancel, delete.
import { goodsDateOf } from '../../domain/document-dates.ts'
import { invalidState } from '../../domain/faults.ts'
import type { Answered, Sent } from '../../domain/fixed-fields.ts'
import { nextStatus } from '../../domain/lifecycle.ts'
import { documentFinder } from '../../models/existing-document.ts'
import {
  findPurchaseOrder,
  purchaseOrderLines,
  purchaseOrders,
  type PurchaseOrder,
  type PurchaseOrderLineRow,
  type PurchaseOrderStatus,
} from '../../models/purchase-order.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { announceDocument, recordDeletion, recordDocument, registerGap } from '../documents/document-entries.ts'
import { changeDraft } from '../documents/draft-changes.ts'
import { documentDateOf } from '../documents/drafting.ts'
import { numberDocument } from '../documents/numbering.ts'
import { ANOTHER_ORDER, ORDER_TERMS } from './order-drafting.ts'
import { draftPurchase, type PurchaseLine, type PurchaseInput } from '../purchases/purchase.ts'
import type { LineChanges } from '../documents/draft-input.ts'

/** The body of POST /purchase_orders. Dates as the wire sends them. */
export interface NewPurchaseOrder extends Omit<PurchaseInput, 'round_off'> {
  date?: string | null
  expected_date?: string | null
  reference_number?: string | null
  notes?: string | null
}

export type PurchaseOrderChanges = Partial<Omit<NewPurchaseOrder, 'line_items'>> & { line_items?: LineChanges[] }

const TERMS = ['vendor_id', ...ORDER_TERMS] as const satisfies (keyof NewPurchaseOrder)[]
const REMARKS = ['reference_number', 'notes'] as const satisfies (keyof NewPurchaseOrder)[]

/** The purchase order of this id, with its lines. Throws not_found.resource for one that the organisation does not have. */
export const purchaseOrderOf = documentFinder('PURCHASE_ORDER', findPurchaseOrder)

/**
 * Creates a purchase order (specification, "Purchase order"; decisions §4). Throws not_found.resource for a vendor,
 * branch, item, tax or tag that is not the organisation's, and validation.invalid_value for an invalid place of supply,
 * date, rate or amount.
 */
export async function createPurchaseOrder(books: Books, input: NewPurchaseOrder): Promise<PurchaseOrder> {
  const date = documentDateOf(books, input.date)
  const { head, lines } = await draftPurchase(books, { ...input, round_off: null }, { date })
  const row = books.create(purchaseOrders, {
    ...head,
    expected_date: goodsDateOf('expected_date', input.expected_date, date),
    reference_number: input.reference_number ?? null,
    notes: input.notes ?? null,
    purchase_order_number: numberDocument(books, 'PURCHASE_ORDER'),
    status: 'DRAFT',
  })
  const order = { ...row, lines: lines.map((line) => insertLine(books, row.id, line)), bills: [] }
  recordDocument(books, 'PURCHASE_ORDER', order, 'PURCHASE_ORDER_CREATED')
  announceDocument(books, 'PURCHASE_ORDER', 'PURCHASE_ORDER_CREATED', order)
  return order
}

/**
 * Changes a draft in all fields and prices it again; of an open order only dates, reference and notes (decisions §10, Documents; §11).
 * Throws as changeDraft does.
 */
export async function changePurchaseOrder(
  books: Books,
  id: string,
  sent: Sent<PurchaseOrderChanges>,
  answered: Answered<PurchaseOrder>,
): Promise<PurchaseOrder> {
  const before = await purchaseOrderOf(books, id, 'FOR UPDATE')
  nextStatus('PURCHASE_ORDER', 'edit', before.status)
  const input: PurchaseOrderChanges = sent
  return changeDraft(books, 'PURCHASE_ORDER', before, sent, {
    shown: answered(before),
    terms: TERMS,
    instead: ANOTHER_ORDER,
    remarks: REMARKS,
    goodsDate: 'expected_date',
    // The branch counts too: its state is the place of supply of a vendor without a place_of_contact.
    placedBy: ['vendor_id', 'branch_id'],
    reprice: ({ terms, place, ...options }) =>
      draftPurchase(
        books,
        { vendor_id: before.vendor_id, ...terms, ...place, ...input, line_items: terms.line_items, round_off: null },
        options,
      ),
    change: (changes) => books.change(purchaseOrders, before, changes),
    lines: purchaseOrderLines,
    insertLine: (line) => insertLine(books, before.id, line),
  })
}

/** DRAFT to OPEN: the order is sent to the vendor. Throws conflict.invalid_state for any other status. */
export async function openPurchaseOrder(books: Books, id: string): Promise<PurchaseOrder> {
  const before = await purchaseOrderOf(books, id, 'FOR UPDATE')
  return setStatus(books, before, nextStatus('PURCHASE_ORDER', 'open', before.status))
}

/** Cancels an order of which nothing is billed. Throws conflict.invalid_state, also for an OPEN order that is billed in part. */
export async function cancelPurchaseOrder(books: Books, id: string): Promise<PurchaseOrder> {
  const before = await purchaseOrderOf(books, id, 'FOR UPDATE')
  const status = nextStatus('PURCHASE_ORDER', 'cancel', before.status)
  if (before.lines.some((line) => Number(line.quantity_billed) > 0)) {
    throw invalidState('Part of this order is billed, so it cannot be cancelled.', before.status, ['DRAFT'], {
      bills: before.bills,
    })
  }
  return setStatus(books, before, status)
}

/** Deletes a draft; its number is entered into the register of gaps. Throws conflict.invalid_state for any other status. */
export async function deletePurchaseOrder(books: Books, id: string): Promise<void> {
  const order = await purchaseOrderOf(books, id, 'FOR UPDATE')
  nextStatus('PURCHASE_ORDER', 'delete', order.status)
  books.delete(purchaseOrders, order)
  registerGap(books, 'PURCHASE_ORDER', order, 'Draft deleted')
  await recordDeletion(books, 'PURCHASE_ORDER', order)
}

/** Sets the status of a locked order. Writes nothing when the order has the status already. */
function setStatus(books: Books, before: PurchaseOrder, status: PurchaseOrderStatus): PurchaseOrder {
  if (before.status === status) return before
  const order = books.change(purchaseOrders, before, { status })
  recordDocument(
    books,
    'PURCHASE_ORDER',
    order,
    'PURCHASE_ORDER_STATUS_CHANGED',
    changesBetween({ status: before.status }, { status }),
  )
  return order
}

function insertLine(books: Books, orderId: string, line: PurchaseLine): PurchaseOrderLineRow {
  return books.insert(purchaseOrderLines, {
    ...line,
    id: books.newId(),
    purchase_order_id: orderId,
    quantity_billed: '0',
  })
}
