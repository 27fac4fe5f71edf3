// Reads what a payment is recorded from: its contact, account, exchange rate, documents and possible duplicates.
import type { AllocationInput, Money } from '../../domain/allocation.ts'
import { refuseWrongParty } from '../../domain/contact-type.ts'
import { showDate } from '../../domain/dates.ts'
import { isPossibleDuplicate } from '../../domain/duplicate-payment.ts'
import { fault, notFound } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import { sum, toAmount } from '../../domain/money.ts'
import type { AllocationBody } from '../../domain/payment-amounts.ts'
import { controlOf, type Flow, type PaymentType } from '../../domain/posting/payment.ts'
import { bills } from '../../models/bill.ts'
import { findRows } from '../../models/find.ts'
import { invoices } from '../../models/invoice.ts'
import {
  readPaymentContext,
  type Payment,
  type SimilarPayment,
  type PaymentContext,
  type PaymentContextRequest,
  type PaymentRow,
} from '../../models/payment.ts'
import type { ModelOf } from '../../models/model.ts'
import type { Books } from '../books/books.ts'
import { currencyOf, knownIds, rateToFind, refuseUnknownTags } from '../documents/drafting.ts'
import { documentsToSettle, type Settleable } from './settlement.ts'

export interface LoadedPaymentContext extends PaymentContext {
  contact: NonNullable<PaymentContext['contact']>
  bank_account_id: string
}

/** Reads contact, account, tags, exchange rate and possible duplicates in one query. Throws not_found.resource for records that are not the organisation's. */
export async function paymentContextOf(
  books: Books,
  input: { contact_id: string; bank_account_id?: string | null; tags: string[] },
  request: Pick<PaymentContextRequest, 'alike' | 'rate'>,
): Promise<LoadedPaymentContext> {
  const { contact, bank_account_id, ...context } = await readPaymentContext(books, {
    contactId: knownIds([input.contact_id], 'contact_id')[0]!,
    bankAccountId: input.bank_account_id == null ? null : knownIds([input.bank_account_id], 'bank_account_id')[0]!,
    tags: input.tags,
    ...request,
  })
  if (!contact) throw notFound('contact', 'contact_id')
  if (bank_account_id === null) {
    throw notFound('bank or cash account', 'bank_account_id')
  }
  refuseUnknownTags(input.tags, context)
  return { ...context, contact, bank_account_id }
}

/** Throws validation.invalid_value where a payment of this flow and type needs a customer and the contact is only a vendor, or the reverse. */
export function refuseWrongPayer({ contact }: LoadedPaymentContext, flow: Flow, type: PaymentType): void {
  refuseWrongParty(
    contact.contact_type,
    controlOf({ flow, type }) === 'receivable' ? 'customer' : 'vendor',
    'contact_id',
  )
}

/**
 * A payment's currency and exchange rate: the sent rate, else the organisation's latest (decisions §11). Throws
 * validation.failed where a foreign currency has neither, and as currencyOf does.
 */
export function currencyAndRateOf(
  books: Books,
  input: { currency_code?: string | null; exchange_rate?: number | null },
  { latest_rate }: Pick<PaymentContext, 'latest_rate'>,
): { currency: string; exchangeRate: string } {
  const money = currencyOf(books, input, latest_rate)
  if (rateToFind(books, input) === null || latest_rate !== null) return money
  const base = books.organization.currency_code
  throw fault('validation.failed', {
    errors: [{ field: 'exchange_rate', code: 'required', message: `is required unless currency_code is ${base}` }],
  })
}

/**
 * Runs checks that need the body alone. When they throw, `refuseMissing` runs first, because errors for records that do not
 * exist come before errors for values (decisions §1). So only refused calls pay for the extra query.
 */
export async function existenceFirst<T>(decide: () => T, refuseMissing: () => Promise<unknown>): Promise<T> {
  try {
    return decide()
  } catch (refused) {
    await refuseMissing()
    throw refused
  }
}

/**
 * Throws not_found.resource for the first invoice or bill of the allocations that the organisation does not have; `pathOf`
 * is the path before the field names of an allocation. Takes no locks, because it only runs for refused calls.
 */
export async function refuseMissingDocuments(
  books: Books,
  bodies: AllocationBody[],
  pathOf: (index: number) => string,
): Promise<void> {
  const foundIds = async <Row extends { org_id: string; id: string }>(
    table: ModelOf<Row>,
    ids: (string | null | undefined)[],
  ) => new Set((await findRows(books, table, ids.filter((id) => id != null).filter(isId))).map(({ id }) => id))
  const invoiceIds = await foundIds(
    invoices,
    bodies.map(({ invoice_id }) => invoice_id),
  )
  const billIds = await foundIds(
    bills,
    bodies.map(({ bill_id }) => bill_id),
  )
  for (const [index, { invoice_id, bill_id }] of bodies.entries()) {
    if (invoice_id != null && !invoiceIds.has(invoice_id.toLowerCase()))
      throw noDocument('INCOMING', `${pathOf(index)}invoice_id`)
    if (bill_id != null && !billIds.has(bill_id.toLowerCase())) throw noDocument('OUTGOING', `${pathOf(index)}bill_id`)
  }
}

const noDocument = (flow: Flow, field: string) => notFound(flow === 'INCOMING' ? 'invoice' : 'bill', field)

/** The documents to settle, locked. Throws not_found.resource for one that the organisation does not have. */
export async function documentsOf(
  books: Books,
  flow: Flow,
  request: AllocationInput[],
): Promise<Map<string, Settleable>> {
  const ids = request.map(({ documentId }) => documentId).filter(isId)
  const documents = ids.length === 0 ? new Map<string, Settleable>() : await documentsToSettle(books, flow, ids)
  const missing = request.find(({ documentId }) => !documents.has(documentId))
  if (missing) throw noDocument(flow, missing.fields.document)
  return documents
}

/** The money of a payment, as domain/allocation.ts takes it. */
export function moneyOf(
  books: Books,
  payment: Pick<Payment, 'contact_id' | 'currency_code' | 'exchange_rate' | 'amount' | 'unapplied' | 'allocations'>,
): Money {
  return {
    contactId: payment.contact_id,
    currency: payment.currency_code,
    exchangeRate: payment.exchange_rate,
    baseCurrency: books.organization.currency_code,
    amount: payment.amount,
    unapplied: payment.unapplied,
    relievedBase: sum(payment.allocations.map(({ relieved_base }) => relieved_base)),
  }
}

/** The latest earlier payment that this one may duplicate; null while the organisation's preference strictPaymentDedupe is off. */
export function possibleDuplicateOf(
  books: Books,
  { alike }: LoadedPaymentContext,
  payment: Pick<PaymentRow, 'date' | 'reference_number'>,
): SimilarPayment | null {
  if (!books.organization.preferences.strictPaymentDedupe) return null
  return alike.find((earlier) => isPossibleDuplicate(earlier, payment)) ?? null
}

/** Message and details of validation.duplicate_resource, as an error or a warning (specification). */
export function duplicateProblem(
  duplicate: SimilarPayment,
  { amount, currency_code }: Pick<PaymentRow, 'amount' | 'currency_code'>,
) {
  return {
    message: `This payment may be a duplicate of ${duplicate.payment_number}.`,
    details: {
      existing_payment_id: duplicate.id,
      existing_date: showDate(duplicate.date),
      existing_amount: toAmount(amount, currency_code),
      existing_reference: duplicate.reference_number,
    },
  }
}
