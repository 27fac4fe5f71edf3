// What a payment leaves in the books besides itself: its journals, its activity entries, its event.
import { sum, toAmount, type Minor } from '../domain/money.ts'
import { exchangePosting, paymentPosting, type Flow, type PaymentAccounts } from '../domain/posting/payment.ts'
import type { PostingAccounts } from '../models/basis.ts'
import type { AllocationRow, Payment, PaymentRow } from '../models/payment.ts'
import type { Books } from './books.ts'
import type { Changes } from './changes.ts'
import { reverse } from './reversal.ts'

/** The accounts that a payment posts to, by what they are for. */
export type Roles = Pick<PostingAccounts, 'roles'>

/**
 * Posts a payment: its own entry, dated as the payment, with the exchange difference of what was allocated with it;
 * and the difference of each later apply on its own day (decisions §10, Documents).
 */
export function postPayment(books: Books, payment: Payment, posting: Roles): void {
  const later = payment.allocations.filter(({ applied_date }) => applied_date !== null)
  const atOnce = payment.allocations.filter(({ applied_date }) => applied_date === null)
  books.post({
    ...entryOf(payment),
    date: payment.date,
    lines: paymentPosting({
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
    }),
  })
  for (const [date, allocations] of Map.groupBy(later, ({ applied_date }) => applied_date!)) {
    postExchangeDifference(books, payment, differenceOf(allocations), date, posting)
  }
}

/** Posts what allocated money is worth more (or less) than its documents stood at; nothing where there is no difference. */
export function postExchangeDifference(books: Books, payment: PaymentRow, difference: Minor, date: string, posting: Roles): void {
  books.post({
    ...entryOf(payment),
    date,
    lines: exchangePosting({
      flow: payment.flow,
      type: payment.payment_type,
      contactId: payment.contact_id,
      exchangeDifference: difference,
      accounts: accountsOf(payment, posting),
    }),
  })
}

/** Reverses all entries of a payment; `date` null for each on its own date. */
export async function unpostPayment(books: Books, payment: PaymentRow, date: string | null, why: string): Promise<void> {
  await reverse(books, { source: 'PAYMENT', sourceId: payment.id, date, memo: `${why} of payment ${payment.payment_number}` })
}

/** The exchange difference of allocations, in minor units of the organisation's currency. */
export function differenceOf(allocations: Pick<AllocationRow, 'relieved_base' | 'settled_base'>[]): Minor {
  return sum(allocations.map(({ relieved_base, settled_base }) => relieved_base - settled_base))
}

/** Writes an activity entry on the payment. */
export function recordPaymentEntry(books: Books, payment: PaymentRow, action: string, changes: Changes | null = null, metadata = {}): void {
  books.record({ action, entityType: 'PAYMENT', entityId: payment.id, entityRef: payment.payment_number, changes, metadata })
}

/** Announces a new payment: PAYMENT_RECEIVED or PAYMENT_MADE by its flow (specification, "Webhook events"). */
export function announcePayment(books: Books, payment: PaymentRow): void {
  const amount = toAmount(payment.amount, payment.currency_code)
  const entity = { entityType: 'PAYMENT', entityId: payment.id }
  const data = {
    id: payment.id, number: payment.payment_number, contact_id: payment.contact_id, total: amount, amount, status: null,
    sequence: payment.version,
  }
  const announce: Record<Flow, () => void> = {
    INCOMING: () => books.announce({ type: 'PAYMENT_RECEIVED', ...entity, data: { ...data, flow: 'INCOMING' } }),
    OUTGOING: () => books.announce({ type: 'PAYMENT_MADE', ...entity, data: { ...data, flow: 'OUTGOING' } }),
  }
  announce[payment.flow]()
}

function entryOf(payment: PaymentRow) {
  return {
    source: 'PAYMENT' as const,
    sourceId: payment.id,
    memo: payment.description ?? `Payment ${payment.payment_number}`,
    contactId: payment.contact_id,
  }
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
