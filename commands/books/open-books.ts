// The one path of every write: opens the books, writes what a command added to them in one transaction, and retries on contention.
import type { AccessChange } from '../../domain/restoration.ts'
import type { Database } from '../../models/database.ts'
import { lastRestore } from '../../models/restoration.ts'
import { OutcomeUnknown } from '../../models/transaction.ts'
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
  /**
   * Keeps changes of who may do what outside of the database, before they are committed: a crash between the two loses none. Must not
   * throw, and waits for a moment at most. The answer is called where they were not committed.
   */
  keepAccess?(changes: readonly AccessChange[]): Promise<() => void>
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
        queued = await writeKept(books, context)
        return done
      })
    const result = await inSpan('command', COMMAND, () => retried(once, () => context.clock()))
    if (books!.changesCallers) context.forgetCallers()
    if (queued > 0 || books!.fillsOutbox) context.wakeRelay()
    for (const action of books!.afterCommit) action()
    return finish(result, books!)
  } catch (error) {
    throw asFault(error, { deletes: books?.deletes ?? false })
  }
}

// What decides whether the command may run is checked first, so that little is taken back.
async function writeKept(books: Books, { keepAccess }: WriteContext): Promise<number> {
  if (books.accessChanges.length === 0 || !keepAccess) return books.write()
  await books.connection.checked()
  const takeBack = await keepAccess(books.accessChanges)
  try {
    return await books.write()
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) takeBack()
    throw error
  }
}
