// The routes of the currencies and exchange rates, which are only read.
import { Op, type WhereOptions } from 'sequelize'
import { Type } from 'typebox'
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
    method: 'GET', path: '/currencies', tag, does: 'List all enabled currencies', scope: 'currencies.READ',
    query: listQuery({}),
    answer: Type.Object({ currencies: Type.Array(Currency) }),
    async read(desk) {
      const base = desk.caller.organization!.currency_code
      return { currencies: (await findEnabledCurrencies(desk)).map((currency) => showCurrency(currency, base)) }
    },
  }),
  route({
    method: 'GET', path: '/exchange_rates', tag, does: 'List exchange rates, the newest first', scope: 'currencies.READ',
    query: listQuery({
      from_currency: Type.Optional(CurrencyCode),
      to_currency: Type.Optional(CurrencyCode),
      limit: Type.Optional(Type.Integer({ minimum: 1, ...RATES })),
    }),
    answer: Type.Object({ exchange_rates: Type.Array(ExchangeRate) }),
    async read(desk, { query }) {
      const { from_currency, to_currency, limit = RATES.default } = query
      const filters: WhereOptions[] = []
      if (from_currency) filters.push({ from_currency })
      if (to_currency) filters.push({ to_currency })
      const newest = await pageOf(desk, exchangeRates, { by: 'rate_date', perPage: limit, after: null, where: { [Op.and]: filters } })
      return { exchange_rates: newest.rows.map(showExchangeRate) }
    },
  }),
]
