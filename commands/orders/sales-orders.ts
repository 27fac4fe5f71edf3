// The commands on sales orders: create, change, open, close, cancel.
import { goodsDateOf } from '../../domain/document-dates.ts'
import type { Answered, Sent } from '../../domain/fixed-fields.ts'
import { nextStatus } from '../../domain/lifecycle.ts'
import { documentFinder } from '../../models/existing-document.ts'
import {
  findSalesOrder,
  salesOrderLines,
  salesOrders,
  type SalesOrder,
  type SalesOrderLineRow,
  type SalesOrderRow,
  type SalesOrderStatus,
} from '../../models/sales-order.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { announceDocument, recordDocument } from '../documents/document-entries.ts'
import { changeDraft } from '../documents/draft-changes.ts'
import { documentDateOf } from '../documents/drafting.ts'
import { numberDocument } from '../documents/numbering.ts'
import { ANOTHER_ORDER, ORDER_TERMS } from './order-drafting.ts'
import type { LineChanges } from '../documents/draft-input.ts'
import { draftSale, type SaleHead, type SaleLine, type SaleInput } from '../sales/sale.ts'

/** The body of POST /sales_orders. Dates as the wire sends them. */
export interface NewSalesOrder extends Omit<SaleInput, 'round_off'> {
  date?: string | null
  shipment_date?: string | null
  reference_number?: string | null
  notes?: string | null
}

export type SalesOrderChanges = Partial<Omit<NewSalesOrder, 'line_items'>> & { line_items?: LineChanges[] }

/** A priced sales order, without the columns that the books add. */
export interface DraftedSalesOrder
  extends Pick<SalesOrderRow, 'shipment_date' | 'reference_number' | 'notes' | 'estimate_id'> {
  /** DRAFT by default. */
  status?: SalesOrderStatus
  head: SaleHead
  lines: SaleLine[]
}

const TERMS = ['customer_id', ...ORDER_TERMS] as const satisfies (keyof NewSalesOrder)[]
const REMARKS = ['reference_number', 'notes'] as const satisfies (keyof NewSalesOrder)[]

/** The sales order of this id, with its lines. Throws not_found.resource for one that the organisation does not have. */
export const salesOrderOf = documentFinder('SALES_ORDER', findSalesOrder)

/**
 * Creates a sales order (specification, "Sales order"; decisions §4). Throws not_found.resource for a customer, branch,
 * item, tax or tag that is not the organisation's, and validation.invalid_value for an invalid place of supply, date,
 * rate or amount.
 */
export async function createSalesOrder(books: Books, input: NewSalesOrder): Promise<SalesOrder> {
  const date = documentDateOf(books, input.date)
  const { head, lines } = await draftSale(books, { ...input, round_off: null }, { date })
  return insertSalesOrder(books, {
    head,
    lines,
    shipment_date: goodsDateOf('shipment_date', input.shipment_date, date),
    reference_number: input.reference_number ?? null,
    notes: input.notes ?? null,
    estimate_id: null,
  })
}

/** Adds a priced sales order to the books and gives it a number. */
export function insertSalesOrder(
  books: Books,
  { head, lines, status = 'DRAFT', ...input }: DraftedSalesOrder,
): SalesOrder {
  const row = books.create(salesOrders, {
    ...head,
    ...input,
    sales_order_number: numberDocument(books, 'SALES_ORDER'),
    status,
  })
  const order = { ...row, lines: lines.map((line) => insertLine(books, row.id, line)), invoices: [] }
  recordDocument(books, 'SALES_ORDER', order, 'SALES_ORDER_CREATED')
  announceDocument(books, 'SALES_ORDER', 'SALES_ORDER_CREATED', order)
  return order
}

/**
 * Changes a draft in all fields and prices it again; of an open order only dates, reference and notes (decisions §10, Documents; §11).
 * Throws as changeDraft does.
 */
export async function changeSalesOrder(
  books: Books,
  id: string,
  sent: Sent<SalesOrderChanges>,
  answered: Answered<SalesOrder>,
): Promise<SalesOrder> {
  const before = await salesOrderOf(books, id, 'FOR UPDATE')
  nextStatus('SALES_ORDER', 'edit', before.status)
  const input: SalesOrderChanges = sent
  return changeDraft(books, 'SALES_ORDER', before, sent, {
    shown: answered(before),
    terms: TERMS,
    instead: ANOTHER_ORDER,
    remarks: REMARKS,
    goodsDate: 'shipment_date',
    placedBy: ['customer_id'],
    reprice: ({ terms, place, ...options }) =>
      draftSale(
        books,
        {
          customer_id: before.customer_id,
          ...terms,
          ...place,
          ...input,
          line_items: terms.line_items,
          round_off: null,
        },
        options,
      ),
    change: (changes) => books.change(salesOrders, before, changes),
    lines: salesOrderLines,
    insertLine: (line) => insertLine(books, before.id, line),
  })
}

/** DRAFT to OPEN: the customer has confirmed it. Throws conflict.invalid_state for any other status. */
export const openSalesOrder = (books: Books, id: string): Promise<SalesOrder> => move(books, id, 'open')

/** Closes an OPEN or PARTIALLY_INVOICED order: the rest will not be invoiced. Throws conflict.invalid_state. */
export const closeSalesOrder = (books: Books, id: string): Promise<SalesOrder> => move(books, id, 'close')

/** Cancels an order of which nothing is invoiced. Throws conflict.invalid_state. */
export const cancelSalesOrder = (books: Books, id: string): Promise<SalesOrder> => move(books, id, 'cancel')

/** Sets the status of a locked order. Writes nothing when the order has the status already. */
function setStatus(books: Books, before: SalesOrder, status: SalesOrderStatus): SalesOrder {
  if (before.status === status) return before
  const order = books.change(salesOrders, before, { status })
  recordDocument(
    books,
    'SALES_ORDER',
    order,
    'SALES_ORDER_STATUS_CHANGED',
    changesBetween({ status: before.status }, { status }),
  )
  return order
}

async function move(books: Books, id: string, verb: 'open' | 'close' | 'cancel'): Promise<SalesOrder> {
  const before = await salesOrderOf(books, id, 'FOR UPDATE')
  return setStatus(books, before, nextStatus('SALES_ORDER', verb, before.status))
}

function insertLine(books: Books, orderId: string, line: SaleLine): SalesOrderLineRow {
  return books.insert(salesOrderLines, { ...line, id: books.newId(), sales_order_id: orderId, quantity_invoiced: '0' })
}
