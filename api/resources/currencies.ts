// The routes of the currencies and exchange rates: tokens read them, signed-in people record rates.
import { Type } from 'typebox'
import { setExchangeRate } from '../../commands/masters/exchange-rates.ts'
import { allOf, equalTo } from '../../models/condition.ts'
import { exchangeRates, findEnabledCurrencies } from '../../models/currency.ts'
import { pageOf } from '../../models/page.ts'
import { listQuery } from '../http/page.ts'
import { route } from '../http/route.ts'
import { Currency, ExchangeRate, SentRate, showCurrency, showExchangeRate } from '../shapes/currency.ts'
import { Currency as CurrencyCode, one } from '../shapes/fields.ts'

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

/** Below /internal/v1. */
export const exchangeRateChange = route({
  method: 'PUT',
  by: 'session',
  path: '/exchange_rates',
  tag: 'Exchange rates',
  does: 'Record the exchange rate of a day',
  scope: 'currencies.UPDATE',
  changesOrganization: true,
  body: SentRate,
  answer: one('exchange_rate', ExchangeRate),
  write: async (books, { body }) => ({
    message: 'Exchange rate recorded.',
    exchange_rate: showExchangeRate(await setExchangeRate(books, body)),
  }),
})
