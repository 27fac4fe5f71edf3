// The bodies of conversions as JSON.
import { Type } from 'typebox'
import { decimal, optional, Reference } from './fields.ts'
import { MAX_LINES } from './line-item.ts'

const auto_approve = optional(
  Type.Boolean({ description: 'Approve the last document that is created; otherwise it is a draft.' }),
)

export const EstimateConversion = Type.Object(
  {
    through: optional(Type.Enum(['invoice'], { description: 'Also convert the order to its invoice.' })),
    auto_approve,
  },
  { examples: [{ through: 'invoice' }] },
)

const Part = Type.Object({ line_item_id: Reference, quantity: decimal({ exclusiveMinimum: 0 }) })

export const OrderConversion = Type.Object(
  {
    line_items: optional(
      Type.Array(Part, {
        minItems: 1,
        maxItems: MAX_LINES,
        description: "The part to convert, by the order's own lines; without it, everything that is left.",
      }),
    ),
    auto_approve,
  },
  { examples: [{ line_items: [{ line_item_id: "the line_item_id of one of the order's lines", quantity: 40 }] }] },
)
