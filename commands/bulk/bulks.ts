// Stores a bulk, creates the documents of its rows, and completes the bulk.
import { MAX_BULKS, type BulkCounts, type BulkKind } from '../../domain/bulk.ts'
import type { EventType } from '../../domain/events.ts'
import { Fault, fault, notFound } from '../../domain/faults.ts'
import {
  bulkItems,
  bulks,
  countRows,
  countRunning,
  findBulk,
  stillPending,
  type BulkItemRow,
  type BulkRow,
  type PendingItem,
  type RowError,
} from '../../models/bulk.ts'
import type { Books } from '../books/books.ts'
import { createBill } from '../purchases/bills.ts'
import { createInvoice } from '../sales/invoices.ts'

/** The event after the last row. */
const COMPLETED = {
  INVOICE: { type: 'INVOICE_BULK_CREATED' },
  BILL: { type: 'BILL_BULK_CREATED' },
} as const satisfies Record<BulkKind, { type: EventType }>

/** The commands of single creations. The body of a row has their shape, because the API validated it before it was stored. */
const CREATE = {
  INVOICE: createInvoice,
  BILL: createBill,
} satisfies Record<BulkKind, (books: Books, body: never) => Promise<{ id: string }>>

/** A row as it was sent, and why its shape is refused. */
export interface RowSent {
  body: unknown
  refusal: Fault | null
}

/**
 * Stores a bulk under `id`, with its rows in their order; a row whose shape is refused has failed from the start. Returns the
 * stored one if the id exists already; `isNew` says that it cannot. Throws service.unavailable where the organisation has
 * MAX_BULKS under way.
 */
export async function requestBulk(
  books: Books,
  { id, isNew }: { id: string; isNew: boolean },
  kind: BulkKind,
  rows: () => RowSent[],
): Promise<BulkRow> {
  const earlier = isNew ? null : await findBulk(books, id)
  if (earlier) return earlier
  const sent = rows()
  if ((await countRunning(books)) >= MAX_BULKS) throw tooMany()
  const bulk = books.insert(bulks, {
    id,
    entity_type: kind,
    total: sent.length,
    status: 'RUNNING',
    succeeded: 0,
    failed: 0,
    requested_by: books.caller.userId,
    origin: books.caller.origin,
    created_time: books.now,
    completed_time: null,
  })
  sent.forEach(({ body, refusal }, index) => {
    const row = { bulk_id: id, index, body, document_id: null, warnings: null }
    const pending = { ...row, status: 'PENDING' as const, error: null, completed_time: null }
    books.insert(bulkItems, refusal ? { ...row, ...failure(books, refusal) } : pending)
  })
  return bulk
}

/**
 * Creates the documents of pending rows, each by the command of a single creation; a row that is refused has failed, and the
 * others are created. Rows and documents are committed together, so a repetition after a crash throws AlreadySettled where
 * one of the rows is decided. The rows read together: none sees the document of another, so where rows could decide what
 * becomes of each other (see conflictsOf) they must not be in one call. Returns how many are refused.
 */
export async function createRows(books: Books, kind: BulkKind, items: PendingItem[]): Promise<number> {
  books.connection.require(stillPending(books, items))
  const parts = items.map(() => books.part())
  const outcomes = await Promise.allSettled(items.map((item, place) => createDocument(parts[place]!, kind, item)))
  let refused = 0
  outcomes.forEach((outcome, place) => {
    if (outcome.status === 'fulfilled') return books.add(parts[place]!)
    if (!isRefusal(outcome.reason)) throw outcome.reason
    refused += 1
    failItem(books, items[place]!, outcome.reason)
  })
  return refused
}

/** Creates the document of one row. Throws AlreadySettled as createRows does, and the Fault with which the row is refused. */
export async function createRow(books: Books, kind: BulkKind, item: PendingItem): Promise<void> {
  books.connection.require(stillPending(books, [item]))
  await createDocument(books, kind, item)
}

/** Records that a pending row is refused. Throws AlreadySettled as createRows does. */
export async function failRow(books: Books, item: PendingItem, refusal: Fault): Promise<void> {
  books.connection.require(stillPending(books, [item]))
  failItem(books, item, refusal)
}

/** True for an error that is the result of a row: the same call would be refused again. */
export function isRefusal(error: unknown): error is Fault {
  return error instanceof Fault && error.status < 500
}

async function createDocument(books: Books, kind: BulkKind, item: PendingItem): Promise<void> {
  const document = await CREATE[kind](books, item.body as never)
  books.update<PendingItem & Partial<BulkItemRow>>(bulkItems, item, {
    status: 'SUCCEEDED',
    body: null,
    document_id: document.id,
    warnings: [...books.warnings],
    completed_time: books.now,
  })
}

function failItem(books: Books, item: PendingItem, refusal: Fault): void {
  books.update<PendingItem & Partial<BulkItemRow>>(bulkItems, item, failure(books, refusal))
}

/**
 * Completes a bulk without pending rows, once: its counts, its activity entry and the event after the last row. Returns the
 * counts. Throws not_found.resource for a bulk that does not exist.
 */
export async function completeBulk(books: Books, id: string): Promise<BulkCounts> {
  const bulk = await findBulk(books, id, 'FOR UPDATE')
  if (!bulk) throw notFound('bulk')
  const counts = await countRows(books, bulk)
  if (bulk.status === 'COMPLETED') return counts
  const { total, succeeded, failed } = counts
  if (succeeded + failed !== total) throw new Error(`bulk ${id} has pending rows`)
  books.update(bulks, bulk, { status: 'COMPLETED', succeeded, failed, completed_time: books.now })
  const { type } = COMPLETED[bulk.entity_type]
  const data = { count: succeeded, failed, batch_size: total }
  books.record({ action: type, entityType: 'BULK', entityId: id, entityRef: null, metadata: data })
  books.announce({ type, entityType: 'BULK', entityId: id, data })
  return counts
}

function failure(books: Books, refusal: Fault) {
  return { status: 'FAILED' as const, error: rowErrorOf(refusal), completed_time: books.now }
}

function rowErrorOf({ code, message, field, details, errors }: Fault): RowError {
  return { code, message, ...(field && { field }), ...(details && { details }), ...(errors && { errors }) }
}

function tooMany(): Fault {
  const message = `The organisation has ${MAX_BULKS} bulks under way; send this one when one of them is done.`
  return fault('service.unavailable', { message, retryAfter: 10 })
}
