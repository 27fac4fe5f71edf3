// Wakes the relay after commits that queued deliveries, with one notification for many commits.
import type { Connection } from '../models/connection.ts'

const WAKE = { name: 'wake relay', text: `SELECT pg_notify('outbox', '')` }
const AT_MOST_EVERY_MS = 20

/**
 * Sends the notification outside of the transactions: a NOTIFY inside of them would serialise all commits of the database.
 * A lost notification delays deliveries until the relay's next poll.
 */
export function createWaker(connection: Connection): () => void {
  let waiting: NodeJS.Timeout | null = null
  return () => {
    waiting ??= setTimeout(() => {
      waiting = null
      connection.run(WAKE, []).catch(() => undefined)
    }, AT_MOST_EVERY_MS)
  }
}
