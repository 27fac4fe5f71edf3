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

const ENABLED = {
  name: 'enabled currencies',
  text: `SELECT ${currencies.columns.join(', ')} FROM currencies WHERE org_id = $1 AND is_enabled ORDER BY currency_code`,
}
