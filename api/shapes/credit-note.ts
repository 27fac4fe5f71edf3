// A credit note and its applications as JSON, in and out.
import { Type, type Static } from 'typebox'
import { CREDIT_SIDES, STOCK_DIRECTION } from '../../domain/credit.ts'
import { showDate } from '../../domain/dates.ts'
import { STATUSES } from '../../domain/lifecycle.ts'
import { toAmount } from '../../domain/money.ts'
import type { Applied } from '../../commands/sales/credit-applications.ts'
import type { CreditNote as CreditNoteWithLines } from '../../models/credit-note.ts'
import { documentFields, newDocument, NoteRoundOff, PlaceOfSupply, showDocument } from './document.ts'
import { EInvoice } from './e-invoice.ts'
import { Amount, DocumentDate, Id, nullable, optional, Reference, Timestamp } from './fields.ts'
import { ChangedPurchaseLine, LineItem, MAX_LINES, NewPurchaseLine } from './line-item.ts'

export const CREDIT_NOTE_STATUSES = [...STATUSES.CREDIT_NOTE]
export const Side = Type.Enum([...CREDIT_SIDES])

export const NewNoteLines = Type.Array(
  Type.Object(
    { ...NewPurchaseLine.properties, restock: optional(Type.Boolean()) },
    { description: 'Either item_id, or name and rate.' },
  ),
  { minItems: 1, maxItems: MAX_LINES },
)
export const ChangedNoteLine = Type.Object(
  { ...ChangedPurchaseLine.properties, restock: optional(Type.Boolean()) },
  { description: 'Lines that are not sent are removed.' },
)
export const ChangedNoteLines = Type.Array(ChangedNoteLine, { minItems: 1, maxItems: MAX_LINES })
export const NoteLine = Type.Object({ ...LineItem.properties, restock: Type.Boolean() })

const fields = {
  ...newDocument,
  line_items: NewNoteLines,
  place_of_supply: optional(PlaceOfSupply),
  round_off: optional(NoteRoundOff),
  invoice_id: optional(Reference),
  bill_id: optional(Reference),
}

export const NewCreditNote = Type.Object({
  customer_id: Reference,
  date: DocumentDate,
  ...fields,
  is_draft: optional(Type.Boolean()),
})

export const CreditNoteChanges = Type.Object({
  ...fields,
  customer_id: Type.Optional(Reference),
  date: Type.Optional(DocumentDate),
  line_items: Type.Optional(ChangedNoteLines),
})

export const CreditNote = Type.Object({
  credit_note_id: Id,
  credit_note_number: Type.String(),
  type: Side,
  customer_id: Type.String({ format: 'uuid', description: 'The customer, or the vendor that gives the credit.' }),
  customer_name: Type.String(),
  invoice_id: nullable(Id),
  bill_id: nullable(Id),
  ...documentFields,
  line_items: Type.Array(NoteLine),
  applied_amount: Amount,
  balance_amount: Amount,
  applications: Type.Array(
    Type.Object({
      application_id: Id,
      invoice_id: nullable(Id),
      bill_id: nullable(Id),
      amount: Amount,
      date: Timestamp,
    }),
  ),
  status: Type.Enum(CREDIT_NOTE_STATUSES),
  stock_direction: Type.Enum(Object.values(STOCK_DIRECTION)),
  e_invoice: EInvoice,
})

export function showCreditNote(note: CreditNoteWithLines): Static<typeof CreditNote> {
  const amount = (minor: bigint) => toAmount(minor, note.currency_code)
  return {
    credit_note_id: note.id,
    credit_note_number: note.credit_note_number,
    type: note.type,
    customer_id: note.customer_id,
    customer_name: note.customer_name,
    invoice_id: note.invoice_id,
    bill_id: note.bill_id,
    ...showNote(note),
    applied_amount: amount(note.applied_amount),
    balance_amount: amount(note.balance_amount),
    applications: note.applications.map((each) => ({
      application_id: each.id,
      invoice_id: each.invoice_id,
      bill_id: each.bill_id,
      amount: amount(each.amount),
      date: showDate(each.date),
    })),
    status: note.status,
    stock_direction: STOCK_DIRECTION[note.type],
    e_invoice: note.e_invoice,
  }
}

/** The fields that a note has in common with other documents, with `restock` on its lines. */
export function showNote<Note extends Parameters<typeof showDocument>[0] & { lines: { restock: boolean }[] }>(
  note: Note,
) {
  const { line_items, ...shown } = showDocument(note)
  return { ...shown, line_items: line_items.map((line, index) => ({ ...line, restock: note.lines[index]!.restock })) }
}

const Applying = { amount: Type.Number({ exclusiveMinimum: 0, maximum: 1e13 }) }
export const ApplyToInvoice = Type.Object({ invoice_id: Reference, ...Applying })
export const ApplyToBill = Type.Object({ bill_id: Reference, ...Applying })

const AppliedNote = Type.Object({
  credit_note_id: Id,
  applied_amount: Amount,
  balance_amount: Amount,
  status: Type.Enum(CREDIT_NOTE_STATUSES),
})
const settled = {
  balance: Amount,
  status: Type.String(),
  paid_amount: Type.Number({ description: 'The sum of payments and credits.' }),
}

export const AppliedToInvoice = Type.Object({
  credit_note: AppliedNote,
  invoice: Type.Object({ invoice_id: Id, ...settled }),
})
export const AppliedToBill = Type.Object({
  credit_note: AppliedNote,
  bill: Type.Object({ bill_id: Id, ...settled, vendor_credits_applied: Amount }),
})

export function showAppliedToInvoice({ note, targetId, target }: Applied): Static<typeof AppliedToInvoice> {
  const amount = (minor: bigint) => toAmount(minor, note.currency_code)
  const { balance, status, settled: paid } = target
  return {
    credit_note: showApplied(note),
    invoice: { invoice_id: targetId, balance: amount(balance), status, paid_amount: amount(paid) },
  }
}

export function showAppliedToBill({ note, targetId, target }: Applied): Static<typeof AppliedToBill> {
  const amount = (minor: bigint) => toAmount(minor, note.currency_code)
  const { balance, status, settled: paid, credits } = target
  return {
    credit_note: showApplied(note),
    bill: {
      bill_id: targetId,
      balance: amount(balance),
      status,
      paid_amount: amount(paid),
      vendor_credits_applied: amount(credits),
    },
  }
}

function showApplied(note: Applied['note']): Static<typeof AppliedNote> {
  return {
    credit_note_id: note.id,
    applied_amount: toAmount(note.applied_amount, note.currency_code),
    balance_amount: toAmount(note.balance_amount, note.currency_code),
    status: note.status,
  }
}
