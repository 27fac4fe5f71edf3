// The model of an organisation's books: plain figures, moved by the specification's rules as an accountant would by hand.
import type { Json } from '../fixtures/client.ts'
import type { Contact } from './contact.ts'
import type { Document } from './document.ts'
import { Ledger } from './ledger.ts'

/** Anything that the API answers under an id. */
export interface Thing {
  name: string
  path: string
  key: string
  gone: boolean
  /** What the API must answer of it, at least. */
  shown(books: Books): Json
  /** Takes over what only the API's answer can give: numbers and ids. */
  learn?(answered: Json): void
  /** What its activity log says was done, in any order, without the entity's name. */
  actions?: string[]
  /** The events of it, in order. */
  events?: string[]
  /** Whether every change of it has an event, so that their sequence has no gap. */
  isWhollyGiven?: boolean
}

/** A call, how it may be refused, and how the model changes when it is not. */
export interface Plan {
  method: 'POST' | 'PUT' | 'DELETE'
  path: string
  body?: Json
  /** '409 conflict.invalid_state': every refusal that would be right; none where the call must succeed. */
  refusals: string[]
  move(answer: Json): void
  /** The `limit` in the details of a refusal, where that is the only reason. */
  limit?: number | undefined
  /** The counts in the details of a refusal, by kind of what names the thing. */
  uses?: Record<string, number>
  /** What is looked at afterwards besides what moved. */
  about?: Thing[]
}

/** What the model knows from the organisation's beginning. */
export interface Ground {
  /** The organisation's today. */
  today: string
  contacts: Contact[]
  /** Accounts' ids by name. */
  accounts: Record<string, string>
  /** 18 per cent, within the state or across by place of supply. */
  taxId: string
  /** How the organisation prefers totals of invoices to be rounded, if at all. */
  rounding: Rounding | null
}

export type Rounding = 'nearest' | 'up' | 'down'

export class Books {
  readonly ledger = new Ledger()
  readonly things: Thing[] = []
  readonly documents: Document[] = []
  /** What the current call changed. */
  readonly touched = new Set<Thing>()
  readonly today: string
  readonly accounts: Record<string, string>
  readonly taxId: string
  readonly rounding: Rounding | null

  constructor({ today, contacts, accounts, taxId, rounding }: Ground) {
    this.today = today
    this.things.push(...contacts)
    this.accounts = accounts
    this.taxId = taxId
    this.rounding = rounding
  }

  get contacts(): Contact[] {
    return this.things.filter((thing): thing is Contact => thing.key === 'contact')
  }

  add<T extends Thing>(thing: T): T {
    this.things.push(thing)
    this.touched.add(thing)
    return thing
  }

  all<T extends Thing>(kind: abstract new (...input: never[]) => T): T[] {
    return this.things.filter((thing): thing is T => thing instanceof kind)
  }

  /** What rounding adds to an invoice of so much; nothing where the organisation does not round. */
  roundOffOn(minor: bigint): bigint {
    const over = minor % 100n
    if (this.rounding === null || over === 0n) return 0n
    return this.rounding === 'up' || (this.rounding === 'nearest' && over >= 50n) ? 100n - over : -over
  }

  daysFromNow(days: number): string {
    return new Date(Date.parse(this.today) + days * 86_400_000).toISOString().slice(0, 10)
  }
}

/** What a call is made on: the nth of all, or the nth of those for which it can succeed. */
export interface Pick {
  n: number
  /** Any at all, deleted and cancelled ones too. */
  any: boolean
}

export function choose<T>(all: T[], fit: (one: T) => boolean, { n, any }: Pick): T | null {
  const fitting = any ? all : all.filter(fit)
  return fitting[n % fitting.length] ?? null
}

/** How much of what is there: the edges, and in between. */
export type Part = 'all' | 'one more' | 'half' | 'third' | 'coin'

export function partOf(whole: bigint, part: Part): bigint {
  const amount = { 'all': whole, 'one more': whole + 1n, 'half': whole / 2n, 'third': whole / 3n, 'coin': 1n }[part]
  return amount > 0n ? amount : 1n
}

/** A share of an amount, to the nearest minor unit, the half away from zero. */
export const shareOf = (amount: bigint, of: bigint, whole: bigint): bigint => (2n * amount * of + whole) / (2n * whole)

/** An exchange rate in ten-thousandths of a rupee, as it is drawn: 83.3333 is 833333. */
export const rateOf = (rupees: number | null): bigint => BigInt(Math.round((rupees ?? 1) * 10_000))

/** What an amount comes to in paise, to the nearest. */
export const inBase = (amount: bigint, rate: bigint): bigint => (amount < 0n ? -shareOf(-amount, rate, 10_000n) : shareOf(amount, rate, 10_000n))

/** Minor units of a currency of two digits as a JSON number. */
export const amountOf = (minor: bigint): number => Number(minor) / 100

export const dateTime = (date: string): string => `${date}T00:00:00.000Z`

/** The id of no record. */
export const NOBODY = '0190a0a0-0000-7000-8000-000000000000'

export const MISSING = '404 not_found.resource'
export const BAD_VALUE = '400 validation.invalid_value'
export const BAD_SHAPE = '422 validation.failed'
export const BAD_STATE = '409 conflict.invalid_state'
export const IN_USE = '409 conflict.in_use'

/**
 * The refusals whose conditions hold: a wrong shape is told before all, a missing record before what may not be
 * (decisions §1).
 */
export function refusalsOf(conditions: [boolean, string][]): string[] {
  const input = [...new Set(conditions.filter(([holds]) => holds).map(([, refusal]) => refusal))]
  if (input.includes(BAD_SHAPE)) return [BAD_SHAPE]
  return input.includes(MISSING) ? [MISSING] : input
}
