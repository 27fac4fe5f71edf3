// Credit notes, their lines, and what of each is applied to which invoice or bill. Amounts are minor units of the note's currency.
import type { CreditSide } from '../domain/credit.ts'
import type { StatusOf } from '../domain/lifecycle.ts'
import { DOCUMENT, LINE, REVERSE_CHARGE, type DocumentRow, type LineRow, type ReverseCharge } from './document.ts'
import { askRow, type Lock, type Scope } from './find.ts'
import { table } from './table.ts'

export type CreditNoteStatus = StatusOf<'CREDIT_NOTE'>

export interface CreditNoteRow extends DocumentRow {
  credit_note_number: string
  type: CreditSide
  /** The vendor, where the credit is a vendor's. */
  customer_id: string
  customer_name: string
  invoice_id: string | null
  bill_id: string | null
  applied_amount: bigint
  balance_amount: bigint
  status: CreditNoteStatus
}

export const creditNotes = table<CreditNoteRow>(
  'credit_notes',
  {
    ...DOCUMENT, credit_note_number: 'text', type: 'text', customer_id: 'uuid', customer_name: 'text', invoice_id: 'uuid',
    bill_id: 'uuid', applied_amount: 'minor', balance_amount: 'minor', status: 'text',
  },
  { generated: ['balance_amount'] },
)

export interface CreditNoteLineRow extends LineRow, ReverseCharge {
  credit_note_id: string
  /** Whether the goods go back into stock, or out of it to the vendor. */
  restock: boolean
}

export const creditNoteLines = table<CreditNoteLineRow>('credit_note_lines', {
  ...LINE, ...REVERSE_CHARGE, credit_note_id: 'uuid', restock: 'boolean',
})

export interface CreditApplicationRow {
  org_id: string
  id: string
  credit_note_id: string
  invoice_id: string | null
  bill_id: string | null
  amount: bigint
  /** What it took off the invoice or bill in the ledger, in minor units of the organisation's currency. */
  settled_base: bigint
  /** What it took off the note in the ledger, in the same. */
  relieved_base: bigint
  /** The day on which it was applied. */
  date: string
}

export const creditApplications = table<CreditApplicationRow>('credit_applications', {
  org_id: 'uuid', id: 'uuid', credit_note_id: 'uuid', invoice_id: 'uuid', bill_id: 'uuid', amount: 'minor',
  settled_base: 'minor', relieved_base: 'minor', date: 'date',
})

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
