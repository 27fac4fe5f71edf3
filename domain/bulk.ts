// Bulk creation: which documents can be created in bulk, how many at once, and which rows must wait for an earlier one.
import { parseDocumentDate } from './dates.ts'

/** The kinds of documents that are created in bulk, and the key of the rows in a body. */
export const BULK_KINDS = { INVOICE: { rows: 'invoices' }, BILL: { rows: 'bills' } } as const

export type BulkKind = keyof typeof BULK_KINDS

/** The most rows of a call that waits for its results, and of one that does not (specification, "Limits"). */
export const MAX_ROWS = { waiting: 50, async: 5_000 }

/** The most bulks that one organisation may have under way. */
export const MAX_BULKS = 20

/** How many rows a worker process creates at once, in all and of one organisation: API calls write beside them. */
export const BULK_PLACES = { total: 4, each: 2 }

export interface BulkCounts {
  total: number
  succeeded: number
  failed: number
}

/**
 * What a row has in common with the rows that it must wait for, because they could decide what becomes of it; null where
 * there are none. A bill is compared with the bills of its vendor and date. The number of an invoice needs no waiting: it is
 * unique in PostgreSQL, and documents are written in the order of their rows.
 */
export function conflictKey(kind: BulkKind, body: unknown): string | null {
  if (kind !== 'BILL') return null
  const { vendor_id, date } = body as { vendor_id: string; date: string }
  return `${vendor_id.toLowerCase()} ${parseDocumentDate(date)}`
}

/** A sentence about how far a bulk has come: `48 of 50 invoices created, 2 failed.` */
export function bulkText(kind: BulkKind, { total, succeeded, failed }: BulkCounts): string {
  const left = total - succeeded - failed
  const { rows } = BULK_KINDS[kind]
  return `${succeeded} of ${total} ${rows} created, ${failed} failed${left > 0 ? `, ${left} waiting` : ''}.`
}
