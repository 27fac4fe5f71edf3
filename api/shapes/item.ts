// An item as JSON, in and out.
import { Type, type Static } from 'typebox'
import type { ItemFields } from '../../commands/masters/items.ts'
import type { FieldProblem } from '../../domain/faults.ts'
import type { ItemRow } from '../../models/item.ts'
import { decimal, Id, Name, nullable, optional, Reference, Text, Timestamp } from './fields.ts'

export const ITEM_TYPES: ItemRow['item_type'][] = ['GOODS', 'SERVICE']
export const ITEM_STATUSES: ItemRow['status'][] = ['ACTIVE', 'INACTIVE']

// Three fields have two names each (decisions §4); answers use the first of a pair.
const fields = {
  item_name: Type.Optional(Name(200)),
  name: Type.Optional(Type.String({ ...Name(200), description: 'Alias of item_name.' })),
  item_type: Type.Optional(Type.Enum(ITEM_TYPES, { default: 'GOODS' })),
  type: Type.Optional(Type.Enum(ITEM_TYPES, { description: 'Alias of item_type.' })),
  hsn_or_sac: optional(Text(20)),
  hsn_sac: optional(Type.String({ maxLength: 20, description: 'Alias of hsn_or_sac.' })),
  sku: optional(Text(100)),
  description: optional(Text(2000)),
  unit: optional(Text(20)),
  rate: optional(decimal({ minimum: 0 })),
  purchase_rate: optional(decimal({ minimum: 0 })),
  tax_id: optional(Reference),
  account_id: optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'The revenue account that sales are credited to.' }),
  ),
  purchase_account_id: optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The expense, cost of goods, stock or asset account that purchases are debited to.',
    }),
  ),
}

export const NewItem = Type.Object(fields, {
  description: 'item_name, or its alias name, is required.',
  examples: [
    {
      item_name: 'Ruled notebook, 200 pages',
      sku: 'NB-200',
      hsn_or_sac: '4820',
      unit: 'NOS',
      rate: 60,
      purchase_rate: 38,
    },
  ],
})
export type NewItem = Static<typeof NewItem>

export const ItemChanges = Type.Object(
  { ...fields, status: Type.Optional(Type.Enum(ITEM_STATUSES)) },
  { examples: [{ rate: 65 }] },
)
export type ItemChanges = Static<typeof ItemChanges>

/** Problems that the shape cannot express: item_name or its alias is required. Accepts any body, also an invalid one. */
export function itemProblems(body: unknown): FieldProblem[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return []
  if ('item_name' in body || 'name' in body) return []
  return [{ field: 'item_name', code: 'required', message: 'is required' }]
}

/** The body with aliases replaced; if both names of a field are sent, the first of the pair takes precedence. */
export function readItem({ name, type, hsn_sac, ...rest }: ItemChanges): ItemFields & Record<string, unknown> {
  return { item_name: name, item_type: type, hsn_or_sac: hsn_sac, ...rest }
}

export function readNewItem(body: NewItem): ItemFields & { item_name: string } {
  return { ...readItem(body), item_name: (body.item_name ?? body.name)! }
}

export const Item = Type.Object({
  item_id: Id,
  item_name: Type.String(),
  sku: nullable(Type.String()),
  item_type: Type.Enum(ITEM_TYPES),
  description: nullable(Type.String()),
  hsn_or_sac: nullable(Type.String()),
  unit: nullable(Type.String()),
  rate: Type.Number({ description: 'Selling price.' }),
  purchase_rate: Type.Number(),
  tax_id: nullable(Id),
  account_id: nullable(Id),
  purchase_account_id: nullable(Id),
  status: Type.Enum(ITEM_STATUSES),
  created_time: Timestamp,
  last_modified_time: Timestamp,
})

export function showItem(item: ItemRow): Static<typeof Item> {
  return {
    item_id: item.id,
    item_name: item.item_name,
    sku: item.sku,
    item_type: item.item_type,
    description: item.description,
    hsn_or_sac: item.hsn_or_sac,
    unit: item.unit,
    rate: Number(item.rate),
    purchase_rate: Number(item.purchase_rate),
    tax_id: item.tax_id,
    account_id: item.account_id,
    purchase_account_id: item.purchase_account_id,
    status: item.status,
    created_time: item.created_time.toISOString(),
    last_modified_time: item.last_modified_time.toISOString(),
  }
}
