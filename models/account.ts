// The chart of accounts, and the balance that the ledger gives each account.
import type { AccountRole, AccountType } from '../domain/accounts.ts'
import { among, finder, type Scope } from './find.ts'
import { findBalances, findBalancesAsOf } from './monthly-balance.ts'
import { BOOLEAN, TEXT, TIME, UUID, orNull, textOf, model, type RowOf } from './model.ts'

export const accounts = model(
  'accounts',
  {
    org_id: UUID,
    id: UUID,
    code: TEXT,
    name: TEXT,
    account_type: textOf<AccountType>(),
    role: orNull(textOf<AccountRole>()),
    parent_id: orNull(UUID),
    description: orNull(TEXT),
    currency_code: TEXT,
    is_active: BOOLEAN,
    is_system: BOOLEAN,
    created_time: TIME,
    last_modified_time: TIME,
  },
  { scopes: { active: { where: { is_active: true } } } },
)
export type AccountRow = RowOf<typeof accounts>

/** What is read of an account that a request names, to check whether it may be posted to. */
export type NamedAccount = Pick<AccountRow, 'id' | 'account_type' | 'is_active'>

/** An account and its own balance, debit positive, in minor units of the organisation's currency. */
export interface Account extends AccountRow {
  balance: bigint
}

/** Adds their balances to accounts, in one query, as of a date where one is given; an account without postings has 0. */
export async function withBalances(scope: Scope, rows: AccountRow[], asOf: string | null = null): Promise<Account[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const balanceOf = await (asOf === null ? findBalances(scope, ids) : findBalancesAsOf(scope, asOf, ids))
  return rows.map((row) => ({ ...row, balance: balanceOf.get(row.id) ?? 0n }))
}

/** The bank accounts, and the cash accounts where asked for, by code. */
export async function findBankAccounts(
  scope: Scope,
  { activeOnly, includeCash }: { activeOnly: boolean; includeCash: boolean },
): Promise<Account[]> {
  const types: AccountType[] = includeCash ? ['BANK', 'CASH'] : ['BANK']
  return withBalances(scope, await (activeOnly ? activeOfTypes : ofTypes)(scope, types))
}

const ofTypes = finder<AccountRow, [AccountType[]]>(accounts, (types) => ({
  where: { account_type: among(types) },
  order: ['code'],
}))
const activeOfTypes = finder<AccountRow, [AccountType[]]>(accounts, (types) => ({
  scope: 'active',
  where: { account_type: among(types) },
  order: ['code'],
}))
