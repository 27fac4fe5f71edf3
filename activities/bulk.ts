// The activity of bulk creation: works through the rows of a bulk for a while, and completes the bulk after the last.
import type { Context } from '@temporalio/activity'
import { completeBulk } from '../commands/bulk/bulks.ts'
import type { Caller } from '../commands/books/caller.ts'
import { openBooks, type WriteContext } from '../commands/books/open-books.ts'
import { BULK_PLACES, type BulkCounts } from '../domain/bulk.ts'
import type { BulkInput, BulkProgress } from '../domain/bulk-run.ts'
import { fairSemaphore } from '../gateways/semaphore.ts'
import { countRows, findBulk, type BulkRow } from '../models/bulk.ts'
import type { Database } from '../models/database.ts'
import { findOrganizationFacts } from '../models/token.ts'
import { requesterOf } from '../commands/books/requester.ts'
import { Suspended, workThrough } from './bulk-rows.ts'
import { withHeartbeat } from './heartbeat.ts'
import { unknownRow } from './unknown-row.ts'

export interface BulkDependencies {
  connection: Database
  /** Wakes the relay, which looks for the deliveries that a commit has queued. */
  wakeRelay(): void
  clock(): Date
}

/** How long one run of the activity begins rows: its result is the progress that the workflow shows. */
const WORKS_MS = 10_000

export function bulkActivities({ connection: database, wakeRelay, clock }: BulkDependencies) {
  const writeContext: WriteContext = { database, wakeRelay, forgetCallers: () => undefined, clock }
  const places = fairSemaphore({ places: BULK_PLACES.total, placesPerKey: BULK_PLACES.each })

  async function work(bulk: BulkRow, counts: BulkCounts, context: Context): Promise<BulkProgress> {
    const scope = { connection: database, orgId: bulk.org_id }
    const untilMs = clock().getTime() + WORKS_MS
    const isOver = () => context.cancellationSignal.aborted || clock().getTime() > untilMs
    const dependencies = {
      writeContext,
      places,
      onDecided(decided: Omit<BulkCounts, 'total'>) {
        counts.succeeded += decided.succeeded
        counts.failed += decided.failed
      },
      onUnexpected: (error: unknown, index: number) => context.log.error(`row ${index} of a bulk failed`, { error }),
    }
    try {
      await workThrough(dependencies, bulk, isOver)
    } catch (error) {
      if (error instanceof Suspended) return { ...(await countRows(scope, bulk)), state: 'SUSPENDED' }
      throw error
    }
    if (context.cancellationSignal.aborted) await context.cancelled
    const { total, succeeded, failed } = await countRows(scope, bulk)
    if (succeeded + failed < total) return { total, succeeded, failed, state: 'RUNNING' }
    const completed = await openBooks(writeContext, await requesterNow(bulk), (books) => completeBulk(books, bulk.id))
    return { ...completed, state: 'COMPLETED' }
  }

  async function requesterNow(bulk: BulkRow): Promise<Caller> {
    return requesterOf(bulk, (await findOrganizationFacts(database, bulk.org_id))!)
  }

  return {
    /**
     * Works through pending rows in their order, for WORKS_MS, and completes the bulk when none is left; returns how far it
     * has come. Run again after a crash, it continues with the first row that has no outcome.
     */
    async createRows({ orgId, bulkId }: BulkInput): Promise<BulkProgress> {
      const scope = { connection: database, orgId }
      const bulk = await findBulk(scope, bulkId)
      if (!bulk) throw unknownRow(`there is no bulk ${bulkId}`, 'UnknownBulk')
      const counts = await countRows(scope, bulk)
      if (bulk.status === 'COMPLETED') return { ...counts, state: 'COMPLETED' }
      return withHeartbeat(
        (context) => work(bulk, counts, context),
        () => counts,
      )
    },
  }
}
