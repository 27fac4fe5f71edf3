// What can be done with a payment: record, apply, change, delete.
import { allocate, relievedAnew } from '../domain/allocation.ts'
import { addDays, parseDocumentDate } from '../domain/dates.ts'
import { decimalText } from '../domain/decimal.ts'
import { LOOK_BACK_DAYS } from '../domain/duplicate-payment.ts'
import { fault } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import { sum, toDecimalText, toMinor, type Minor } from '../domain/money.ts'
import type { Flow, PaymentType } from '../domain/posting/payment.ts'
import { readPostingAccounts } from '../models/basis.ts'
import type { Lock, Scope } from '../models/find.ts'
import {
  findPayment, paymentAllocations, payments, type AllocationRow, type Payment, type PaymentRow,
} from '../models/payment.ts'
import type { Books } from './books.ts'
import { changedFields, type Answered, type Sent } from './changeable.ts'
import { changesBetween } from './changes.ts'
import { currencyOf, knownIds, today } from './drafting.ts'
import { numberDocument } from './numbering.ts'
import { announcePayment, differenceOf, postExchangeDifference, postPayment, recordPaymentEntry, unpostPayment } from './payment-entries.ts'
import {
  allocationsWanted, allocationWanted, documentsOf, duplicateOf, foundationOf, likenessOf, moneyOf, refuseFigures, refuseMissingRate,
  refuseOverAllocation, refuseWrongParty, type AllocationBody, type Founded,
} from './payment-terms.ts'
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

/** The body of PUT /payments/{payment_id}; null stands for the value that a new payment would have without the field. */
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
  'flow', 'contact_id', 'date', 'amount', 'mode', 'reference_number', 'description', 'bank_account_id', 'currency_code', 'exchange_rate',
  'bank_charges', 'tags',
] as const satisfies (keyof PaymentChanges)[]

// What was settled when the payment was recorded.
const SETTLED = ['payment_type', 'tds_amount', 'allocations'] as const satisfies (keyof NewPayment)[]

const USUAL_MODE = 'BANK_TRANSFER'

// What the journal does not tell of: a change in these posts nothing anew.
const UNPOSTED: ReadonlySet<string> = new Set(['mode', 'reference_number', 'tags'])

/** The payment of this id. Throws not_found.resource for one that the organisation does not have. */
export async function paymentOf(scope: Scope, id: string, lock: Lock = ''): Promise<Payment> {
  const payment = isId(id) ? await findPayment(scope, id, lock) : null
  if (!payment) throw fault('not_found.resource', { message: 'There is no such payment.' })
  return payment
}

/**
 * Records a payment and settles what it is allocated to (specification, "POST /payments body"; decisions §4, §10).
 * `keyed`: the call carried an Idempotency-Key, so a payment that looks like an earlier one is recorded all the same,
 * with a warning; without a key it is refused with validation.duplicate_resource.
 */
export async function recordPayment(books: Books, wanted: NewPayment, { keyed }: { keyed: boolean }): Promise<Payment> {
  refuseMissingRate(books, wanted)
  const { currency, exchangeRate } = currencyOf(books, wanted)
  const type = wanted.payment_type ?? 'REGULAR'
  const asked = allocationsWanted(wanted.flow, type, wanted.allocations ?? [], currency)
  const [date, amount] = [parseDocumentDate(wanted.date)!, toMinor(wanted.amount, currency)]
  const tags = knownIds(wanted.tags ?? [], 'tags')
  const basis = await foundationOf(books, { ...wanted, tags }, {
    flow: wanted.flow, amount, currency, from: addDays(date, -LOOK_BACK_DAYS), to: addDays(date, LOOK_BACK_DAYS),
    reference: wanted.reference_number ?? '',
  })
  const documents = await documentsOf(books, wanted.flow, asked)
  refuseWrongParty(basis, wanted.flow, type)
  const row = {
    id: books.newId(),
    payment_number: numberDocument(books, 'payment'),
    flow: wanted.flow,
    payment_type: type,
    contact_id: basis.contact.id,
    contact_name: basis.contact.contact_name,
    date,
    amount,
    mode: wanted.mode ?? USUAL_MODE,
    reference_number: wanted.reference_number ?? null,
    description: wanted.description ?? null,
    bank_account_id: basis.bank_account_id,
    currency_code: currency,
    exchange_rate: exchangeRate,
    bank_charges: toMinor(wanted.bank_charges ?? 0, currency),
    tds_amount: toMinor(wanted.tds_amount ?? 0, currency),
    allocated: sum(asked.map((each) => each.amount)),
    unapplied: amount,
    tags,
    version: 1,
    created_time: books.now,
    last_modified_time: books.now,
  }
  refuseFigures(row)
  refuseOverAllocation(asked, amount, currency)
  const allocations = allocate(moneyOf(books, { ...row, allocations: [] }), asked, documents)
  const likeness = likenessOf(books, basis, row)
  if (likeness && !keyed) throw fault('validation.duplicate_resource', duplicateOf(likeness, row))
  if (likeness) books.warn({ code: 'validation.duplicate_resource', ...duplicateOf(likeness, row) })
  const saved = books.insert(payments, { ...row, unapplied: unappliedOf(row) })
  const payment = { ...saved, allocations: keepAllocations(books, saved, allocations, null) }
  settleDocuments(payment, payment.allocations, documents)
  postPayment(books, payment, basis)
  recordPaymentEntry(books, payment, 'PAYMENT_CREATED')
  announcePayment(books, payment)
  return payment
}

/**
 * Puts unapplied money onto one invoice or bill (specification, POST /payments/{payment_id}/apply). The exchange
 * difference is posted today. Throws what recordPayment throws for its allocations.
 */
export async function applyPayment(books: Books, id: string, wanted: AllocationBody): Promise<Payment> {
  const before = await paymentOf(books, id, 'FOR UPDATE')
  const asked = [allocationWanted(before.flow, before.payment_type, wanted, before.currency_code, '')]
  const documents = await documentsOf(books, before.flow, asked)
  const allocations = allocate(moneyOf(books, before), asked, documents)
  const added = keepAllocations(books, before, allocations, today(books))
  const payment = change(books, before, { allocated: before.allocated + asked[0]!.amount }, [...before.allocations, ...added])
  settleDocuments(payment, added, documents)
  const difference = differenceOf(added)
  if (difference !== 0n) postExchangeDifference(books, payment, difference, today(books), await readPostingAccounts(books))
  recordPaymentEntry(books, payment, 'PAYMENT_UPDATED', changesBetween(
    { allocated: before.allocated }, { allocated: payment.allocated }, payment.currency_code,
  ))
  return payment
}

/**
 * Changes a payment and posts it anew (specification, "PUT /payments body"). Throws conflict.allocated (field amount)
 * for another amount while it is allocated, and validation.invalid_value for a flow, contact or currency that the
 * documents it is allocated to do not have.
 */
export async function changePayment(books: Books, id: string, wanted: Sent<PaymentChanges>, answered: Answered<Payment>): Promise<Payment> {
  const before = await paymentOf(books, id, 'FOR UPDATE')
  const basis = await foundationOf(books, {
    contact_id: wanted.contact_id ?? before.contact_id,
    bank_account_id: wanted.bank_account_id === undefined ? before.bank_account_id : wanted.bank_account_id,
    tags: wanted.tags === undefined ? [] : knownIds(wanted.tags ?? [], 'tags'),
  }, null)
  const instead = { fields: SETTLED, advice: 'delete the payment and record it anew' }
  if (changedFields(wanted, answered(before), { fields: CHANGEABLE, instead }).size === 0) return before
  const told = toldOf(books, before, wanted, basis)
  const after = { ...before, ...told }
  if (before.allocations.length > 0) refuseAllocatedChange(before, after)
  if (after.flow !== before.flow || after.contact_id !== before.contact_id) refuseWrongParty(basis, after.flow, after.payment_type)
  refuseFigures(after)
  const changes = changesBetween(before, told)
  if (changes === null) return before
  const payment = change(books, before, told, relieveAnew(books, before, after))
  if (Object.keys(changes).some((field) => !UNPOSTED.has(field))) {
    await unpostPayment(books, before, null, 'Change')
    postPayment(books, payment, basis)
  }
  recordPaymentEntry(books, payment, 'PAYMENT_UPDATED', changes)
  return payment
}

/** Deletes a payment: its journals are reversed today, and its documents owe again what it had settled. */
export async function deletePayment(books: Books, id: string): Promise<void> {
  const payment = await paymentOf(books, id, 'FOR UPDATE')
  await releaseDocuments(books, payment)
  await unpostPayment(books, payment, today(books), 'Deletion')
  books.delete(payments, payment)
  recordPaymentEntry(books, payment, 'PAYMENT_DELETED')
}

const unappliedOf = ({ payment_type, amount, allocated }: Pick<PaymentRow, 'payment_type' | 'amount' | 'allocated'>) => (
  payment_type === 'REFUND' ? 0n : amount - allocated
)

function change(books: Books, payment: Payment, told: Partial<PaymentRow>, allocations: AllocationRow[]): Payment {
  const changed = books.update<PaymentRow>(payments, payment, { ...told, version: payment.version + 1, last_modified_time: books.now })
  return { ...changed, unapplied: unappliedOf(changed), allocations }
}

// The columns as the body wants them. A new contact brings its own currency, unless another is told.
function toldOf(books: Books, before: Payment, wanted: PaymentChanges, { contact, bank_account_id }: Founded) {
  const moved = contact.id !== before.contact_id
  const code = wanted.currency_code === undefined ? (moved ? contact.currency_code : before.currency_code) : wanted.currency_code
  const same = (code ?? books.organization.currency_code) === before.currency_code
  const rate = { currency_code: code, exchange_rate: wanted.exchange_rate ?? (same ? Number(before.exchange_rate) : null) }
  refuseMissingRate(books, rate)
  const { currency, exchangeRate } = currencyOf(books, rate)
  const kept = (amount: Minor) => (same ? amount : toMinor(toDecimalText(amount, before.currency_code), currency))
  const { mode, reference_number, description, bank_charges, tags } = wanted
  return {
    flow: wanted.flow ?? before.flow,
    ...(moved ? { contact_id: contact.id, contact_name: contact.contact_name } : {}),
    date: wanted.date === undefined ? before.date : parseDocumentDate(wanted.date)!,
    amount: wanted.amount === undefined ? kept(before.amount) : toMinor(wanted.amount, currency),
    tds_amount: kept(before.tds_amount),
    bank_charges: bank_charges === undefined ? kept(before.bank_charges) : toMinor(bank_charges ?? 0, currency),
    mode: mode === undefined ? before.mode : mode ?? USUAL_MODE,
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
    throw fault('validation.invalid_value', { field, message: `The documents that this payment is allocated to have another ${field}.` })
  }
  if (after.amount !== before.amount) throw fault('conflict.allocated', { field: 'amount' })
}

// At another rate every allocation takes something else off the payment; what it took off its document stays.
function relieveAnew(books: Books, before: Payment, after: Payment): AllocationRow[] {
  if (after.exchange_rate === before.exchange_rate) return before.allocations
  const relieved = relievedAnew(
    { currency: after.currency_code, exchangeRate: after.exchange_rate, baseCurrency: books.organization.currency_code, amount: after.amount },
    before.allocations.map(({ amount }) => amount),
  )
  return before.allocations.map((row, index) => books.update<AllocationRow>(paymentAllocations, row, { relieved_base: relieved[index]! }))
}
