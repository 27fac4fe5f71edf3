// The states of documents, and the calls that each state allows.
import { DOCUMENTS, kindsThatHave, type FactsOf, type KindThatHas, type KindWith, type Move } from './documents.ts'
import { fault, invalidState } from './faults.ts'
import { sum, type Minor } from './money.ts'

// A schedule is not a document, but has states too (decisions §6).
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

const ofEach = <Fact extends 'statuses' | 'moves'>(fact: Fact) =>
  Object.fromEntries(
    [...kindsThatHave('statuses'), 'RECURRING' as const].map((kind) => [kind, STATES[kind][fact]]),
  ) as { readonly [K in StatedKind]: States[K][Fact] }

/** The statuses of each kind, in the order of the registry. */
export const STATUSES = ofEach('statuses')

/** The calls of each kind that depend on its status. */
export const MOVES = ofEach('moves')

/**
 * The status that a call sets; `from` where the call keeps it, or where amounts decide (see settledStatus).
 * Throws conflict.invalid_state with details {status, allowed}: the statuses in which the call is allowed
 * (decisions §4).
 */
export function nextStatus<K extends StatedKind>(document: K, verb: VerbOf<K>, from: string): StatusOf<K> {
  const move = moveOf(document, verb)
  const status = move.from.find((each) => each === from)
  if (status !== undefined) return move.to ?? status
  throw invalidState(`The status is ${from}; this call is allowed while it is ${anyOf(move.from)}.`, from, move.from)
}

const anyOf = (statuses: readonly string[]) => new Intl.ListFormat('en', { type: 'disjunction' }).format(statuses)

/** The kinds that can be voided. */
export type VoidableKind = KindWith<{ moves: { void: Move } }>

/** The kinds that payments and credits settle. */
export type SettledKind = KindThatHas<'settledBy'>

const VOID_OF_PAID: Partial<Record<VoidableKind, 'conflict.invoice_paid' | 'conflict.bill_paid'>> = {
  INVOICE: 'conflict.invoice_paid',
  BILL: 'conflict.bill_paid',
}

/**
 * Refuses the void of a document in the wrong state (decisions §4 and §10). Throws conflict.already_cancelled when it is
 * CANCELLED, conflict.invoice_paid or conflict.bill_paid when it is PAID, conflict.credit_applied when credit is applied to
 * the invoice or bill, or of the note, and conflict.invalid_state otherwise. `creditApplied` is in minor units.
 */
export function refuseVoid(document: VoidableKind, status: string, creditApplied: Minor = 0n): void {
  if (status === 'CANCELLED') throw fault('conflict.already_cancelled')
  const paid = VOID_OF_PAID[document]
  if (status === 'PAID' && paid) {
    throw fault(
      paid,
      creditApplied === 0n
        ? {}
        : { message: 'A credit is applied to this document; a document with an applied credit cannot be voided.' },
    )
  }
  if (status === 'CREDIT_APPLIED' || creditApplied > 0n) throw fault('conflict.credit_applied')
  nextStatus(document, 'void', status)
}

/**
 * The status of an approved invoice or bill after money or credit was applied or released. `by` is what was applied last:
 * it decides between PAID and CREDIT_APPLIED for a balance of 0 (decisions §4). Amounts in minor units.
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

/** The open balance of a document: its total less what is taken, 0 when it is cancelled; in minor units. A generated column computes the same. */
export function openBalance(status: string, total: Minor, ...taken: readonly Minor[]): Minor {
  return status === 'CANCELLED' ? 0n : total - sum(taken)
}

function moveOf<K extends StatedKind>(document: K, verb: VerbOf<K>): Move<StatusOf<K>> {
  const moves = MOVES[document] as Readonly<Record<string, Move<StatusOf<K>>>>
  const move = moves[verb]
  if (!move) throw new Error(`${document} has no call ${verb}`)
  return move
}
