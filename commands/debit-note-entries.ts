// What a debit note leaves in the books besides itself: its journals, its activity entries, its event.
import { sum, toAmount } from '../domain/money.ts'
import { debitNotePosting } from '../domain/posting/debit-note.ts'
import type { PostingLine } from '../domain/posting/posting.ts'
import type { PostingAccounts } from '../models/basis.ts'
import type { DebitNote, DebitNoteRow } from '../models/debit-note.ts'
import type { DocumentRow, LineRow, ReverseCharge } from '../models/document.ts'
import type { Books } from './books.ts'
import type { Changes } from './changes.ts'
import { reverse } from './reversal.ts'

/** Posts the journal of an issued debit note, dated as the note. */
export function postDebitNote(books: Books, note: DebitNote, accounts: PostingAccounts): void {
  books.post({
    date: note.date,
    source: 'DEBIT_NOTE',
    sourceId: note.id,
    memo: `Debit note ${note.debit_note_number}`,
    contactId: note.vendor_id,
    lines: purchaseReturned(books, note, note.vendor_id, accounts),
  })
}

/** The journal lines of a purchase that is given back: of a debit note, or of a vendor's credit. */
export function purchaseReturned(
  books: Books, note: DocumentRow & { lines: (LineRow & ReverseCharge)[] }, vendorId: string, { roles, round_off_account }: PostingAccounts,
): PostingLine[] {
  const ofLines = (tax: keyof ReverseCharge) => sum(note.lines.map((line) => line[tax]))
  return debitNotePosting({
    vendorId,
    currency: note.currency_code,
    exchangeRate: note.exchange_rate,
    baseCurrency: books.organization.currency_code,
    total: note.total,
    roundOff: note.round_off,
    charged: { cgst: note.cgst, sgst: note.sgst, igst: note.igst, cess: note.cess },
    selfAssessed: { cgst: ofLines('rcm_cgst'), sgst: ofLines('rcm_sgst'), igst: ofLines('rcm_igst'), cess: ofLines('rcm_cess') },
    lines: note.lines.map((line) => ({ accountId: line.account_id, taxable: line.item_total })),
    accounts: {
      payable: roles.ACCOUNTS_PAYABLE!,
      input: { cgst: roles.INPUT_CGST!, sgst: roles.INPUT_SGST!, igst: roles.INPUT_IGST!, cess: roles.INPUT_CESS! },
      reverseCharge: {
        cgst: roles.RCM_OUTPUT_CGST!, sgst: roles.RCM_OUTPUT_SGST!, igst: roles.RCM_OUTPUT_IGST!, cess: roles.RCM_OUTPUT_CESS!,
      },
      roundOff: round_off_account,
    },
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
