// What the document of a sale or a purchase says on paper.
import { factsOf, type DocumentKind, type PrintedKind } from '../documents.ts'
import { toBase, type Minor } from '../money.ts'
import { amountInWords } from './amount-in-words.ts'
import { eInvoiceBlock, isToBeRegistered } from './e-invoice.ts'
import { printedAmount, printedDate, printedMoney, printedRate, RUPEE } from './figures.ts'
import { bankOf, letterhead, termsOf } from './letterhead.ts'
import {
  countryOf,
  NOBODY,
  printedDeliverTo,
  printedDispatch,
  printedParty,
  printedShipTo,
  registrationOf,
  stateWithCode,
} from './parties.ts'
import { paragraphs, printableLine } from './printable-text.ts'
import type { PrintedDocument } from './printed-document.ts'
import type { EInvoiceOnPaper, PrintedTrade, Surroundings } from './printed-source.ts'
import * as supply from './supply.ts'
import * as taxes from './tax-lines.ts'

// Whose the document is, by its heading. A note is given to somebody.
const PARTIES: Partial<Record<PrintedKind, string>> = {
  INVOICE: 'Bill to',
  ESTIMATE: 'Prepared for',
  BILL: 'Vendor',
  PURCHASE_ORDER: 'Vendor',
}
const DUE_DATES: Partial<Record<PrintedKind, string>> = {
  INVOICE: 'Due date',
  BILL: 'Due date',
  ESTIMATE: 'Valid until',
  PURCHASE_ORDER: 'Expected by',
}

/** The document, with every amount as text. Sums on paper are those of the books. */
export function printTrade(
  trade: PrintedTrade,
  surroundings: Surroundings,
  eInvoice: EInvoiceOnPaper | null,
): PrintedDocument {
  const { contact, pdf } = surroundings
  const isRegistered = registrationOf(surroundings) !== null
  const title = supply.titleOf(trade, surroundings, isRegistered)
  const copies = supply.copyNames(trade, title, isToBeRegistered(eInvoice))
  const number = printableLine(trade.number)
  return {
    title,
    ...letterhead(surroundings, title, number),
    watermark: supply.watermarkOf(trade.status, surroundings.organization.sandbox),
    copy: copies[0] ?? '',
    copies: copies.map((name, place) => ({ name, mark: place === 0 ? 'X' : '' })),
    endorsements: supply.endorsementsOf(trade, surroundings, isRegistered).map((text) => ({ text })),
    ...headOf(trade, number),
    place_of_supply: placeOf(trade, contact),
    reverse_charge: reverseChargeOf(trade),
    details: detailsOf(trade, surroundings),
    party: printedParty(partyHeading(trade), trade.party_name, surroundings),
    ship_to: shipToOf(trade, surroundings),
    ...taxedLines(trade, surroundings, title),
    ...sumsOf(trade),
    base_amounts: baseAmounts(trade, surroundings.organization.currency_code),
    allocations: [],
    ...eInvoiceBlock(eInvoice, trade.kind, isPosted(trade)),
    bank: trade.kind === 'INVOICE' ? bankOf(pdf) : [],
    upi_id: isPayableByUpi(trade, surroundings) ? printableLine(pdf?.upi_id) : '',
    // The link asks for the whole total.
    payment_link: isOwed(trade) && trade.paid + trade.credited === 0n ? wholeLink(trade.payment_link_url) : '',
    notes: paragraphs(trade.notes),
    terms: trade.kind === 'INVOICE' || trade.kind === 'ESTIMATE' ? termsOf(pdf) : [],
  }
}

/** True for an invoice in rupees that is approved and not paid, of an organisation that has a UPI address. */
export function isPayableByUpi(trade: PrintedTrade, { pdf, organization }: Surroundings): boolean {
  return isOwed(trade) && trade.currency_code === RUPEE && !organization.sandbox && Boolean(pdf?.upi_id)
}

// A link that is cut leads nowhere, and none but a page may be opened from paper.
const wholeLink = (url: string | null) => (url !== null && /^https?:\/\/[!-~]{1,1000}$/.test(url) ? url : '')

const isOwed = (trade: PrintedTrade) =>
  trade.kind === 'INVOICE' && isPosted(trade) && trade.total - trade.paid - trade.credited > 0n
const isPosted = ({ status }: PrintedTrade) => status !== 'DRAFT' && status !== 'CANCELLED'

function headOf(trade: PrintedTrade, number: string) {
  const noun = trade.kind === 'PURCHASE_ORDER' ? 'Order' : capital(nounOf(trade.kind))
  return {
    number_label: `${noun} no.`,
    number,
    date_label: `${noun} date`,
    date: printedDate(trade.date),
    due_label: trade.due_date === null ? '' : (DUE_DATES[trade.kind] ?? ''),
    due_date: printedDate(trade.due_date),
  }
}

function partyHeading({ kind, from_vendor }: PrintedTrade): string {
  const [first = ''] = nounOf(kind).split(' ')
  return from_vendor ? 'Vendor' : (PARTIES[kind] ?? `${capital(first)} to`)
}

function shipToOf(trade: PrintedTrade, surroundings: Surroundings): PrintedDocument['ship_to'] {
  if (trade.kind === 'PURCHASE_ORDER') return printedDeliverTo(surroundings)
  const isSale = ['INVOICE', 'ESTIMATE', 'CREDIT_NOTE'].includes(trade.kind) && !trade.from_vendor
  return isSale ? printedShipTo(trade.party_name, surroundings) : NOBODY
}

// Nothing is supplied by an offer or an order, so No would answer a question that nobody asks of them.
function reverseChargeOf({ kind, lines }: PrintedTrade): string {
  if (supply.isReverseCharge(lines)) return 'Yes'
  return kind === 'ESTIMATE' || kind === 'PURCHASE_ORDER' ? '' : 'No'
}

function placeOf(trade: PrintedTrade, contact: Surroundings['contact']): string {
  return supply.isExport(trade, contact) ? supply.OUTSIDE_INDIA : stateWithCode(trade.place_of_supply)
}

function detailsOf(trade: PrintedTrade, surroundings: Surroundings): PrintedDocument['details'] {
  const { contact, sources } = surroundings
  const country = trade.kind === 'INVOICE' && supply.isAbroad(contact) ? countryOf(contact.billing_address) : ''
  const isNote = factsOf(trade.kind).against !== undefined
  const dispatched = trade.kind === 'INVOICE' && !supply.isOfServices(trade.lines)
  return [
    { label: 'Reference', value: printableLine(trade.reference_number) },
    ...sources.flatMap(({ kind, number, date }) => {
      const noun = nounOf(kind)
      const named = { label: isNote ? `Against ${noun}` : capital(noun), value: printableLine(number) }
      return isNote ? [named, { label: `${capital(noun)} date`, value: printedDate(date) }] : [named]
    }),
    { label: 'Reason', value: printableLine(trade.reason) },
    // The third proviso to rule 46 of the CGST Rules.
    { label: 'Country of destination', value: country },
    { label: 'Dispatched from', value: dispatched ? printedDispatch(surroundings) : '' },
  ].filter(({ value }) => value !== '')
}

const nounOf = (kind: DocumentKind) => factsOf(kind).noun
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function taxedLines(trade: PrintedTrade, { branch, contact }: Surroundings, title: string) {
  const stateTax = supply.stateTaxName(branch?.state ?? null)
  const withinState = !supply.isExport(trade, contact) && supply.isWithinState(trade, branch?.state ?? null)
  const { currency_code: currency } = trade
  const roundOff =
    trade.round_off === 0n ? [] : [{ label: 'Round-off', amount: printedAmount(trade.round_off, currency) }]
  return {
    columns: taxes.columnsOf(trade, withinState),
    value_label: taxes.isFullyTaxed(trade) ? 'Taxable value' : 'Value of supply',
    sgst_label: stateTax,
    lines: taxes.printedLines(trade),
    line_totals: taxes.lineTotals(trade),
    quantity_total: taxes.quantityTotal(trade),
    hsn_summary: taxes.hsnSummary(trade, withinState),
    hsn_totals: taxes.hsnTotals(trade),
    totals: [...valuesOf(trade, title), ...taxes.taxesByRate(trade, stateTax), ...roundOff],
    reverse_charge_taxes: taxes.reverseChargeTaxes(trade, stateTax, withinState),
  }
}

/** What the lines come to before taxes: beside a taxable value, what bears no tax and why. */
function valuesOf(trade: PrintedTrade, title: string): PrintedDocument['totals'] {
  if (taxes.isTaxed(trade)) return taxes.valuesByTaxation(trade)
  // A bill of supply has a value of supply, and no taxable one (rule 49 of the CGST Rules).
  const label = title === supply.BILL_OF_SUPPLY ? 'Value of supply' : 'Subtotal'
  return [{ label, amount: printedAmount(trade.sub_total, trade.currency_code) }]
}

function sumsOf(trade: PrintedTrade) {
  const { total, paid, credited, currency_code: currency, tax_total } = trade
  const isSettled = trade.kind === 'INVOICE' || trade.kind === 'BILL'
  const balance = total - paid - credited
  const row = (label: string, amount: Minor) =>
    amount === 0n ? [] : [{ label, amount: printedAmount(amount, currency) }]
  const settled = isSettled
    ? [...row('Paid', paid), ...row('Credits applied', credited)]
    : credited === 0n
      ? []
      : [...row('Applied', credited), { label: 'Remaining', amount: printedAmount(balance, currency) }]
  return {
    total_label: 'Total',
    total: printedMoney(total, currency),
    settled,
    balance_due: isSettled && isPosted(trade) ? printedMoney(balance, currency) : '',
    amount_in_words: amountInWords(total, currency),
    tax_in_words: tax_total === 0n ? '' : amountInWords(tax_total, currency),
    currency,
  }
}

/** Amounts in the currency of the books, which GST is paid in; the value is the rest, so that they add up. */
function baseAmounts(trade: PrintedTrade, base: string): PrintedDocument['base_amounts'] {
  const { currency_code: currency, exchange_rate: rate } = trade
  if (currency === base) return []
  const inBase = (amount: Minor) => toBase(amount, currency, rate, base)
  const [total, tax] = [inBase(trade.total), inBase(trade.tax_total)]
  const amounts: [string, Minor][] = [
    [taxes.isFullyTaxed(trade) ? 'Taxable value' : 'Value', total - tax - inBase(trade.round_off)],
    ['Tax', tax],
    ['Round-off', inBase(trade.round_off)],
    ['Total', total],
  ]
  return [
    { label: 'Exchange rate', amount: `1 ${currency} = ${printedRate(rate, base)} ${base}` },
    ...amounts
      .filter(([label, amount]) => label !== 'Round-off' || amount !== 0n)
      .map(([label, amount]) => ({ label: `${label} in ${base}`, amount: printedAmount(amount, base) })),
  ]
}
