// The routes of the chart of accounts, which is only read.
import { Op, type WhereOptions } from 'sequelize'
import { Type } from 'typebox'
import { ACCOUNT_TYPES } from '../../domain/accounts.ts'
import { accounts, withBalances } from '../../models/account.ts'
import { existingRow } from '../../models/find.ts'
import { idFilter, pageOf } from '../../models/page.ts'
import { modifiedSince, PageContext, pageContext, pageQuery, pageRequest } from '../http/page.ts'
import { route, type Desk } from '../http/route.ts'
import { Account, showAccount } from '../shapes/account.ts'
import { one } from '../shapes/fields.ts'

const tag = 'Accounts'
const MOST_A_PAGE = 500

const currencyAt = ({ caller }: Desk) => caller.organization!.currency_code

export const accountRoutes = [
  route({
    method: 'GET', path: '/accounts', tag, does: 'List the accounts of the chart', scope: 'accounts.READ',
    query: pageQuery({
      account_type: Type.Optional(Type.Enum([...ACCOUNT_TYPES])),
      parent_id: Type.Optional(Type.String()),
      include_inactive: Type.Optional(Type.Boolean({ default: false })),
    }, MOST_A_PAGE),
    answer: Type.Object({ accounts: Type.Array(Account), page_context: PageContext }),
    async read(desk, { query }) {
      const { account_type, parent_id, include_inactive = false } = query
      const filters: WhereOptions[] = [modifiedSince(query)]
      if (account_type) filters.push({ account_type })
      if (parent_id !== undefined) filters.push(idFilter('parent_id', parent_id))
      if (!include_inactive) filters.push({ is_active: true })
      const page = await pageOf(desk, accounts, { ...pageRequest(query), where: { [Op.and]: filters } })
      const found = await withBalances(desk, page.rows)
      return { accounts: found.map((account) => showAccount(account, currencyAt(desk))), page_context: pageContext(query, page) }
    },
  }),
  route({
    method: 'GET', path: '/accounts/{account_id}', tag, does: 'Read an account', scope: 'accounts.READ',
    answer: one('account', Account),
    async read(desk, { params }) {
      const [account] = await withBalances(desk, [await existingRow(desk, accounts, params.account_id!, 'account')])
      return { account: showAccount(account!, currencyAt(desk)) }
    },
  }),
]
