// An account of the chart of accounts as JSON.
import { Type, type Static } from 'typebox'
import { ACCOUNT_TYPES, isDebitNormal } from '../../domain/accounts.ts'
import { toAmount } from '../../domain/money.ts'
import type { Account as AccountWithBalance } from '../../models/account.ts'
import { Id, nullable, Timestamp } from './fields.ts'

/** The date at whose end the balance is computed. */
export const AsOf = Type.String({
  format: 'document-date',
  maxLength: 40,
  description:
    'The balance at the end of this date (2026-04-01), by the dates of the entries; without it, of all entries, later ones too.',
})

const fields = {
  account_id: Id,
  code: Type.String(),
  name: Type.String(),
  account_type: Type.Enum([...ACCOUNT_TYPES]),
  parent_id: nullable(Id),
  description: nullable(Type.String()),
  current_balance: Type.Number({
    description:
      "The account's own balance, positive on its normal side (debit for assets and expenses, credit for the rest), in the organisation's currency; " +
      'as of the date `as_of`, if it is sent.',
  }),
  currency_code: Type.String(),
  is_active: Type.Boolean(),
  is_system: Type.Boolean(),
  created_time: Timestamp,
  last_modified_time: Timestamp,
}

export const Account = Type.Object(fields)

export const BankAccount = Type.Object({
  bank_account_id: Type.String({ format: 'uuid', description: 'The same as account_id.' }),
  ...fields,
})

/** `currency` is the organisation's: balances are kept in it, even if the account has another currency. */
export function showAccount(account: AccountWithBalance, currency: string): Static<typeof Account> {
  return {
    account_id: account.id,
    code: account.code,
    name: account.name,
    account_type: account.account_type,
    parent_id: account.parent_id,
    description: account.description,
    current_balance: toAmount(isDebitNormal(account.account_type) ? account.balance : -account.balance, currency),
    currency_code: account.currency_code,
    is_active: account.is_active,
    is_system: account.is_system,
    created_time: account.created_time.toISOString(),
    last_modified_time: account.last_modified_time.toISOString(),
  }
}

export function showBankAccount(account: AccountWithBalance, currency: string): Static<typeof BankAccount> {
  return { bank_account_id: account.id, ...showAccount(account, currency) }
}
