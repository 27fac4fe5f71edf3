// A debit note as JSON, in and out.
import { Type, type Static } from 'typebox'
import type { FieldProblem } from '../../domain/faults.ts'
import { STOCK_DIRECTION } from '../../domain/credit.ts'
import { STATUSES } from '../../domain/lifecycle.ts'
import { toAmount } from '../../domain/money.ts'
import type { DebitNote as DebitNoteWithLines } from '../../models/debit-note.ts'
import { ChangedNoteLines, NewNoteLines, NoteLine, showNote } from './credit-note.ts'
import { documentFields, newDocument, NoteRoundOff, PlaceOfSupply } from './document.ts'
import { Amount, DocumentDate, Id, nullable, optional, Reference, Text } from './fields.ts'
import { lineProblems } from './line-item.ts'

export const DEBIT_NOTE_STATUSES = [...STATUSES.DEBIT_NOTE]

const fields = {
  ...newDocument,
  line_items: NewNoteLines,
  vendor_id: Type.Optional(Reference),
  customer_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Alias of vendor_id.' })),
  place_of_supply: optional(PlaceOfSupply),
  round_off: optional(NoteRoundOff),
  bill_id: optional(Reference),
  reason: optional(Text(500)),
}

export const NewDebitNote = Type.Object({ date: DocumentDate, ...fields, is_draft: optional(Type.Boolean()) })

export const DebitNoteChanges = Type.Object({
  ...fields,
  date: Type.Optional(DocumentDate),
  line_items: Type.Optional(ChangedNoteLines),
})

/** The body with `customer_id`, the alias of `vendor_id`, replaced; `vendor_id` takes precedence. */
export function vendorNamed<Body extends { vendor_id?: string; customer_id?: string }>(
  body: Body,
): Omit<Body, 'customer_id'> {
  const { customer_id, ...named } = body
  return customer_id === undefined || named.vendor_id !== undefined ? named : { ...named, vendor_id: customer_id }
}

/** Problems that the shape cannot express: a new note needs vendor_id or its alias. Accepts any body, also an invalid one. */
export function debitNoteProblems(body: unknown): FieldProblem[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return []
  const { vendor_id, customer_id } = body as { vendor_id?: unknown; customer_id?: unknown }
  const missing = vendor_id === undefined && customer_id === undefined
  return [...(missing ? [{ field: 'vendor_id', code: 'required', message: 'is required' }] : []), ...lineProblems(body)]
}

export const DebitNote = Type.Object({
  debit_note_id: Id,
  debit_note_number: Type.String(),
  vendor_id: Id,
  vendor_name: Type.String(),
  bill_id: nullable(Id),
  reason: nullable(Type.String()),
  ...documentFields,
  line_items: Type.Array(NoteLine),
  applied_amount: Amount,
  balance_amount: Amount,
  status: Type.Enum(DEBIT_NOTE_STATUSES),
  stock_direction: Type.Enum([STOCK_DIRECTION.vendor]),
})

export function showDebitNote(note: DebitNoteWithLines): Static<typeof DebitNote> {
  return {
    debit_note_id: note.id,
    debit_note_number: note.debit_note_number,
    vendor_id: note.vendor_id,
    vendor_name: note.vendor_name,
    bill_id: note.bill_id,
    reason: note.reason,
    ...showNote(note),
    applied_amount: toAmount(note.applied_amount, note.currency_code),
    balance_amount: toAmount(note.balance_amount, note.currency_code),
    status: note.status,
    stock_direction: STOCK_DIRECTION.vendor,
  }
}
