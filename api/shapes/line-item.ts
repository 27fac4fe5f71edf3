// A document's line as JSON, in and out.
import { Type, type Static } from 'typebox'
import type { FieldProblem } from '../../domain/faults.ts'
import { missingOf } from '../../domain/line-item.ts'
import { toAmount } from '../../domain/money.ts'
import type { LineRow } from '../../models/document.ts'
import { Amount, decimal, Id, Name, nullable, optional, Reference, Text } from './fields.ts'

/** The most lines that a document may have (decisions §4). */
export const MAX_LINES = 500

export const NewLineItem = Type.Object(
  {
    item_id: optional(Reference),
    name: optional(Name(200)),
    description: optional(Text(2000)),
    hsn_or_sac: optional(Text(20)),
    quantity: decimal({ exclusiveMinimum: 0 }),
    unit: optional(Text(20)),
    rate: optional(decimal({ minimum: 0 })),
    discount: optional(decimal({ minimum: 0 })),
    tax_id: optional(Reference),
  },
  { description: 'Either item_id, or name and rate.' },
)

/** A line of a purchase, which may have the account to debit. */
export const NewPurchaseLine = Type.Object(
  {
    ...NewLineItem.properties,
    account_id: optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          "The expense, cost of goods, stock or asset account to debit; without it the item's purchase_account_id, else Purchases.",
      }),
    ),
  },
  { description: 'Either item_id, or name and rate.' },
)

export const NewPurchaseLines = Type.Array(NewPurchaseLine, { minItems: 1, maxItems: MAX_LINES })

export const NewLineItems = Type.Array(NewLineItem, { minItems: 1, maxItems: MAX_LINES })

/** A line of a PUT: with line_item_id it changes that line, and fields that are not sent stay; without it the line is new. */
export const ChangedLineItem = Type.Object(
  {
    line_item_id: optional(
      Type.String({ ...Reference, description: 'The line to change; without it a line is added.' }),
    ),
    ...NewLineItem.properties,
    quantity: Type.Optional(NewLineItem.properties.quantity),
  },
  {
    description:
      'A line without line_item_id is added, with the fields of a POST. Lines that are not sent are removed.',
  },
)

export const ChangedPurchaseLine = Type.Object(
  {
    ...ChangedLineItem.properties,
    account_id: NewPurchaseLine.properties.account_id,
  },
  {
    description:
      'A line without line_item_id is added, with the fields of a POST. Lines that are not sent are removed.',
  },
)

export const ChangedPurchaseLines = Type.Array(ChangedPurchaseLine, { minItems: 1, maxItems: MAX_LINES })
export const ChangedLineItems = Type.Array(ChangedLineItem, { minItems: 1, maxItems: MAX_LINES })

/** Problems that the shape cannot express: a line without item_id needs a name and a rate. Accepts any body, also an invalid one. */
export function lineProblems(body: unknown): FieldProblem[] {
  const lines = (body as { line_items?: unknown } | null)?.line_items
  if (!Array.isArray(lines)) return []
  return lines.flatMap((line, index) =>
    (typeof line === 'object' && line !== null ? missingOf(line) : []).map((field) => ({
      field: `line_items.${index}.${field}`,
      code: 'required',
      message: 'is required without item_id',
    })),
  )
}

/** Like lineProblems, for a PUT: a line with line_item_id needs no other field, a new line needs a quantity too. */
export function changedLineProblems(body: unknown): FieldProblem[] {
  const lines = (body as { line_items?: unknown } | null)?.line_items
  if (!Array.isArray(lines)) return []
  return lines.flatMap((line, index) => {
    if (typeof line !== 'object' || line === null || line.line_item_id != null) return []
    const problem = (field: string, message: string) => ({
      field: `line_items.${index}.${field}`,
      code: 'required',
      message,
    })
    return [
      ...missingOf(line).map((field) => problem(field, 'is required without item_id')),
      ...(line.quantity === undefined ? [problem('quantity', 'is required without line_item_id')] : []),
    ]
  })
}

export const LineItem = Type.Object({
  line_item_id: Id,
  item_id: nullable(Id),
  name: Type.String(),
  description: nullable(Type.String()),
  hsn_or_sac: nullable(Type.String()),
  quantity: Type.Number(),
  unit: nullable(Type.String()),
  rate: Type.Number(),
  discount: Type.Number(),
  tax_id: nullable(Id),
  tax_percentage: Type.Number(),
  account_id: Type.String({ format: 'uuid', description: 'The account that the line is posted to.' }),
  item_total: Amount,
  cgst: Amount,
  sgst: Amount,
  igst: Amount,
  cess: Amount,
  tax_amount: Amount,
})

export function showLineItem(line: Omit<LineRow, 'org_id' | 'line_no'>, currency: string): Static<typeof LineItem> {
  return {
    line_item_id: line.id,
    item_id: line.item_id,
    name: line.name,
    description: line.description,
    hsn_or_sac: line.hsn_or_sac,
    quantity: Number(line.quantity),
    unit: line.unit,
    rate: Number(line.rate),
    discount: Number(line.discount),
    tax_id: line.tax_id,
    tax_percentage: Number(line.tax_percentage),
    account_id: line.account_id,
    item_total: toAmount(line.item_total, currency),
    cgst: toAmount(line.cgst, currency),
    sgst: toAmount(line.sgst, currency),
    igst: toAmount(line.igst, currency),
    cess: toAmount(line.cess, currency),
    tax_amount: toAmount(line.cgst + line.sgst + line.igst + line.cess, currency),
  }
}
