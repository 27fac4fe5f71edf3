// Many callers at once on one organisation, through two API servers over one database.
import { randomUUID } from 'node:crypto'
import { BASE_PATH } from '../../api/server.ts'
import type { Database } from '../../models/database.ts'
import { invoiceBody } from '../fixtures/bodies.ts'
import { callAt, clientOf, type Answered, type Client, type Json } from '../fixtures/client.ts'
import { openOrganization, THIS_YEAR, TODAY, type TestOrganization } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { blockedBy } from '../fixtures/blocked.ts'

export interface TwoServers {
  service: Service
  /** A new organisation, and its client at each of the servers. */
  org(): Promise<{ org: TestOrganization; callers: Client[] }>
  /** The end of it: the log and the audit must be silent. */
  close(): Promise<void>
}

/** Starts the API twice over one database, as two processes would serve it. */
export async function openTwoServers(): Promise<TwoServers> {
  // Six of an organisation's transactions at each server are under way at once, so that enough of them meet on one row.
  const service = await startService({ DATABASE_POOL: '20', DATABASE_WRITERS: '10' })
  const second = await service.another()
  return {
    service,
    async org() {
      const org = await openOrganization(service)
      const beside = clientOf(callAt(second.origin + BASE_PATH), org.orgId, org.client.token)
      return { org, callers: [org.client, beside] }
    },
    async close() {
      await second.close()
      await service.close()
    },
  }
}

/** So many calls at once; the answers are in the order of the calls. */
export function atOnce<T>(count: number, call: (place: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, place) => call(place)))
}

/**
 * Locks rows while `work` gets its calls going, so that they meet instead of following each other; `waiting` resolves
 * once so many of them wait for these rows. The calls are answered when the rows are free again.
 */
export async function whileLocked<T>(
  database: Database, lock: { text: string; values: unknown[] }, work: (waiting: (count: number) => Promise<unknown>) => Promise<Promise<T>[]>,
): Promise<T[]> {
  const calls = await database.transaction(async (connection) => {
    await connection.run({ name: '', text: lock.text }, lock.values)
    return work((count) => blockedBy(connection, count))
  })
  return Promise.all(calls)
}

/** Every posting of the organisation waits for these rows, its document written and not committed. */
export const postingsOf = ({ orgId }: TestOrganization) => ({ text: 'SELECT FROM monthly_balances WHERE org_id = $1 FOR UPDATE', values: [orgId] })

/** Waits for a random moment, so that another call comes first each time. */
export function shortly(mostMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * mostMs))
}

/** Today's invoice with one line of 100.00: today lies in an accounting period. */
export function bodyOf({ customerId }: TestOrganization, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return invoiceBody({ customerId }, { date: TODAY, ...changes })
}

/** Call number `place`, spread over the servers; every POST has a key of its own. */
export function post(callers: Client[], place: number, path: string, body?: unknown, key: string = randomUUID()): Promise<Answered> {
  return repeated(() => callers[place % callers.length]!.post(path, body, key))
}

const MAX_REPEATS = 12

/** Repeats a call while the service is busy (503), as callers do: on a slow machine a crowd waits longer than one call may. */
export async function repeated(call: () => Promise<Answered>): Promise<Answered> {
  for (let repeats = 0; ; repeats += 1) {
    const answer = await call()
    if (answer.status !== 503 || repeats === MAX_REPEATS) return answer
    await shortly(1_000)
  }
}

/** Number `n` of a series of this financial year, by its prefix. */
export function numberOf(prefix: string, n: number): string {
  return `${prefix}${THIS_YEAR.label}-${String(n).padStart(3, '0')}`
}

/** The numbers 1 to `count` of a series. */
export function firstNumbers(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, place) => numberOf(prefix, place + 1))
}

/** How often each outcome came: "201", "409 conflict.invalid_state". */
export function tally(answers: Answered[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const answer of answers) {
    const outcome = outcomeOf(answer)
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}

export function outcomeOf({ status, body }: Answered): string {
  return status < 300 ? String(status) : `${status} ${body?.code}`
}

/** The invoices of the answers that have one. */
export function invoicesOf(answers: Answered[]): Json[] {
  return answers.filter(({ status }) => status === 201).map(({ body }) => body.invoice)
}

/** Every invoice of the organisation's list. */
export function allInvoices(org: TestOrganization): Promise<Json[]> {
  return org.listAll('/invoices', 'invoices', 200)
}
