// Which accounts sales and purchases may be posted to.
import { describe, expect, test } from '@jest/globals'
import type { AccountType } from '../../domain/accounts.ts'
import { accountFor, PURCHASE_ACCOUNT, SALES_ACCOUNT } from '../../domain/named-account.ts'
import { refusalOf } from './refusal.ts'

const RULES = { sales: SALES_ACCOUNT, purchases: PURCHASE_ACCOUNT }
type Trade = keyof typeof RULES

const account = (account_type: AccountType, is_active = true) => ({ id: 'an account', account_type, is_active })

describe('an account that a body names', () => {
  test.each<[Trade, AccountType]>([
    ['sales', 'SALES'], ['sales', 'INCOME'], ['sales', 'OTHER_INCOME'],
    ['purchases', 'EXPENSE'], ['purchases', 'COST_OF_GOODS_SOLD'], ['purchases', 'STOCK'], ['purchases', 'FIXED_ASSET'],
  ])('takes for %s %s', (trade, type) => {
    expect(accountFor(RULES[trade], account(type), 'account_id')).toBe('an account')
  })

  test.each<[Trade, AccountType]>([
    ['sales', 'EXPENSE'], ['sales', 'BANK'], ['purchases', 'SALES'], ['purchases', 'ACCOUNTS_PAYABLE'],
  ])('refuses for %s %s', (trade, type) => {
    const refused = () => accountFor(RULES[trade], account(type), 'account_id')
    expect(refused).toThrow(RULES[trade].message)
    expect(refusalOf(refused)).toMatchObject({ code: 'validation.invalid_value', field: 'account_id' })
  })

  test('is refused while it is not active, after its type', () => {
    const refused = (type: AccountType) => () => accountFor(SALES_ACCOUNT, account(type, false), 'account_id')
    expect(refused('SALES')).toThrow('This account is not active.')
    expect(refusalOf(refused('SALES'))).toMatchObject({ code: 'validation.invalid_value', field: 'account_id' })
    expect(refused('EXPENSE')).toThrow(SALES_ACCOUNT.message)
  })

  test('must exist', () => {
    const refused = () => accountFor(SALES_ACCOUNT, undefined, 'line_items.0.account_id')
    expect(refused).toThrow('There is no such account.')
    expect(refusalOf(refused)).toMatchObject({ code: 'not_found.resource', field: 'line_items.0.account_id' })
  })
})
