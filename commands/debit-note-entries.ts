// What a debit note leaves in the books besides itself: its journals, its activity entries, its event.
import { toAmount } from '../domain/money.ts'
import { debitNotePosting } from '../domain/posting/debit-note.ts'
import type { PostingAccounts } from '../models/basis.ts'
import type { DebitNote, DebitNoteRow } from '../models/debit-note.ts'
import type { Books } from './books.ts'
import type { Changes } from './changes.ts'
import { purchaseFigures } from './figures.ts'
import { reverse } from './reversal.ts'

/** Posts the journal of an issued debit note, dated as the note. */
export function postDebitNote(books: Books, note: DebitNote, accounts: PostingAccounts): void {
  books.post({
    date: note.date,
    source: 'DEBIT_NOTE',
    sourceId: note.id,
    memo: `Debit note ${note.debit_note_number}`,
    contactId: note.vendor_id,
    lines: debitNotePosting(purchaseFigures(books, note, accounts)),
  })
}

/** Reverses the journal of a debit note; `date` null for its own date. */
export async function unpostDebitNote(books: Books, note: DebitNoteRow, date: string | null, why: string): Promise<void> {
  await reverse(books, { source: 'DEBIT_NOTE', sourceId: note.id, date, memo: `${why} of debit note ${note.debit_note_number}` })
}

/** Writes an activity entry on the debit note. */
export function recordDebitNote(books: Books, note: DebitNoteRow, action: string, changes: Changes | null = null, metadata = {}): void {
  books.record({ action, entityType: 'DEBIT_NOTE', entityId: note.id, entityRef: note.debit_note_number, changes, metadata })
}

/** Announces a new debit note; the catalogue has no other event of it (decisions §5). */
export function announceDebitNote(books: Books, note: DebitNoteRow): void {
  books.announce({
    type: 'DEBIT_NOTE_CREATED',
    entityType: 'DEBIT_NOTE',
    entityId: note.id,
    data: {
      id: note.id,
      number: note.debit_note_number,
      vendor_id: note.vendor_id,
      total: toAmount(note.total, note.currency_code),
      status: note.status,
      sequence: note.version,
    },
  })
}
