// What can be done to a credit note: create, issue, change, void. Applying one is in credit-applications.ts.
import { parseDocumentDate } from '../domain/dates.ts'
import { decimalText } from '../domain/decimal.ts'
import { fault, invalidState } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import { nextStatus, refuseVoid } from '../domain/lifecycle.ts'
import { readPostingAccounts } from '../models/basis.ts'
import { creditNoteLines, creditNotes, findCreditNote, type CreditNote, type CreditNoteLineRow, type CreditNoteRow } from '../models/credit-note.ts'
import type { Lock, Scope } from '../models/find.ts'
import type { Books } from './books.ts'
import { compareFields, throwRefusal, type Answered, type Sent } from './changeable.ts'
import { changesBetween } from './changes.ts'
import { announceCreditNote, postCreditNote, recordCreditNote, unpostCreditNote } from './credit-note-entries.ts'
import { today } from './drafting.ts'
import { changeableNote, drawUpCreditNote, NOTE_TERMS, noteTermsOf, type CreditNoteTerms, type NoteLine, type NoteLineSent } from './note-drafting.ts'
import { numberDocument } from './numbering.ts'
import { redrawLines } from './redrawing.ts'

/** The body of POST /credit_notes. Dates as the wire sends them. */
export interface NewCreditNote extends CreditNoteTerms {
  date: string
  reference_number?: string | null
  notes?: string | null
  is_draft?: boolean | null
}

export type CreditNoteChanges = Partial<Omit<NewCreditNote, 'is_draft' | 'line_items'>> & { line_items?: NoteLineSent[] }

const TERMS = ['customer_id', 'invoice_id', 'bill_id', ...NOTE_TERMS] as const satisfies (keyof CreditNoteTerms)[]

// What an issued note may still be told of, besides its date.
const REMARKS = ['reference_number', 'notes'] as const satisfies (keyof CreditNoteRow)[]

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
  const { head, lines, accounts } = await drawUpCreditNote(books, wanted, { date: parseDocumentDate(wanted.date)! })
  const row = books.insert(creditNotes, {
    ...head,
    id: books.newId(),
    credit_note_number: numberDocument(books, 'CREDIT_NOTE'),
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
 * Changes a draft whole, and prices it anew. Of an issued note notes, date and reference change while nothing of it is
 * applied; another date posts it anew (decisions §10, Documents; §11). Throws conflict.invalid_state for any other, and as
 * compareFields and noteTermsOf do.
 */
export async function changeCreditNote(
  books: Books, id: string, sent: Sent<CreditNoteChanges>, answered: Answered<CreditNote>,
): Promise<CreditNote> {
  const before = await creditNoteOf(books, id, 'FOR UPDATE')
  nextStatus('CREDIT_NOTE', 'edit', before.status)
  refuseApplied(before)
  const shown = { ...answered(before), is_draft: before.status === 'DRAFT' }
  const { changed, refusal } = compareFields(sent, shown, changeableNote(before.status, TERMS, [...REMARKS, 'date']))
  const date = sent.date === undefined ? before.date : parseDocumentDate(sent.date)!
  const redrawn = TERMS.some((term) => changed.has(term)) ? await drawUpAnew(books, before, sent, { date, shown }) : null
  throwRefusal(refusal)
  if (changed.size === 0) return before
  const told: Partial<CreditNoteRow> = { ...redrawn?.head, date }
  for (const remark of REMARKS) if (sent[remark] !== undefined) told[remark] = sent[remark]
  const changes = changesBetween({ ...before, exchange_rate: decimalText(before.exchange_rate) }, told)
  const relined = redrawn && redrawLines(books, creditNoteLines, before, redrawn, (line) => insertLine(books, before.id, line))
  if (changes === null && !relined?.changes) return before
  const note = { ...change(books, before, told), lines: relined?.lines ?? before.lines }
  if (note.status === 'ISSUED' && date !== before.date) {
    await unpostCreditNote(books, before, null, 'Change')
    postCreditNote(books, note, await readPostingAccounts(books))
  }
  recordCreditNote(books, note, 'CREDIT_NOTE_UPDATED', { ...changes, ...relined?.changes })
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
  throw invalidState('A credit note does not change once something of it is applied.', status, ['DRAFT'])
}

// Another invoice or bill brings its own terms, another contact without one a place of supply of their own.
async function drawUpAnew(books: Books, before: CreditNote, sent: CreditNoteChanges, { date, shown }: { date: string; shown: object }) {
  const { customer_id, invoice_id, bill_id } = before
  const isOther = (told: string | null | undefined, kept: string | null) => told !== undefined && told?.toLowerCase() !== (kept ?? undefined)
  const newParent = (sent.invoice_id ?? sent.bill_id ?? null) !== null && (isOther(sent.invoice_id, invoice_id) || isOther(sent.bill_id, bill_id))
  const { terms: { line_items, ...terms }, existing, refusal } = noteTermsOf(before, sent, shown, newParent)
  const place = isOther(sent.customer_id, customer_id) ? { place_of_supply: null } : {}
  const wanted = { customer_id, invoice_id, bill_id, ...terms, ...place, ...sent, line_items }
  const { head, lines } = await drawUpCreditNote(books, wanted, { date, existing, sideBefore: before.type })
  throwRefusal(refusal)
  return { head, lines, existing, currency: head.currency_code }
}

function insertLine(books: Books, noteId: string, line: NoteLine): CreditNoteLineRow {
  return books.insert(creditNoteLines, { ...line, id: books.newId(), credit_note_id: noteId })
}

function change(books: Books, note: CreditNote, told: Partial<CreditNoteRow>): CreditNote {
  const { balance_amount = (told.total ?? note.total) - note.applied_amount, ...columns } = told
  const changed = books.update<CreditNoteRow>(creditNotes, note, { ...columns, version: note.version + 1, last_modified_time: books.now })
  return { ...changed, balance_amount, lines: note.lines, applications: note.applications }
}
