// The currencies that an organisation deals in, and the exchange rates it has recorded.
import type { Scope } from './find.ts'
import { table } from './table.ts'

export interface CurrencyRow {
  org_id: string
  currency_code: string
  name: string
  symbol: string
  minor_digits: number
  is_enabled: boolean
}

export const currencies = table<CurrencyRow>(
  'currencies',
  { org_id: 'uuid', currency_code: 'text', name: 'text', symbol: 'text', minor_digits: 'integer', is_enabled: 'boolean' },
  { key: ['org_id', 'currency_code'] },
)

/** `rate` is decimal text: units of `to_currency` for one unit of `from_currency`. */
export interface ExchangeRateRow {
  org_id: string
  id: string
  from_currency: string
  to_currency: string
  rate: string
  rate_date: string
  source: string
}

export const exchangeRates = table<ExchangeRateRow>('exchange_rates', {
  org_id: 'uuid', id: 'uuid', from_currency: 'text', to_currency: 'text', rate: 'decimal', rate_date: 'date', source: 'text',
})

/** The currencies that the organisation has enabled, by code. */
export async function findEnabledCurrencies(scope: Scope): Promise<CurrencyRow[]> {
  return scope.connection.run<CurrencyRow>(ENABLED, [scope.orgId])
}

/** A pair of currencies that a rate is wanted of. */
export interface RatePair {
  from: string
  to: string
}

/**
 * The latest rate of a pair on or before a date, as decimal text; null where there is none, and where `from` is null. Only the
 * pair itself is asked, not its inverse. For a query that has the organisation as $1 and the rest in these places.
 */
export const latestRate = (from: string, to: string, date: string) => `(SELECT rate::text FROM exchange_rates
   WHERE org_id = $1 AND from_currency = ${from} AND to_currency = ${to} AND rate_date <= ${date}::date
   ORDER BY rate_date DESC, id DESC LIMIT 1)`

const ENABLED = {
  name: 'enabled currencies',
  text: `SELECT ${currencies.columns.join(', ')} FROM currencies WHERE org_id = $1 AND is_enabled ORDER BY currency_code`,
}
