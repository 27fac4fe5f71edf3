// The commands on debit notes: create, issue, change, void.
import type { Answered, Sent } from '../../domain/fixed-fields.ts'
import { nextStatus, openBalance, refuseVoid } from '../../domain/lifecycle.ts'
import { debitNotePosting } from '../../domain/posting/debit-note.ts'
import { readPostingAccounts, type PostingAccounts } from '../../models/document-context.ts'
import {
  debitNoteLines,
  debitNotes,
  findDebitNote,
  type DebitNote,
  type DebitNoteLineRow,
  type DebitNoteRow,
} from '../../models/debit-note.ts'
import { documentFinder } from '../../models/existing-document.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { announceDocument, postDocument, recordDocument, reverseDocument } from '../documents/document-entries.ts'
import { changeDraft, isOther } from '../documents/draft-changes.ts'
import { documentDateOf } from '../documents/drafting.ts'
import { purchaseFigures } from '../documents/posting-figures.ts'
import {
  accountsGiven,
  ANOTHER_NOTE,
  inherited,
  NOTE_TERMS,
  noteTermsOf,
  parentOf,
  refuseNote,
  withRestock,
  type NoteLine,
  type NoteLineChanges,
  type NoteOptions,
  type NoteTerms,
} from '../documents/note-drafting.ts'
import { numberDocument } from '../documents/numbering.ts'
import { draftPurchase, type PurchaseHead } from './purchase.ts'

interface DebitNoteTerms extends NoteTerms {
  vendor_id: string
  bill_id?: string | null
}

/** The body of POST /debit_notes. Dates as the wire sends them. */
export interface NewDebitNote extends DebitNoteTerms {
  date: string
  reason?: string | null
  reference_number?: string | null
  notes?: string | null
  is_draft?: boolean | null
}

export type DebitNoteChanges = Partial<Omit<NewDebitNote, 'is_draft' | 'line_items'>> & {
  line_items?: NoteLineChanges[]
}

const TERMS = ['vendor_id', 'bill_id', ...NOTE_TERMS] as const satisfies (keyof DebitNoteTerms)[]

// The fields of an issued note that may change, besides its date.
const REMARKS = ['reason', 'reference_number', 'notes'] as const satisfies (keyof DebitNoteRow)[]

/** The debit note of this id, with its lines. Throws not_found.resource for one that the organisation does not have. */
const debitNoteOf = documentFinder('DEBIT_NOTE', findDebitNote)

/**
 * Creates a debit note, and issues it, which posts it, unless `is_draft` (decisions §4). Throws as draftDebitNote does.
 */
export async function createDebitNote(books: Books, input: NewDebitNote): Promise<DebitNote> {
  const { head, lines, accounts } = await draftDebitNote(books, input, { date: documentDateOf(books, input.date) })
  const row = books.create(debitNotes, {
    ...head,
    debit_note_number: numberDocument(books, 'DEBIT_NOTE'),
    reason: input.reason ?? null,
    reference_number: input.reference_number ?? null,
    applied_amount: 0n,
    balance_amount: head.total,
    status: input.is_draft ? 'DRAFT' : nextStatus('DEBIT_NOTE', 'issue', 'DRAFT'),
    notes: input.notes ?? null,
  })
  const note = { ...row, lines: lines.map((line) => insertLine(books, row.id, line)) }
  recordDocument(books, 'DEBIT_NOTE', note, 'DEBIT_NOTE_CREATED')
  if (note.status === 'ISSUED') {
    post(books, note, accounts)
    recordDocument(books, 'DEBIT_NOTE', note, 'DEBIT_NOTE_ISSUED', { status: { old: 'DRAFT', new: note.status } })
  }
  announceDocument(books, 'DEBIT_NOTE', 'DEBIT_NOTE_CREATED', note)
  return note
}

/** DRAFT to ISSUED: posts the journal. Throws conflict.invalid_state for any other status. */
export async function issueDebitNote(books: Books, id: string): Promise<DebitNote> {
  const draft = await debitNoteOf(books, id, 'FOR UPDATE')
  const status = nextStatus('DEBIT_NOTE', 'issue', draft.status)
  const note = change(books, draft, { status })
  post(books, note, await readPostingAccounts(books))
  recordDocument(books, 'DEBIT_NOTE', note, 'DEBIT_NOTE_ISSUED', changesBetween({ status: draft.status }, { status }))
  return note
}

/**
 * Changes a draft in all fields and prices it again. Of an issued note only date, reason, notes and reference change; another
 * date posts it again (decisions §10, Documents; §11). Throws conflict.invalid_state for a cancelled one, and as changeDraft does.
 */
export async function changeDebitNote(
  books: Books,
  id: string,
  sent: Sent<DebitNoteChanges>,
  answered: Answered<DebitNote>,
): Promise<DebitNote> {
  const before = await debitNoteOf(books, id, 'FOR UPDATE')
  nextStatus('DEBIT_NOTE', 'edit', before.status)
  const note = await changeDraft(books, 'DEBIT_NOTE', before, sent, {
    shown: { ...answered(before), is_draft: before.status === 'DRAFT' },
    terms: TERMS,
    instead: ANOTHER_NOTE,
    remarks: REMARKS,
    placedBy: ['vendor_id'],
    reprice: ({ terms, place, ...options }) => {
      const { vendor_id, bill_id } = before
      // With another bill, the terms of that bill apply.
      const isMoved = sent.bill_id != null && isOther(sent.bill_id, bill_id)
      const changes: DebitNoteChanges = sent
      return draftDebitNote(
        books,
        {
          vendor_id,
          bill_id,
          ...noteTermsOf(before, terms, isMoved),
          ...place,
          ...changes,
          line_items: terms.line_items,
        },
        options,
      )
    },
    change: (columns) => change(books, before, columns),
    lines: debitNoteLines,
    insertLine: (line) => insertLine(books, before.id, line),
  })
  if (note.status === 'ISSUED' && note.date !== before.date) {
    await reverseDocument(books, 'DEBIT_NOTE', before, { date: null, why: 'Change' })
    post(books, note, await readPostingAccounts(books))
  }
  return note
}

/**
 * Cancels a debit note: reverses its journal on `date`, by default today (decisions §4). The void of a draft posts nothing.
 * Throws conflict.already_cancelled.
 */
export async function voidDebitNote(
  books: Books,
  id: string,
  input: { reason?: string | null; date?: string | null },
): Promise<DebitNote> {
  const before = await debitNoteOf(books, id, 'FOR UPDATE')
  refuseVoid('DEBIT_NOTE', before.status, before.applied_amount)
  const date = documentDateOf(books, input.date)
  const note = change(books, before, { status: 'CANCELLED' })
  if (before.status !== 'DRAFT') await reverseDocument(books, 'DEBIT_NOTE', note, { date, why: 'Void' })
  const changes = changesBetween({ status: before.status }, { status: note.status })
  recordDocument(books, 'DEBIT_NOTE', note, 'DEBIT_NOTE_VOIDED', changes, { reason: input.reason ?? null })
  return note
}

interface DraftedDebitNote {
  head: PurchaseHead & { bill_id: string | null }
  lines: NoteLine[]
  accounts: PostingAccounts
}

/**
 * Prices a debit note: a purchase that is returned, against a bill or none. Branch, place of supply, currency, exchange rate and
 * the accounts of the lines are those of the bill unless sent. Throws as draftPurchase and refuseNote do, and
 * not_found.resource for a bill that is not the organisation's.
 */
async function draftDebitNote(books: Books, input: DebitNoteTerms, options: NoteOptions): Promise<DraftedDebitNote> {
  const parent = await parentOf(books, { bill_id: input.bill_id ?? null })
  const terms = { ...inherited(input, parent), vendor_id: input.vendor_id }
  const { context, vendor, head, lines } = await draftPurchase(books, terms, { ...options, ...accountsGiven(parent) })
  refuseNote(head, parent, vendor.id)
  return { head: { ...head, bill_id: parent?.id ?? null }, lines: withRestock(lines, input), accounts: context }
}

function insertLine(books: Books, noteId: string, line: NoteLine): DebitNoteLineRow {
  return books.insert(debitNoteLines, { ...line, id: books.newId(), debit_note_id: noteId })
}

function post(books: Books, note: DebitNote, accounts: PostingAccounts): void {
  postDocument(books, 'DEBIT_NOTE', note, debitNotePosting(purchaseFigures(books, note, accounts)))
}

function change(books: Books, note: DebitNote, columns: Partial<DebitNoteRow>): DebitNote {
  const changed = books.change(debitNotes, note, columns)
  return { ...changed, balance_amount: openBalance(changed.status, changed.total, changed.applied_amount) }
}
