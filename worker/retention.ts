// Background work for events: removes those that are older than they are kept.
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../models/database.ts'
import { organizationsWithOldEvents, removeOldEvents } from '../models/event-retention.ts'

export interface RetentionDependencies {
  connection: Database
  /** How long events, deliveries and attempts are kept, in days; 0 for ever. */
  retainEventsDays: number
  clock(): Date
  isStopping(): boolean
}

const DAY_MS = 24 * 60 * 60 * 1_000
/** Between two steps, so that calls of the same organisation or of others do not notice how much there is to remove. */
const REST_MS = 50
/** The next run goes on where this one ended. */
const MOST_STEPS = 1_000

/** Removes old events of every organisation, a limited number of steps, each in a transaction of its own. */
export async function forgetOldEvents(dependencies: RetentionDependencies): Promise<void> {
  const { connection, retainEventsDays, clock, isStopping } = dependencies
  if (retainEventsDays === 0) return
  const before = new Date(clock().getTime() - retainEventsDays * DAY_MS)
  let steps = 0
  const mayGoOn = () => steps < MOST_STEPS && !isStopping()
  for (let after: string | null = null; mayGoOn(); ) {
    const { due, last } = await organizationsWithOldEvents(connection, before, after)
    for (const orgId of due) {
      for (; mayGoOn() && (await removeOldEvents(connection, orgId, before)) > 0; steps += 1) await delay(REST_MS)
    }
    if (last === null) return
    after = last
  }
}
