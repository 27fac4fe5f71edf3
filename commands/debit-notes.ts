// What can be done to a debit note: create, issue, change, void.
import { parseDocumentDate } from '../domain/dates.ts'
import { decimalText } from '../domain/decimal.ts'
import { fault } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import { nextStatus, refuseVoid } from '../domain/lifecycle.ts'
import { readPostingAccounts } from '../models/basis.ts'
import { debitNoteLines, debitNotes, findDebitNote, type DebitNote, type DebitNoteLineRow, type DebitNoteRow } from '../models/debit-note.ts'
import type { Lock, Scope } from '../models/find.ts'
import type { Books } from './books.ts'
import { compareFields, throwRefusal, type Answered, type Sent } from './changeable.ts'
import { changesBetween } from './changes.ts'
import { announceDebitNote, postDebitNote, recordDebitNote, unpostDebitNote } from './debit-note-entries.ts'
import { today } from './drafting.ts'
import { changeableNote, drawUpDebitNote, NOTE_TERMS, noteTermsOf, type DebitNoteTerms, type NoteLine, type NoteLineSent } from './note-drafting.ts'
import { numberDocument } from './numbering.ts'
import { redrawLines } from './redrawing.ts'

/** The body of POST /debit_notes. Dates as the wire sends them. */
export interface NewDebitNote extends DebitNoteTerms {
  date: string
  reason?: string | null
  reference_number?: string | null
  notes?: string | null
  is_draft?: boolean | null
}

export type DebitNoteChanges = Partial<Omit<NewDebitNote, 'is_draft' | 'line_items'>> & { line_items?: NoteLineSent[] }

const TERMS = ['vendor_id', 'bill_id', ...NOTE_TERMS] as const satisfies (keyof DebitNoteTerms)[]

// What an issued note may still be told of, besides its date.
const REMARKS = ['reason', 'reference_number', 'notes'] as const satisfies (keyof DebitNoteRow)[]

/** The debit note of this id, with its lines. Throws not_found.resource for one that the organisation does not have. */
export async function debitNoteOf(scope: Scope, id: string, lock: Lock = ''): Promise<DebitNote> {
  const note = isId(id) ? await findDebitNote(scope, id, lock) : null
  if (!note) throw fault('not_found.resource', { message: 'There is no such debit note.' })
  return note
}

/**
 * Draws up a debit note, and issues it unless `is_draft` says otherwise: that posts it (decisions §4). Throws as
 * drawUpDebitNote does.
 */
export async function createDebitNote(books: Books, wanted: NewDebitNote): Promise<DebitNote> {
  const { head, lines, accounts } = await drawUpDebitNote(books, wanted, { date: parseDocumentDate(wanted.date)! })
  const row = books.insert(debitNotes, {
    ...head,
    id: books.newId(),
    debit_note_number: numberDocument(books, 'DEBIT_NOTE'),
    reason: wanted.reason ?? null,
    reference_number: wanted.reference_number ?? null,
    applied_amount: 0n, balance_amount: head.total,
    status: wanted.is_draft ? 'DRAFT' : nextStatus('DEBIT_NOTE', 'issue', 'DRAFT'),
    notes: wanted.notes ?? null,
    version: 1,
    created_time: books.now,
    last_modified_time: books.now,
  })
  const note = { ...row, lines: lines.map((line) => insertLine(books, row.id, line)) }
  recordDebitNote(books, note, 'DEBIT_NOTE_CREATED')
  if (note.status === 'ISSUED') {
    postDebitNote(books, note, accounts)
    recordDebitNote(books, note, 'DEBIT_NOTE_ISSUED', { status: { old: 'DRAFT', new: note.status } })
  }
  announceDebitNote(books, note)
  return note
}

/** DRAFT to ISSUED: posts the journal. Throws conflict.invalid_state for any other status. */
export async function issueDebitNote(books: Books, id: string): Promise<DebitNote> {
  const draft = await debitNoteOf(books, id, 'FOR UPDATE')
  const status = nextStatus('DEBIT_NOTE', 'issue', draft.status)
  const note = change(books, draft, { status })
  postDebitNote(books, note, await readPostingAccounts(books))
  recordDebitNote(books, note, 'DEBIT_NOTE_ISSUED', changesBetween({ status: draft.status }, { status }))
  return note
}

/**
 * Changes a draft whole, and prices it anew. Of an issued note date, reason, notes and reference change; another date posts
 * it anew (decisions §10, Documents; §11). Throws conflict.invalid_state for a cancelled one, and as compareFields and
 * noteTermsOf do.
 */
export async function changeDebitNote(
  books: Books, id: string, sent: Sent<DebitNoteChanges>, answered: Answered<DebitNote>,
): Promise<DebitNote> {
  const before = await debitNoteOf(books, id, 'FOR UPDATE')
  nextStatus('DEBIT_NOTE', 'edit', before.status)
  const shown = { ...answered(before), is_draft: before.status === 'DRAFT' }
  const { changed, refusal } = compareFields(sent, shown, changeableNote(before.status, TERMS, [...REMARKS, 'date']))
  const date = sent.date === undefined ? before.date : parseDocumentDate(sent.date)!
  const redrawn = TERMS.some((term) => changed.has(term)) ? await drawUpAnew(books, before, sent, { date, shown }) : null
  throwRefusal(refusal)
  if (changed.size === 0) return before
  const told: Partial<DebitNoteRow> = { ...redrawn?.head, date }
  for (const remark of REMARKS) if (sent[remark] !== undefined) told[remark] = sent[remark]
  const changes = changesBetween({ ...before, exchange_rate: decimalText(before.exchange_rate) }, told)
  const relined = redrawn && redrawLines(books, debitNoteLines, before, redrawn, (line) => insertLine(books, before.id, line))
  if (changes === null && !relined?.changes) return before
  const note = { ...change(books, before, told), lines: relined?.lines ?? before.lines }
  if (note.status === 'ISSUED' && date !== before.date) {
    await unpostDebitNote(books, before, null, 'Change')
    postDebitNote(books, note, await readPostingAccounts(books))
  }
  recordDebitNote(books, note, 'DEBIT_NOTE_UPDATED', { ...changes, ...relined?.changes })
  return note
}

/**
 * Cancels a debit note, its journal reversed as of `date` or today; a draft's void posts nothing (decisions §4).
 * Throws conflict.already_cancelled.
 */
export async function voidDebitNote(books: Books, id: string, wanted: { reason?: string | null; date?: string | null }): Promise<DebitNote> {
  const before = await debitNoteOf(books, id, 'FOR UPDATE')
  refuseVoid('DEBIT_NOTE', before.status, before.applied_amount)
  const date = wanted.date ? parseDocumentDate(wanted.date)! : today(books)
  const note = change(books, before, { status: 'CANCELLED', balance_amount: 0n })
  if (before.status !== 'DRAFT') await unpostDebitNote(books, note, date, 'Void')
  const changes = changesBetween({ status: before.status }, { status: note.status })
  recordDebitNote(books, note, 'DEBIT_NOTE_VOIDED', changes, { reason: wanted.reason ?? null })
  return note
}

// Another bill brings its own terms, another vendor without one a place of supply of their own.
async function drawUpAnew(books: Books, before: DebitNote, sent: DebitNoteChanges, { date, shown }: { date: string; shown: object }) {
  const { vendor_id, bill_id } = before
  const isOther = (told: string | null | undefined, kept: string | null) => told !== undefined && told?.toLowerCase() !== (kept ?? undefined)
  const newParent = sent.bill_id != null && isOther(sent.bill_id, bill_id)
  const { terms: { line_items, ...terms }, existing, refusal } = noteTermsOf(before, sent, shown, newParent)
  const place = isOther(sent.vendor_id, vendor_id) ? { place_of_supply: null } : {}
  const wanted = { vendor_id, bill_id, ...terms, ...place, ...sent, line_items }
  const { head, lines } = await drawUpDebitNote(books, wanted, { date, existing })
  throwRefusal(refusal)
  return { head, lines, existing, currency: head.currency_code }
}

function insertLine(books: Books, noteId: string, line: NoteLine): DebitNoteLineRow {
  return books.insert(debitNoteLines, { ...line, id: books.newId(), debit_note_id: noteId })
}

function change(books: Books, note: DebitNote, told: Partial<DebitNoteRow>): DebitNote {
  const { balance_amount = (told.total ?? note.total) - note.applied_amount, ...columns } = told
  const changed = books.update<DebitNoteRow>(debitNotes, note, { ...columns, version: note.version + 1, last_modified_time: books.now })
  return { ...changed, balance_amount, lines: note.lines }
}
