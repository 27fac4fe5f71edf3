// What can be done to a credit note: create, issue, change, void. Applying one is in credit-applications.ts.
import { parseDocumentDate } from '../domain/dates.ts'
import { decimalText } from '../domain/decimal.ts'
import { fault } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import { nextStatus, refuseVoid } from '../domain/lifecycle.ts'
import { readPostingAccounts } from '../models/basis.ts'
import { creditNoteLines, creditNotes, findCreditNote, type CreditNote, type CreditNoteLineRow, type CreditNoteRow } from '../models/credit-note.ts'
import type { Lock, Scope } from '../models/find.ts'
import type { Books } from './books.ts'
import { changesBetween } from './changes.ts'
import { announceCreditNote, postCreditNote, recordCreditNote, unpostCreditNote } from './credit-note-entries.ts'
import { refuseFixed, today } from './drafting.ts'
import { drawUpCreditNote, NOTE_TERMS, noteTermsOf, VOID_INSTEAD, type CreditNoteTerms, type NoteLine } from './note-drafting.ts'
import { numberDocument } from './numbering.ts'
import { changesOfLines, redrawLines } from './redrawing.ts'

/** The body of POST /credit_notes. Dates as the wire sends them. */
export interface NewCreditNote extends CreditNoteTerms {
  date: string
  reference_number?: string | null
  notes?: string | null
  is_draft?: boolean | null
}

export type CreditNoteChanges = Partial<Omit<NewCreditNote, 'is_draft'>>

const TERMS = ['customer_id', 'invoice_id', 'bill_id', ...NOTE_TERMS] as const satisfies (keyof CreditNoteTerms)[]

/** The credit note of this id, with its lines and applications. Throws not_found.resource for one that is not there. */
export async function creditNoteOf(scope: Scope, id: string, lock: Lock = ''): Promise<CreditNote> {
  const note = isId(id) ? await findCreditNote(scope, id, lock) : null
  if (!note) throw fault('not_found.resource', { message: 'There is no such credit note.' })
  return note
}

/**
 * Draws up a credit note, and issues it unless `is_draft` says otherwise: that posts it, and reduces no balance
 * (specification, POST /credit_notes; decisions §4). Throws as drawUpCreditNote does.
 */
export async function createCreditNote(books: Books, wanted: NewCreditNote): Promise<CreditNote> {
  const { head, lines, accounts } = await drawUpCreditNote(books, wanted, parseDocumentDate(wanted.date)!)
  const row = books.insert(creditNotes, {
    ...head,
    id: books.newId(),
    credit_note_number: numberDocument(books, 'credit note'),
    reference_number: wanted.reference_number ?? null,
    applied_amount: 0n, balance_amount: head.total,
    status: wanted.is_draft ? 'DRAFT' : nextStatus('CREDIT_NOTE', 'issue', 'DRAFT'),
    notes: wanted.notes ?? null,
    version: 1,
    created_time: books.now,
    last_modified_time: books.now,
  })
  const note = { ...row, lines: lines.map((line) => insertLine(books, row.id, line)), applications: [] }
  recordCreditNote(books, note, 'CREDIT_NOTE_CREATED')
  if (note.status === 'ISSUED') {
    postCreditNote(books, note, accounts)
    recordCreditNote(books, note, 'CREDIT_NOTE_ISSUED', { status: { old: 'DRAFT', new: note.status } })
  }
  announceCreditNote(books, 'CREDIT_NOTE_CREATED', note)
  return note
}

/** DRAFT to ISSUED: posts the journal. Throws conflict.invalid_state for any other status. */
export async function issueCreditNote(books: Books, id: string): Promise<CreditNote> {
  const draft = await creditNoteOf(books, id, 'FOR UPDATE')
  const status = nextStatus('CREDIT_NOTE', 'issue', draft.status)
  const note = change(books, draft, { status })
  postCreditNote(books, note, await readPostingAccounts(books))
  recordCreditNote(books, note, 'CREDIT_NOTE_ISSUED', changesBetween({ status: draft.status }, { status }))
  return note
}

/**
 * Changes a draft whole: what is sent replaces what was told, `line_items` all lines, and the note is priced anew. Of an
 * issued note notes, date and reference change while nothing of it is applied; another date posts it anew (decisions §10).
 * Throws conflict.invalid_state for any other, and validation.invalid_value for a field that may not change.
 */
export async function changeCreditNote(books: Books, id: string, wanted: CreditNoteChanges & Record<string, unknown>): Promise<CreditNote> {
  const before = await creditNoteOf(books, id, 'FOR UPDATE')
  nextStatus('CREDIT_NOTE', 'edit', before.status)
  refuseApplied(before)
  if (before.status !== 'DRAFT') refuseFixed(wanted, TERMS, VOID_INSTEAD)
  const date = wanted.date === undefined ? before.date : parseDocumentDate(wanted.date)!
  const drawn = TERMS.some((term) => wanted[term] !== undefined) ? await drawUpCreditNote(books, termsOf(before, wanted), date) : null
  const told: Partial<CreditNoteRow> = { ...drawn?.head, date }
  if (wanted.reference_number !== undefined) told.reference_number = wanted.reference_number
  if (wanted.notes !== undefined) told.notes = wanted.notes
  const relined = drawn && changesOfLines(before.lines, drawn.lines, drawn.head.currency_code)
  const changes = changesBetween({ ...before, exchange_rate: decimalText(before.exchange_rate) }, told)
  if (changes === null && relined === null) return before
  const note = change(books, before, told)
  if (drawn && relined) {
    const insert = wanted.line_items === undefined ? null : (line: NoteLine) => insertLine(books, before.id, line)
    note.lines = redrawLines(books, creditNoteLines, before.lines, drawn.lines, insert)
  }
  if (note.status === 'ISSUED' && date !== before.date) {
    await unpostCreditNote(books, before, null, 'Change')
    postCreditNote(books, note, await readPostingAccounts(books))
  }
  recordCreditNote(books, note, 'CREDIT_NOTE_UPDATED', { ...changes, ...relined })
  return note
}

/**
 * Cancels a credit note, its journal reversed as of `date` or today; a draft's void posts nothing (decisions §4).
 * Throws conflict.credit_applied once something of it is applied, or conflict.already_cancelled.
 */
export async function voidCreditNote(books: Books, id: string, wanted: { reason?: string | null; date?: string | null }): Promise<CreditNote> {
  const before = await creditNoteOf(books, id, 'FOR UPDATE')
  refuseVoid('CREDIT_NOTE', before.status, before.applied_amount)
  const date = wanted.date ? parseDocumentDate(wanted.date)! : today(books)
  const note = change(books, before, { status: 'CANCELLED', balance_amount: 0n })
  if (before.status !== 'DRAFT') await unpostCreditNote(books, note, date, 'Void')
  const changes = changesBetween({ status: before.status }, { status: note.status })
  recordCreditNote(books, note, 'CREDIT_NOTE_VOIDED', changes, { reason: wanted.reason ?? null })
  announceCreditNote(books, 'CREDIT_NOTE_VOIDED', note)
  return note
}

function refuseApplied({ status, applied_amount }: CreditNoteRow): void {
  if (applied_amount === 0n) return
  throw fault('conflict.invalid_state', {
    message: 'A credit note does not change once something of it is applied.', details: { status, allowed: ['DRAFT'] },
  })
}

// Another invoice or bill brings its own terms, another contact without one a place of supply of their own.
function termsOf(before: CreditNote, sent: CreditNoteChanges): CreditNoteTerms {
  const { customer_id, invoice_id, bill_id } = before
  const isOther = (told: string | null | undefined, kept: string | null) => told !== undefined && told?.toLowerCase() !== (kept ?? undefined)
  const newParent = (sent.invoice_id ?? sent.bill_id ?? null) !== null && (isOther(sent.invoice_id, invoice_id) || isOther(sent.bill_id, bill_id))
  const told = { customer_id, invoice_id, bill_id, ...noteTermsOf(before, sent, newParent) }
  return { ...told, ...(isOther(sent.customer_id, customer_id) ? { place_of_supply: null } : {}), ...sent }
}

function insertLine(books: Books, noteId: string, line: NoteLine): CreditNoteLineRow {
  return books.insert(creditNoteLines, { ...line, id: books.newId(), credit_note_id: noteId })
}

function change(books: Books, note: CreditNote, told: Partial<CreditNoteRow>): CreditNote {
  const { balance_amount = (told.total ?? note.total) - note.applied_amount, ...columns } = told
  const changed = books.update<CreditNoteRow>(creditNotes, note, { ...columns, version: note.version + 1, last_modified_time: books.now })
  return { ...changed, balance_amount, lines: note.lines, applications: note.applications }
}
