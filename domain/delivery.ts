// A webhook delivery: its states, what an attempt at it came to, and the names of the processes that carry it out.

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

/** What `webhookDispatch` is started with. */
export interface DispatchInput {
  batchId: string
  ladderSeconds: number[]
}

/** What `webhookDelivery` is started with: the attempt to make next, and when. */
export interface DeliveryInput {
  orgId: string
  deliveryId: string
  endpointId: string
  entityType: string
  entityId: string
  /** 0 for the deliveries of an event, 1 and up for each time that one was taken up again by hand. */
  series: number
  attempt: number
  /** ISO timestamp. */
  dueAt: string
  ladderSeconds: number[]
}

export const dispatchId = (batchId: string) => `dispatch/${batchId}`

export const deliveryProcessId = (deliveryId: string, series: number) =>
  series === 0 ? `webhook/${deliveryId}` : `webhook/${deliveryId}/r${series}`
