// Credit notes, their lines, and what of each is applied to which invoice or bill. Amounts are minor units of the note's currency.
import type { CreditSide } from '../domain/credit.ts'
import type { StatusOf } from '../domain/lifecycle.ts'
import { DOCUMENT, LINE, REVERSE_CHARGE } from './document.ts'
import { askRow, type Lock, type Scope } from './find.ts'
import { BOOLEAN, DATE, MINOR, TEXT, UUID, generated, orNull, textOf, model, type RowOf } from './model.ts'

export type CreditNoteStatus = StatusOf<'CREDIT_NOTE'>

export const creditNotes = model('credit_notes', {
  ...DOCUMENT,
  credit_note_number: TEXT,
  type: textOf<CreditSide>(),
  /** The vendor, where the credit is a vendor's. */
  customer_id: UUID,
  customer_name: TEXT,
  invoice_id: orNull(UUID),
  bill_id: orNull(UUID),
  applied_amount: MINOR,
  balance_amount: generated(MINOR),
  status: textOf<CreditNoteStatus>(),
})
export type CreditNoteRow = RowOf<typeof creditNotes>

export const creditNoteLines = model('credit_note_lines', {
  ...LINE,
  ...REVERSE_CHARGE,
  credit_note_id: UUID,
  /** Whether the goods go back into stock, or out of it to the vendor. */
  restock: BOOLEAN,
})
export type CreditNoteLineRow = RowOf<typeof creditNoteLines>

export const creditApplications = model('credit_applications', {
  org_id: UUID,
  id: UUID,
  credit_note_id: UUID,
  invoice_id: orNull(UUID),
  bill_id: orNull(UUID),
  amount: MINOR,
  /** What it took off the invoice or bill in the ledger, in minor units of the organisation's currency. */
  settled_base: MINOR,
  /** What it took off the note in the ledger, in the same. */
  relieved_base: MINOR,
  /** The day on which it was applied. */
  date: DATE,
})
export type CreditApplicationRow = RowOf<typeof creditApplications>

/** A credit note with its lines in their order, and its applications in the order in which they were made. */
export interface CreditNote extends CreditNoteRow {
  lines: CreditNoteLineRow[]
  applications: CreditApplicationRow[]
}

export async function findCreditNote(scope: Scope, id: string, lock: Lock = ''): Promise<CreditNote | null> {
  const [[row], lines] = await scope.connection.runBoth<CreditNoteRow, CreditNoteLineRow>(
    askRow(scope, creditNotes, id, lock), [LINES, [scope.orgId, [id]]],
  )
  if (!row) return null
  const applications = row.applied_amount === 0n ? [] : await applicationsOf(scope, [id])
  return { ...row, lines, applications }
}

/** As findCreditNote, locked and without its lines, for a credit that is applied. */
export async function findCredit(scope: Scope, id: string): Promise<Omit<CreditNote, 'lines'> | null> {
  const [[row], applications] = await scope.connection.runBoth<CreditNoteRow, CreditApplicationRow>(
    askRow(scope, creditNotes, id, 'FOR UPDATE'), [APPLICATIONS, [scope.orgId, [id]]],
  )
  return row ? { ...row, applications } : null
}

/** Puts lines and applications to many credit notes, in one round trip. */
export async function withCreditNoteLines(scope: Scope, rows: CreditNoteRow[]): Promise<CreditNote[]> {
  if (rows.length === 0) return []
  const asked = [scope.orgId, rows.map(({ id }) => id)]
  const [lines, applications] = await scope.connection.runBoth<CreditNoteLineRow, CreditApplicationRow>([LINES, asked], [APPLICATIONS, asked])
  const linesOf = Map.groupBy(lines, ({ credit_note_id }) => credit_note_id)
  const appliedOf = Map.groupBy(applications, ({ credit_note_id }) => credit_note_id)
  return rows.map((row) => ({ ...row, lines: linesOf.get(row.id) ?? [], applications: appliedOf.get(row.id) ?? [] }))
}

function applicationsOf({ connection, orgId }: Scope, ids: string[]): Promise<CreditApplicationRow[]> {
  return connection.run<CreditApplicationRow>(APPLICATIONS, [orgId, ids])
}

const LINES = {
  name: 'lines of credit notes',
  text: 'SELECT * FROM credit_note_lines WHERE org_id = $1 AND credit_note_id = ANY ($2) ORDER BY credit_note_id, line_no',
}
const APPLICATIONS = {
  name: 'applications of credit notes',
  text: 'SELECT * FROM credit_applications WHERE org_id = $1 AND credit_note_id = ANY ($2) ORDER BY credit_note_id, id',
}
