// The states of documents, and the calls that each state allows.
import { daysBetween } from './dates.ts'
import { fault, invalidState } from './faults.ts'
import type { Minor } from './money.ts'

export const STATUSES = {
  INVOICE: ['DRAFT', 'SENT', 'PARTIALLY_PAID', 'PAID', 'OVERDUE', 'CANCELLED', 'CREDIT_APPLIED'],
  BILL: ['DRAFT', 'OPEN', 'PARTIALLY_PAID', 'PAID', 'OVERDUE', 'CANCELLED'],
  ESTIMATE: ['DRAFT', 'SENT', 'ACCEPTED', 'DECLINED', 'CONVERTED', 'CANCELLED'],
  SALES_ORDER: ['DRAFT', 'OPEN', 'PARTIALLY_INVOICED', 'INVOICED', 'CLOSED', 'CANCELLED'],
  PURCHASE_ORDER: ['DRAFT', 'OPEN', 'BILLED', 'CANCELLED'],
  CREDIT_NOTE: ['DRAFT', 'ISSUED', 'APPLIED', 'CANCELLED'],
  DEBIT_NOTE: ['DRAFT', 'ISSUED', 'APPLIED', 'CANCELLED'],
  RECURRING: ['ACTIVE', 'PAUSED', 'COMPLETED'],
} as const

export type DocumentKind = keyof typeof STATUSES
export type StatusOf<K extends DocumentKind> = (typeof STATUSES)[K][number]
export type Status = StatusOf<DocumentKind>

interface Move<S extends string> {
  from: readonly S[]
  /** Null where the call leaves the status as it is, removes the document, or where amounts decide. */
  to: S | null
}

type Moves = { [K in DocumentKind]: Readonly<Record<string, Move<StatusOf<K>>>> }

const NOTE_MOVES = {
  issue: { from: ['DRAFT'], to: 'ISSUED' },
  // A draft may change whole; an issued one in notes, date and reference, while nothing of it is applied.
  edit: { from: ['DRAFT', 'ISSUED'], to: null },
  apply: { from: ['ISSUED'], to: null },
  void: { from: ['DRAFT', 'ISSUED'], to: 'CANCELLED' },
} as const

/** Every call that a document's state matters to (specification, "States and transitions"; decisions §4, §10). */
export const MOVES = {
  INVOICE: {
    approve: { from: ['DRAFT'], to: 'SENT' },
    edit: { from: ['DRAFT'], to: null },
    delete: { from: ['DRAFT'], to: null },
    void: { from: ['DRAFT', 'SENT', 'PARTIALLY_PAID', 'OVERDUE'], to: 'CANCELLED' },
    pay: { from: ['SENT', 'PARTIALLY_PAID', 'OVERDUE'], to: null },
    credit: { from: ['SENT', 'PARTIALLY_PAID', 'OVERDUE'], to: null },
    release: { from: ['PARTIALLY_PAID', 'PAID', 'OVERDUE', 'CREDIT_APPLIED'], to: null },
    fallDue: { from: ['SENT', 'PARTIALLY_PAID'], to: 'OVERDUE' },
  },
  BILL: {
    approve: { from: ['DRAFT'], to: 'OPEN' },
    edit: { from: ['DRAFT'], to: null },
    delete: { from: ['DRAFT'], to: null },
    void: { from: ['DRAFT', 'OPEN', 'PARTIALLY_PAID', 'OVERDUE'], to: 'CANCELLED' },
    pay: { from: ['OPEN', 'PARTIALLY_PAID', 'OVERDUE'], to: null },
    credit: { from: ['OPEN', 'PARTIALLY_PAID', 'OVERDUE'], to: null },
    release: { from: ['PARTIALLY_PAID', 'PAID', 'OVERDUE'], to: null },
    fallDue: { from: ['OPEN', 'PARTIALLY_PAID'], to: 'OVERDUE' },
  },
  ESTIMATE: {
    edit: { from: ['DRAFT', 'SENT', 'ACCEPTED', 'DECLINED', 'CANCELLED'], to: null },
    send: { from: ['DRAFT'], to: 'SENT' },
    decline: { from: ['DRAFT', 'SENT'], to: 'DECLINED' },
    cancel: { from: ['DRAFT', 'SENT', 'ACCEPTED', 'DECLINED'], to: 'CANCELLED' },
    accept: { from: ['DRAFT', 'SENT'], to: 'ACCEPTED' },
    convert: { from: ['ACCEPTED'], to: 'CONVERTED' },
    delete: { from: ['DRAFT', 'SENT', 'ACCEPTED', 'DECLINED', 'CANCELLED'], to: null },
  },
  SALES_ORDER: {
    edit: { from: ['DRAFT', 'OPEN'], to: null },
    open: { from: ['DRAFT'], to: 'OPEN' },
    close: { from: ['OPEN', 'PARTIALLY_INVOICED'], to: 'CLOSED' },
    cancel: { from: ['DRAFT', 'OPEN'], to: 'CANCELLED' },
    convert: { from: ['DRAFT', 'OPEN', 'PARTIALLY_INVOICED'], to: 'INVOICED' },
    convertPart: { from: ['DRAFT', 'OPEN', 'PARTIALLY_INVOICED'], to: 'PARTIALLY_INVOICED' },
  },
  PURCHASE_ORDER: {
    edit: { from: ['DRAFT', 'OPEN'], to: null },
    open: { from: ['DRAFT'], to: 'OPEN' },
    cancel: { from: ['DRAFT', 'OPEN'], to: 'CANCELLED' },
    convert: { from: ['DRAFT', 'OPEN'], to: 'BILLED' },
    convertPart: { from: ['DRAFT', 'OPEN'], to: 'OPEN' },
    delete: { from: ['DRAFT'], to: null },
  },
  CREDIT_NOTE: NOTE_MOVES,
  DEBIT_NOTE: NOTE_MOVES,
  RECURRING: {
    pause: { from: ['ACTIVE'], to: 'PAUSED' },
    resume: { from: ['PAUSED'], to: 'ACTIVE' },
    run: { from: ['ACTIVE'], to: null },
    complete: { from: ['ACTIVE'], to: 'COMPLETED' },
  },
} as const satisfies Moves

export type VerbOf<K extends DocumentKind> = keyof (typeof MOVES)[K] & string

/**
 * The status that a call leads to; `from` itself where the call leaves it or amounts decide (see settledStatus).
 * Throws conflict.invalid_state with details {status, allowed}: the statuses in which the call is allowed
 * (decisions §4).
 */
export function nextStatus<K extends DocumentKind>(document: K, verb: VerbOf<K>, from: string): StatusOf<K> {
  const move = moveOf(document, verb)
  const status = move.from.find(each => each === from)
  if (status !== undefined) return move.to ?? status
  throw invalidState(`The status is ${from}; this call is allowed while it is ${anyOf(move.from)}.`, from, move.from)
}

const anyOf = (statuses: readonly string[]) => new Intl.ListFormat('en', { type: 'disjunction' }).format(statuses)

/** The calls that a status allows. */
export function allowedVerbs<K extends DocumentKind>(document: K, status: string): VerbOf<K>[] {
  const verbs = Object.keys(MOVES[document]) as VerbOf<K>[]
  return verbs.filter(verb => moveOf(document, verb).from.some(each => each === status))
}

const VOID_OF_PAID: Partial<Record<DocumentKind, 'conflict.invoice_paid' | 'conflict.bill_paid'>> = {
  INVOICE: 'conflict.invoice_paid',
  BILL: 'conflict.bill_paid',
}

/**
 * Refuses the void of a document that stands in the way by its state (decisions §4 and §10): CANCELLED
 * conflict.already_cancelled; PAID conflict.invoice_paid or conflict.bill_paid; credit applied (to an invoice or
 * bill, or of a note) conflict.credit_applied. `creditApplied` is in minor units.
 */
export function refuseVoid(
  document: 'INVOICE' | 'BILL' | 'CREDIT_NOTE' | 'DEBIT_NOTE',
  status: string,
  creditApplied: Minor = 0n,
): void {
  if (status === 'CANCELLED') throw fault('conflict.already_cancelled')
  const paid = VOID_OF_PAID[document]
  if (status === 'PAID' && paid) {
    throw fault(paid, creditApplied === 0n ? {} : { message: 'Credits have settled it, in part or whole; an applied credit stays, so this document is not voided.' })
  }
  if (status === 'CREDIT_APPLIED' || creditApplied > 0n) throw fault('conflict.credit_applied')
  nextStatus(document, 'void', status)
}

/**
 * The status of an approved invoice or bill after money or credit was applied or released. `by` is what moved
 * last: it decides what a balance of 0 is called (decisions §4). Amounts in minor units.
 */
export function settledStatus<K extends 'INVOICE' | 'BILL'>(
  document: K,
  { total, balance, by }: { total: Minor; balance: Minor; by: 'payment' | 'credit' },
): StatusOf<K> {
  return settled(document, total, balance, by) as StatusOf<K>
}

function settled(document: 'INVOICE' | 'BILL', total: Minor, balance: Minor, by: 'payment' | 'credit'): Status {
  if (balance === total) return document === 'INVOICE' ? 'SENT' : 'OPEN'
  if (balance > 0n) return 'PARTIALLY_PAID'
  return document === 'INVOICE' && by === 'credit' ? 'CREDIT_APPLIED' : 'PAID'
}

export interface Dues {
  status: string
  /** A calendar date, or null where none was agreed. */
  dueDate: string | null
  balance: Minor
}

const OWED: ReadonlySet<string> = new Set(['SENT', 'OPEN', 'PARTIALLY_PAID', 'OVERDUE'])

/** True when something is owed after the due date (decisions §4, OVERDUE); `today` in the organisation's zone. */
export function isOverdue({ status, dueDate, balance }: Dues, today: string): boolean {
  return dueDate !== null && OWED.has(status) && balance > 0n && dueDate < today
}

/** Days since the due date of an overdue document, 0 for any other. */
export function daysOverdue(dues: Dues, today: string): number {
  return dues.dueDate !== null && isOverdue(dues, today) ? daysBetween(dues.dueDate, today) : 0
}

function moveOf<K extends DocumentKind>(document: K, verb: VerbOf<K>): Move<StatusOf<K>> {
  const moves: Readonly<Record<string, Move<StatusOf<K>>>> = MOVES[document]
  const move = moves[verb]
  if (!move) throw new Error(`${document} has no call ${verb}`)
  return move
}
