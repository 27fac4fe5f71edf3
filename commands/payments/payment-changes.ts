// Changes a payment by a PUT and posts it again.
import { relievedAtNewRate } from '../../domain/allocation.ts'
import { decimalText } from '../../domain/decimal.ts'
import { fault } from '../../domain/faults.ts'
import { changedFields, type Answered, type Sent } from '../../domain/fixed-fields.ts'
import { toDecimalText, toMinor, type Minor } from '../../domain/money.ts'
import { refuseAmounts } from '../../domain/payment-amounts.ts'
import type { Flow } from '../../domain/posting/payment.ts'
import { paymentAllocations, type AllocationRow, type Payment } from '../../models/payment.ts'
import type { Books } from '../books/books.ts'
import { changesBetween } from '../books/changes.ts'
import { recordDocument, reverseDocument } from '../documents/document-entries.ts'
import { documentDateOf, knownIds } from '../documents/drafting.ts'
import { postPayment } from './payment-entries.ts'
import { paymentContextOf, currencyAndRateOf, refuseWrongPayer, type LoadedPaymentContext } from './payment-context.ts'
import { changedPayment, paymentOf, USUAL_MODE, type NewPayment } from './payments.ts'

/** The body of PUT /payments/{payment_id}; null means the value that a new payment has without the field. */
export interface PaymentChanges {
  flow?: Flow | null
  contact_id?: string
  date?: string
  amount?: number
  mode?: string | null
  reference_number?: string | null
  description?: string | null
  bank_account_id?: string | null
  currency_code?: string | null
  exchange_rate?: number | null
  bank_charges?: number | null
  tags?: string[] | null
}

const CHANGEABLE = [
  'flow',
  'contact_id',
  'date',
  'amount',
  'mode',
  'reference_number',
  'description',
  'bank_account_id',
  'currency_code',
  'exchange_rate',
  'bank_charges',
  'tags',
] as const satisfies (keyof PaymentChanges)[]

// The fields that are fixed once the payment is recorded.
const FIXED = ['payment_type', 'tds_amount', 'allocations'] as const satisfies (keyof NewPayment)[]

// The fields that are not in the journal: a change of these alone posts nothing.
const UNPOSTED: ReadonlySet<string> = new Set(['mode', 'reference_number', 'tags'])

/**
 * Changes a payment and posts it again (specification, "PUT /payments body"). Throws not_found.resource for a contact, account
 * or tag that is not the organisation's, conflict.allocated (field amount) for another amount while it is allocated, and
 * validation.invalid_value for amounts that refuseAmounts refuses, and for a flow, contact or currency other than that of
 * the documents it is allocated to; and as changedFields does.
 */
export async function changePayment(
  books: Books,
  id: string,
  input: Sent<PaymentChanges>,
  answered: Answered<Payment>,
): Promise<Payment> {
  const before = await paymentOf(books, id, 'FOR UPDATE')
  const context = await paymentContextOf(
    books,
    {
      contact_id: input.contact_id ?? before.contact_id,
      bank_account_id: input.bank_account_id === undefined ? before.bank_account_id : input.bank_account_id,
      tags: input.tags === undefined ? [] : knownIds(input.tags ?? [], 'tags'),
    },
    {
      alike: null,
      rate: {
        from: input.currency_code ?? null,
        to: books.organization.currency_code,
        date: input.date ? documentDateOf(books, input.date) : before.date,
      },
    },
  )
  const instead = { fields: FIXED, advice: 'delete the payment and record a new one' }
  if (changedFields(input, answered(before), { fields: CHANGEABLE, instead }).size === 0) return before
  const columns = columnsOf(books, before, input, context)
  const after = { ...before, ...columns }
  if (before.allocations.length > 0) refuseAllocatedChange(before, after)
  if (after.flow !== before.flow || after.contact_id !== before.contact_id)
    refuseWrongPayer(context, after.flow, after.payment_type)
  refuseAmounts(after)
  const changes = changesBetween(before, columns)
  if (changes === null) return before
  const payment = changedPayment(books, before, columns, relieveAgain(books, before, after))
  if (Object.keys(changes).some((field) => !UNPOSTED.has(field))) {
    await reverseDocument(books, 'PAYMENT', before, { date: null, why: 'Change' })
    postPayment(books, payment, context)
  }
  recordDocument(books, 'PAYMENT', payment, 'PAYMENT_UPDATED', changes)
  return payment
}

// The columns that the body sets. With another contact, its currency applies unless one is sent.
function columnsOf(
  books: Books,
  before: Payment,
  input: PaymentChanges,
  { contact, bank_account_id, latest_rate }: LoadedPaymentContext,
) {
  const moved = contact.id !== before.contact_id
  const code =
    input.currency_code === undefined ? (moved ? contact.currency_code : before.currency_code) : input.currency_code
  const same = (code ?? books.organization.currency_code) === before.currency_code
  const rate = {
    currency_code: code,
    exchange_rate: input.exchange_rate ?? (same ? Number(before.exchange_rate) : null),
  }
  const { currency, exchangeRate } = currencyAndRateOf(books, rate, { latest_rate })
  const kept = (amount: Minor) => (same ? amount : toMinor(toDecimalText(amount, before.currency_code), currency))
  const { mode, reference_number, description, bank_charges, tags } = input
  return {
    flow: input.flow ?? before.flow,
    ...(moved ? { contact_id: contact.id, contact_name: contact.contact_name } : {}),
    date: input.date === undefined ? before.date : documentDateOf(books, input.date),
    amount: input.amount === undefined ? kept(before.amount) : toMinor(input.amount, currency),
    tds_amount: kept(before.tds_amount),
    bank_charges: bank_charges === undefined ? kept(before.bank_charges) : toMinor(bank_charges ?? 0, currency),
    mode: mode === undefined ? before.mode : (mode ?? USUAL_MODE),
    reference_number: reference_number === undefined ? before.reference_number : reference_number,
    description: description === undefined ? before.description : description,
    bank_account_id,
    tags: tags === undefined ? before.tags : knownIds(tags ?? [], 'tags'),
    currency_code: currency,
    exchange_rate: decimalText(before.exchange_rate) === exchangeRate ? before.exchange_rate : exchangeRate,
  }
}

const OF_DOCUMENTS = ['flow', 'contact_id', 'currency_code'] as const

function refuseAllocatedChange(before: Payment, after: Payment): void {
  const field = OF_DOCUMENTS.find((name) => before[name] !== after[name])
  if (field !== undefined) {
    throw fault('validation.invalid_value', {
      field,
      message: `The payment is allocated to documents with another ${field}.`,
    })
  }
  if (after.amount !== before.amount) throw fault('conflict.allocated', { field: 'amount' })
}

// With another exchange rate each allocation takes another base amount off the payment; what it took off its document stays.
function relieveAgain(books: Books, before: Payment, after: Payment): AllocationRow[] {
  if (after.exchange_rate === before.exchange_rate) return before.allocations
  const relieved = relievedAtNewRate(
    {
      currency: after.currency_code,
      exchangeRate: after.exchange_rate,
      baseCurrency: books.organization.currency_code,
      amount: after.amount,
    },
    before.allocations.map(({ amount }) => amount),
  )
  return before.allocations.map((row, index) =>
    books.update<AllocationRow>(paymentAllocations, row, { relieved_base: relieved[index]! }),
  )
}
