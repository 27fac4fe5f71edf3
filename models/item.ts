// Items: the goods and services of the item master. Rates are decimal text.
import { table } from './table.ts'

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
