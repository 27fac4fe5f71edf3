// Computes the tax that is included in an amount.
import { Exact } from './decimal.ts'
import { gstTotal, taxPercentage, type GstParts, type Tax } from './gst.ts'
import type { Minor } from './money.ts'

/**
 * Splits an amount into taxable value and taxes, in minor units (decisions §3, "Tax-inclusive expense"): each tax is the
 * amount times its rate divided by 100 plus all rates, rounded half away from zero; the taxable value is the rest, so that
 * the parts add up exactly. A tax that the vendor does not charge (reverse charge, exempt) is not included.
 */
export function gstInside(amount: Minor, tax: Tax | null, intraState: boolean): GstParts & { taxable: Minor } {
  const charged = tax?.shape === 'INTRA_STATE' || tax?.shape === 'INTER_STATE'
  if (!tax || !charged) return { taxable: amount, cgst: 0n, sgst: 0n, igst: 0n, cess: 0n }
  const rate = new Exact(taxPercentage(tax))
  const whole = rate.plus(tax.cess).plus(100)
  const share = (percent: string | Exact): Minor =>
    BigInt(new Exact(String(amount)).times(percent).div(whole).toFixed(0))
  const half = rate.div(2)
  const parts = intraState
    ? { cgst: share(half), sgst: share(half), igst: 0n, cess: share(tax.cess) }
    : { cgst: 0n, sgst: 0n, igst: share(rate), cess: share(tax.cess) }
  return { taxable: amount - gstTotal(parts), ...parts }
}
