// The fields that sales and purchases of every kind have in common, in and out.
import { Type, type Static } from 'typebox'
import { showDate } from '../../domain/dates.ts'
import { toAmount } from '../../domain/money.ts'
import type { DocumentRow, LineRow } from '../../models/document.ts'
import { Amount, Currency, DocumentDate, Id, nullable, optional, Reference, Text, Timestamp } from './fields.ts'
import { LineItem, NewLineItems, showLineItem } from './line-item.ts'

export const PlaceOfSupply = Type.String({ minLength: 1, maxLength: 100 })
export const RoundOff = Type.Number({ minimum: -1e13, maximum: 1e13 })
export const NoteRoundOff = Type.Number({ exclusiveMinimum: -1, exclusiveMaximum: 1 })

/** The ids of cost centers in a body. */
export const Tags = Type.Array(Reference, { maxItems: 50, description: 'Cost centers.' })

/** The common fields of bodies that create a document; contact, date and place of supply are declared for each kind. */
export const newDocument = {
  line_items: NewLineItems,
  branch_id: optional(Reference),
  currency_code: optional(Currency),
  exchange_rate: optional(Type.Number({ exclusiveMinimum: 0, maximum: 1e9 })),
  reference_number: optional(Text(100)),
  notes: optional(Text(5000)),
  tags: optional(Tags),
}

/** The body of a void; the date is today by default. */
export const VoidRequest = Type.Object(
  { reason: optional(Text(500)), date: optional(DocumentDate) },
  {
    examples: [{ reason: 'Booked for the wrong customer' }],
  },
)

/** The common fields of the answers of documents. */
export const documentFields = {
  branch_id: Id,
  date: Timestamp,
  reference_number: nullable(Type.String()),
  place_of_supply: Type.String(),
  currency_code: Type.String(),
  exchange_rate: Type.Number(),
  line_items: Type.Array(LineItem),
  sub_total: Amount,
  tax_total: Amount,
  round_off: Amount,
  total: Amount,
  notes: nullable(Type.String()),
  tags: Type.Array(Id),
  created_time: Timestamp,
  last_modified_time: Timestamp,
}

const { round_off: _roundOff, ...unrounded } = documentFields

/** The common fields of the answers of estimates and orders, whose totals have no round-off. */
export const unroundedFields = unrounded

const DocumentFields = Type.Object(documentFields)

export function showDocument(document: DocumentRow & { lines: LineRow[] }): Static<typeof DocumentFields> {
  const amount = (minor: bigint) => toAmount(minor, document.currency_code)
  return {
    branch_id: document.branch_id,
    date: showDate(document.date),
    reference_number: document.reference_number,
    place_of_supply: document.place_of_supply,
    currency_code: document.currency_code,
    exchange_rate: Number(document.exchange_rate),
    line_items: document.lines.map((line) => showLineItem(line, document.currency_code)),
    sub_total: amount(document.sub_total),
    tax_total: amount(document.tax_total),
    round_off: amount(document.round_off),
    total: amount(document.total),
    notes: document.notes,
    tags: document.tags,
    created_time: document.created_time.toISOString(),
    last_modified_time: document.last_modified_time.toISOString(),
  }
}

/** Like showDocument, for an estimate or an order. */
export function showUnrounded(document: DocumentRow & { lines: LineRow[] }) {
  const { round_off: _roundOff, ...shown } = showDocument(document)
  return shown
}
