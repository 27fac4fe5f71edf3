// The states of documents, and the calls that each state allows.
import { daysBetween } from './dates.ts'
import { DOCUMENTS, kindsThatHave, type FactsOf, type KindThatHas, type KindWith, type Move } from './documents.ts'
import { fault, invalidState } from './faults.ts'
import { sum, type Minor } from './money.ts'

// A schedule is no document, and lives by states all the same (decisions §6).
const RECURRING = {
  statuses: ['ACTIVE', 'PAUSED', 'COMPLETED'],
  moves: {
    pause: { from: ['ACTIVE'], to: 'PAUSED' },
    resume: { from: ['PAUSED'], to: 'ACTIVE' },
    run: { from: ['ACTIVE'], to: null },
    complete: { from: ['ACTIVE'], to: 'COMPLETED' },
  },
} as const

type States = { readonly [K in KindThatHas<'statuses'>]: FactsOf<K> } & { readonly RECURRING: typeof RECURRING }

/** What has states: documents of most kinds, and schedules. */
export type StatedKind = keyof States
export type StatusOf<K extends StatedKind> = States[K]['statuses'][number]
export type Status = StatusOf<StatedKind>
export type VerbOf<K extends StatedKind> = keyof States[K]['moves'] & string

const STATES: States = { ...DOCUMENTS, RECURRING }

const ofEach = <Fact extends 'statuses' | 'moves'>(fact: Fact) => (
  Object.fromEntries([...kindsThatHave('statuses'), 'RECURRING' as const].map(kind => [kind, STATES[kind][fact]]))
) as { readonly [K in StatedKind]: States[K][Fact] }

/** The statuses of each kind, in the order in which they are told. */
export const STATUSES = ofEach('statuses')

/** Every call that the state of each kind matters to. */
export const MOVES = ofEach('moves')

/**
 * The status that a call leads to; `from` itself where the call leaves it or amounts decide (see settledStatus).
 * Throws conflict.invalid_state with details {status, allowed}: the statuses in which the call is allowed
 * (decisions §4).
 */
export function nextStatus<K extends StatedKind>(document: K, verb: VerbOf<K>, from: string): StatusOf<K> {
  const move = moveOf(document, verb)
  const status = move.from.find(each => each === from)
  if (status !== undefined) return move.to ?? status
  throw invalidState(`The status is ${from}; this call is allowed while it is ${anyOf(move.from)}.`, from, move.from)
}

const anyOf = (statuses: readonly string[]) => new Intl.ListFormat('en', { type: 'disjunction' }).format(statuses)

/** What can be void. */
export type VoidableKind = KindWith<{ moves: { void: Move } }>

/** What money and credits settle: what was sold, or bought. */
export type SettledKind = KindThatHas<'settledBy'>

const VOID_OF_PAID: Partial<Record<VoidableKind, 'conflict.invoice_paid' | 'conflict.bill_paid'>> = {
  INVOICE: 'conflict.invoice_paid',
  BILL: 'conflict.bill_paid',
}

/**
 * Refuses the void of a document that stands in the way by its state (decisions §4 and §10): CANCELLED
 * conflict.already_cancelled; PAID conflict.invoice_paid or conflict.bill_paid; credit applied (to an invoice or
 * bill, or of a note) conflict.credit_applied. `creditApplied` is in minor units.
 */
export function refuseVoid(document: VoidableKind, status: string, creditApplied: Minor = 0n): void {
  if (status === 'CANCELLED') throw fault('conflict.already_cancelled')
  const paid = VOID_OF_PAID[document]
  if (status === 'PAID' && paid) {
    throw fault(paid, creditApplied === 0n ? {} : { message: 'A credit is applied to this document; a document with an applied credit cannot be voided.' })
  }
  if (status === 'CREDIT_APPLIED' || creditApplied > 0n) throw fault('conflict.credit_applied')
  nextStatus(document, 'void', status)
}

/**
 * The status of an approved invoice or bill after money or credit was applied or released. `by` is what moved
 * last: it decides what a balance of 0 is called (decisions §4). Amounts in minor units.
 */
export function settledStatus<K extends SettledKind>(
  document: K,
  { total, balance, by }: { total: Minor; balance: Minor; by: 'payment' | 'credit' },
): StatusOf<K> {
  return settled(document, total, balance, by) as StatusOf<K>
}

function settled(document: SettledKind, total: Minor, balance: Minor, by: 'payment' | 'credit'): Status {
  if (balance === total) return MOVES[document].approve.to
  if (balance > 0n) return 'PARTIALLY_PAID'
  return document === 'INVOICE' && by === 'credit' ? 'CREDIT_APPLIED' : 'PAID'
}

/** What is open of a document once so much of it is taken; nothing of a cancelled one. The tables compute the same. */
export function openBalance(status: string, total: Minor, ...taken: readonly Minor[]): Minor {
  return status === 'CANCELLED' ? 0n : total - sum(taken)
}

/** A document on which something may be owed, as its row has it. */
export interface Dues {
  status: string
  /** A calendar date, or null where none was agreed. */
  due_date: string | null
  balance: Minor
}

/** The statuses in which something may be owed, of one kind: those in which it may be paid. */
export const owedStatuses = (document: SettledKind): readonly string[] => MOVES[document].pay.from

/** Those of them that the nightly sweep moves to OVERDUE. */
export const fallingDueStatuses = (document: SettledKind): readonly string[] => MOVES[document].fallDue.from

const OWED: ReadonlySet<string> = new Set(kindsThatHave('settledBy').flatMap(owedStatuses))

/** True when something is owed after the due date (decisions §4, OVERDUE); `today` in the organisation's zone. */
export function isOverdue({ status, due_date, balance }: Dues, today: string): boolean {
  return due_date !== null && OWED.has(status) && balance > 0n && due_date < today
}

/** Days since the due date of an overdue document, 0 for any other. */
export function daysOverdue(dues: Dues, today: string): number {
  return dues.due_date !== null && isOverdue(dues, today) ? daysBetween(dues.due_date, today) : 0
}

function moveOf<K extends StatedKind>(document: K, verb: VerbOf<K>): Move<StatusOf<K>> {
  const moves = MOVES[document] as Readonly<Record<string, Move<StatusOf<K>>>>
  const move = moves[verb]
  if (!move) throw new Error(`${document} has no call ${verb}`)
  return move
}
