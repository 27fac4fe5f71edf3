// Tries work again that met others in the database, after a pause that doubles and is drawn by lot.
import { setTimeout } from 'node:timers/promises'
import { isWorthRetrying } from './refusals.ts'

const TRIES = 5
/** No try is begun later than this after the first: with its last wait for a lock, a call ends within half a minute. */
const PATIENCE_MS = 15_000
const FIRST_PAUSE_MS = 20

/**
 * Does work that is one transaction. A deadlock, a lock that did not come free, a row that vanished or a number that was
 * taken meanwhile is tried again from the start; the pauses differ, so that those who met do not meet again. Without
 * `clock` the number of tries alone is bounded. Throws the last error.
 */
export async function retried<T>(work: () => Promise<T>, clock?: () => Date): Promise<T> {
  const begun = clock?.().getTime()
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      const isLate = clock !== undefined && clock().getTime() - begun! > PATIENCE_MS
      if (attempt >= TRIES || isLate || !isWorthRetrying(error)) throw error
      await setTimeout(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random()))
    }
  }
}
