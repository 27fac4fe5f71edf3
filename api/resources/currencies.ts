// The routes of the currencies and exchange rates, which are only read.
import { Type } from 'typebox'
import { allOf, equalTo } from '../../models/condition.ts'
import { exchangeRates, findEnabledCurrencies } from '../../models/currency.ts'
import { pageOf } from '../../models/page.ts'
import { listQuery } from '../http/page.ts'
import { route } from '../http/route.ts'
import { Currency, ExchangeRate, showCurrency, showExchangeRate } from '../shapes/currency.ts'
import { Currency as CurrencyCode } from '../shapes/fields.ts'

const tag = 'Lookups'
const RATES = { default: 200, maximum: 1000 }

export const currencyRoutes = [
  route({
    method: 'GET',
    path: '/currencies',
    tag,
    does: 'List all enabled currencies',
    scope: 'currencies.READ',
    query: listQuery({}),
    answer: Type.Object({ currencies: Type.Array(Currency) }),
    async read(context) {
      const base = context.caller.organization!.currency_code
      return { currencies: (await findEnabledCurrencies(context)).map((currency) => showCurrency(currency, base)) }
    },
  }),
  route({
    method: 'GET',
    path: '/exchange_rates',
    tag,
    does: 'List exchange rates, the newest first',
    scope: 'currencies.READ',
    query: listQuery({
      from_currency: Type.Optional(CurrencyCode),
      to_currency: Type.Optional(CurrencyCode),
      limit: Type.Optional(Type.Integer({ minimum: 1, ...RATES })),
    }),
    answer: Type.Object({ exchange_rates: Type.Array(ExchangeRate) }),
    async read(context, { query }) {
      const { limit = RATES.default, ...pair } = query
      const filters = (['from_currency', 'to_currency'] as const).flatMap((name) =>
        pair[name] ? [equalTo(name, pair[name])] : [],
      )
      const newest = await pageOf(context, exchangeRates, {
        by: 'rate_date',
        perPage: limit,
        after: null,
        where: allOf(filters),
      })
      return { exchange_rates: newest.rows.map(showExchangeRate) }
    },
  }),
]
