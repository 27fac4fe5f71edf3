// The journals and the event of a payment.
import { sum, toAmount, type Minor } from '../../domain/money.ts'
import { exchangePosting, paymentPosting, type PaymentAccounts } from '../../domain/posting/payment.ts'
import type { PostingAccounts } from '../../models/document-context.ts'
import type { AllocationRow, Payment, PaymentRow } from '../../models/payment.ts'
import type { Books } from '../books/books.ts'
import { announceDocument, postDocument } from '../documents/document-entries.ts'

/** The accounts that a payment posts to, by their role. */
export type Roles = Pick<PostingAccounts, 'roles'>

/**
 * Posts a payment: one journal with its date and the exchange difference of the allocations that were recorded with it,
 * and one for the exchange difference of each day of later applies (decisions §10, Documents).
 */
export function postPayment(books: Books, payment: Payment, posting: Roles): void {
  const later = payment.allocations.filter(({ applied_date }) => applied_date !== null)
  const atOnce = payment.allocations.filter(({ applied_date }) => applied_date === null)
  const lines = paymentPosting({
    flow: payment.flow,
    type: payment.payment_type,
    contactId: payment.contact_id,
    currency: payment.currency_code,
    exchangeRate: payment.exchange_rate,
    baseCurrency: books.organization.currency_code,
    amount: payment.amount,
    tds: payment.tds_amount,
    bankCharges: payment.bank_charges,
    exchangeDifference: differenceOf(atOnce),
    accounts: accountsOf(payment, posting),
  })
  postDocument(books, 'PAYMENT', payment, lines, { memo: payment.description })
  for (const [date, allocations] of Map.groupBy(later, ({ applied_date }) => applied_date!)) {
    postExchangeDifference(books, payment, differenceOf(allocations), date, posting)
  }
}

/**
 * Posts an exchange difference: what allocated money is worth at the rate of the payment, less its value at the rates of the
 * documents; in minor units of the organisation's currency. Posts nothing for 0.
 */
export function postExchangeDifference(
  books: Books,
  payment: PaymentRow,
  difference: Minor,
  date: string,
  posting: Roles,
): void {
  const lines = exchangePosting({
    flow: payment.flow,
    type: payment.payment_type,
    contactId: payment.contact_id,
    exchangeDifference: difference,
    accounts: accountsOf(payment, posting),
  })
  postDocument(books, 'PAYMENT', payment, lines, { date, memo: payment.description })
}

/** The exchange difference of allocations, in minor units of the organisation's currency. */
export function differenceOf(allocations: Pick<AllocationRow, 'relieved_base' | 'settled_base'>[]): Minor {
  return sum(allocations.map(({ relieved_base, settled_base }) => relieved_base - settled_base))
}

/** Announces a new payment: PAYMENT_RECEIVED or PAYMENT_MADE by its flow (specification, "Webhook events"). */
export function announcePayment(books: Books, payment: PaymentRow): void {
  const { flow, amount: total } = payment
  const data = { flow, amount: toAmount(total, payment.currency_code) }
  if (flow === 'INCOMING') announceDocument(books, 'PAYMENT', 'PAYMENT_RECEIVED', { ...payment, total }, data)
  else announceDocument(books, 'PAYMENT', 'PAYMENT_MADE', { ...payment, total }, data)
}

function accountsOf(payment: PaymentRow, { roles }: Roles): PaymentAccounts {
  return {
    bank: payment.bank_account_id,
    receivable: roles.ACCOUNTS_RECEIVABLE!,
    payable: roles.ACCOUNTS_PAYABLE!,
    tdsReceivable: roles.TDS_RECEIVABLE!,
    tdsPayable: roles.TDS_PAYABLE!,
    bankCharges: roles.BANK_CHARGES!,
    exchange: roles.EXCHANGE_GAIN_LOSS!,
  }
}
