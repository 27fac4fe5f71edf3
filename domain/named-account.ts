// Checks that an account which a body names may be posted to.
import { isRevenue, isSpending, type AccountType } from './accounts.ts'
import { fault, notFound } from './faults.ts'

/** The types of accounts that are allowed, and the message for any other. */
export interface AccountRule {
  isRight(type: AccountType): boolean
  message: string
}

export const SALES_ACCOUNT: AccountRule = {
  isRight: isRevenue,
  message: 'Sales must be credited to a revenue account.',
}
export const PURCHASE_ACCOUNT: AccountRule = {
  isRight: isSpending,
  message: 'Purchases must be debited to an expense, cost of goods, stock or asset account.',
}
export const EXPENSE_ACCOUNT: AccountRule = {
  isRight: isSpending,
  message: 'An expense must be debited to an expense, cost of goods, stock or asset account.',
}

/**
 * The id of the account, which is undefined when the organisation does not have it. Throws not_found.resource for that, and
 * validation.invalid_value for an account of another type, or one that is not active; each with the field.
 */
export function accountFor(
  { isRight, message }: AccountRule,
  account: { id: string; account_type: AccountType; is_active: boolean } | undefined,
  field: string,
): string {
  if (!account) throw notFound('account', field)
  if (!isRight(account.account_type)) throw fault('validation.invalid_value', { field, message })
  if (!account.is_active) throw fault('validation.invalid_value', { field, message: 'This account is not active.' })
  return account.id
}
