// The journals of a credit note: a sale given back, or a purchase; and what it is worth where it is applied.
import type { CreditSide } from '../../domain/credit.ts'
import type { Minor } from '../../domain/money.ts'
import { creditNotePosting, vendorCreditPosting } from '../../domain/posting/credit-note.ts'
import { exchangePosting, type Flow } from '../../domain/posting/payment.ts'
import type { PostingAccounts } from '../../models/document-context.ts'
import type { CreditNote, CreditNoteRow } from '../../models/credit-note.ts'
import type { Books } from '../books/books.ts'
import { postDocument } from '../documents/document-entries.ts'
import { purchaseFigures, saleFigures } from '../documents/posting-figures.ts'

/** The flow of money that a credit stands in the place of. */
export const FLOW_OF: Record<CreditSide, Flow> = { customer: 'INCOMING', vendor: 'OUTGOING' }

/** Posts the journal of an issued credit note, dated as the note. */
export function postCreditNote(books: Books, note: CreditNote, accounts: PostingAccounts): void {
  postDocument(books, 'CREDIT_NOTE', note, note.type === 'customer'
    ? creditNotePosting(saleFigures(books, note, accounts))
    : vendorCreditPosting(purchaseFigures(books, { ...note, vendor_id: note.customer_id }, accounts)))
}

/** Posts what a credit is worth more (or less) than the document it is applied to stood at; nothing where it is not. */
export function postCreditDifference(
  books: Books, note: CreditNoteRow, difference: Minor, date: string, { roles }: Pick<PostingAccounts, 'roles'>,
): void {
  const lines = exchangePosting({
    flow: FLOW_OF[note.type],
    type: 'REGULAR',
    contactId: note.customer_id,
    exchangeDifference: difference,
    accounts: { receivable: roles.ACCOUNTS_RECEIVABLE!, payable: roles.ACCOUNTS_PAYABLE!, exchange: roles.EXCHANGE_GAIN_LOSS! },
  })
  postDocument(books, 'CREDIT_NOTE', note, lines, { date, memo: `Application of credit note ${note.credit_note_number}` })
}
