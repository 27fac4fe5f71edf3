// Wakes the relay after commits that queued deliveries, with one notification for many commits.
import type { Database } from '../models/database.ts'

const WAKE = { name: 'wake relay', text: `SELECT pg_notify('outbox', '')` }
const AT_MOST_EVERY_MS = 20

/**
 * Sends the notification outside of the transactions: a NOTIFY inside of them would serialise all commits of the database.
 * It is beside the calls, so it does not count as one of their round trips. A lost notification delays deliveries until the relay's next poll.
 */
export function createWaker({ observe }: Pick<Database, 'observe'>): () => void {
  let waiting: NodeJS.Timeout | null = null
  return () => {
    waiting ??= setTimeout(() => {
      waiting = null
      observe(WAKE, []).catch(() => undefined)
    }, AT_MOST_EVERY_MS)
  }
}
