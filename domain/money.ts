// Money as integers in the currency's minor unit. Only this file rounds amounts of money; gst.ts and inclusive-tax.ts round taxes.
import type { Decimal } from 'decimal.js'
import { findCurrency } from './currencies.ts'
import { Exact } from './decimal.ts'
import { fault } from './faults.ts'

/** An amount in the minor unit of its currency: paise, cents, fils. */
export type Minor = bigint

/** The largest total of a document, in units of its currency (decisions §4). */
const MAX_TOTAL = 10n ** 13n

// Above this, a JSON number may lose the last digit of an amount (2^53 is about 9 x 10^15).
const MAX_MINOR: Minor = 10n ** 15n

/**
 * The number of decimals of the currency by ISO 4217: INR 2, JPY 0, KWD 3.
 * Throws validation.invalid_value (field currency_code) for a code that is not in ISO 4217.
 */
export function minorDigits(currency: string): number {
  const found = findCurrency(currency)
  if (!found) {
    throw fault('validation.invalid_value', {
      field: 'currency_code',
      message: `${JSON.stringify(currency.slice(0, 20))} is not an ISO 4217 currency code.`,
    })
  }
  return found.minorDigits
}

/** How many minor units make one unit of the currency. */
export function minorPerUnit(currency: string): bigint {
  return 10n ** BigInt(minorDigits(currency))
}

/**
 * An amount in currency units as minor units, rounded half away from zero (decisions §3).
 * Throws validation.invalid_value when the value is not a finite number.
 */
export function toMinor(value: string | number | Decimal, currency: string): Minor {
  return BigInt(inMinorUnits(value, currency).toFixed(0))
}

/**
 * As toMinor, for a field of a body that must be above 0.
 * Throws validation.invalid_value for an amount that rounds to 0 or less.
 */
export function amountAboveZero(value: string | number | Decimal, currency: string, field: string): Minor {
  const amount = toMinor(value, currency)
  refuseNonPositive(amount, currency, field)
  return amount
}

/** Throws as amountAboveZero, for an amount in minor units. */
export function refuseNonPositive(amount: Minor, currency: string, field: string): void {
  if (amount > 0n) return
  throw fault('validation.invalid_value', {
    field,
    message: `An amount must be at least ${toDecimalText(1n, currency)} ${currency}.`,
  })
}

/** The amount as a JSON number in currency units: 118000n of INR is 1180, 1n of KWD is 0.001. */
export function toAmount(value: Minor, currency: string): number {
  return Number(toDecimalText(value, currency))
}

/** The amount as text with all digits of the minor unit: '1180.00', '-0.05', JPY '1180'. */
export function toDecimalText(value: Minor, currency: string): string {
  const digits = minorDigits(currency)
  const figures = String(value < 0n ? -value : value).padStart(digits + 1, '0')
  const sign = value < 0n ? '-' : ''
  if (digits === 0) return sign + figures
  return `${sign}${figures.slice(0, -digits)}.${figures.slice(-digits)}`
}

/**
 * Converts at `rate` (units of the base currency for one unit of `currency`) into minor units of the base
 * currency, rounded half away from zero. An amount in the base currency stays as it is.
 * Throws validation.invalid_value (field exchange_rate) for a rate that is not above 0, or that makes the amount larger
 * than maxTotal of the base currency.
 */
export function toBase(value: Minor, currency: string, rate: string, baseCurrency = 'INR'): Minor {
  if (currency === baseCurrency) return value
  const factor = positiveRate(rate)
  const units = new Exact(String(value)).div(String(minorPerUnit(currency)))
  const converted = toMinor(units.times(factor), baseCurrency)
  if (magnitude(converted) > maxTotal(baseCurrency)) {
    throw fault('validation.invalid_value', {
      field: 'exchange_rate',
      message: `At this rate the amount exceeds the largest amount that can be stored in ${baseCurrency}.`,
      details: { limit: toAmount(maxTotal(baseCurrency), baseCurrency) },
    })
  }
  return converted
}

/**
 * Refuses an exchange rate that is not above 0, or that is not 1 for the base currency.
 * Throws validation.invalid_value, field exchange_rate.
 */
export function refuseExchangeRate(currency: string, rate: string, baseCurrency = 'INR'): void {
  const factor = positiveRate(rate)
  if (currency === baseCurrency && !factor.equals(1)) {
    throw fault('validation.invalid_value', {
      field: 'exchange_rate',
      message: `The books are kept in ${baseCurrency}; its exchange rate must be 1.`,
    })
  }
}

export function sum(values: Iterable<Minor>): Minor {
  let total = 0n
  for (const value of values) total += value
  return total
}

export function magnitude(value: Minor): Minor {
  return value < 0n ? -value : value
}

/** The largest total of a document in minor units: 10^13 units, or 10^15 minor units if that is less. */
export function maxTotal(currency: string): Minor {
  const limit = MAX_TOTAL * minorPerUnit(currency)
  return limit < MAX_MINOR ? limit : MAX_MINOR
}

/** Throws validation.invalid_value (field total) when a total is beyond maxTotal (decisions §4). */
export function refuseTooLarge(total: Minor, currency: string): void {
  const limit = maxTotal(currency)
  if (magnitude(total) <= limit) return
  throw fault('validation.invalid_value', {
    field: 'total',
    message: `The total exceeds ${toDecimalText(limit, currency)} ${currency}.`,
    details: { limit: toAmount(limit, currency) },
  })
}

function inMinorUnits(value: string | number | Decimal, currency: string): Decimal {
  const amount = new Exact(value)
  if (!amount.isFinite()) throw fault('validation.invalid_value', { message: 'An amount must be a finite number.' })
  return amount.times(String(minorPerUnit(currency)))
}

function positiveRate(rate: string): Decimal {
  const factor = new Exact(rate)
  if (factor.isFinite() && factor.greaterThan(0)) return factor
  throw fault('validation.invalid_value', { field: 'exchange_rate', message: 'An exchange rate must be above 0.' })
}
