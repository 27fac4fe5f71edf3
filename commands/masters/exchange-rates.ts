// Exchange rates that people record: one a day and pair of currencies.
import { decimalText } from '../../domain/decimal.ts'
import { fault } from '../../domain/faults.ts'
import { exchangeRates, findEnabledCurrencies, lockRateOf, type ExchangeRateRow } from '../../models/currency.ts'
import { lockOrganization } from '../../models/organization.ts'
import type { Books } from '../books/books.ts'
import { documentDateOf, today } from '../documents/drafting.ts'

export interface SentRate {
  from_currency: string
  to_currency: string
  /** Units of to_currency for one unit of from_currency. */
  rate: number
  rate_date?: string | null
}

/**
 * Records the rate of a pair on a day, today unless one is sent, in place of the one that there is. Documents that exist keep
 * theirs. Throws validation.invalid_value for a currency that the organisation does not have, or one with itself.
 */
export async function setExchangeRate(books: Books, { rate, ...sent }: SentRate): Promise<ExchangeRateRow> {
  // One change of the organisation at a time, so that a day has one rate.
  await lockOrganization(books.connection, books.orgId)
  const { from_currency, to_currency } = sent
  const known = new Set((await findEnabledCurrencies(books)).map(({ currency_code }) => currency_code))
  for (const field of ['from_currency', 'to_currency'] as const)
    if (!known.has(sent[field]))
      throw fault('validation.invalid_value', { field, message: `The organisation does not have ${sent[field]}.` })
  if (from_currency === to_currency)
    throw fault('validation.invalid_value', { field: 'to_currency', message: 'The two currencies must differ.' })
  const rate_date = sent.rate_date == null ? today(books) : documentDateOf(books, sent.rate_date)
  const before = await lockRateOf.first(books, from_currency, to_currency, rate_date)
  const text = decimalText(rate)
  if (before && Number(before.rate) === rate) return before
  const row = before
    ? books.update(exchangeRates, before, { rate: text, source: SOURCE })
    : books.insert(exchangeRates, {
        id: books.newId(),
        from_currency,
        to_currency,
        rate: text,
        rate_date,
        source: SOURCE,
      })
  books.record({
    action: 'EXCHANGE_RATE_SET',
    entityType: 'EXCHANGE_RATE',
    entityId: row.id,
    entityRef: `${from_currency} ${to_currency} ${rate_date}`,
    changes: { rate: { old: before === null ? null : Number(before.rate), new: rate } },
  })
  return row
}

const SOURCE = 'MANUAL'
