// The one path of every write: opens the books, writes what was laid into them in one transaction, and tries again what met others.
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

/**
 * Opens the books for one deed: everything that `work` collects is written in one transaction, or nothing is.
 * `finish` sees the books after the commit. A deadlock, or a row that vanished or a number that was taken while the deed
 * was being made, is tried again from the start; what PostgreSQL refuses by a constraint becomes the Fault that it means.
 */
export async function openBooks<T, R = T>(
  desk: Desk,
  caller: Caller,
  work: (books: Books) => Promise<T>,
  finish: (result: T, books: Books) => R = (result) => result as unknown as R,
): Promise<R> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      let queued = 0
      const made = await desk.database.transaction(async (connection) => {
        const books = new Books(connection, caller, desk.clock())
        const result = await work(books)
        queued = await books.write()
        return { result, books }
      })
      if (made.books.changesCallers) desk.forgetCallers()
      if (queued > 0) desk.wakeRelay()
      return finish(made.result, made.books)
    } catch (error) {
      if (attempt < TRIES && isWorthRetrying(error)) continue
      throw asFault(error)
    }
  }
}
