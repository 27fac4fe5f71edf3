// The route of the bank and cash accounts, through which money is paid.
import { Type } from 'typebox'
import { findBankAccounts } from '../../models/account.ts'
import { listQuery } from '../http/page.ts'
import { route } from '../http/route.ts'
import { BankAccount, showBankAccount } from '../shapes/account.ts'

export const bankAccountRoutes = [
  route({
    method: 'GET',
    path: '/bank_accounts',
    tag: 'Lookups',
    does: 'List all bank and cash accounts',
    scope: 'bankaccounts.READ',
    query: listQuery({
      active_only: Type.Optional(Type.Boolean({ default: true })),
      include_cash: Type.Optional(Type.Boolean({ default: true })),
    }),
    answer: Type.Object({ bank_accounts: Type.Array(BankAccount) }),
    async read(context, { query }) {
      const found = await findBankAccounts(context, {
        activeOnly: query.active_only ?? true,
        includeCash: query.include_cash ?? true,
      })
      return {
        bank_accounts: found.map((account) => showBankAccount(account, context.caller.organization!.currency_code)),
      }
    },
  }),
]
