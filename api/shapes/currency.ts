// Currencies and exchange rates as JSON.
import { Type, type Static } from 'typebox'
import type { CurrencyRow, ExchangeRateRow } from '../../models/currency.ts'
import { Currency as CurrencyCode, decimal, DocumentDate, Id, optional } from './fields.ts'

export const Currency = Type.Object({
  currency_code: Type.String({ description: 'ISO 4217.' }),
  name: Type.String(),
  symbol: Type.String(),
  decimal_places: Type.Integer({ description: 'Decimals of the minor unit: INR 2, JPY 0, KWD 3.' }),
  is_base: Type.Boolean({ description: 'True for the currency that the books are kept in.' }),
  is_enabled: Type.Boolean(),
})

export function showCurrency(currency: CurrencyRow, base: string): Static<typeof Currency> {
  const { currency_code, name, symbol, minor_digits, is_enabled } = currency
  return { currency_code, name, symbol, decimal_places: minor_digits, is_base: currency_code === base, is_enabled }
}

export const ExchangeRate = Type.Object({
  exchange_rate_id: Id,
  from_currency: Type.String(),
  to_currency: Type.String(),
  rate: Type.Number({ description: 'Units of to_currency for one unit of from_currency.' }),
  rate_date: Type.String({ format: 'date' }),
  source: Type.String(),
})

export function showExchangeRate(rate: ExchangeRateRow): Static<typeof ExchangeRate> {
  return {
    exchange_rate_id: rate.id,
    from_currency: rate.from_currency,
    to_currency: rate.to_currency,
    rate: Number(rate.rate),
    rate_date: rate.rate_date,
    source: rate.source,
  }
}

/** Today's where no date is sent. */
export const SentRate = Type.Object({
  from_currency: CurrencyCode,
  to_currency: CurrencyCode,
  rate: decimal({ exclusiveMinimum: 0 }),
  rate_date: optional(DocumentDate),
})
