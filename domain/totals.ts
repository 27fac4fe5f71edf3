// From the lines of a document to its totals: taxable values, taxes, round-off.
import { Exact } from './decimal.ts'
import { fault } from './faults.ts'
import { gstOnSale, gstTotal, type GstParts, type Tax } from './gst.ts'
import { magnitude, minorPerUnit, refuseTooLarge, sum, toAmount, toMinor, type Minor } from './money.ts'

export interface LineFigures {
  quantity: string
  /** Currency units for one of the quantity. */
  rate: string
  /** An amount in currency units, not a percentage. */
  discount: string
  tax: Tax | null
}

export interface PricedLine extends GstParts {
  taxable: Minor
  taxAmount: Minor
}

export interface Priced {
  lines: PricedLine[]
  subTotal: Minor
  cgst: Minor
  sgst: Minor
  igst: Minor
  cess: Minor
  taxTotal: Minor
  roundOff: Minor
  total: Minor
}

export type RoundingMethod = 'nearest' | 'up' | 'down'

export const ROUNDING_METHODS: readonly RoundingMethod[] = ['nearest', 'up', 'down']

export interface SaleFigures {
  currency: string
  lines: readonly LineFigures[]
  intraState: boolean
  /** In currency units; null when the caller left it out. */
  roundOff: string | null
  rounding: { on: boolean; method: RoundingMethod }
}

/**
 * Prices a sale (decisions §3; specification, "Round-off"): each line's taxable value and taxes are rounded by
 * themselves, the document's are their sums. A round-off that the caller names always wins, 0 included.
 * Throws validation.invalid_value: line_items.N.discount above the line's gross, round_off that makes the total
 * negative, total too large.
 */
export function priceSale({ currency, lines, intraState, roundOff, rounding }: SaleFigures): Priced {
  const priced = lines.map((line, index) => priceLine(line, index, currency, intraState))
  const subTotal = sum(priced.map(line => line.taxable))
  const taxTotal = sum(priced.map(line => line.taxAmount))
  const pre = subTotal + taxTotal
  refuseTooLarge(pre, currency)
  const rounded = roundOffOf(pre, { currency, roundOff, rounding })
  const total = pre + rounded
  if (total < 0n) {
    throw fault('validation.invalid_value', {
      field: 'round_off',
      message: 'The round-off takes away more than the document comes to.',
      details: { limit: toAmount(-pre, currency) },
    })
  }
  refuseTooLarge(total, currency)
  return {
    lines: priced,
    subTotal,
    cgst: sum(priced.map(line => line.cgst)),
    sgst: sum(priced.map(line => line.sgst)),
    igst: sum(priced.map(line => line.igst)),
    cess: sum(priced.map(line => line.cess)),
    taxTotal,
    roundOff: rounded,
    total,
  }
}

/**
 * What rounding to a whole unit of the currency adds to `pre` (negative: takes away), in minor units.
 * 'nearest' is half-up: .50 rounds up (specification, "Round-off").
 */
export function autoRoundOff(pre: Minor, currency: string, method: RoundingMethod): Minor {
  const unit = minorPerUnit(currency)
  const over = ((pre % unit) + unit) % unit
  if (over === 0n) return 0n
  const up = method === 'up' || (method === 'nearest' && over * 2n >= unit)
  return up ? unit - over : -over
}

/**
 * True when a draft's stored round-off outlives an edit: one of 1 or more was put there by hand, a smaller one
 * is computed anew (specification, "Round-off").
 */
export function keepsRoundOffOnEdit(stored: Minor, currency: string): boolean {
  return magnitude(stored) >= minorPerUnit(currency)
}

function priceLine(line: LineFigures, index: number, currency: string, intraState: boolean): PricedLine {
  const gross = new Exact(line.quantity).times(line.rate)
  refuseTooLarge(toMinor(gross, currency), currency)
  if (gross.lessThan(line.discount)) {
    throw fault('validation.invalid_value', {
      field: `line_items.${index}.discount`,
      message: 'The discount exceeds quantity x rate.',
      details: { limit: gross.toNumber() },
    })
  }
  const taxable = toMinor(gross.minus(line.discount), currency)
  const parts = gstOnSale(taxable, line.tax, intraState)
  return { taxable, ...parts, taxAmount: gstTotal(parts) }
}

function roundOffOf(pre: Minor, { currency, roundOff, rounding }: Omit<SaleFigures, 'lines' | 'intraState'>): Minor {
  if (roundOff !== null) return toMinor(roundOff, currency)
  return rounding.on ? autoRoundOff(pre, currency, rounding.method) : 0n
}
