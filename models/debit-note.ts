// Debit notes and their lines. Amounts are minor units of the note's currency.
import type { StatusOf } from '../domain/lifecycle.ts'
import { DOCUMENT, LINE, REVERSE_CHARGE } from './document.ts'
import { askRow, type Lock, type Scope } from './find.ts'
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

/** A debit note with its lines in their order. */
export interface DebitNote extends DebitNoteRow {
  lines: DebitNoteLineRow[]
}

export async function findDebitNote(scope: Scope, id: string, lock: Lock = ''): Promise<DebitNote | null> {
  const [[row], lines] = await scope.connection.runBoth<DebitNoteRow, DebitNoteLineRow>(
    askRow(scope, debitNotes, id, lock), [LINES, [scope.orgId, [id]]],
  )
  return row ? { ...row, lines } : null
}

/** Puts the lines of many debit notes to them, in one query. */
export async function withDebitNoteLines(scope: Scope, rows: DebitNoteRow[]): Promise<DebitNote[]> {
  if (rows.length === 0) return []
  const found = await scope.connection.run<DebitNoteLineRow>(LINES, [scope.orgId, rows.map(({ id }) => id)])
  const lines = Map.groupBy(found, ({ debit_note_id }) => debit_note_id)
  return rows.map((row) => ({ ...row, lines: lines.get(row.id) ?? [] }))
}

const LINES = {
  name: 'lines of debit notes',
  text: 'SELECT * FROM debit_note_lines WHERE org_id = $1 AND debit_note_id = ANY ($2) ORDER BY debit_note_id, line_no',
}
