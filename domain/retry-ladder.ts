// Computes how long a delivery waits before each attempt.

// Up to a tenth of the step is added, never subtracted.
const JITTER_PART = 10

/**
 * The wait in ms between the end of the attempt before and the start of this one; null when the ladder has no such
 * attempt. The first attempt is number 1 and does not wait, so a ladder of six waits makes seven attempts.
 * Jitter is 0 to +10 % of the step, never earlier; `random01` is a random number from 0 up to 1 (specification,
 * "Retries"; decisions §5).
 */
export function waitBefore(attempt: number, ladderSeconds: readonly number[], random01: number): number | null {
  if (attempt <= 1) return 0
  const seconds = ladderSeconds[attempt - 2]
  if (seconds === undefined) return null
  const stepMs = Math.ceil(seconds * 1_000)
  return stepMs + Math.floor((stepMs * random01) / JITTER_PART)
}

/** The number of attempts after which a delivery is FAILED. */
export function attemptsOf(ladderSeconds: readonly number[]): number {
  return ladderSeconds.length + 1
}
