// Works through the pending rows of a bulk: in batches, a few at once, their documents written in the order of the rows.
import { requesterOf } from '../commands/books/requester.ts'
import { BATCH, conflictsOf, linesOf } from '../domain/bulk.ts'
import type { FairSemaphore } from '../gateways/semaphore.ts'
import { findPending, type BulkRow, type PendingItem } from '../models/bulk.ts'
import { findOrganizationFacts } from '../models/token.ts'
import { BatchTurn, BeginAgain } from './batch-turns.ts'
import { decideBatch, type CurrentCaller, type RowsDependencies } from './bulk-batch.ts'

export interface BulkWork extends RowsDependencies {
  /** Limits how many batches have a transaction at once, of one organisation and of all. */
  places: FairSemaphore
}

/** Thrown where the organisation is suspended: its rows wait. */
export class Suspended extends Error {}

/**
 * Works through the rows that are pending until `isOver`, in their order. Throws Suspended, and service.unavailable where a
 * row could not be decided: it stays pending, and no row after it is begun. Rows that were begun have ended when this returns.
 */
export async function workThrough(dependencies: BulkWork, bulk: BulkRow, isOver: () => boolean): Promise<void> {
  const current = await callerOf(dependencies, bulk)
  const underWay = new Set<Promise<void>>()
  const errors: unknown[] = []
  const stops = () => isOver() || errors.length > 0
  try {
    await beginBatches({ dependencies, bulk, current, underWay, stops, fail: (error) => void errors.push(error) })
  } catch (error) {
    errors.push(error)
  }
  await Promise.all(underWay)
  if (errors.length > 0) throw errors[0]
}

interface Batches {
  dependencies: BulkWork
  bulk: BulkRow
  current: CurrentCaller
  /** The batches that were begun and have not ended; they do not throw. */
  underWay: Set<Promise<void>>
  stops(): boolean
  fail(error: unknown): void
}

async function beginBatches({ dependencies, bulk, current, underWay, stops, fail }: Batches): Promise<void> {
  const turnsByKey = new Map<string, BatchTurn>()
  let before: BatchTurn | null = null
  for await (const { items, waitsFor, leaves } of batchesOf(dependencies, bulk)) {
    // Their failure is among the errors.
    for (const key of waitsFor) await turnsByKey.get(key)?.decided.catch(() => undefined)
    const turn: BatchTurn = new BatchTurn(before)
    const begun = Promise.withResolvers<void>()
    const batch = dependencies.places.through(bulk.org_id, async () => {
      begun.resolve()
      if (stops()) return turn.fail(new BeginAgain('the work is over'))
      await decideBatch(dependencies, bulk, current, items, turn).catch(fail)
    })
    underWay.add(batch)
    void batch.finally(() => underWay.delete(batch))
    await begun.promise
    await turn.hasRead
    if (stops()) return
    for (const key of leaves) turnsByKey.set(key, turn)
    before = turn
  }
}

interface Batch {
  items: PendingItem[]
  waitsFor: Set<string>
  leaves: Set<string>
}

const newBatch = (): Batch => ({ items: [], waitsFor: new Set(), leaves: new Set() })

/** The pending rows in their order, in batches whose rows do not wait for each other. */
async function* batchesOf(dependencies: RowsDependencies, bulk: BulkRow): AsyncGenerator<Batch> {
  let batch = newBatch()
  let lines = 0
  for await (const item of pendingOf(dependencies, bulk)) {
    const { waitsFor, leaves } = conflictsOf(bulk.entity_type, item.body)
    const own = linesOf(item.body)
    const isFull = batch.items.length === BATCH.rows || (batch.items.length > 0 && lines + own > BATCH.lines)
    if (isFull || waitsFor.some((key) => batch.leaves.has(key))) {
      yield batch
      batch = newBatch()
      lines = 0
    }
    batch.items.push(item)
    lines += own
    for (const key of waitsFor) batch.waitsFor.add(key)
    for (const key of leaves) batch.leaves.add(key)
  }
  if (batch.items.length > 0) yield batch
}

// Read in portions of a batch at most: the rows of a bulk may be ten megabytes, and many bulks wait for a place at the same time.
async function* pendingOf({ writeContext }: RowsDependencies, bulk: BulkRow): AsyncGenerator<PendingItem, void> {
  const scope = { connection: writeContext.database, orgId: bulk.org_id }
  for (let after = -1; ; ) {
    const items = await findPending(scope, bulk.id, after, BATCH)
    if (items.length === 0) return
    yield* items
    after = items.at(-1)!.index
  }
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
