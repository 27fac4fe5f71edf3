// From what was spent to its taxable values and taxes.
import type { AccountType } from './accounts.ts'
import { Exact } from './decimal.ts'
import { addGst, gstOnPurchase, gstTotal, taxPercentage, type GstParts, type Tax } from './gst.ts'
import { gstInside } from './inclusive-tax.ts'
import { refuseTooLarge, sum, type Minor } from './money.ts'

export interface ExpenseFigures {
  currency: string
  /** `amount` as told: with the tax where it is inclusive, else without. */
  lines: readonly { amount: Minor; tax: Tax | null }[]
  inclusive: boolean
  /** Null where the vendor charges its own tax; `rate` in per cent, null to assess at the named tax's rate. */
  reverseCharge: { rate: string | null } | null
  /** Whether the vendor is of the branch's state; null where that is not known, then the named tax's shape decides. */
  intraState: boolean | null
}

export interface PricedExpenseLine {
  taxable: Minor
  /** Per cent, cess left out: what is charged, or assessed under reverse charge. */
  percentage: string
  /** What the vendor charges. */
  charged: GstParts
  /** What the buyer owes the government in the vendor's place (section 9(3) and (4) of the CGST Act). */
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
 * Prices an expense (specification, "Expenses"; decisions §3 and §10). Under reverse charge what is paid is the
 * taxable value, whole. Throws validation.invalid_value (field total) for a total that is too large.
 */
export function priceExpense({ currency, lines, inclusive, reverseCharge, intraState }: ExpenseFigures): PricedExpense {
  const priced = lines.map(({ amount, tax }): PricedExpenseLine => {
    const intra = intraState ?? tax?.shape !== 'INTER_STATE'
    const borne = reverseCharge ? underReverseCharge(tax, reverseCharge.rate) : tax
    const percentage = taxPercentage(borne)
    if (!inclusive) return { taxable: amount, percentage, ...gstOnPurchase(amount, borne, intra) }
    const { taxable, ...charged } = gstInside(amount, borne, intra)
    return { taxable, percentage, charged, selfAssessed: gstOnPurchase(taxable, borne, intra).selfAssessed }
  })
  const subTotal = sum(priced.map(line => line.taxable))
  const taxTotal = gstTotal(sumGst(priced.map(line => line.charged)))
  const total = subTotal + taxTotal
  refuseTooLarge(total, currency)
  return {
    lines: priced,
    amount: sum(lines.map(line => line.amount)),
    subTotal,
    taxTotal,
    selfAssessedTotal: gstTotal(sumGst(priced.map(line => line.selfAssessed))),
    total,
  }
}

/** Taxes of many lines, tax by tax. */
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
