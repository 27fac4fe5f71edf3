// The lines of a printed document, and its taxes: by line, by HSN and rate, and by rate.
import { Exact } from '../decimal.ts'
import { factsOf } from '../documents.ts'
import { addGst, gstOnPurchase, gstTotal, type GstParts } from '../gst.ts'
import { sum, type Minor } from '../money.ts'
import { amountOrBlank, printedAmount, printedPercent, printedQuantity, printedRate } from './figures.ts'
import { CUT_MARK, DESCRIPTION_BOUNDS, linesFilled, printableLine, printableLines } from './printable-text.ts'
import type { PrintedDocument } from './printed-document.ts'
import type { PrintedTrade, PrintedTradeLine } from './printed-source.ts'

const SHAPES: Partial<Record<string, string>> = { EXEMPT: 'Exempt', NIL_RATED: 'Nil rated', NON_GST: 'Non-GST' }
const NONE: GstParts = { cgst: 0n, sgst: 0n, igst: 0n, cess: 0n }

/** How the tax of a line is called: '18%', '5% RCM', 'Exempt'; '' without a tax. Cess has its own column. */
function taxRateOf({ tax, tax_percentage }: PrintedTradeLine): string {
  if (tax === null) return ''
  return SHAPES[tax.shape] ?? `${printedPercent(tax_percentage)}${tax.shape === 'RCM' ? ' RCM' : ''}`
}

/** The same with the rate of the cess: '28% + 12%'. */
function rateWithCess(line: PrintedTradeLine): string {
  const rate = taxRateOf(line)
  const cess = line.tax?.cess ?? '0'
  return SHAPES[line.tax?.shape ?? ''] || new Exact(cess).isZero() ? rate : `${rate} + ${printedPercent(cess)}`
}

// All descriptions together fill at most this many lines of a column of 40 characters: about fifty pages.
const MOST_DESCRIBED = 2_500
const COLUMN = 40

/** The lines. Descriptions that together would fill books are left out from there on, and say so. */
export function printedLines(trade: PrintedTrade): PrintedDocument['lines'] {
  const { currency_code: currency } = trade
  const amount = (value: Minor) => amountOrBlank(value, currency)
  let described = 0
  return trade.lines.map((line, place) => {
    const description = printableLines(line.description, DESCRIPTION_BOUNDS)
    described += description === '' ? 0 : linesFilled(description, COLUMN)
    const tax = gstTotal(line)
    return {
      no: String(place + 1),
      name: printableLine(line.name),
      description: description === '' || described <= MOST_DESCRIBED ? description : CUT_MARK,
      hsn: printableLine(line.hsn_or_sac),
      quantity: printedQuantity(line.quantity, currency),
      unit: printableLine(line.unit),
      rate: printedRate(line.rate, currency),
      discount: new Exact(line.discount).isZero() ? '' : printedRate(line.discount, currency),
      taxable: printedAmount(line.item_total, currency),
      tax_rate: taxRateOf(line),
      cgst: amount(line.cgst),
      sgst: amount(line.sgst),
      igst: amount(line.igst),
      cess: amount(line.cess),
      tax: amount(tax),
      total: printedAmount(line.item_total + tax, currency),
    }
  })
}

/** The sums of the columns of the lines. */
export function lineTotals(trade: PrintedTrade): PrintedDocument['line_totals'] {
  const { currency_code: currency, sub_total, tax_total, cgst, sgst, igst, cess } = trade
  const amount = (value: Minor) => amountOrBlank(value, currency)
  return {
    taxable: printedAmount(sub_total, currency),
    cgst: amount(cgst),
    sgst: amount(sgst),
    igst: amount(igst),
    cess: amount(cess),
    tax: amount(tax_total),
    total: printedAmount(sub_total + tax_total, currency),
  }
}

/** The columns that a document of these lines needs. */
export function columnsOf(trade: PrintedTrade, withinState: boolean): PrintedDocument['columns'] {
  const flag = (holds: boolean) => (holds ? 'yes' : '')
  const { lines, cgst, igst, cess } = trade
  const taxed = isTaxed(trade)
  return {
    hsn: flag(lines.some(({ hsn_or_sac }) => printableLine(hsn_or_sac) !== '')),
    unit: flag(lines.some(({ unit }) => printableLine(unit) !== '')),
    discount: flag(lines.some(({ discount }) => !new Exact(discount).isZero())),
    cgst_sgst: flag(cgst > 0n || (taxed && withinState)),
    igst: flag(igst > 0n || (taxed && !withinState)),
    cess: flag(cess > 0n),
    tax: flag(lines.some(({ tax }) => tax !== null)),
    untaxed: flag(taxed && !isFullyTaxed(trade)),
  }
}

/** The sum of the quantities with their unit, where there is one: '58 PCS'. */
export function quantityTotal({ lines, currency_code }: PrintedTrade): string {
  const units = new Set(lines.map(({ unit }) => printableLine(unit)))
  const [unit = ''] = units
  if (units.size !== 1 || unit === '') return ''
  const total = lines.reduce((total, { quantity }) => total.plus(quantity), new Exact(0))
  return `${printedQuantity(total, currency_code)} ${unit}`
}

/** Values and taxes of some lines. */
interface TaxGroup extends GstParts {
  taxable: Minor
  untaxed: Minor
}

const totalOf = (lines: readonly PrintedTradeLine[]): Minor => sum(lines.map(({ item_total }) => item_total))

const groupOf = (lines: readonly PrintedTradeLine[]): TaxGroup => ({
  taxable: totalOf(lines.filter(bearsGst)),
  untaxed: totalOf(lines.filter((line) => !bearsGst(line))),
  ...lines.reduce<GstParts>(addGst, NONE),
})

// Be it of 0 %, or owed by the recipient.
const bearsGst = ({ tax }: PrintedTradeLine) => tax !== null && SHAPES[tax.shape] === undefined

/** True where a line bears GST. */
export const isTaxed = ({ lines }: PrintedTrade): boolean => lines.some(bearsGst)

/** True where every line does. */
export const isFullyTaxed = ({ lines }: PrintedTrade): boolean => lines.every(bearsGst)

// As returns tell them apart (table 8 of form GSTR-1).
const VALUES: [label: string, shape: string | null][] = [
  ['Exempt value', 'EXEMPT'],
  ['Nil-rated value', 'NIL_RATED'],
  ['Non-GST value', 'NON_GST'],
  ['Value without tax', null],
]

/** The taxable value, and the values that bear no tax; they add up to the sum of the lines. */
export function valuesByTaxation({ lines, currency_code }: PrintedTrade): PrintedAmounts {
  const row = (label: string, of: PrintedTradeLine[]) => ({ label, amount: printedAmount(totalOf(of), currency_code) })
  return [
    row('Taxable value', lines.filter(bearsGst)),
    ...VALUES.map(([label, shape]) => ({ label, of: lines.filter(({ tax }) => (tax?.shape ?? null) === shape) }))
      .filter(({ of }) => of.length > 0)
      .map(({ label, of }) => row(label, of)),
  ]
}

/** Every HSN with every rate, by HSN and then in the order of the lines; empty where no line bears GST. The columns add up to hsnTotals. */
export function hsnSummary(trade: PrintedTrade, withinState: boolean): PrintedDocument['hsn_summary'] {
  if (!isTaxed(trade)) return []
  const groups = Map.groupBy(trade.lines, (line) => `${printableLine(line.hsn_or_sac)}\n${rateWithCess(line)}`)
  const byHsn = [...groups].sort(([a], [b]) => hsnOf(a).localeCompare(hsnOf(b), 'en'))
  return byHsn.map(([, lines]) => {
    const [first] = lines as [PrintedTradeLine]
    const isCharged = first.tax !== null && SHAPES[first.tax.shape] === undefined && first.tax.shape !== 'RCM'
    const half = isCharged && withinState ? printedPercent(new Exact(first.tax_percentage).div(2)) : ''
    return {
      hsn: printableLine(first.hsn_or_sac) || '-',
      rate: rateWithCess(first),
      cgst_rate: half,
      sgst_rate: half,
      igst_rate: isCharged && !withinState ? printedPercent(first.tax_percentage) : '',
      ...printedGroup(groupOf(lines), trade.currency_code, bearsGst(first)),
    }
  })
}

const hsnOf = (group: string) => group.slice(0, group.lastIndexOf('\n'))

/** The sums of the columns of the summary: the document's own. */
export function hsnTotals(trade: PrintedTrade): PrintedDocument['hsn_totals'] {
  if (!isTaxed(trade)) {
    return { taxable: '', untaxed: '', cgst: '', sgst: '', igst: '', cess: '', tax: '' }
  }
  const { taxable, untaxed } = groupOf(trade.lines)
  return printedGroup({ ...trade, taxable, untaxed }, trade.currency_code, true)
}

function printedGroup(group: TaxGroup, currency: string, isTaxed: boolean): PrintedDocument['hsn_totals'] {
  return {
    taxable: isTaxed ? printedAmount(group.taxable, currency) : '',
    untaxed: amountOrBlank(group.untaxed, currency),
    cgst: amountOrBlank(group.cgst, currency),
    sgst: amountOrBlank(group.sgst, currency),
    igst: amountOrBlank(group.igst, currency),
    cess: amountOrBlank(group.cess, currency),
    tax: isTaxed ? printedAmount(gstTotal(group), currency) : '',
  }
}

type PrintedAmounts = PrintedDocument['totals']

/** The taxes that are charged, each with its rate: 'CGST @ 9%'. */
export function taxesByRate(trade: PrintedTrade, stateTax: string): PrintedAmounts {
  const taxes = trade.lines.map((line) => taxedBy(line, line))
  return amountsByRate(trade.currency_code, stateTax, taxes)
}

/** What the recipient owes instead of the supplier, by tax; empty without reverse charge. */
export function reverseChargeTaxes(trade: PrintedTrade, stateTax: string, withinState: boolean): PrintedAmounts {
  const assessed = (line: PrintedTradeLine) =>
    isPurchase(trade) ? selfAssessed(line) : gstOnPurchase(line.item_total, line.tax, withinState).selfAssessed
  const taxes = trade.lines.map((line) => taxedBy(line, assessed(line)))
  return amountsByRate(trade.currency_code, stateTax, taxes)
}

// The books of a sale have no tax that the customer owes.
const isPurchase = ({ kind, from_vendor }: PrintedTrade) => from_vendor || factsOf(kind).party === 'vendor_id'

function selfAssessed(line: PrintedTradeLine): GstParts {
  const { rcm_cgst: cgst = 0n, rcm_sgst: sgst = 0n, rcm_igst: igst = 0n, rcm_cess: cess = 0n } = line
  return { cgst, sgst, igst, cess }
}

/** Taxes of one rate of GST, and of one of the cess beside it. */
export interface TaxesOfRate {
  rate: string
  cessRate: string
  parts: GstParts
}

const taxedBy = ({ tax_percentage, tax }: PrintedTradeLine, parts: GstParts): TaxesOfRate => ({
  rate: tax_percentage,
  cessRate: tax?.cess ?? '0',
  parts,
})

/** Their sums by rate: 'CGST @ 9%'. */
export function amountsByRate(currency: string, stateTax: string, taxes: TaxesOfRate[]): PrintedAmounts {
  const named = (label: string, amount: Minor) =>
    amount === 0n ? [] : [{ label, amount: printedAmount(amount, currency) }]
  const gst = byRate(taxes, ({ rate }) => rate).flatMap(([rate, parts]) => {
    const half = printedPercent(new Exact(rate).div(2))
    return [
      ...named(`CGST @ ${half}`, parts.cgst),
      ...named(`${stateTax} @ ${half}`, parts.sgst),
      ...named(`IGST @ ${printedPercent(rate)}`, parts.igst),
    ]
  })
  const cess = byRate(taxes, ({ cessRate }) => cessRate).flatMap(([rate, parts]) =>
    named(`Cess @ ${printedPercent(rate)}`, parts.cess),
  )
  return [...gst, ...cess]
}

function byRate(taxes: TaxesOfRate[], rateOf: (of: TaxesOfRate) => string): [rate: string, parts: GstParts][] {
  const groups = Map.groupBy(taxes, (of) => new Exact(rateOf(of)).toFixed())
  return [...groups]
    .sort(([a], [b]) => new Exact(a).comparedTo(b))
    .map(([rate, of]) => [rate, of.map(({ parts }) => parts).reduce(addGst, NONE)])
}
