// The one path of every write: opens the books, writes what was laid into them in one transaction, and tries again what met others.
import { setTimeout } from 'node:timers/promises'
import type { Database } from '../models/database.ts'
import { Books } from './books.ts'
import type { Caller } from './caller.ts'
import { asFault, isWorthRetrying } from './refusals.ts'

/** What writing needs besides the caller. */
export interface Desk {
  database: Database
  /** Called after a commit that queued deliveries; may be lost without harm. */
  wakeRelay(): void
  /** Called after a commit that changed tokens or organisations, before anybody is answered. */
  forgetCallers(): void
  clock(): Date
}

const TRIES = 5
/** No try is begun later than this after the first: with its last wait for a lock, a call ends within half a minute. */
const PATIENCE_MS = 15_000
const FIRST_PAUSE_MS = 20

/**
 * Opens the books for one deed: everything that `work` collects is written in one transaction, or nothing is.
 * `finish` sees the books after the commit. A deadlock, a lock that did not come free, a row that vanished or a number
 * that was taken while the deed was being made is tried again from the start, after a pause that doubles and is drawn by
 * lot, so that those who met do not meet again; what PostgreSQL refuses in the end becomes the Fault that it means.
 */
export async function openBooks<T, R = T>(
  desk: Desk,
  caller: Caller,
  work: (books: Books) => Promise<T>,
  finish: (result: T, books: Books) => R = (result) => result as unknown as R,
): Promise<R> {
  const begun = desk.clock().getTime()
  for (let attempt = 1; ; attempt += 1) {
    let books: Books | undefined
    try {
      let queued = 0
      const result = await desk.database.transaction(async (connection) => {
        books = new Books(connection, caller, desk.clock())
        const done = await work(books)
        queued = await books.write()
        return done
      })
      if (books!.changesCallers) desk.forgetCallers()
      if (queued > 0) desk.wakeRelay()
      return finish(result, books!)
    } catch (error) {
      const isLast = attempt >= TRIES || desk.clock().getTime() - begun > PATIENCE_MS
      if (isLast || !isWorthRetrying(error)) throw asFault(error, { deletes: books?.deletes ?? false })
      await setTimeout(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random()))
    }
  }
}
