// The journals of a credit note: of its issue, and of the exchange difference of an application.
import type { CreditSide } from '../../domain/credit.ts'
import type { Minor } from '../../domain/money.ts'
import { returnedBillPosting } from '../../domain/posting/bill.ts'
import { creditNotePosting } from '../../domain/posting/credit-note.ts'
import { exchangePosting, type Flow } from '../../domain/posting/payment.ts'
import type { PostingAccounts } from '../../models/document-context.ts'
import type { CreditNote, CreditNoteRow } from '../../models/credit-note.ts'
import type { Books } from '../books/books.ts'
import { postDocument } from '../documents/document-entries.ts'
import { purchaseFigures, saleFigures } from '../documents/posting-figures.ts'

/** The flow of the payment that a credit replaces. */
export const FLOW_OF: Record<CreditSide, Flow> = { customer: 'INCOMING', vendor: 'OUTGOING' }

/** Posts the journal of an issued credit note, with its date. */
export function postCreditNote(books: Books, note: CreditNote, accounts: PostingAccounts): void {
  postDocument(
    books,
    'CREDIT_NOTE',
    note,
    note.type === 'customer'
      ? creditNotePosting(saleFigures(books, note, accounts))
      : returnedBillPosting(purchaseFigures(books, { ...note, vendor_id: note.customer_id }, accounts)),
  )
}

/**
 * Posts an exchange difference: what an applied credit is worth at the rate of the note, less its value at the rate of the
 * document; in minor units of the organisation's currency. Posts nothing for 0.
 */
export function postCreditDifference(
  books: Books,
  note: CreditNoteRow,
  difference: Minor,
  date: string,
  { roles }: Pick<PostingAccounts, 'roles'>,
): void {
  const lines = exchangePosting({
    flow: FLOW_OF[note.type],
    type: 'REGULAR',
    contactId: note.customer_id,
    exchangeDifference: difference,
    accounts: {
      receivable: roles.ACCOUNTS_RECEIVABLE!,
      payable: roles.ACCOUNTS_PAYABLE!,
      exchange: roles.EXCHANGE_GAIN_LOSS!,
    },
  })
  postDocument(books, 'CREDIT_NOTE', note, lines, {
    date,
    memo: `Application of credit note ${note.credit_note_number}`,
  })
}
