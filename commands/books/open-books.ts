// The one path of every write: opens the books, writes what a command added to them in one transaction, and retries on contention.
import type { AccessChange } from '../../domain/restoration.ts'
import type { Database } from '../../models/database.ts'
import { lastRestore } from '../../models/restoration.ts'
import { inSpan } from '../../models/tracing.ts'
import { Books } from './books.ts'
import type { Caller } from './caller.ts'
import { asFault } from './refusals.ts'
import { retried } from './retries.ts'

/** What a write needs besides the caller. */
export interface WriteContext {
  database: Database
  /** Called after a commit that queued deliveries or signals. May fail without harm: the relay also polls. */
  wakeRelay(): void
  /** Called after a commit that changed tokens or organisations, before the response is sent. */
  forgetCallers(): void
  clock(): Date
  /** Called after a commit that changed who may do what; must neither throw nor wait. */
  onAccessChanges?(changes: readonly AccessChange[]): void
}

const COMMAND = {}

/**
 * Opens the books for one command: everything that `work` adds is written in one transaction, or nothing is.
 * `finish` runs after the commit. Contention is retried, see retries.ts. Throws the Fault that a database error means.
 */
export async function openBooks<T, R = T>(
  context: WriteContext,
  caller: Caller,
  work: (books: Books) => Promise<T>,
  finish: (result: T, books: Books) => R = (result) => result as unknown as R,
): Promise<R> {
  let books: Books | undefined
  let queued = 0
  try {
    const restored = await lastRestore(context.database)
    const once = () =>
      context.database.transaction(async (connection) => {
        books = new Books(connection, caller, context.clock(), restored)
        if (caller.precondition) connection.require(caller.precondition(books.now))
        const done = await work(books)
        queued = await books.write()
        return done
      })
    const result = await inSpan('command', COMMAND, () => retried(once, () => context.clock()))
    if (books!.changesCallers) context.forgetCallers()
    if (books!.accessChanges.length > 0) context.onAccessChanges?.(books!.accessChanges)
    if (queued > 0 || books!.fillsOutbox) context.wakeRelay()
    for (const action of books!.afterCommit) action()
    return finish(result, books!)
  } catch (error) {
    throw asFault(error, { deletes: books?.deletes ?? false })
  }
}
