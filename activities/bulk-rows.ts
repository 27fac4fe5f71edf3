// Works through the pending rows of a bulk: a few at once, their documents written in the order of the rows.
import { setTimeout as delay } from 'node:timers/promises'
import { createRow, failRow } from '../commands/bulk/bulks.ts'
import type { Books } from '../commands/books/books.ts'
import type { Caller } from '../commands/books/caller.ts'
import { openBooks, type WriteContext } from '../commands/books/open-books.ts'
import { requesterOf } from '../commands/books/requester.ts'
import { conflictKey } from '../domain/bulk.ts'
import { Fault, fault } from '../domain/faults.ts'
import type { FairSemaphore } from '../gateways/webhook/semaphore.ts'
import { AlreadySettled, findPending, type BulkRow, type PendingItem } from '../models/bulk.ts'
import { CallerChanged, findOrganizationFacts } from '../models/token.ts'
import { BeginAgain, RowTurn } from './row-turns.ts'

export interface RowsDependencies {
  writeContext: WriteContext
  /** Limits how many rows have a transaction at once, of one organisation and of all. */
  places: FairSemaphore
  /** Called when a row is decided. */
  onDecided(status: 'succeeded' | 'failed'): void
  /** Called for an error that is none of the caller's and not of an unavailable service. */
  onUnexpected(error: unknown, index: number): void
}

/** Thrown where the organisation is suspended: its rows wait. */
export class Suspended extends Error {}

const READ_AT_ONCE = 100
// The pauses before an unexpected error is tried again; after the last the row has failed with internal.error.
const UNEXPECTED_PAUSES_MS = [100, 500, 2_000]

/**
 * Works through the rows that are pending until `isOver`, in their order. Throws Suspended, and service.unavailable where a
 * row could not be decided: it stays pending, and no row after it is begun. Rows that were begun have ended when this returns.
 */
export async function workThrough(dependencies: RowsDependencies, bulk: BulkRow, isOver: () => boolean): Promise<void> {
  const current = await callerOf(dependencies, bulk)
  const underWay = new Set<Promise<void>>()
  const errors: unknown[] = []
  const stops = () => isOver() || errors.length > 0
  try {
    await beginRows({ dependencies, bulk, current, underWay, stops, fail: (error) => void errors.push(error) })
  } catch (error) {
    errors.push(error)
  }
  await Promise.all(underWay)
  if (errors.length > 0) throw errors[0]
}

interface Rows {
  dependencies: RowsDependencies
  bulk: BulkRow
  current: CurrentCaller
  /** The rows that were begun and have not ended; they do not throw. */
  underWay: Set<Promise<void>>
  stops(): boolean
  fail(error: unknown): void
}

async function beginRows({ dependencies, bulk, current, underWay, stops, fail }: Rows): Promise<void> {
  const conflicts = new Map<string, RowTurn>()
  let before: RowTurn | null = null
  for await (const item of pendingOf(dependencies, bulk)) {
    const key = conflictKey(bulk.entity_type, item.body)
    // Its failure is among the errors.
    if (key !== null) await conflicts.get(key)?.decided.catch(() => undefined)
    const turn: RowTurn = new RowTurn(before)
    const begun = Promise.withResolvers<void>()
    const row = dependencies.places.through(bulk.org_id, async () => {
      begun.resolve()
      if (stops()) return turn.fail(new BeginAgain('the work is over'))
      await decide(dependencies, bulk, current, item, turn).catch(fail)
    })
    underWay.add(row)
    void row.finally(() => underWay.delete(row))
    await begun.promise
    await turn.hasRead
    if (stops()) return
    if (key !== null) conflicts.set(key, turn)
    before = turn
  }
}

// Read in portions: the rows of a bulk may be ten megabytes.
async function* pendingOf({ writeContext }: RowsDependencies, bulk: BulkRow): AsyncGenerator<PendingItem, void> {
  const scope = { connection: writeContext.database, orgId: bulk.org_id }
  for (let after = -1; ; ) {
    const items = await findPending(scope, bulk.id, after, READ_AT_ONCE)
    yield* items
    if (items.length < READ_AT_ONCE) return
    after = items.at(-1)!.index
  }
}

/** The caller in whose name the rows are created; replaced where the organisation has changed. */
interface CurrentCaller {
  caller: Caller
  read(): Promise<void>
}

async function callerOf({ writeContext }: RowsDependencies, bulk: BulkRow): Promise<CurrentCaller> {
  const read = async () => {
    const organization = (await findOrganizationFacts(writeContext.database, bulk.org_id))!
    if (organization.status === 'SUSPENDED') throw new Suspended(`organisation ${bulk.org_id} is suspended`)
    return requesterOf({ ...bulk, origin: { ...bulk.origin, bulk_id: bulk.id } }, organization)
  }
  const current: CurrentCaller = {
    caller: await read(),
    async read() {
      current.caller = await read()
    },
  }
  return current
}

/** Creates the document of a row, or records its refusal. Throws what can be decided only later; then the row stays pending. */
async function decide(
  dependencies: RowsDependencies,
  bulk: BulkRow,
  current: CurrentCaller,
  item: PendingItem,
  turn: RowTurn,
): Promise<void> {
  const { writeContext } = dependencies
  const commit = async (work: (books: Books) => Promise<void>) => {
    try {
      await openBooks(writeContext, current.caller, work)
    } catch (error) {
      // An earlier try of this activity, or one whose commit was not heard of, has decided the row.
      if (!(error instanceof AlreadySettled)) throw error
    }
  }
  const create = async (books: Books) => {
    turn.begin()
    await createRow(books, bulk.entity_type, item)
    await turn.waitToWrite()
  }
  try {
    const refusal = await attempt(dependencies, current, item, turn, () => commit(create))
    // The next row need not wait for the record of a refusal.
    turn.decide()
    if (refusal) {
      const record = () => commit((books) => failRow(books, item, refusal))
      await attempt(dependencies, current, item, turn, record)
    }
    dependencies.onDecided(refusal ? 'failed' : 'succeeded')
  } catch (error) {
    turn.fail(error)
    throw error
  }
}

/** Tries until it is decided; returns the refusal, if any. */
async function attempt(
  { onUnexpected }: RowsDependencies,
  current: CurrentCaller,
  item: PendingItem,
  turn: RowTurn,
  work: () => Promise<void>,
): Promise<Fault | null> {
  for (let unexpected = 0; ; ) {
    try {
      await work()
      return null
    } catch (error) {
      if (error instanceof Fault && error.status < 500) return error
      if (error instanceof Fault && error.code === 'service.unavailable') throw error
      turn.giveUp()
      if (error instanceof CallerChanged) await current.read()
      else if (error instanceof BeginAgain) await turn.afterBefore()
      else {
        onUnexpected(error, item.index)
        const pauseMs = UNEXPECTED_PAUSES_MS[unexpected++]
        if (pauseMs === undefined) return fault('internal.error')
        await delay(pauseMs)
      }
    }
  }
}
