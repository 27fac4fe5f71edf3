// Prices the lines of a document, and adds up its totals: taxable values, taxes, round-off.
import { Exact } from './decimal.ts'
import { fault } from './faults.ts'
import { gstOnPurchase, gstOnSale, gstTotal, type GstParts, type Tax } from './gst.ts'
import { magnitude, minorPerUnit, refuseTooLarge, sum, toAmount, toMinor, type Minor } from './money.ts'

export interface LineFigures {
  quantity: string
  /** Currency units for a quantity of 1. */
  rate: string
  /** An amount in currency units, not a percentage. */
  discount: string
  tax: Tax | null
}

export interface PricedLine extends GstParts {
  taxable: Minor
  taxAmount: Minor
}

export interface Priced<Line extends PricedLine = PricedLine> {
  lines: Line[]
  subTotal: Minor
  cgst: Minor
  sgst: Minor
  igst: Minor
  cess: Minor
  taxTotal: Minor
  roundOff: Minor
  total: Minor
}

/** A line of a purchase: also has the tax that the buyer self-assesses (reverse charge). */
export interface PricedPurchaseLine extends PricedLine {
  selfAssessed: GstParts
}

export type RoundingMethod = 'nearest' | 'up' | 'down'

export interface SaleFigures {
  currency: string
  lines: readonly LineFigures[]
  intraState: boolean
  /** In currency units; null when the caller left it out. */
  roundOff: string | null
  rounding: { on: boolean; method: RoundingMethod }
}

/** Totals of purchases are not rounded automatically (specification, "Round-off"). */
export type PurchaseFigures = Omit<SaleFigures, 'rounding'>

/**
 * Prices a sale (decisions §3; specification, "Round-off"): each line's taxable value and taxes are rounded by
 * themselves, the document's are their sums. A round-off that the caller sends always wins, also 0.
 * Throws validation.invalid_value: line_items.N.discount above the line's gross value, round_off that makes the total
 * negative, total too large.
 */
export function priceSale({ currency, lines, intraState, roundOff, rounding }: SaleFigures): Priced {
  const priced = lines.map((line, index) => {
    const taxable = taxableOf(line, index, currency)
    const parts = gstOnSale(taxable, line.tax, intraState)
    return { taxable, ...parts, taxAmount: gstTotal(parts) }
  })
  return totalled(priced, currency, (pre) => roundOffOf(pre, { currency, roundOff, rounding }))
}

/**
 * Prices a purchase: as priceSale, but the round-off is 0 unless the caller sends one. The tax of a line under
 * reverse charge is not part of the total, because the vendor is owed only the taxable value (decisions §10, Bills).
 * Throws as priceSale does.
 */
export function pricePurchase({ currency, lines, intraState, roundOff }: PurchaseFigures): Priced<PricedPurchaseLine> {
  const priced = lines.map((line, index) => {
    const taxable = taxableOf(line, index, currency)
    const { charged, selfAssessed } = gstOnPurchase(taxable, line.tax, intraState)
    return { taxable, ...charged, taxAmount: gstTotal(charged), selfAssessed }
  })
  return totalled(priced, currency, () => toMinor(roundOff ?? '0', currency))
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
 * True when an edit keeps a draft's stored round-off: one of 1 or more was set by hand; a smaller one is computed again
 * (specification, "Round-off").
 */
export function keepsRoundOffOnEdit(stored: Minor, currency: string): boolean {
  return magnitude(stored) >= minorPerUnit(currency)
}

/**
 * Throws validation.invalid_value (field round_off) for a note's round-off of one unit of the currency or more, which would
 * be a credit without a line instead of a rounding (decisions §11).
 */
export function refuseWideRoundOff(roundOff: Minor, currency: string): void {
  if (magnitude(roundOff) < minorPerUnit(currency)) return
  throw fault('validation.invalid_value', {
    field: 'round_off',
    message: `The round-off of a note must be less than 1 ${currency}.`,
  })
}

function taxableOf(line: LineFigures, index: number, currency: string): Minor {
  const gross = new Exact(line.quantity).times(line.rate)
  refuseTooLarge(toMinor(gross, currency), currency)
  if (gross.lessThan(line.discount)) {
    throw fault('validation.invalid_value', {
      field: `line_items.${index}.discount`,
      message: 'The discount exceeds quantity x rate.',
      details: { limit: gross.toNumber() },
    })
  }
  return toMinor(gross.minus(line.discount), currency)
}

function totalled<Line extends PricedLine>(
  lines: Line[],
  currency: string,
  roundOffOn: (pre: Minor) => Minor,
): Priced<Line> {
  const subTotal = sum(lines.map((line) => line.taxable))
  const taxTotal = sum(lines.map((line) => line.taxAmount))
  const pre = subTotal + taxTotal
  refuseTooLarge(pre, currency)
  const roundOff = roundOffOn(pre)
  const total = pre + roundOff
  if (total < 0n) {
    throw fault('validation.invalid_value', {
      field: 'round_off',
      message: 'The round-off would make the total negative.',
      details: { limit: toAmount(-pre, currency) },
    })
  }
  refuseTooLarge(total, currency)
  return {
    lines,
    subTotal,
    cgst: sum(lines.map((line) => line.cgst)),
    sgst: sum(lines.map((line) => line.sgst)),
    igst: sum(lines.map((line) => line.igst)),
    cess: sum(lines.map((line) => line.cess)),
    taxTotal,
    roundOff,
    total,
  }
}

function roundOffOf(pre: Minor, { currency, roundOff, rounding }: Omit<SaleFigures, 'lines' | 'intraState'>): Minor {
  if (roundOff !== null) return toMinor(roundOff, currency)
  return rounding.on ? autoRoundOff(pre, currency, rounding.method) : 0n
}
