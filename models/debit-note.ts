// Debit notes and their lines. Amounts are minor units of the note's currency.
import type { StatusOf } from '../domain/lifecycle.ts'
import { hasMany } from './association.ts'
import { DOCUMENT, LINE, REVERSE_CHARGE } from './document.ts'
import type { Lock, Scope } from './find.ts'
import { BOOLEAN, MINOR, TEXT, UUID, generated, orNull, textOf, model, type RowOf } from './model.ts'

export type DebitNoteStatus = StatusOf<'DEBIT_NOTE'>

export const debitNotes = model('debit_notes', {
  ...DOCUMENT,
  debit_note_number: TEXT,
  vendor_id: UUID,
  vendor_name: TEXT,
  bill_id: orNull(UUID),
  reason: orNull(TEXT),
  applied_amount: MINOR,
  balance_amount: generated(MINOR),
  status: textOf<DebitNoteStatus>(),
})
export type DebitNoteRow = RowOf<typeof debitNotes>

export const debitNoteLines = model('debit_note_lines', {
  ...LINE,
  ...REVERSE_CHARGE,
  debit_note_id: UUID,
  /** Whether the goods leave the stock. */
  restock: BOOLEAN,
})
export type DebitNoteLineRow = RowOf<typeof debitNoteLines>

const lines = hasMany(debitNotes, 'lines', debitNoteLines, { by: 'debit_note_id', order: ['line_no'] })

/** A debit note with its lines in their order. */
export interface DebitNote extends DebitNoteRow {
  lines: DebitNoteLineRow[]
}

export const findDebitNote = (scope: Scope, id: string, lock: Lock = ''): Promise<DebitNote | null> =>
  lines.findWith(scope, id, lock)

/** Adds their lines to many debit notes, and reads pages of notes with them. */
export const debitNoteParts = lines.parts
