// Prices an expense: taxable values and taxes from the amounts that were spent.
import type { AccountType } from './accounts.ts'
import { Exact } from './decimal.ts'
import { addGst, gstOnPurchase, gstTotal, taxPercentage, type GstParts, type Tax } from './gst.ts'
import { gstInside } from './inclusive-tax.ts'
import { refuseTooLarge, sum, type Minor } from './money.ts'

export interface ExpenseFigures {
  currency: string
  /** `amount` as sent: with the tax when `inclusive`, else without. */
  lines: readonly { amount: Minor; tax: Tax | null }[]
  inclusive: boolean
  /** Null where the vendor charges the tax. `rate` in per cent, null to assess at the rate of the line's tax. */
  reverseCharge: { rate: string | null } | null
  /** Whether vendor and branch are in the same state; null where that is unknown, then the shape of the tax decides. */
  intraState: boolean | null
}

export interface PricedExpenseLine {
  taxable: Minor
  /** The rate in per cent, without cess, that is charged, or assessed under reverse charge. */
  percentage: string
  /** What the vendor charges. */
  charged: GstParts
  /** What the buyer owes the government instead of the vendor (section 9(3) and (4) of the CGST Act). */
  selfAssessed: GstParts
}

export interface PricedExpense {
  lines: PricedExpenseLine[]
  amount: Minor
  subTotal: Minor
  taxTotal: Minor
  selfAssessedTotal: Minor
  /** What is paid. */
  total: Minor
}

/** True for the accounts that an expense may be paid through. */
export function isMoney(accountType: AccountType): boolean {
  return accountType === 'BANK' || accountType === 'CASH'
}

/**
 * Prices an expense, in minor units (specification, "Expenses"; decisions §3 and §10). Under reverse charge the amount
 * that is paid is the taxable value. Throws validation.invalid_value (field total) for a total that is too large.
 */
export function priceExpense({ currency, lines, inclusive, reverseCharge, intraState }: ExpenseFigures): PricedExpense {
  const priced = lines.map(({ amount, tax }): PricedExpenseLine => {
    const intra = intraState ?? tax?.shape !== 'INTER_STATE'
    const applied = reverseCharge ? underReverseCharge(tax, reverseCharge.rate) : tax
    const percentage = taxPercentage(applied)
    if (!inclusive) return { taxable: amount, percentage, ...gstOnPurchase(amount, applied, intra) }
    const { taxable, ...charged } = gstInside(amount, applied, intra)
    return { taxable, percentage, charged, selfAssessed: gstOnPurchase(taxable, applied, intra).selfAssessed }
  })
  const subTotal = sum(priced.map((line) => line.taxable))
  const taxTotal = gstTotal(sumGst(priced.map((line) => line.charged)))
  const total = subTotal + taxTotal
  refuseTooLarge(total, currency)
  return {
    lines: priced,
    amount: sum(lines.map((line) => line.amount)),
    subTotal,
    taxTotal,
    selfAssessedTotal: gstTotal(sumGst(priced.map((line) => line.selfAssessed))),
    total,
  }
}

/** The taxes of many lines, added up for each tax. */
export function sumGst(all: readonly GstParts[]): GstParts {
  return all.reduce(addGst, { cgst: 0n, sgst: 0n, igst: 0n, cess: 0n })
}

function underReverseCharge(tax: Tax | null, rate: string | null): Tax | null {
  if (rate !== null) {
    const half = new Exact(rate).div(2).toFixed()
    return { shape: 'RCM', cgst: half, sgst: half, igst: rate, cess: '0' }
  }
  if (!tax || (tax.shape !== 'INTRA_STATE' && tax.shape !== 'INTER_STATE')) return tax
  return { ...tax, shape: 'RCM' }
}
