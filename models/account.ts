// The chart of accounts, and the balance that the ledger gives each account.
import type { AccountRole, AccountType } from '../domain/accounts.ts'
import { table } from './table.ts'

export interface AccountRow {
  org_id: string
  id: string
  code: string
  name: string
  account_type: AccountType
  role: AccountRole | null
  parent_id: string | null
  description: string | null
  currency_code: string
  is_active: boolean
  is_system: boolean
  created_time: Date
  last_modified_time: Date
}

export const accounts = table<AccountRow>('accounts', {
  org_id: 'uuid', id: 'uuid', code: 'text', name: 'text', account_type: 'text', role: 'text', parent_id: 'uuid',
  description: 'text', currency_code: 'text', is_active: 'boolean', is_system: 'boolean', created_time: 'time',
  last_modified_time: 'time',
})
