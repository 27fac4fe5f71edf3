// The lines of an e-invoice, in rupees, and their sums.
import { Exact } from '../decimal.ts'
import { gstOnPurchase, type GstParts } from '../gst.ts'
import { sum, toAmount, toBase, toMinor, type Minor } from '../money.ts'
import { plainText } from './parties.ts'
import type { EInvoiceItem, EInvoicePayload } from './payload-shape.ts'
import type { EInvoiceLine, EInvoiceSource } from './source.ts'
import { unitCode } from './units.ts'

interface Priced extends GstParts {
  item: EInvoiceItem
  taxable: Minor
  /** What the buyer pays for the line. */
  total: Minor
}

const rupees = (amount: Minor) => toAmount(amount, 'INR')

/** Lines and values. Under reverse charge the tax is stated, for the buyer owes it, and is no part of the totals. */
export function itemsAndValues(
  source: EInvoiceSource,
  { intraState, reverseCharge }: { intraState: boolean; reverseCharge: boolean },
): Pick<EInvoicePayload, 'ItemList' | 'ValDtls'> {
  const priced = source.lines.map((line, index) => pricedLine(source, line, { index, intraState }))
  const of = (part: (one: Priced) => Minor) => sum(priced.map(part))
  const [taxable, cgst, sgst, igst, cess] = [
    of((one) => one.taxable),
    of((one) => one.cgst),
    of((one) => one.sgst),
    of((one) => one.igst),
    of((one) => one.cess),
  ]
  const roundOff = inRupees(source, source.round_off)
  const sumOfItems = of((one) => one.total) + roundOff
  // A total that is rounded off to nothing may be some paise less in rupees.
  const total = sumOfItems < 0n ? 0n : sumOfItems
  return {
    ItemList: priced.map(({ item }) => item),
    ValDtls: {
      AssVal: rupees(taxable),
      ...(reverseCharge || cgst + sgst > 0n ? { CgstVal: rupees(cgst), SgstVal: rupees(sgst) } : {}),
      ...(igst > 0n && { IgstVal: rupees(igst) }),
      ...(cess > 0n && { CesVal: rupees(cess) }),
      ...(roundOff !== 0n && { RndOffAmt: rupees(roundOff) }),
      TotInvVal: rupees(total),
      ...(source.currency_code !== 'INR' && { TotInvValFc: toAmount(source.total, source.currency_code) }),
    },
  }
}

const inRupees = ({ currency_code, exchange_rate }: EInvoiceSource, amount: Minor) =>
  toBase(amount, currency_code, exchange_rate, 'INR')

function pricedLine(
  source: EInvoiceSource,
  line: EInvoiceLine,
  { index, intraState }: { index: number; intraState: boolean },
): Priced {
  const price = new Exact(line.rate).times(source.currency_code === 'INR' ? 1 : source.exchange_rate)
  const taxable = inRupees(source, line.item_total)
  const gross = toMinor(new Exact(line.quantity).times(price), 'INR')
  // The discount is what the taxable value is less than the amount, so that the three agree to the paisa.
  const amount = gross > taxable ? gross : taxable
  const { charged, stated } = taxOf(source, line, { taxable, intraState })
  const total = taxable + charged.cgst + charged.sgst + charged.igst + charged.cess
  const unit = unitCode(line.unit)
  const code = (line.hsn_or_sac ?? '').replaceAll(/\D/g, '')
  const description = plainText(line.name, 300)
  const item: EInvoiceItem = {
    SlNo: String(index + 1),
    ...(description.length >= 3 && { PrdDesc: description }),
    // The codes of services (SAC) begin with 99, those of goods (HSN) with a lower chapter.
    IsServc: code.startsWith('99') ? 'Y' : 'N',
    HsnCd: code,
    Qty: new Exact(line.quantity).toDecimalPlaces(3).toNumber(),
    ...(unit !== null || !code.startsWith('99') ? { Unit: unit ?? 'OTH' } : {}),
    UnitPrice: price.toDecimalPlaces(3).toNumber(),
    TotAmt: rupees(amount),
    ...(amount > taxable && { Discount: rupees(amount - taxable) }),
    AssAmt: rupees(taxable),
    GstRt: Number(line.tax_percentage),
    ...(stated.igst > 0n && { IgstAmt: rupees(stated.igst) }),
    ...(stated.cgst + stated.sgst > 0n && { CgstAmt: rupees(stated.cgst), SgstAmt: rupees(stated.sgst) }),
    ...(stated.cess > 0n && { CesRt: Number(line.tax?.cess ?? 0), CesAmt: rupees(stated.cess) }),
    TotItemVal: rupees(total),
  }
  return { item, taxable, total, ...stated }
}

function taxOf(
  source: EInvoiceSource,
  line: EInvoiceLine,
  { taxable, intraState }: { taxable: Minor; intraState: boolean },
): { charged: GstParts; stated: GstParts } {
  const charged = {
    cgst: inRupees(source, line.cgst),
    sgst: inRupees(source, line.sgst),
    igst: inRupees(source, line.igst),
    cess: inRupees(source, line.cess),
  }
  return line.tax?.shape === 'RCM'
    ? { charged, stated: gstOnPurchase(taxable, line.tax, intraState).selfAssessed }
    : { charged, stated: charged }
}
