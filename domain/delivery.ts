// The states of a webhook delivery, and what one attempt at it came to.

/** PENDING until its first attempt has ended, RETRYING while it climbs the ladder; the rest are final. */
export type DeliveryStatus = 'PENDING' | 'RETRYING' | 'DELIVERED' | 'FAILED' | 'SKIPPED'

export const DELIVERY_STATUSES: readonly DeliveryStatus[] = ['PENDING', 'RETRYING', 'DELIVERED', 'FAILED', 'SKIPPED']

/** A refusal of the receiver is a value, not an error: only trouble of our own is thrown. */
export type OutcomeKind =
  | 'delivered' // any 2xx status
  | 'refused' // any other status
  | 'redirect' // a 3xx status, which is not followed
  | 'timeout' // no answer within the time allowed
  | 'unreachable' // no connection, or one that broke
  | 'blocked' // an address that is not called

export interface Outcome {
  kind: OutcomeKind
  statusCode: number | null
  /** For people, who read it in the delivery log; null when delivered. */
  error: string | null
  /** The first 4 KB of the answer. */
  responseBody: string | null
  durationMs: number
}

/** A delivery's state after an attempt, given the wait before the next one, or null where the ladder ends. */
export function statusAfter(outcome: Outcome, waitMs: number | null): DeliveryStatus {
  if (outcome.kind === 'delivered') return 'DELIVERED'
  return waitMs === null ? 'FAILED' : 'RETRYING'
}
