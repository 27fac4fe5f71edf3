// Wakes the relay after commits that queued deliveries, once for many; a wake that is lost costs a second.
import type { Connection } from '../models/connection.ts'

const WAKE = { name: 'wake relay', text: `SELECT pg_notify('outbox', '')` }
const AT_MOST_EVERY_MS = 20

/** A notification inside every transaction would make all commits of the database wait for one another. */
export function createWaker(connection: Connection): () => void {
  let waiting: NodeJS.Timeout | null = null
  return () => {
    waiting ??= setTimeout(() => {
      waiting = null
      connection.run(WAKE, []).catch(() => undefined)
    }, AT_MOST_EVERY_MS)
  }
}
