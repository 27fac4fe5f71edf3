// Exact decimal arithmetic for quantities, rates, percentages and exchange rates.
import { Decimal } from 'decimal.js'

// The library's default of 20 significant digits would round a large quantity times a rate with many decimals.
// ROUND_HALF_UP of decimal.js is half away from zero (decisions §3).
export const Exact = Decimal.clone({
  precision: 400,
  rounding: Decimal.ROUND_HALF_UP,
  toExpNeg: -400,
  toExpPos: 400,
})

export type Exact = Decimal

/** A decimal as text, without an exponent and without trailing zeros: 1e-7 is '0.0000001', '18.00' is '18'. */
export function decimalText(value: string | number | Decimal): string {
  return new Exact(value).toFixed()
}

/** The number of digits after the decimal point, without trailing zeros. */
export function decimalPlaces(value: string | number | Decimal): number {
  return new Exact(value).decimalPlaces()
}
