// When a call is sent again, and how long before: what may be repeated without doing anything twice.
import { type BahiError, ConnectionError, InvalidAnswerError, RateLimitedError } from './errors.ts'

export interface RetryRules {
  /** How often a call is repeated at most. */
  retries: number
  /** The wait before the first repeat, in milliseconds; each further one is twice as long, to 8 seconds. */
  backoffMs: number
  /** The longest Retry-After that is waited for, in milliseconds; a longer one rejects at once. */
  longestRetryAfterMs: number
}

const LONGEST_BACKOFF_MS = 8_000

/** A refusal by the key: an earlier attempt is still being carried out. */
export const isInProgress = (error: BahiError): boolean => error.code === 'idempotency.in_progress'

/** True if the same call may succeed when it is sent again. A POST is the same call by its key. */
export function isPassing(error: BahiError): boolean {
  if (error instanceof ConnectionError || error instanceof RateLimitedError || isInProgress(error)) return true
  // A redirection has a status from 300 on, in browsers 0.
  if (error instanceof InvalidAnswerError) return error.status === null || (error.status >= 200 && error.status < 300)
  if (error.status === 408 || error.status === 503 || error.status === 504) return true
  return error.status === 502 && (error.code === 'http.502' || error.code === 'storage.upload_failed')
}

/** True if the attempt may have been carried out, though nothing says so. */
export const isUncertain = (error: BahiError): boolean =>
  error instanceof ConnectionError ||
  error instanceof InvalidAnswerError ||
  (error.code.startsWith('http.5') && error.status !== 503)

/** How long to wait before the repeat after these attempts, or null where the API asks for longer than the rules allow. */
export function waitBefore(attempts: number, error: BahiError, rules: RetryRules): number | null {
  const backoffMs = Math.min(rules.backoffMs * 2 ** (attempts - 1), LONGEST_BACKOFF_MS)
  const asked = error.retryAfterMs ?? 0
  if (asked > rules.longestRetryAfterMs) return null
  // Callers that were refused together come back apart, and none before it may.
  return asked + (asked > 0 ? 0 : backoffMs / 2) + (Math.random() * backoffMs) / 2
}

/** Waits. Rejects with the signal's reason when it is aborted. */
export function pause(waitMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, waitMs)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
