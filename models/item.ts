// Items: the goods and services of the item master. Rates are decimal text.
import { DOCUMENTS, kindsThatHave, type FactsOf, type KindThatHas } from '../domain/documents.ts'
import type { NamedAccount } from './account.ts'
import type { Scope } from './find.ts'
import { table } from './table.ts'
import { countingUses } from './uses.ts'

export interface ItemRow {
  org_id: string
  id: string
  item_name: string
  sku: string | null
  item_type: 'GOODS' | 'SERVICE'
  description: string | null
  hsn_or_sac: string | null
  unit: string | null
  rate: string
  purchase_rate: string
  tax_id: string | null
  /** Where sales are credited; null for Sales. */
  account_id: string | null
  /** Where purchases are debited; null for Purchases. */
  purchase_account_id: string | null
  status: 'ACTIVE' | 'INACTIVE'
  version: number
  created_time: Date
  last_modified_time: Date
}

export const items = table<ItemRow>('items', {
  org_id: 'uuid', id: 'uuid', item_name: 'text', sku: 'text', item_type: 'text', description: 'text', hsn_or_sac: 'text',
  unit: 'text', rate: 'decimal', purchase_rate: 'decimal', tax_id: 'uuid', account_id: 'uuid', purchase_account_id: 'uuid', status: 'text',
  version: 'integer', created_time: 'time', last_modified_time: 'time',
})

/** What GET /items?search looks through; the index items_search is on this very expression. */
export const ITEM_SEARCH = `(lower(item_name) || E'\\n' || lower(coalesce(sku, '')) || E'\\n' || lower(coalesce(description, '')))`

/** Every column that refers to an item, by its table; the test of the schema holds it against the foreign keys. */
export const ITEM_REFERENCES = Object.fromEntries(
  kindsThatHave('linesPointTo').map((kind) => [DOCUMENTS[kind].lines, 'item_id']),
) as { [K in KindThatHas<'linesPointTo'> as FactsOf<K>['lines']]: 'item_id' }

export type ItemUses = Record<keyof typeof ITEM_REFERENCES, number>

/** How many document lines are of the item. */
export async function countItemUses(scope: Scope, id: string): Promise<ItemUses> {
  const [uses] = await scope.connection.run<ItemUses>(USES, [scope.orgId, id])
  return uses!
}

/** What an item refers to: whether the organisation has the tax, and those of the accounts that it has. */
export interface ItemReferences {
  has_tax: boolean
  accounts: NamedAccount[]
}

export async function findItemReferences(scope: Scope, taxId: string | null, accountIds: string[]): Promise<ItemReferences> {
  const [found] = await scope.connection.run<ItemReferences>(REFERENCES, [scope.orgId, taxId, accountIds])
  return found!
}

const USES = countingUses('item uses', ITEM_REFERENCES)
const REFERENCES = {
  name: 'item references',
  text: `SELECT EXISTS (SELECT FROM taxes WHERE org_id = $1 AND id = $2) AS has_tax,
                (SELECT coalesce(json_agg(a), '[]') FROM (
                   SELECT id, account_type, is_active FROM accounts WHERE org_id = $1 AND id = ANY ($3::uuid[])) AS a) AS accounts`,
}
