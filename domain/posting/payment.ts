// The posting of a payment. The amount is gross: what it settles.
//
// INCOMING: a customer pays (REFUND: a vendor pays back, and Payable replaces Receivable)
//   Dr Bank or Cash           amount less TDS less bank charges
//   Dr TDS Receivable         what the customer withheld
//   Dr Bank Charges           what the bank withheld
//      Cr Receivable          amount; the allocated part at the rates of its invoices
//      Cr Exchange Gain       what the allocated part is worth more than on its invoices (a debit if less)
//
// OUTGOING: a vendor is paid (REFUND: a customer gets money back, and Receivable replaces Payable)
//   Dr Payable                amount; the allocated part at the rates of its bills
//   Dr Bank Charges           what the bank charged in addition
//   Dr Exchange Loss          what the allocated part costs more than on its bills (a credit if less)
//      Cr TDS Payable         what was withheld from the vendor
//      Cr Bank or Cash        amount less TDS plus bank charges
import { toBase, type Minor } from '../money.ts'
import { assertBalanced, credit, debit, mergeByAccount, type PostingLine } from './posting.ts'

export const FLOWS = ['INCOMING', 'OUTGOING'] as const
export type Flow = (typeof FLOWS)[number]

export const PAYMENT_TYPES = ['REGULAR', 'ADVANCE', 'REFUND'] as const
export type PaymentType = (typeof PAYMENT_TYPES)[number]

export interface PaymentFigures {
  flow: Flow
  type: PaymentType
  contactId: string
  currency: string
  /** Units of the base currency for one unit of `currency`. */
  exchangeRate: string
  baseCurrency: string
  amount: Minor
  tds: Minor
  bankCharges: Minor
  /** The value of the allocated part at the payment's rate less its value at the rates of its documents; base currency. */
  exchangeDifference: Minor
  accounts: PaymentAccounts
}

export interface PaymentAccounts {
  bank: string
  receivable: string
  payable: string
  tdsReceivable: string
  tdsPayable: string
  bankCharges: string
  exchange: string
}

export type ExchangeAccounts = Pick<PaymentAccounts, 'receivable' | 'payable' | 'exchange'>

/** The control account of a payment: receivable for customers, payable for vendors. */
export function controlOf({ flow, type }: { flow: Flow; type: PaymentType }): 'receivable' | 'payable' {
  return (flow === 'INCOMING') === (type !== 'REFUND') ? 'receivable' : 'payable'
}

/**
 * The journal lines of a payment in minor units of the base currency (decisions §4). Amount, TDS and charges are
 * each converted by themselves; the bank line is the rest, so that the lines balance exactly.
 */
export function paymentPosting(payment: PaymentFigures): PostingLine[] {
  const { flow, contactId, exchangeDifference, accounts } = payment
  const inBase = (value: Minor) => toBase(value, payment.currency, payment.exchangeRate, payment.baseCurrency)
  const [amount, tds, charges] = [inBase(payment.amount), inBase(payment.tds), inBase(payment.bankCharges)]
  const control = accounts[controlOf(payment)]
  const lines =
    flow === 'INCOMING'
      ? [
          debit(accounts.bank, amount - tds - charges),
          debit(accounts.tdsReceivable, tds),
          debit(accounts.bankCharges, charges),
          credit(control, amount - exchangeDifference, { contactId }),
          credit(accounts.exchange, exchangeDifference),
        ]
      : [
          debit(control, amount - exchangeDifference, { contactId }),
          debit(accounts.bankCharges, charges),
          debit(accounts.exchange, exchangeDifference),
          credit(accounts.tdsPayable, tds),
          credit(accounts.bank, amount - tds + charges),
        ]
  const posted = mergeByAccount(lines)
  assertBalanced(posted)
  return posted
}

/**
 * The journal lines of a payment or credit that is applied after it was posted: the exchange difference alone, no lines for 0.
 * A negative difference reverses one.
 *   INCOMING: Dr Receivable, Cr Exchange Gain; OUTGOING: Dr Exchange Loss, Cr Payable
 */
export function exchangePosting({
  flow,
  type,
  contactId,
  exchangeDifference,
  accounts,
}: Pick<PaymentFigures, 'flow' | 'type' | 'contactId' | 'exchangeDifference'> & {
  accounts: ExchangeAccounts
}): PostingLine[] {
  const gain = flow === 'INCOMING' ? exchangeDifference : -exchangeDifference
  const posted = mergeByAccount([
    debit(accounts[controlOf({ flow, type })], gain, { contactId }),
    credit(accounts.exchange, gain),
  ])
  assertBalanced(posted)
  return posted
}
