// Credit notes: the side of a note, the document it is given against, and its application to an invoice or bill.
import { allocate, type Allocation, type AllocationInput, type Money, type OpenDocument } from './allocation.ts'
import { DOCUMENTS } from './documents.ts'
import { fault, invalidState } from './faults.ts'
import { nextStatus, STATUSES, type SettledKind } from './lifecycle.ts'
import { toAmount, toDecimalText, type Minor } from './money.ts'

/** A customer is credited for a sale, or a vendor gives credit for a purchase. */
export const CREDIT_SIDES = ['customer', 'vendor'] as const
export type CreditSide = (typeof CREDIT_SIDES)[number]

/** Where returned goods go (specification, "Credit note / debit note"). */
export const STOCK_DIRECTION = { customer: 'SALES_RETURN_IN', vendor: 'PURCHASE_RETURN_OUT' } as const satisfies Record<
  CreditSide,
  string
>

/** The kind of document that each side's credit is applied to, and its field in bodies. */
export const TARGET = {
  customer: { kind: 'INVOICE', field: DOCUMENTS.INVOICE.id, noun: DOCUMENTS.INVOICE.noun },
  vendor: { kind: 'BILL', field: DOCUMENTS.BILL.id, noun: DOCUMENTS.BILL.noun },
} as const satisfies Record<CreditSide, { kind: SettledKind; field: string; noun: string }>

/** The invoice or the bill that a note is given against, if any. */
export interface Occasion {
  invoiceId: string | null
  billId: string | null
}

/**
 * The side of a note by its invoice or bill (specification, "Credit note / debit note"); null where it has none.
 * Throws validation.invalid_value, field bill_id, for a note against both.
 */
export function sideOfParent({ invoiceId, billId }: Occasion): CreditSide | null {
  if (invoiceId !== null && billId !== null) {
    throw fault('validation.invalid_value', {
      field: 'bill_id',
      message: 'Send either invoice_id or bill_id, not both.',
    })
  }
  if (invoiceId !== null) return 'customer'
  return billId === null ? null : 'vendor'
}

/** The side of a note without an invoice or bill: the customer's, unless the contact is only a vendor. */
export const sideOfContact = (contactType: string): CreditSide => (contactType === 'VENDOR' ? 'vendor' : 'customer')

/** An invoice or bill that a note is given against. */
export interface Parent {
  kind: SettledKind
  status: string
  contactId: string
}

/**
 * Refuses a note of one contact against a document of another (validation.invalid_value, with the field that names the
 * document), and one against a draft or a cancelled document (conflict.invalid_state).
 */
export function refuseParent({ kind, status, contactId }: Parent, noteContactId: string): void {
  if (contactId !== noteContactId) {
    const { id: field, noun } = DOCUMENTS[kind]
    throw fault('validation.invalid_value', {
      field,
      message: `This ${noun} belongs to another contact than the note.`,
    })
  }
  if (!UNPOSTED.has(status)) return
  throw invalidState(
    `A note cannot refer to a document that is ${status}.`,
    status,
    STATUSES[kind].filter((each) => !UNPOSTED.has(each)),
  )
}

const UNPOSTED: ReadonlySet<string> = new Set(['DRAFT', 'CANCELLED'])

/** The credit of an issued note, as money that can be allocated; amounts in minor units of its currency. */
export interface Credit extends Money {
  side: CreditSide
  status: string
}

/**
 * What an application takes off the credit and off the document (specification, "Credit notes and debit
 * notes": apply rules; decisions §10). Throws conflict.invalid_state for a draft or cancelled note or document, and
 * validation.invalid_value for a document of the other side, of another contact or currency, and for more than the
 * smaller of the two balances, which is details.limit.
 */
export function creditTaken(credit: Credit, input: AllocationInput, document: OpenDocument): Allocation {
  if (credit.status === 'DRAFT' || credit.status === 'CANCELLED') nextStatus('CREDIT_NOTE', 'apply', credit.status)
  refuseTarget(credit, input.fields.document, document)
  const limit = smaller(credit.unapplied, document.balance)
  if (input.amount > limit) {
    throw fault('validation.invalid_value', {
      field: input.fields.amount,
      message: `${toDecimalText(input.amount, credit.currency)} is more than can be applied.`,
      details: { limit: toAmount(limit, credit.currency) },
    })
  }
  return allocate(credit, [input], new Map([[document.id, document]]))[0]!
}

/** The status of an issued note of which `applied`, in minor units, is applied in total. */
export function statusAfterApplying(total: Minor, applied: Minor): 'ISSUED' | 'APPLIED' {
  return applied > 0n && applied === total ? 'APPLIED' : 'ISSUED'
}

function refuseTarget(credit: Credit, field: string, document: OpenDocument): void {
  const { kind, noun } = TARGET[credit.side]
  const refusal = (message: string) => fault('validation.invalid_value', { field, message })
  if (document.kind !== kind) throw refusal(`The credit of a ${credit.side} can only be applied to ${noun}s.`)
  if (document.contactId !== credit.contactId)
    throw refusal(`This ${noun} belongs to another contact than the credit note.`)
  if (document.currency !== credit.currency)
    throw refusal(`This ${noun} is in ${document.currency}, the credit note in ${credit.currency}.`)
  // A settled document is refused by its balance instead, so that the details have the limit.
  if (document.status === 'DRAFT' || document.status === 'CANCELLED')
    nextStatus(document.kind, 'credit', document.status)
}

const smaller = (a: Minor, b: Minor): Minor => (a < b ? a : b)
