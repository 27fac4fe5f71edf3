// The commands on credit notes: create, issue, change, void. credit-applications.ts applies them.
import { invalidState } from '../../domain/faults.ts'
import type { Answered, Sent } from '../../domain/fixed-fields.ts'
import { refuseNewDate } from '../../domain/e-invoice/state.ts'
import { nextStatus, openBalance, refuseVoid } from '../../domain/lifecycle.ts'
import { readPostingAccounts } from '../../models/document-context.ts'
import {
  creditNoteLines,
  creditNotes,
  findCreditNote,
  type CreditNote,
  type CreditNoteLineRow,
  type CreditNoteRow,
} from '../../models/credit-note.ts'
import { documentFinder } from '../../models/existing-document.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { draftCreditNote, type CreditNoteTerms } from './credit-note-drafting.ts'
import { postCreditNote } from './credit-note-entries.ts'
import { announceDocument, recordDocument, reverseDocument } from '../documents/document-entries.ts'
import { changeDraft, isOther } from '../documents/draft-changes.ts'
import { eInvoiceToComeOf, queueEInvoice, voidedEInvoice } from '../e-invoices/queue-e-invoice.ts'
import { documentDateOf } from '../documents/drafting.ts'
import {
  ANOTHER_NOTE,
  NOTE_TERMS,
  noteTermsOf,
  type NoteLine,
  type NoteLineChanges,
} from '../documents/note-drafting.ts'
import { numberDocument } from '../documents/numbering.ts'

/** The body of POST /credit_notes. Dates as the wire sends them. */
export interface NewCreditNote extends CreditNoteTerms {
  date: string
  reference_number?: string | null
  notes?: string | null
  is_draft?: boolean | null
}

export type CreditNoteChanges = Partial<Omit<NewCreditNote, 'is_draft' | 'line_items'>> & {
  line_items?: NoteLineChanges[]
}

const TERMS = ['customer_id', 'invoice_id', 'bill_id', ...NOTE_TERMS] as const satisfies (keyof CreditNoteTerms)[]

// The fields of an issued note that may change, besides its date.
const REMARKS = ['reference_number', 'notes'] as const satisfies (keyof CreditNoteRow)[]

/** The credit note of this id, with its lines and applications. Throws not_found.resource for one that the organisation does not have. */
const creditNoteOf = documentFinder('CREDIT_NOTE', findCreditNote)

/**
 * Creates a credit note, and issues it unless `is_draft`. Issuing posts it, but reduces no balance until it is applied
 * (specification, POST /credit_notes; decisions §4). Throws as draftCreditNote does.
 */
export async function createCreditNote(books: Books, input: NewCreditNote): Promise<CreditNote> {
  const { head, lines, accounts } = await draftCreditNote(books, input, { date: documentDateOf(books, input.date) })
  const isIssued = !input.is_draft
  const row = books.create(creditNotes, {
    ...head,
    credit_note_number: numberDocument(books, 'CREDIT_NOTE'),
    reference_number: input.reference_number ?? null,
    applied_amount: 0n,
    balance_amount: head.total,
    status: isIssued ? nextStatus('CREDIT_NOTE', 'issue', 'DRAFT') : 'DRAFT',
    e_invoice: isIssued && head.type === 'customer' ? await eInvoiceToComeOf(books, { ...head, lines }) : null,
    notes: input.notes ?? null,
  })
  const note = { ...row, lines: lines.map((line) => insertLine(books, row.id, line)), applications: [] }
  recordDocument(books, 'CREDIT_NOTE', note, 'CREDIT_NOTE_CREATED')
  if (note.status === 'ISSUED') {
    postCreditNote(books, note, accounts)
    queueEInvoice(books, 'CREDIT_NOTE', note)
    recordDocument(books, 'CREDIT_NOTE', note, 'CREDIT_NOTE_ISSUED', { status: { old: 'DRAFT', new: note.status } })
  }
  announceDocument(books, 'CREDIT_NOTE', 'CREDIT_NOTE_CREATED', note)
  return note
}

/** DRAFT to ISSUED: posts the journal. Throws conflict.invalid_state for any other status. */
export async function issueCreditNote(books: Books, id: string): Promise<CreditNote> {
  const draft = await creditNoteOf(books, id, 'FOR UPDATE')
  const status = nextStatus('CREDIT_NOTE', 'issue', draft.status)
  const eInvoice = draft.type === 'customer' ? await eInvoiceToComeOf(books, draft) : null
  const note = change(books, draft, { status, e_invoice: eInvoice })
  queueEInvoice(books, 'CREDIT_NOTE', note)
  postCreditNote(books, note, await readPostingAccounts(books))
  recordDocument(books, 'CREDIT_NOTE', note, 'CREDIT_NOTE_ISSUED', changesBetween({ status: draft.status }, { status }))
  return note
}

/**
 * Changes a draft in all fields and prices it again. Of an issued note only notes, date and reference change, and only while
 * nothing of it is applied; another date posts it again (decisions §10, Documents; §11). Throws conflict.invalid_state for any
 * other note, and as changeDraft does.
 */
export async function changeCreditNote(
  books: Books,
  id: string,
  sent: Sent<CreditNoteChanges>,
  answered: Answered<CreditNote>,
): Promise<CreditNote> {
  const before = await creditNoteOf(books, id, 'FOR UPDATE')
  nextStatus('CREDIT_NOTE', 'edit', before.status)
  refuseApplied(before)
  const note = await changeDraft(books, 'CREDIT_NOTE', before, sent, {
    shown: { ...answered(before), is_draft: before.status === 'DRAFT' },
    terms: TERMS,
    instead: ANOTHER_NOTE,
    remarks: REMARKS,
    placedBy: ['customer_id'],
    reprice: ({ terms, place, ...options }) => {
      const { customer_id, invoice_id, bill_id } = before
      // With another invoice or bill, the terms of that document apply.
      const isNamed = (sent.invoice_id ?? sent.bill_id ?? null) !== null
      const isMoved = isNamed && (isOther(sent.invoice_id, invoice_id) || isOther(sent.bill_id, bill_id))
      const changes: CreditNoteChanges = sent
      const input = {
        customer_id,
        invoice_id,
        bill_id,
        ...noteTermsOf(before, terms, isMoved),
        ...place,
        ...changes,
        line_items: terms.line_items,
      }
      return draftCreditNote(books, input, { ...options, sideBefore: before.type })
    },
    change: (columns) => change(books, before, columns),
    lines: creditNoteLines,
    insertLine: (line) => insertLine(books, before.id, line),
  })
  if (note.status === 'ISSUED' && note.date !== before.date) {
    refuseNewDate(before.e_invoice)
    await reverseDocument(books, 'CREDIT_NOTE', before, { date: null, why: 'Change' })
    postCreditNote(books, note, await readPostingAccounts(books))
  }
  return note
}

/**
 * Cancels a credit note: reverses its journal on `date`, by default today (decisions §4). The void of a draft posts nothing.
 * Throws conflict.credit_applied once something of it is applied, conflict.already_cancelled, or as voidedEInvoice does.
 */
export async function voidCreditNote(
  books: Books,
  id: string,
  input: { reason?: string | null; date?: string | null },
): Promise<CreditNote> {
  const before = await creditNoteOf(books, id, 'FOR UPDATE')
  refuseVoid('CREDIT_NOTE', before.status, before.applied_amount)
  const date = documentDateOf(books, input.date)
  const note = change(books, before, { status: 'CANCELLED', ...(await voidedEInvoice(books, 'CREDIT_NOTE', before)) })
  if (before.status !== 'DRAFT') await reverseDocument(books, 'CREDIT_NOTE', note, { date, why: 'Void' })
  const changes = changesBetween({ status: before.status }, { status: note.status })
  recordDocument(books, 'CREDIT_NOTE', note, 'CREDIT_NOTE_VOIDED', changes, { reason: input.reason ?? null })
  announceDocument(books, 'CREDIT_NOTE', 'CREDIT_NOTE_VOIDED', note)
  return note
}

function refuseApplied({ status, applied_amount }: CreditNoteRow): void {
  if (applied_amount === 0n) return
  throw invalidState('A credit note does not change once something of it is applied.', status, ['DRAFT'])
}

function insertLine(books: Books, noteId: string, line: NoteLine): CreditNoteLineRow {
  return books.insert(creditNoteLines, { ...line, id: books.newId(), credit_note_id: noteId })
}

function change(books: Books, note: CreditNote, columns: Partial<CreditNoteRow>): CreditNote {
  const changed = books.change(creditNotes, note, columns)
  return { ...changed, balance_amount: openBalance(changed.status, changed.total, changed.applied_amount) }
}
