// The warning of a void when issued notes with a balance still refer to the document.
import { DOCUMENTS, kindsThatHave } from '../../domain/documents.ts'
import { toAmount } from '../../domain/money.ts'
import { findUnappliedNotes, type UnappliedNote } from '../../models/unapplied-note.ts'
import type { Books } from '../books/books.ts'

// Any number of notes may refer to a document; the warning lists this many.
const MAX_NAMED = 100

/**
 * Warns of issued notes with a balance that refer to the voided invoice or bill. They stay issued; a credit note can be
 * applied to another document, and any of them can be voided (decisions §11).
 */
export async function warnOfUnappliedNotes(books: Books, document: 'invoice' | 'bill', id: string): Promise<void> {
  const found = await findUnappliedNotes(books, id, MAX_NAMED)
  if (found.length === 0) return
  const numbers = found.map(({ number }) => number).join(', ')
  const shown = (kind: UnappliedNote['kind']) =>
    found
      .filter((note) => note.kind === kind)
      .map(({ id, number, balance, currency_code }) => ({
        [DOCUMENTS[kind].id]: id,
        [DOCUMENTS[kind].number]: number,
        balance_amount: toAmount(balance, currency_code),
      }))
  books.warn({
    code: 'validation.unapplied_notes',
    message: `Issued notes with a balance refer to this ${document}: ${numbers}. They stay as they are; apply a credit note to another document, or void the note.`,
    details: Object.fromEntries(kindsThatHave('against').map((kind) => [DOCUMENTS[kind].table, shown(kind)])),
  })
}
