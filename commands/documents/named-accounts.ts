// Whether an account that a body names may be posted to.
import { isRevenue, isSpending, type AccountType } from '../../domain/accounts.ts'
import { fault, notFound } from '../../domain/faults.ts'
import type { NamedAccount } from '../../models/account.ts'

/** The types that an account may be of, and what is said of another. */
export interface AccountRule {
  isRight(type: AccountType): boolean
  message: string
}

export const SALES_ACCOUNT: AccountRule = { isRight: isRevenue, message: 'Sales must be credited to a revenue account.' }
export const PURCHASE_ACCOUNT: AccountRule = {
  isRight: isSpending, message: 'Purchases must be debited to an expense, cost of goods, stock or asset account.',
}

/**
 * The id of the account. Throws not_found.resource for one that the organisation does not have, and
 * validation.invalid_value for one of another type, or that is not active.
 */
export function accountFor({ isRight, message }: AccountRule, account: NamedAccount | undefined, field: string): string {
  if (!account) throw notFound('account', field)
  if (!isRight(account.account_type)) throw fault('validation.invalid_value', { field, message })
  if (!account.is_active) throw fault('validation.invalid_value', { field, message: 'This account is not active.' })
  return account.id
}
