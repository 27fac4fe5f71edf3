// Bulk creation: which documents can be created in bulk, how many at once, and which rows must wait for an earlier one.
import { parseDocumentDate } from './dates.ts'

/** The kinds of documents that are created in bulk, and the key of the rows in a body. */
export const BULK_KINDS = { INVOICE: { rows: 'invoices' }, BILL: { rows: 'bills' } } as const

export type BulkKind = keyof typeof BULK_KINDS

/** The most rows of a call that waits for its results, and of one that does not (specification, "Limits"). */
export const MAX_ROWS = { waiting: 50, async: 5_000 }

/** The most bulks that one organisation may have under way. */
export const MAX_BULKS = 20

/** How many batches a worker process works on at once, in all and of one organisation: API calls write beside them. */
export const BULK_PLACES = { total: 4, each: 2 }

export interface BulkCounts {
  total: number
  succeeded: number
  failed: number
}

/** How many rows are created in one transaction at most, and how many lines the rows after the first may add to it. */
export const BATCH = { rows: 20, lines: 200 }

/** A row waits for the rows before it that leave the key for which it waits. */
export interface Conflicts {
  waitsFor: string[]
  leaves: string[]
}

/**
 * By what a row could decide what becomes of a later row, or an earlier one of it:
 * - a number that a row brings along is not given to, or taken by, another row;
 * - an approved bill can make a later one of its vendor and date a duplicate, unless that has a reference of its own.
 */
export function conflictsOf(kind: BulkKind, body: unknown): Conflicts {
  const row = body as ConflictingRow
  if (kind === 'INVOICE') {
    const number = row.invoice_number ?? null
    if (number === null) return { waitsFor: ['number'], leaves: [] }
    return { waitsFor: [`number ${number}`], leaves: ['number', `number ${number}`] }
  }
  const alike = `${row.vendor_id.toLowerCase()} ${parseDocumentDate(row.date)}`
  const reference = row.reference_number?.trim() ?? ''
  const same = `${alike} ${reference}`
  // Bills may have equal numbers of their vendors.
  const isNumbered = (row.bill_number ?? null) !== null
  return {
    waitsFor: [reference === '' ? alike : same, ...(isNumbered ? [] : ['number'])],
    leaves: [...(row.auto_approve === true ? [alike, same] : []), ...(isNumbered ? ['number'] : [])],
  }
}

/** How many lines the document of a row has, as far as can be told. */
export function linesOf(body: unknown): number {
  const { line_items: lines } = body as { line_items?: unknown[] }
  return lines?.length ?? 1
}

interface ConflictingRow {
  invoice_number?: string | null
  bill_number?: string | null
  vendor_id: string
  date: string
  reference_number?: string | null
  auto_approve?: boolean | null
}

/** A sentence about how far a bulk has come: `48 of 50 invoices created, 2 failed.` */
export function bulkText(kind: BulkKind, { total, succeeded, failed }: BulkCounts): string {
  const left = total - succeeded - failed
  const { rows } = BULK_KINDS[kind]
  return `${succeeded} of ${total} ${rows} created, ${failed} failed${left > 0 ? `, ${left} waiting` : ''}.`
}
