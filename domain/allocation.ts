// Allocates a payment to documents, and computes what each allocation takes off both in the ledger.
import { fault } from './faults.ts'
import { nextStatus, settledStatus, type SettledKind, type StatusOf } from './lifecycle.ts'
import { toAmount, toBase, toDecimalText, type Minor } from './money.ts'

/** An invoice or bill that money or credit is applied to. Amounts in minor units of its currency. */
export interface OpenDocument {
  kind: SettledKind
  id: string
  contactId: string
  currency: string
  /** Units of the base currency for one unit of `currency`. */
  exchangeRate: string
  status: string
  total: Minor
  balance: Minor
  /** What allocations have taken off it in the ledger so far; minor units of the base currency. */
  settledBase: Minor
}

/** The money of a payment; amounts in minor units of its currency. */
export interface Money {
  contactId: string
  currency: string
  exchangeRate: string
  baseCurrency: string
  amount: Minor
  unapplied: Minor
  /** What earlier allocations have taken off it in the ledger; minor units of the base currency. */
  relievedBase: Minor
}

export interface AllocationInput {
  documentId: string
  amount: Minor
  /** The paths of the two fields in the body, for errors. */
  fields: { document: string; amount: string }
}

export interface Allocation {
  documentId: string
  amount: Minor
  /** What it takes off the document, and off the payment, in the ledger; minor units of the base currency. */
  settledBase: Minor
  relievedBase: Minor
}

/** An amount that is open, and its value in the ledger. */
interface Carried {
  left: Minor
  base: Minor
}

/**
 * The allocations of a payment's money, in the order of the input (specification, "POST /payments": validation; decisions
 * §10, Payments). Throws validation.invalid_value for more than is left of the money or of a document, and for a document
 * of another contact or currency; conflict.invalid_state for a draft or a cancelled document.
 */
export function allocate(
  money: Money,
  input: readonly AllocationInput[],
  documents: ReadonlyMap<string, OpenDocument>,
): Allocation[] {
  const funds: Carried = {
    left: money.unapplied,
    base: inBase(money.amount, money, money.baseCurrency) - money.relievedBase,
  }
  const open = new Map<string, Carried>()
  for (const { id, total, balance, settledBase, ...document } of documents.values()) {
    open.set(id, { left: balance, base: inBase(total, document, money.baseCurrency) - settledBase })
  }
  for (const each of input) refuseDocument(money, each, documents.get(each.documentId)!)
  return input.map((each) => {
    const document = documents.get(each.documentId)!
    const { documentId, amount } = each
    const carried = open.get(documentId)!
    refuseMore(
      amount,
      carried.left,
      each.fields.amount,
      document.currency,
      "is more than the document's outstanding balance",
    )
    refuseMore(amount, funds.left, each.fields.amount, money.currency, 'is more than is left of the payment')
    return {
      documentId,
      amount,
      settledBase: take(carried, amount, document, money.baseCurrency),
      relievedBase: take(funds, amount, money, money.baseCurrency),
    }
  })
}

/** What allocations of these amounts take off a payment after its exchange rate changed; minor units of the base currency. */
export function relievedAtNewRate(
  money: Pick<Money, 'currency' | 'exchangeRate' | 'baseCurrency' | 'amount'>,
  amounts: readonly Minor[],
): Minor[] {
  const funds: Carried = { left: money.amount, base: inBase(money.amount, money, money.baseCurrency) }
  return amounts.map((amount) => take(funds, amount, money, money.baseCurrency))
}

/**
 * The status of an invoice or bill after `money` is applied to it, or taken off (negative); in minor units. An OVERDUE
 * document that money is taken off stays OVERDUE.
 */
export function statusAfterMoney<K extends SettledKind>(
  kind: K,
  { status, total, balance }: { status: StatusOf<K>; total: Minor; balance: Minor },
  money: Minor,
): StatusOf<K> {
  if (money < 0n && status === 'OVERDUE') return status
  return settledStatus(kind, { total, balance: balance - money, by: 'payment' })
}

function refuseDocument(money: Money, { fields }: AllocationInput, document: OpenDocument): void {
  if (document.contactId !== money.contactId) {
    throw fault('validation.invalid_value', {
      field: fields.document,
      message: 'This document belongs to another contact than the payment.',
    })
  }
  if (document.currency !== money.currency) {
    throw fault('validation.invalid_value', {
      field: fields.document,
      message: `This document is in ${document.currency}, the payment in ${money.currency}.`,
    })
  }
  // A settled document is refused by its balance instead, so that the details have the limit.
  if (document.status === 'DRAFT' || document.status === 'CANCELLED') nextStatus(document.kind, 'pay', document.status)
}

function refuseMore(amount: Minor, limit: Minor, field: string, currency: string, what: string): void {
  if (amount <= limit) return
  throw fault('validation.invalid_value', {
    field,
    message: `${toDecimalText(amount, currency)} ${what}.`,
    details: { limit: toAmount(limit, currency) },
  })
}

// Each part is converted and rounded by itself; the last one takes the rest, so that nothing is left in the ledger.
function take(
  from: Carried,
  part: Minor,
  money: { currency: string; exchangeRate: string },
  baseCurrency: string,
): Minor {
  const taken = part === from.left ? from.base : inBase(part, money, baseCurrency)
  from.left -= part
  from.base -= taken
  return taken
}

function inBase(
  amount: Minor,
  { currency, exchangeRate }: { currency: string; exchangeRate: string },
  baseCurrency: string,
): Minor {
  return toBase(amount, currency, exchangeRate, baseCurrency)
}
