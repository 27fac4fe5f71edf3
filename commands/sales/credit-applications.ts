// Applies credit notes to invoices and bills of their contact.
import { creditTaken, statusAfterApplying, TARGET, type Credit, type CreditSide } from '../../domain/credit.ts'
import { notFound } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import { openBalance } from '../../domain/lifecycle.ts'
import { amountAboveZero, sum } from '../../domain/money.ts'
import { readPostingAccounts } from '../../models/document-context.ts'
import {
  creditApplications,
  creditNotes,
  findCredit,
  type CreditApplicationRow,
  type CreditNoteRow,
} from '../../models/credit-note.ts'
import { documentFinder } from '../../models/existing-document.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { FLOW_OF, postCreditDifference } from './credit-note-entries.ts'
import { recordDocument } from '../documents/document-entries.ts'
import { today } from '../documents/drafting.ts'
import { documentsToSettle, type Credited } from '../payments/settlement.ts'

/** A credit note after an application, and the invoice or bill that it was applied to. */
export interface Applied {
  note: CreditNoteRow
  targetId: string
  target: Credited
}

/**
 * Applies `amount`, in units of the currency, of a credit note to an invoice. The exchange difference is posted today.
 * Throws not_found.resource for a note or invoice that is not the organisation's, and as creditTaken does.
 */
export function applyToInvoice(
  books: Books,
  id: string,
  input: { invoice_id: string; amount: number },
): Promise<Applied> {
  return apply(books, id, 'customer', input.invoice_id, input.amount)
}

/** As applyToInvoice, for the credit of a vendor and a bill. */
export function applyToBill(books: Books, id: string, input: { bill_id: string; amount: number }): Promise<Applied> {
  return apply(books, id, 'vendor', input.bill_id, input.amount)
}

const creditNoteFor = documentFinder('CREDIT_NOTE', findCredit)

async function apply(
  books: Books,
  id: string,
  side: CreditSide,
  targetId: string,
  sentAmount: number,
): Promise<Applied> {
  const before = await creditNoteFor(books, id)
  const { field, noun } = TARGET[side]
  const documentId = targetId.toLowerCase()
  const target = isId(documentId)
    ? (await documentsToSettle(books, FLOW_OF[side], [documentId])).get(documentId)
    : undefined
  if (!target) throw notFound(noun, field)
  const amount = amountAboveZero(sentAmount, before.currency_code, 'amount')

  const taken = creditTaken(
    creditOf(books, before, before.applications),
    { documentId, amount, fields: { document: field, amount: 'amount' } },
    target,
  )
  const application = books.insert(creditApplications, {
    id: books.newId(),
    credit_note_id: before.id,
    invoice_id: side === 'customer' ? documentId : null,
    bill_id: side === 'vendor' ? documentId : null,
    amount,
    settled_base: taken.settledBase,
    relieved_base: taken.relievedBase,
    date: today(books),
  })
  const note = takeFrom(books, before, amount)
  const difference = taken.relievedBase - taken.settledBase
  if (difference !== 0n)
    postCreditDifference(books, note, difference, application.date, await readPostingAccounts(books))
  const changes = changesBetween(appliedOf(before), appliedOf(note), note.currency_code)
  recordDocument(books, 'CREDIT_NOTE', note, 'CREDIT_NOTE_APPLIED', changes, {
    application_id: application.id,
    [field]: documentId,
  })
  return { note, targetId: documentId, target: target.credit(amount, note) }
}

/** The credit of a note, as domain/credit.ts takes it. */
function creditOf(books: Books, note: CreditNoteRow, applications: CreditApplicationRow[]): Credit {
  return {
    side: note.type,
    status: note.status,
    contactId: note.customer_id,
    currency: note.currency_code,
    exchangeRate: note.exchange_rate,
    baseCurrency: books.organization.currency_code,
    amount: note.total,
    unapplied: note.balance_amount,
    relievedBase: sum(applications.map(({ relieved_base }) => relieved_base)),
  }
}

function takeFrom(books: Books, note: CreditNoteRow, amount: bigint): CreditNoteRow {
  const applied = note.applied_amount + amount
  const columns = { applied_amount: applied, status: statusAfterApplying(note.total, applied) }
  const changed = books.change(creditNotes, note, columns)
  return { ...changed, balance_amount: openBalance(changed.status, changed.total, applied) }
}

const appliedOf = ({ applied_amount, balance_amount, status }: CreditNoteRow) => ({
  applied_amount,
  balance_amount,
  status,
})
