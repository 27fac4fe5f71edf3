// The routes of the chart of accounts, which is only read.
import { Type } from 'typebox'
import { ACCOUNT_TYPES } from '../../domain/accounts.ts'
import { parseDocumentDate } from '../../domain/dates.ts'
import { accounts, withBalances } from '../../models/account.ts'
import { equalTo, everything } from '../../models/condition.ts'
import { existingRow } from '../../models/find.ts'
import { equals, listing, sameId } from '../http/listing.ts'
import { route, type RequestContext } from '../http/route.ts'
import { Account, AsOf, showAccount } from '../shapes/account.ts'
import { one } from '../shapes/fields.ts'

const tag = 'Accounts'

const currencyAt = ({ caller }: RequestContext) => caller.organization!.currency_code

export const accountRoutes = [
  listing({
    path: '/accounts',
    tag,
    does: 'List the chart of accounts',
    scope: 'accounts.READ',
    key: 'accounts',
    table: accounts,
    shape: Account,
    mostPerPage: 500,
    filters: {
      account_type: equals(Type.Enum([...ACCOUNT_TYPES])),
      parent_id: sameId(),
      include_inactive: {
        schema: Type.Boolean({ default: false }),
        always: true,
        where: (on) => (on ? everything : equalTo('is_active', true)),
      },
    },
    // Whoever adds up the balances of a page has a trial balance: debits and credits of one moment.
    complete: (rows, context) => withBalances(context, rows),
    show: (rows, context) => rows.map((account) => showAccount(account, currencyAt(context))),
  }),
  route({
    method: 'GET',
    path: '/accounts/{account_id}',
    tag,
    does: 'Read an account',
    scope: 'accounts.READ',
    query: Type.Object({ as_of: Type.Optional(AsOf) }),
    answer: one('account', Account),
    async read(context, { params, query }) {
      const asOf = query.as_of === undefined ? null : parseDocumentDate(query.as_of)
      const [account] = await withBalances(
        context,
        [await existingRow(context, accounts, params.account_id!, 'account')],
        asOf,
      )
      return { account: showAccount(account!, currencyAt(context)) }
    },
  }),
]
