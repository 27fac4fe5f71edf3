// The GST of a line: which taxes, at what rates, and who pays them.
import { Exact } from './decimal.ts'
import type { Minor } from './money.ts'

export type TaxShape = 'INTRA_STATE' | 'INTER_STATE' | 'RCM' | 'EXEMPT' | 'NIL_RATED' | 'NON_GST'

export const TAX_SHAPES: readonly TaxShape[] = ['INTRA_STATE', 'INTER_STATE', 'RCM', 'EXEMPT', 'NIL_RATED', 'NON_GST']

/** Rates in per cent, as decimal text. */
export interface Tax {
  shape: TaxShape
  cgst: string
  sgst: string
  igst: string
  cess: string
}

export interface GstParts {
  cgst: Minor
  sgst: Minor
  igst: Minor
  cess: Minor
}

const NO_GST: Readonly<GstParts> = { cgst: 0n, sgst: 0n, igst: 0n, cess: 0n }

/**
 * The tax that a line of a sale charges the customer, in minor units (decisions §3). The place of supply decides between
 * CGST with SGST and IGST, whatever the shape of the tax (sections 7 and 8 of the IGST Act). Under reverse charge the
 * customer owes the tax to the government, so the line charges none.
 */
export function gstOnSale(taxable: Minor, tax: Tax | null, intraState: boolean): GstParts {
  return tax && isCharged(tax.shape) ? gstAt(taxable, tax, intraState) : { ...NO_GST }
}

/**
 * The tax on a line of a purchase, in minor units: what the vendor charges, and what the buyer self-assesses under
 * reverse charge (section 9(3) and (4) of the CGST Act).
 */
export function gstOnPurchase(
  taxable: Minor,
  tax: Tax | null,
  intraState: boolean,
): { charged: GstParts; selfAssessed: GstParts } {
  return {
    charged: gstOnSale(taxable, tax, intraState),
    selfAssessed: tax?.shape === 'RCM' ? gstAt(taxable, tax, intraState) : { ...NO_GST },
  }
}

/** The GST rate in per cent, without cess: '18', '0.25'. For a reverse-charge tax, the rate at which it is assessed. */
export function taxPercentage(tax: Tax | null): string {
  if (!tax || isUntaxed(tax.shape)) return '0'
  const halves = new Exact(tax.cgst).plus(tax.sgst)
  const whole = new Exact(tax.igst)
  const named = tax.shape === 'INTRA_STATE' ? halves : whole
  // A reverse-charge tax may have its rate as CGST with SGST or as IGST; so may a tax whose own side is 0.
  return (named.isZero() ? (tax.shape === 'INTRA_STATE' ? whole : halves) : named).toFixed()
}

export function addGst(a: GstParts, b: GstParts): GstParts {
  return { cgst: a.cgst + b.cgst, sgst: a.sgst + b.sgst, igst: a.igst + b.igst, cess: a.cess + b.cess }
}

export function gstTotal(parts: GstParts): Minor {
  return parts.cgst + parts.sgst + parts.igst + parts.cess
}

/** A percentage of an amount in minor units, rounded half away from zero. */
export function percentOf(amount: Minor, percent: string | Exact): Minor {
  return BigInt(new Exact(String(amount)).times(percent).div(100).toFixed(0))
}

function gstAt(taxable: Minor, tax: Tax, intraState: boolean): GstParts {
  const rate = new Exact(taxPercentage(tax))
  const cess = percentOf(taxable, tax.cess)
  if (!intraState) return { cgst: 0n, sgst: 0n, igst: percentOf(taxable, rate), cess }
  const half = percentOf(taxable, rate.div(2))
  return { cgst: half, sgst: half, igst: 0n, cess }
}

function isCharged(shape: TaxShape): boolean {
  return shape === 'INTRA_STATE' || shape === 'INTER_STATE'
}

function isUntaxed(shape: TaxShape): boolean {
  return shape === 'EXEMPT' || shape === 'NIL_RATED' || shape === 'NON_GST'
}

export interface NamedTax extends Tax {
  name: string
}

const RATES = ['0', '0.25', '3', '5', '12', '18', '28', '40']
const REVERSE_CHARGE_RATES = ['5', '12', '18', '28']

function halfOf(rate: string): string {
  return new Exact(rate).div(2).toFixed()
}

function untaxed(name: string, shape: TaxShape): NamedTax {
  return { name, shape, cgst: '0', sgst: '0', igst: '0', cess: '0' }
}

/** The taxes of a new organisation (decisions §2). */
export const GST_TAX_LIST: readonly NamedTax[] = [
  ...RATES.map(
    (rate): NamedTax => ({
      name: `GST ${rate}%`,
      shape: 'INTRA_STATE',
      cgst: halfOf(rate),
      sgst: halfOf(rate),
      igst: '0',
      cess: '0',
    }),
  ),
  ...RATES.map(
    (rate): NamedTax => ({ name: `IGST ${rate}%`, shape: 'INTER_STATE', cgst: '0', sgst: '0', igst: rate, cess: '0' }),
  ),
  untaxed('Exempt', 'EXEMPT'),
  untaxed('Nil Rated', 'NIL_RATED'),
  untaxed('Non-GST', 'NON_GST'),
  // A reverse-charge tax has both sides; the place of supply chooses.
  ...REVERSE_CHARGE_RATES.map(
    (rate): NamedTax => ({
      name: `RCM ${rate}%`,
      shape: 'RCM',
      cgst: halfOf(rate),
      sgst: halfOf(rate),
      igst: rate,
      cess: '0',
    }),
  ),
]
