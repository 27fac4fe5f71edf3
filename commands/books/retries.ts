// Retries a transaction after contention in the database, with exponential backoff and jitter.
import { setTimeout } from 'node:timers/promises'
import { isWorthRetrying } from './refusals.ts'

const TRIES = 5
/** No try begins later than this after the first, so that a call ends within 30 seconds, with its last wait for a lock. */
const PATIENCE_MS = 15_000
const FIRST_PAUSE_MS = 20

/**
 * Runs `work`, which is one transaction, up to TRIES times: errors of isWorthRetrying start it again. The pauses are random,
 * so that two transactions in contention do not collide again. With `clock` the time is bounded too, by PATIENCE_MS.
 * Throws the last error.
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
