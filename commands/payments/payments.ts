// The commands on payments: record, apply, delete. payment-changes.ts has the change.
import { allocate } from '../../domain/allocation.ts'
import { addDays } from '../../domain/dates.ts'
import { LOOK_BACK_DAYS } from '../../domain/duplicate-payment.ts'
import { fault } from '../../domain/faults.ts'
import { sum, toAmount, toMinor } from '../../domain/money.ts'
import {
  allocationInputs,
  allocationInput,
  refuseAmounts,
  refuseOverAllocation,
  type AllocationBody,
} from '../../domain/payment-amounts.ts'
import type { Flow, PaymentType } from '../../domain/posting/payment.ts'
import { readPostingAccounts } from '../../models/document-context.ts'
import { documentFinder } from '../../models/existing-document.ts'
import { findPayment, payments, type AllocationRow, type Payment, type PaymentRow } from '../../models/payment.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { recordDeletion, recordDocument, reverseDocument } from '../documents/document-entries.ts'
import { documentDateOf, knownIds, rateToFind, refuseClosedTags, today } from '../documents/drafting.ts'
import { numberDocument } from '../documents/numbering.ts'
import { announcePayment, differenceOf, postExchangeDifference, postPayment } from './payment-entries.ts'
import {
  documentsOf,
  duplicateProblem,
  existenceFirst,
  paymentContextOf,
  possibleDuplicateOf,
  moneyOf,
  currencyAndRateOf,
  refuseMissingDocuments,
  refuseWrongPayer,
} from './payment-context.ts'
import { keepAllocations, releaseDocuments, settleDocuments } from './settlement.ts'

/** The body of POST /payments. */
export interface NewPayment {
  flow: Flow
  contact_id: string
  date: string
  amount: number
  mode?: string | null
  reference_number?: string | null
  description?: string | null
  payment_type?: PaymentType | null
  bank_account_id?: string | null
  currency_code?: string | null
  exchange_rate?: number | null
  bank_charges?: number | null
  tds_amount?: number | null
  tags?: string[] | null
  allocations?: AllocationBody[] | null
}

/** The mode of a payment that is sent without one. */
export const USUAL_MODE = 'BANK_TRANSFER'

/** The payment of this id, with its allocations. Throws not_found.resource for one that the organisation does not have. */
export const paymentOf = documentFinder('PAYMENT', findPayment)

/**
 * Records a payment and settles what it is allocated to (specification, "POST /payments body"; decisions §4, §10).
 * `keyed`: the call carried an Idempotency-Key, so a possible duplicate is recorded with a warning; without a key it is
 * refused with validation.duplicate_resource. Throws not_found.resource for a contact, account, tag or document that is not
 * the organisation's, validation.failed without an exchange rate for a foreign currency, validation.invalid_value for amounts
 * and allocations that refuseAmounts, allocationInputs or allocate refuse, and conflict.invalid_state as allocate does.
 */
export async function recordPayment(books: Books, input: NewPayment, { keyed }: { keyed: boolean }): Promise<Payment> {
  const currency = input.currency_code ?? books.organization.currency_code
  const type = input.payment_type ?? 'REGULAR'
  const date = documentDateOf(books, input.date)
  const tags = knownIds(input.tags ?? [], 'tags')
  const { allocationsSent, amount } = await existenceFirst(
    () => ({
      allocationsSent: allocationInputs(input.flow, type, input.allocations ?? [], currency),
      amount: toMinor(input.amount, currency),
    }),
    async () => {
      await paymentContextOf(books, { ...input, tags }, { alike: null, rate: null })
      await refuseMissingDocuments(books, input.allocations ?? [], (index) => `allocations.${index}.`)
    },
  )
  const rate = rateToFind(books, input)
  const around = { from: addDays(date, -LOOK_BACK_DAYS), to: addDays(date, LOOK_BACK_DAYS) }
  const alike = { flow: input.flow, amount, currency, reference: input.reference_number ?? '', ...around }
  const request = { alike, rate: rate && { ...rate, date } }
  const context = await paymentContextOf(books, { ...input, tags }, request)
  refuseClosedTags(context)
  const documents = await documentsOf(books, input.flow, allocationsSent)
  const { exchangeRate } = currencyAndRateOf(books, input, context)
  refuseWrongPayer(context, input.flow, type)
  const row = {
    ...headOf(input),
    payment_number: numberDocument(books, 'PAYMENT'),
    payment_type: type,
    contact_id: context.contact.id,
    contact_name: context.contact.contact_name,
    date,
    amount,
    bank_account_id: context.bank_account_id,
    currency_code: currency,
    exchange_rate: exchangeRate,
    bank_charges: toMinor(input.bank_charges ?? 0, currency),
    tds_amount: toMinor(input.tds_amount ?? 0, currency),
    allocated: sum(allocationsSent.map((each) => each.amount)),
    unapplied: amount,
    tags,
  }
  refuseAmounts(row)
  refuseOverAllocation(allocationsSent, amount, currency)
  const allocations = allocate(moneyOf(books, { ...row, allocations: [] }), allocationsSent, documents)
  const duplicate = possibleDuplicateOf(books, context, row)
  if (duplicate && !keyed) throw fault('validation.duplicate_resource', duplicateProblem(duplicate, row))
  if (duplicate) books.warn({ code: 'validation.duplicate_resource', ...duplicateProblem(duplicate, row) })
  const saved = books.create(payments, { ...row, unapplied: unappliedOf(row) })
  const payment = { ...saved, allocations: keepAllocations(books, saved, allocations, null) }
  settleDocuments(payment, payment.allocations, documents)
  postPayment(books, payment, context)
  recordDocument(books, 'PAYMENT', payment, 'PAYMENT_CREATED')
  announcePayment(books, payment)
  return payment
}

const headOf = ({ flow, mode, reference_number, description }: NewPayment) => ({
  flow,
  mode: mode ?? USUAL_MODE,
  reference_number: reference_number ?? null,
  description: description ?? null,
})

/**
 * Applies unapplied money to one invoice or bill (specification, POST /payments/{payment_id}/apply). The exchange
 * difference is posted today. Throws as recordPayment does for its allocations.
 */
export async function applyPayment(books: Books, id: string, input: AllocationBody): Promise<Payment> {
  const before = await paymentOf(books, id, 'FOR UPDATE')
  const allocationsSent = await existenceFirst(
    () => [allocationInput(before.flow, before.payment_type, input, before.currency_code, '')],
    () => refuseMissingDocuments(books, [input], () => ''),
  )
  const documents = await documentsOf(books, before.flow, allocationsSent)
  const allocations = allocate(moneyOf(books, before), allocationsSent, documents)
  const added = keepAllocations(books, before, allocations, today(books))
  const payment = changedPayment(books, before, { allocated: before.allocated + allocationsSent[0]!.amount }, [
    ...before.allocations,
    ...added,
  ])
  settleDocuments(payment, added, documents)
  const difference = differenceOf(added)
  if (difference !== 0n)
    postExchangeDifference(books, payment, difference, today(books), await readPostingAccounts(books))
  recordDocument(
    books,
    'PAYMENT',
    payment,
    'PAYMENT_UPDATED',
    changesBetween({ allocated: before.allocated }, { allocated: payment.allocated }, payment.currency_code),
  )
  return payment
}

/** Deletes a payment: reverses its journals today, and restores the balances of its documents. */
export async function deletePayment(books: Books, id: string): Promise<void> {
  const payment = await paymentOf(books, id, 'FOR UPDATE')
  await releaseDocuments(books, payment)
  await reverseDocument(books, 'PAYMENT', payment, { date: today(books), why: 'Deletion' })
  books.delete(payments, payment)
  const { flow, amount: total, currency_code } = payment
  await recordDeletion(books, 'PAYMENT', { ...payment, total }, { flow, amount: toAmount(total, currency_code) })
}

const unappliedOf = ({ payment_type, amount, allocated }: Pick<PaymentRow, 'payment_type' | 'amount' | 'allocated'>) =>
  payment_type === 'REFUND' ? 0n : amount - allocated

/** Changes columns of a locked payment. Returns it with these allocations. */
export function changedPayment(
  books: Books,
  payment: Payment,
  columns: Partial<PaymentRow>,
  allocations: AllocationRow[],
): Payment {
  const changed = books.change(payments, payment, columns)
  return { ...changed, unapplied: unappliedOf(changed), allocations }
}
