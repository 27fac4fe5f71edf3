// The warning of a void that leaves issued notes behind which name the document.
import { toAmount } from '../domain/money.ts'
import { findUnappliedNotes } from '../models/unapplied-note.ts'
import type { Books } from './books.ts'

// A document may be named by any number of notes; the warning lists this many.
const MOST_NAMED = 100

/**
 * Warns of the issued notes with a balance that name the invoice or bill which is voided: they stand, and can be applied
 * to other documents or voided (decisions §11).
 */
export async function warnOfUnappliedNotes(books: Books, document: 'invoice' | 'bill', id: string): Promise<void> {
  const found = await findUnappliedNotes(books, id, MOST_NAMED)
  if (found.length === 0) return
  const numbers = found.map(({ number }) => number).join(', ')
  const shown = (kind: 'credit_note' | 'debit_note') => found.filter((note) => note.kind === kind).map(({ id, number, balance, currency_code }) => ({
    [`${kind}_id`]: id, [`${kind}_number`]: number, balance_amount: toAmount(balance, currency_code),
  }))
  books.warn({
    code: 'validation.unapplied_notes',
    message: `Issued notes with a balance name this ${document}: ${numbers}. They stand; apply them to another document or void them.`,
    details: { credit_notes: shown('credit_note'), debit_notes: shown('debit_note') },
  })
}
