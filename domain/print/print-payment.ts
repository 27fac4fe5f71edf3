// What a receipt, a payment voucher or a refund voucher says on paper.
import { factsOf } from '../documents.ts'
import { toBase } from '../money.ts'
import { amountInWords } from './amount-in-words.ts'
import { printedAmount, printedDate, printedMoney, printedRate } from './figures.ts'
import { letterhead } from './letterhead.ts'
import { NOBODY, printedParty, stateWithCode } from './parties.ts'
import { paragraphs, printableLine } from './printable-text.ts'
import type { PrintedDocument } from './printed-document.ts'
import type { OwedTax, PrintedPayment, Surroundings } from './printed-source.ts'
import { isAbroad, OUTSIDE_INDIA, stateTaxName, watermarkOf } from './supply.ts'
import { amountsByRate } from './tax-lines.ts'

const NO_COLUMNS = { hsn: '', unit: '', discount: '', cgst_sgst: '', igst: '', cess: '', tax: '', untaxed: '' } as const
const NO_TOTALS = { taxable: '', untaxed: '', cgst: '', sgst: '', igst: '', cess: '', tax: '' }

/**
 * The title: rule 50 of the CGST Rules asks for a receipt voucher when an advance is received, rule 51 for a refund voucher
 * when it is given back, rule 52 for a payment voucher.
 */
export function voucherTitle({ flow, payment_type }: Pick<PrintedPayment, 'flow' | 'payment_type'>): string {
  if (flow === 'OUTGOING') return payment_type === 'REFUND' ? 'REFUND VOUCHER' : 'PAYMENT VOUCHER'
  return payment_type === 'ADVANCE' ? 'RECEIPT VOUCHER' : 'RECEIPT'
}

/** The payment, with every amount as text. */
export function printPayment(payment: PrintedPayment, surroundings: Surroundings): PrintedDocument {
  const title = voucherTitle(payment)
  const number = printableLine(payment.number)
  const { contact, organization } = surroundings
  const isAdvance = title === 'RECEIPT VOUCHER'
  const owed = surroundings.sources.flatMap((source) => source.owed ?? [])
  return {
    title,
    ...letterhead(surroundings, title, number),
    watermark: watermarkOf('', organization.sandbox),
    copy: '',
    copies: [],
    endorsements: [],
    notice: '',
    number_label: title === 'RECEIPT' ? 'Receipt no.' : 'Voucher no.',
    number,
    date_label: 'Date',
    date: printedDate(payment.date),
    due_label: '',
    due_date: '',
    place_of_supply: isAdvance ? placeOfAdvance(contact) : placesOf(owed),
    // The tax of an advance that is received is the receiver's to pay (rules 50(j) and 51(j)).
    reverse_charge: isAdvance || title === 'REFUND VOUCHER' ? 'No' : owed.length > 0 ? 'Yes' : '',
    details: detailsOf(payment, surroundings),
    party: printedParty(payment.flow === 'INCOMING' ? 'Received from' : 'Paid to', payment.party_name, surroundings),
    ship_to: NOBODY,
    columns: NO_COLUMNS,
    value_label: '',
    sgst_label: 'SGST',
    lines: [],
    line_totals: { taxable: '', cgst: '', sgst: '', igst: '', cess: '', tax: '', total: '' },
    quantity_total: '',
    hsn_summary: [],
    hsn_totals: NO_TOTALS,
    reverse_charge_taxes: taxesOwed(owed, payment.currency_code),
    tax_in_words: '',
    ...sumsOf(payment),
    base_amounts: baseAmounts(payment, organization.currency_code),
    allocations: allocationsOf(payment, surroundings),
    irn: '',
    ack_no: '',
    ack_date: '',
    irn_cancelled: '',
    bank: [],
    upi_id: '',
    payment_link: '',
    notes: paragraphs(payment.description),
    terms: [],
  }
}

const placeOfAdvance = (contact: Surroundings['contact']) =>
  isAbroad(contact) ? OUTSIDE_INDIA : stateWithCode(contact.place_of_contact)

// What rule 52 of the CGST Rules asks for where we owe the tax: of whole bills, whatever part of them is paid now.
const placesOf = (owed: OwedTax[]) =>
  [...new Set(owed.map(({ place_of_supply }) => stateWithCode(place_of_supply)))].join(', ')

function taxesOwed(owed: OwedTax[], currency: string): PrintedDocument['reverse_charge_taxes'] {
  const rows = owed.flatMap(({ branch_state, taxes }) =>
    taxes.map(({ rate, cess_rate, cgst, sgst, igst, cess }) => ({
      stateTax: sgst === '0' ? 'SGST' : stateTaxName(branch_state),
      rate,
      cessRate: cess_rate,
      parts: { cgst: BigInt(cgst), sgst: BigInt(sgst), igst: BigInt(igst), cess: BigInt(cess) },
    })),
  )
  const groups = Map.groupBy(rows, ({ stateTax }) => stateTax)
  return [...groups].flatMap(([stateTax, of]) => amountsByRate(currency, stateTax, of))
}

const MODES: Record<string, string> = {
  CASH: 'Cash',
  BANK_TRANSFER: 'Bank transfer',
  CHEQUE: 'Cheque',
  CARD: 'Card',
  OTHER: '',
}

function detailsOf(payment: PrintedPayment, { account, sources }: Surroundings): PrintedDocument['details'] {
  const refunded = sources.find(({ kind }) => kind === 'PAYMENT')
  const supplied = new Set(sources.flatMap(({ owed }) => owed?.names ?? []))
  return [
    { label: 'Mode', value: MODES[payment.mode] ?? printableLine(payment.mode) },
    { label: refunded ? 'Against receipt' : 'Reference', value: printableLine(payment.reference_number) },
    { label: 'Receipt date', value: printedDate(refunded?.date ?? null) },
    { label: payment.flow === 'INCOMING' ? 'Received in' : 'Paid from', value: printableLine(account) },
    { label: 'Goods or services', value: printableLine([...supplied].join(', ')) },
  ].filter(({ value }) => value !== '')
}

/** What the bank moved and what was withheld add up to the amount, which is what the payment settles. */
function sumsOf(payment: PrintedPayment) {
  const { flow, amount, tds_amount, bank_charges, allocated, currency_code: currency, payment_type } = payment
  const isIncoming = flow === 'INCOMING'
  const moved = amount - tds_amount - (isIncoming ? bank_charges : -bank_charges)
  const charges = isIncoming ? bank_charges : -bank_charges
  const row = (label: string, value: bigint) => ({ label, amount: printedAmount(value, currency) })
  const totals = [
    row(isIncoming ? 'Received' : 'Paid', moved),
    ...(tds_amount === 0n ? [] : [row('TDS deducted', tds_amount)]),
    ...(bank_charges === 0n ? [] : [row('Bank charges', charges)]),
  ]
  const takesNone = payment_type === 'REFUND'
  const rest = amount - allocated
  return {
    totals: totals.length === 1 ? [] : totals,
    total_label: totals.length > 1 ? 'Gross amount' : isIncoming ? 'Amount received' : 'Amount paid',
    total: printedMoney(amount, currency),
    settled:
      takesNone || rest === 0n
        ? []
        : [...(allocated === 0n ? [] : [row('Applied', allocated)]), row('Not yet applied', rest)],
    balance_due: '',
    amount_in_words: amountInWords(amount, currency),
    currency,
  }
}

function baseAmounts(payment: PrintedPayment, base: string): PrintedDocument['base_amounts'] {
  const { currency_code: currency, exchange_rate: rate, amount } = payment
  if (currency === base) return []
  return [
    { label: 'Exchange rate', amount: `1 ${currency} = ${printedRate(rate, base)} ${base}` },
    { label: `Amount in ${base}`, amount: printedAmount(toBase(amount, currency, rate, base), base) },
  ]
}

function allocationsOf({ currency_code }: PrintedPayment, { sources }: Surroundings): PrintedDocument['allocations'] {
  const settled = sources.filter(({ kind }) => kind !== 'PAYMENT')
  return settled.map(({ kind, number, date, total, amount }) => {
    const { noun } = factsOf(kind)
    return {
      kind: noun.charAt(0).toUpperCase() + noun.slice(1),
      number: printableLine(number),
      date: printedDate(date),
      total: printedAmount(BigInt(total ?? '0'), currency_code),
      amount: printedAmount(BigInt(amount ?? '0'), currency_code),
    }
  })
}
