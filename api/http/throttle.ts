// Delays answers that use up no rate limit, so that a flood of them does not starve other calls.
import { setTimeout as delay } from 'node:timers/promises'

/** How many are answered per second without a delay. */
export const UNPAID_PER_SECOND = 300
/** The longest delay of an answer. */
export const LONGEST_DELAY_MS = 2_000

/** Resolves when the answer may be sent: immediately while there are few. */
export type Throttle = () => Promise<void>

/**
 * Delays refusals by the rate limit, calls without authentication, and requests that match no route: none of them uses
 * up a budget. Callers that wait for each answer before the next request are slowed down to that rate; others are limited
 * by the number of their connections. `now` is in ms.
 */
export function createThrottle(
  now: () => number = () => performance.now(),
  wait: (ms: number) => Promise<unknown> = (ms) => delay(ms),
): Throttle {
  const stepMs = 1_000 / UNPAID_PER_SECOND
  // The time at which all answers so far would be sent if they went out one by one, stepMs apart.
  let busyUntil = 0
  return async () => {
    busyUntil = Math.max(busyUntil, now() - 1_000) + stepMs
    const waitMs = Math.min(busyUntil - now(), LONGEST_DELAY_MS)
    if (waitMs <= 0) return
    busyUntil = Math.min(busyUntil, now() + LONGEST_DELAY_MS)
    await wait(waitMs)
  }
}
