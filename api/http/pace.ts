// Spreads answers that cost their caller nothing over time, so that a flood of them leaves the process to paying calls.
import { setTimeout as delay } from 'node:timers/promises'

/** So many are answered at once each second; a well-behaved caller never sees more of them. */
export const UNPAID_PER_SECOND = 300
/** The longest that one of them waits. */
export const LONGEST_PACE_MS = 2_000

/** Waits until it is this answer's turn: not at all while there are few. */
export type Pace = () => Promise<void>

/**
 * A pace for refusals by the rate limit, calls that anyone may make, and requests that no route takes: none of them uses
 * up a budget. Callers who wait for each answer before they send the next are slowed down to the pace; the others are
 * bounded by their connections. `now` is in ms.
 */
export function createPace(
  now: () => number = () => performance.now(), wait: (ms: number) => Promise<unknown> = (ms) => delay(ms),
): Pace {
  const stepMs = 1_000 / UNPAID_PER_SECOND
  // When the answers that have been let through would have gone out one after the other.
  let busyUntil = 0
  return async () => {
    busyUntil = Math.max(busyUntil, now() - 1_000) + stepMs
    const waitMs = Math.min(busyUntil - now(), LONGEST_PACE_MS)
    if (waitMs <= 0) return
    busyUntil = Math.min(busyUntil, now() + LONGEST_PACE_MS)
    await wait(waitMs)
  }
}
