// Items: the goods and services of the item master. Rates are decimal text.
import { DOCUMENTS, kindsThatHave, type FactsOf, type KindThatHas } from '../domain/documents.ts'
import type { NamedAccount } from './account.ts'
import type { Scope } from './find.ts'
import { DECIMAL, TEXT, UUID, VERSIONED, model, orNull, textOf, type RowOf } from './model.ts'
import { countingReferences } from './reference-count.ts'

export const items = model('items', {
  org_id: UUID,
  id: UUID,
  item_name: TEXT,
  sku: orNull(TEXT),
  item_type: textOf<'GOODS' | 'SERVICE'>(),
  description: orNull(TEXT),
  hsn_or_sac: orNull(TEXT),
  unit: orNull(TEXT),
  rate: DECIMAL,
  purchase_rate: DECIMAL,
  tax_id: orNull(UUID),
  /** The account that sales credit; null for Sales. */
  account_id: orNull(UUID),
  /** The account that purchases debit; null for Purchases. */
  purchase_account_id: orNull(UUID),
  status: textOf<'ACTIVE' | 'INACTIVE'>(),
  ...VERSIONED,
})
export type ItemRow = RowOf<typeof items>

/** The expression that GET /items?search searches; the index items_search is on the same expression. */
export const ITEM_SEARCH = `(lower(item_name) || E'\\n' || lower(coalesce(sku, '')) || E'\\n' || lower(coalesce(description, '')))`

/** Every column that refers to an item, by its table; a test compares it with the foreign keys. */
export const ITEM_REFERENCES = Object.fromEntries(
  kindsThatHave('linesPointTo').map((kind) => [DOCUMENTS[kind].lines, 'item_id']),
) as { [K in KindThatHas<'linesPointTo'> as FactsOf<K>['lines']]: 'item_id' }

export type ItemUses = Record<keyof typeof ITEM_REFERENCES, number>

/** How many document lines have the item. */
export async function countItemUses(scope: Scope, id: string): Promise<ItemUses> {
  const [uses] = await scope.connection.run<ItemUses>(USES, [scope.orgId, id])
  return uses!
}

/** What an item refers to: whether the organisation has the tax, and those of the accounts that it has. */
export interface ItemReferences {
  has_tax: boolean
  accounts: NamedAccount[]
}

export async function findItemReferences(
  scope: Scope,
  taxId: string | null,
  accountIds: string[],
): Promise<ItemReferences> {
  const [found] = await scope.connection.run<ItemReferences>(REFERENCES, [scope.orgId, taxId, accountIds])
  return found!
}

const USES = countingReferences('item uses', ITEM_REFERENCES)
const REFERENCES = {
  name: 'item references',
  text: `SELECT EXISTS (SELECT FROM taxes WHERE org_id = $1 AND id = $2) AS has_tax,
                (SELECT coalesce(json_agg(a), '[]') FROM (
                   SELECT id, account_type, is_active FROM accounts WHERE org_id = $1 AND id = ANY ($3::uuid[])) AS a) AS accounts`,
}
