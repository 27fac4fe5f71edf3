// The currencies that an organisation deals in, and the exchange rates it has recorded.
import type { Statement } from './connection.ts'
import { finder, is, type Scope } from './find.ts'
import { BOOLEAN, DATE, DECIMAL, INTEGER, TEXT, UUID, model, type RowOf } from './model.ts'

export const currencies = model(
  'currencies',
  {
    org_id: UUID,
    currency_code: TEXT,
    name: TEXT,
    symbol: TEXT,
    minor_digits: INTEGER,
    is_enabled: BOOLEAN,
  },
  { key: ['org_id', 'currency_code'], scopes: { enabled: { where: { is_enabled: true } } } },
)
export type CurrencyRow = RowOf<typeof currencies>

/** `rate` is decimal text: units of `to_currency` for one unit of `from_currency`. */
export const exchangeRates = model('exchange_rates', {
  org_id: UUID,
  id: UUID,
  from_currency: TEXT,
  to_currency: TEXT,
  rate: DECIMAL,
  rate_date: DATE,
  source: TEXT,
})
export type ExchangeRateRow = RowOf<typeof exchangeRates>

/** The currencies that the organisation has enabled, by code. */
export const findEnabledCurrencies = finder(currencies, () => ({ scope: 'enabled', order: ['currency_code'] }))

/** The rate of a pair that is recorded for this day, locked; of several the one that counts. */
export const lockRateOf = finder<ExchangeRateRow, [from: string, to: string, date: string]>(
  exchangeRates,
  (from, to, date) => ({
    where: { from_currency: is(from), to_currency: is(to), rate_date: is(date) },
    order: [['id', 'DESC']],
    limit: 1,
    lock: true,
  }),
)

/** A pair of currencies whose rate is looked up. */
export interface RatePair {
  from: string
  to: string
}

/**
 * SQL for the latest rate of a pair on or before a date, as decimal text; null where there is none, and where `from` is null.
 * Only the pair itself is looked up, not its inverse. The arguments are SQL; the query around it has the organisation as $1.
 */
export const latestRate = (from: string, to: string, date: string) => `(SELECT rate::text FROM exchange_rates
   WHERE org_id = $1 AND from_currency = ${from} AND to_currency = ${to} AND rate_date <= ${date}::date
   ORDER BY rate_date DESC, id DESC LIMIT 1)`

/** The latest rate of a pair on or before a date, as decimal text; null where there is none. */
export async function findLatestRate(
  { connection, orgId }: Scope,
  { from, to }: RatePair,
  date: string,
): Promise<string | null> {
  const [row] = await connection.run<{ rate: string | null }>(LATEST, [orgId, from, to, date])
  return row!.rate
}

const LATEST: Statement = {
  name: 'latest rate',
  text: `SELECT ${latestRate('$2', '$3', '$4')} AS rate`,
  takesNoLock: true,
}
