// What the invoice reference number (IRN) of a document is made of, and until when it can be cancelled.
import { financialYear } from '../financial-year.ts'

/** The types of documents that have one: invoice, credit note, and the note that raises what an invoice charged. */
export const DOCUMENT_TYPES = ['INV', 'CRN', 'DBN'] as const
export type DocumentType = (typeof DOCUMENT_TYPES)[number]

export interface DocumentDetails {
  gstin: string
  type: DocumentType
  number: string
  date: string
}

// Income tax and GST count years from April, whatever year an organisation closes its books on.
const APRIL = 4
const CANCELLABLE_MS = 24 * 60 * 60 * 1_000

/**
 * What the IRN is the SHA-256 of: the supplier's GSTIN, the year (`2026-27`), the type and the number in upper case, without
 * separators (decisions §8). The portals take the same number in another case for the same document.
 */
export const irnText = ({ gstin, type, number, date }: DocumentDetails): string =>
  gstin + financialYear(date, APRIL).label + type + number.toUpperCase()

/** Whether an IRN of this time can still be cancelled at the portal: for 24 hours. */
export function isCancellable(acknowledged: Date, now: Date): boolean {
  return now.getTime() - acknowledged.getTime() < CANCELLABLE_MS
}
