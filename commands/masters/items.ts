// The commands on items of the item master: create, change, archive, delete.
import { decimalText } from '../../domain/decimal.ts'
import { fault, notFound } from '../../domain/faults.ts'
import { compareFields, throwRefusal, type Answered, type Sent } from '../../domain/fixed-fields.ts'
import { accountFor, PURCHASE_ACCOUNT, SALES_ACCOUNT } from '../../domain/named-account.ts'
import { existingRow, type Lock, type Scope } from '../../models/find.ts'
import { countItemUses, findItemReferences, items, type ItemRow } from '../../models/item.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { knownIds } from '../documents/drafting.ts'

/** The fields of an item in a body. A field that is left out stays as it is, null clears it. */
export interface ItemFields {
  item_name?: string | undefined
  item_type?: ItemRow['item_type'] | undefined
  sku?: string | null
  description?: string | null
  hsn_or_sac?: string | null | undefined
  unit?: string | null
  rate?: number | null
  purchase_rate?: number | null
  tax_id?: string | null
  account_id?: string | null
  purchase_account_id?: string | null
  status?: ItemRow['status']
}

const CHANGEABLE = [
  'item_name',
  'item_type',
  'sku',
  'description',
  'hsn_or_sac',
  'unit',
  'rate',
  'purchase_rate',
  'tax_id',
  'account_id',
  'purchase_account_id',
  'status',
] as const satisfies (keyof ItemFields)[]

/** The item of this id. Throws not_found.resource for one that the organisation does not have. */
export const itemOf = (scope: Scope, id: string, lock: Lock = ''): Promise<ItemRow> =>
  existingRow(scope, items, id, 'item', lock)

/**
 * Adds an item. Throws not_found.resource for a tax or account that is not the organisation's, and
 * validation.invalid_value for an account that sales, or purchases, cannot be posted to.
 */
export async function createItem(books: Books, fields: ItemFields & { item_name: string }): Promise<ItemRow> {
  const item = books.create(items, {
    ...EMPTY,
    ...(await checked(books, fields)),
  })
  books.record({ action: 'ITEM_CREATED', entityType: 'ITEM', entityId: item.id, entityRef: item.item_name })
  return item
}

/** Changes an item; existing documents keep their values. Throws as createItem and compareFields do. */
export async function changeItem(
  books: Books,
  id: string,
  fields: Sent<ItemFields>,
  answered: Answered<ItemRow>,
): Promise<ItemRow> {
  const item = await itemOf(books, id, 'FOR UPDATE')
  const { changed, refusal } = compareFields(fields, answered(item), { fields: CHANGEABLE })
  const columns = changed.size === 0 ? null : await checked(books, fields)
  throwRefusal(refusal)
  return columns ? change(books, item, columns, 'ITEM_UPDATED') : item
}

/** Sets an item to INACTIVE: pickers leave it out, documents keep it. Does nothing when it is INACTIVE already. */
export async function archiveItem(books: Books, id: string): Promise<ItemRow> {
  const item = await itemOf(books, id, 'FOR UPDATE')
  return change(books, item, { status: 'INACTIVE' }, 'ITEM_STATUS_CHANGED')
}

/** Deletes an item that no document line refers to. Throws conflict.in_use, with the number of lines by kind in details. */
export async function deleteItem(books: Books, id: string): Promise<void> {
  const item = await itemOf(books, id, 'FOR UPDATE')
  const uses = await countItemUses(books, item.id)
  if (Object.values(uses).some((count) => count > 0)) {
    throw fault('conflict.in_use', { message: 'Documents have lines of this item; archive it instead.', details: uses })
  }
  books.delete(items, item)
  books.record({ action: 'ITEM_DELETED', entityType: 'ITEM', entityId: item.id, entityRef: item.item_name })
}

const EMPTY = {
  item_name: '',
  sku: null,
  item_type: 'GOODS' as const,
  description: null,
  hsn_or_sac: null,
  unit: null,
  rate: '0',
  purchase_rate: '0',
  tax_id: null,
  account_id: null,
  purchase_account_id: null,
  status: 'ACTIVE' as const,
}

const TEXTS = ['sku', 'description', 'hsn_or_sac', 'unit'] as const
const RATES = ['rate', 'purchase_rate'] as const

function change(books: Books, item: ItemRow, changed: Partial<ItemRow>, action: string): ItemRow {
  // The column has trailing zeros ('60.000000'), which are not a change of the rate.
  const before = { ...item, rate: decimalText(item.rate), purchase_rate: decimalText(item.purchase_rate) }
  const changes = changesBetween(before, { ...before, ...changed })
  if (changes === null) return item
  const entityRef = changed.item_name ?? item.item_name
  books.record({ action, entityType: 'ITEM', entityId: item.id, entityRef, changes })
  return books.change(items, item, changed)
}

// The columns that the fields set, checked and in canonical form.
async function checked(books: Books, fields: ItemFields): Promise<Partial<ItemRow>> {
  const set: Partial<ItemRow> = await references(books, fields)
  if (fields.item_name !== undefined) set.item_name = fields.item_name.trim()
  if (fields.item_type !== undefined) set.item_type = fields.item_type
  if (fields.status !== undefined) set.status = fields.status
  for (const name of TEXTS) if (fields[name] !== undefined) set[name] = fields[name]?.trim() || null
  for (const name of RATES) if (fields[name] !== undefined) set[name] = decimalText(fields[name] ?? 0)
  return set
}

const REFERENCES = ['tax_id', 'account_id', 'purchase_account_id'] as const

async function references(books: Books, fields: ItemFields): Promise<Partial<ItemRow>> {
  const set: Partial<ItemRow> = {}
  for (const name of REFERENCES) {
    const sent = fields[name]
    if (sent !== undefined) set[name] = sent === null ? null : knownIds([sent], name)[0]!
  }
  const { tax_id: taxId = null, account_id = null, purchase_account_id = null } = set
  const accountIds = [account_id, purchase_account_id].filter((id) => id !== null)
  if (taxId === null && accountIds.length === 0) return set
  const found = await findItemReferences(books, taxId, accountIds)
  if (taxId !== null && !found.has_tax) throw notFound('tax', 'tax_id')
  const named = Object.entries({ account_id, purchase_account_id }).flatMap(([field, id]) =>
    id === null
      ? []
      : [
          {
            field,
            use: field === 'account_id' ? SALES_ACCOUNT : PURCHASE_ACCOUNT,
            account: found.accounts.find((each) => each.id === id),
          },
        ],
  )
  for (const { field, account } of named) if (!account) throw notFound('account', field)
  for (const { field, use, account } of named) accountFor(use, account, field)
  return set
}
