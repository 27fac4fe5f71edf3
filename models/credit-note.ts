// Credit notes, their lines, and their applications to invoices and bills. Amounts are minor units of the note's currency.
import type { CreditSide } from '../domain/credit.ts'
import type { ShownEInvoice } from '../domain/e-invoice/state.ts'
import type { StatusOf } from '../domain/lifecycle.ts'
import { hasMany, withParts } from './association.ts'
import { DOCUMENT, LINE, REVERSE_CHARGE } from './document.ts'
import type { Lock, Scope } from './find.ts'
import type { Parts } from './whole-rows.ts'
import { BOOLEAN, DATE, MINOR, TEXT, UUID, generated, json, orNull, textOf, model, type RowOf } from './model.ts'

export type CreditNoteStatus = StatusOf<'CREDIT_NOTE'>

export const creditNotes = model('credit_notes', {
  ...DOCUMENT,
  credit_note_number: TEXT,
  type: textOf<CreditSide>(),
  /** The vendor, for a credit from a vendor. */
  customer_id: UUID,
  customer_name: TEXT,
  invoice_id: orNull(UUID),
  bill_id: orNull(UUID),
  applied_amount: MINOR,
  balance_amount: generated(MINOR),
  status: textOf<CreditNoteStatus>(),
  /** Its registration as callers see it; models/e-invoice.ts has the rest. */
  e_invoice: orNull(json<ShownEInvoice>()),
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
  /** By how much it reduced the invoice or bill in the ledger, in minor units of the organisation's currency. */
  settled_base: MINOR,
  /** By how much it reduced the note in the ledger, in the same units. */
  relieved_base: MINOR,
  /** The day on which it was applied. */
  date: DATE,
})
export type CreditApplicationRow = RowOf<typeof creditApplications>

const lines = hasMany(creditNotes, 'lines', creditNoteLines, { by: 'credit_note_id', order: ['line_no'] })
const applications = hasMany(creditNotes, 'applications', creditApplications, { by: 'credit_note_id', order: ['id'] })

/** A credit note with its lines in their order, and its applications in the order in which they were made. */
export interface CreditNote extends CreditNoteRow {
  lines: CreditNoteLineRow[]
  applications: CreditApplicationRow[]
}

export async function findCreditNote(scope: Scope, id: string, lock: Lock = ''): Promise<CreditNote | null> {
  const found = await lines.findWith(scope, id, lock)
  if (!found) return null
  if (found.applied_amount === 0n) return { ...found, applications: [] }
  if (lock !== '') return { ...found, applications: await applications.of(scope, [id]) }
  return (await withCreditNoteLines(scope, [found]))[0] ?? null
}

/** As findCreditNote, locked and without its lines, for a credit that is applied. */
export const findCredit = (scope: Scope, id: string): Promise<Omit<CreditNote, 'lines'> | null> =>
  applications.findWith(scope, id, 'FOR UPDATE')

/** Adds their lines and applications to many credit notes, in one round trip. */
export const withCreditNoteLines = (scope: Scope, rows: CreditNoteRow[]): Promise<CreditNote[]> =>
  withParts(scope, creditNotes, rows, {
    statements: (ids) => [lines.of.bound(scope, ids), applications.of.bound(scope, ids)],
    group: creditNotesOf,
  })

/** For a page with their lines and applications. */
export const creditNoteParts: Parts<CreditNoteRow, CreditNote> = {
  all: [...lines.parts.all, ...applications.parts.all],
  group: creditNotesOf,
  addTo: withCreditNoteLines,
}

function creditNotesOf(rows: CreditNoteRow[], [foundLines, foundApplications]: unknown[][]): CreditNote[] {
  return applications.group(
    lines.group(rows, foundLines as CreditNoteLineRow[]),
    foundApplications as CreditApplicationRow[],
  )
}
