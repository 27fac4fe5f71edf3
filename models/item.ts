// Items: the goods and services of the item master. Rates are decimal text.
import type { AccountType } from '../domain/accounts.ts'
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
  account_id: string | null
  status: 'ACTIVE' | 'INACTIVE'
  version: number
  created_time: Date
  last_modified_time: Date
}

export const items = table<ItemRow>('items', {
  org_id: 'uuid', id: 'uuid', item_name: 'text', sku: 'text', item_type: 'text', description: 'text', hsn_or_sac: 'text',
  unit: 'text', rate: 'decimal', purchase_rate: 'decimal', tax_id: 'uuid', account_id: 'uuid', status: 'text',
  version: 'integer', created_time: 'time', last_modified_time: 'time',
})

/** What GET /items?search looks through; the index items_search is on this very expression. */
export const ITEM_SEARCH = `(lower(item_name) || E'\\n' || lower(coalesce(sku, '')) || E'\\n' || lower(coalesce(description, '')))`

/** Every column that refers to an item, by its table; the test of the schema holds it against the foreign keys. */
export const ITEM_REFERENCES = {
  invoice_lines: 'item_id', bill_lines: 'item_id', credit_note_lines: 'item_id', debit_note_lines: 'item_id',
  estimate_lines: 'item_id', sales_order_lines: 'item_id', purchase_order_lines: 'item_id',
} as const

export type ItemUses = Record<keyof typeof ITEM_REFERENCES, number>

/** How many document lines are of the item. */
export async function countItemUses(scope: Scope, id: string): Promise<ItemUses> {
  const [uses] = await scope.connection.run<ItemUses>(USES, [scope.orgId, id])
  return uses!
}

/** What an item may refer to: whether the organisation has the tax, and the type of the account, null where it has none. */
export async function findItemReferences(
  scope: Scope, taxId: string | null, accountId: string | null,
): Promise<{ has_tax: boolean; account_type: AccountType | null }> {
  const [found] = await scope.connection.run<{ has_tax: boolean; account_type: AccountType | null }>(REFERENCES, [
    scope.orgId, taxId, accountId,
  ])
  return found!
}

const USES = countingUses('item uses', ITEM_REFERENCES)
const REFERENCES = {
  name: 'item references',
  text: `SELECT EXISTS (SELECT FROM taxes WHERE org_id = $1 AND id = $2) AS has_tax,
                (SELECT account_type FROM accounts WHERE org_id = $1 AND id = $3) AS account_type`,
}
