// Debit notes and their lines. Amounts are minor units of the note's currency.
import type { StatusOf } from '../domain/lifecycle.ts'
import { DOCUMENT, LINE, REVERSE_CHARGE, type DocumentRow, type LineRow, type ReverseCharge } from './document.ts'
import { askRow, type Lock, type Scope } from './find.ts'
import { table } from './table.ts'

export type DebitNoteStatus = StatusOf<'DEBIT_NOTE'>

export interface DebitNoteRow extends DocumentRow {
  debit_note_number: string
  vendor_id: string
  vendor_name: string
  bill_id: string | null
  reason: string | null
  applied_amount: bigint
  balance_amount: bigint
  status: DebitNoteStatus
}

export const debitNotes = table<DebitNoteRow>(
  'debit_notes',
  {
    ...DOCUMENT, debit_note_number: 'text', vendor_id: 'uuid', vendor_name: 'text', bill_id: 'uuid', reason: 'text',
    applied_amount: 'minor', balance_amount: 'minor', status: 'text',
  },
  { generated: ['balance_amount'] },
)

export interface DebitNoteLineRow extends LineRow, ReverseCharge {
  debit_note_id: string
  /** Whether the goods leave the stock. */
  restock: boolean
}

export const debitNoteLines = table<DebitNoteLineRow>('debit_note_lines', {
  ...LINE, ...REVERSE_CHARGE, debit_note_id: 'uuid', restock: 'boolean',
})

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
