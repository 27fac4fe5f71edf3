// What a credit note leaves in the books besides itself: its journals, its activity entries, its events.
import type { CreditSide } from '../domain/credit.ts'
import { toAmount, type Minor } from '../domain/money.ts'
import { creditNotePosting } from '../domain/posting/credit-note.ts'
import { debitNotePosting } from '../domain/posting/debit-note.ts'
import { exchangePosting, type Flow } from '../domain/posting/payment.ts'
import type { PostingAccounts } from '../models/basis.ts'
import type { CreditNote, CreditNoteRow } from '../models/credit-note.ts'
import type { Books } from './books.ts'
import type { Changes } from './changes.ts'
import { purchaseFigures, saleFigures } from './figures.ts'
import { reverse } from './reversal.ts'

/** The flow of money that a credit stands in the place of. */
export const FLOW_OF: Record<CreditSide, Flow> = { customer: 'INCOMING', vendor: 'OUTGOING' }

/** Posts the journal of an issued credit note, dated as the note. */
export function postCreditNote(books: Books, note: CreditNote, accounts: PostingAccounts): void {
  books.post({
    date: note.date,
    source: 'CREDIT_NOTE',
    sourceId: note.id,
    memo: `Credit note ${note.credit_note_number}`,
    contactId: note.customer_id,
    lines: note.type === 'customer'
      ? creditNotePosting(saleFigures(books, note, accounts))
      : debitNotePosting(purchaseFigures(books, { ...note, vendor_id: note.customer_id }, accounts)),
  })
}

/** Posts what a credit is worth more (or less) than the document it is applied to stood at; nothing where it is not. */
export function postCreditDifference(
  books: Books, note: CreditNoteRow, difference: Minor, date: string, { roles }: Pick<PostingAccounts, 'roles'>,
): void {
  books.post({
    date,
    source: 'CREDIT_NOTE',
    sourceId: note.id,
    memo: `Application of credit note ${note.credit_note_number}`,
    contactId: note.customer_id,
    lines: exchangePosting({
      flow: FLOW_OF[note.type],
      type: 'REGULAR',
      contactId: note.customer_id,
      exchangeDifference: difference,
      accounts: { receivable: roles.ACCOUNTS_RECEIVABLE!, payable: roles.ACCOUNTS_PAYABLE!, exchange: roles.EXCHANGE_GAIN_LOSS! },
    }),
  })
}

/** Reverses the journal of a credit note; `date` null for its own date. */
export async function unpostCreditNote(books: Books, note: CreditNoteRow, date: string | null, why: string): Promise<void> {
  await reverse(books, { source: 'CREDIT_NOTE', sourceId: note.id, date, memo: `${why} of credit note ${note.credit_note_number}` })
}

/** Writes an activity entry on the credit note. */
export function recordCreditNote(books: Books, note: CreditNoteRow, action: string, changes: Changes | null = null, metadata = {}): void {
  books.record({ action, entityType: 'CREDIT_NOTE', entityId: note.id, entityRef: note.credit_note_number, changes, metadata })
}

/** Announces a credit note as it now is (decisions §5). */
export function announceCreditNote(books: Books, type: 'CREDIT_NOTE_CREATED' | 'CREDIT_NOTE_VOIDED', note: CreditNoteRow): void {
  books.announce({
    type,
    entityType: 'CREDIT_NOTE',
    entityId: note.id,
    data: {
      id: note.id,
      number: note.credit_note_number,
      customer_id: note.customer_id,
      total: toAmount(note.total, note.currency_code),
      status: note.status,
      sequence: note.version,
    },
  })
}
