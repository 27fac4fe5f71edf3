// Writes amounts, quantities, rates and dates as they are printed in India.
import type { Decimal } from 'decimal.js'
import { Exact } from '../decimal.ts'
import { minorDigits, toDecimalText, type Minor } from '../money.ts'

/** The currency in which figures are grouped by lakh and crore: 1,23,45,678.90. All others are grouped by thousands. */
export const RUPEE = 'INR'

/** An amount with all digits of the currency, without its sign: '1,23,45,678.90'; '-5.00'. */
export function printedAmount(amount: Minor, currency: string): string {
  return grouped(toDecimalText(amount, currency), currency)
}

/** The same with the sign of the rupee, or the code of another currency: '₹ 1,180.00', 'USD 1,180.00'. */
export function printedMoney(amount: Minor, currency: string): string {
  return `${currency === RUPEE ? '₹' : currency} ${printedAmount(amount, currency)}`
}

/** As printedAmount, and '' for 0. */
export function amountOrBlank(amount: Minor, currency: string): string {
  return amount === 0n ? '' : printedAmount(amount, currency)
}

/** A price in units of the currency, with at least its digits and all that it has: '2,150.00', '0.0125'. */
export function printedRate(rate: string, currency: string): string {
  const exact = new Exact(rate)
  return grouped(exact.toFixed(Math.max(minorDigits(currency), exact.decimalPlaces())), currency)
}

/** A quantity without needless zeros: '40', '0.125', '12,34,567'. */
export function printedQuantity(quantity: string | Decimal, currency: string): string {
  return grouped(new Exact(quantity).toFixed(), currency)
}

/** '18%', '0.25%'. */
export function printedPercent(percent: string | Decimal): string {
  return `${new Exact(percent).toFixed()}%`
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** A calendar date: '01 Apr 2026' for '2026-04-01'; '' for null. */
export function printedDate(date: string | null): string {
  if (date === null) return ''
  const [year, month, day] = date.split('-')
  return `${day} ${MONTHS[Number(month) - 1]} ${year}`
}

// Separates thousands from the right; for rupees, after the thousands every two digits.
function grouped(decimal: string, currency: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(decimal)!
  const ends = currency === RUPEE ? /\B(?=(?:\d\d)*\d{3}$)/g : /\B(?=(?:\d{3})+$)/g
  return `${sign}${whole.replace(ends, ',')}${fraction}`
}
