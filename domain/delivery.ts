// A webhook delivery: its states, the outcome of an attempt, and the ids of the workflows that send it.

/** PENDING until its first attempt has ended, RETRYING until the ladder of retries ends; the rest are final. */
export type DeliveryStatus = 'PENDING' | 'RETRYING' | 'DELIVERED' | 'FAILED' | 'SKIPPED'

export const DELIVERY_STATUSES: readonly DeliveryStatus[] = ['PENDING', 'RETRYING', 'DELIVERED', 'FAILED', 'SKIPPED']

/** Deliveries that may be sent again: those that were given up, and those that still have attempts before them. */
export const RESENDABLE: readonly DeliveryStatus[] = ['FAILED', 'SKIPPED', 'RETRYING']

/** The most series of attempts at one delivery: that of its event, and one for each time that it is sent again. */
export const MAX_SERIES = 100

/** The outcome of an attempt. Failures of the receiver are values; only errors of the service itself are thrown. */
export type OutcomeKind =
  | 'delivered' // any 2xx status
  | 'refused' // any other status
  | 'redirect' // a 3xx status, which is not followed
  | 'timeout' // no response within the time limit
  | 'unreachable' // no connection, or a broken one
  | 'blocked' // an address that webhooks must not be sent to

export interface Outcome {
  kind: OutcomeKind
  statusCode: number | null
  /** A message for readers of the delivery log; null when delivered. */
  error: string | null
  /** The first 4 KB of the response body. */
  responseBody: string | null
  durationMs: number
}

/** The status of a delivery after an attempt; `waitMs` is the wait before the next attempt, null where the ladder ends. */
export function statusAfter(outcome: Outcome, waitMs: number | null): DeliveryStatus {
  if (outcome.kind === 'delivered') return 'DELIVERED'
  return waitMs === null ? 'FAILED' : 'RETRYING'
}

/** The input of the workflow `webhookDispatch`. */
export interface DispatchInput {
  batchId: string
  ladderSeconds: number[]
}

/** The input of the workflow `webhookDelivery`: the attempt to make next, and when. */
export interface DeliveryInput {
  orgId: string
  deliveryId: string
  endpointId: string
  entityType: string
  entityId: string
  /** 0 for the first series of attempts; one more for each redelivery. */
  series: number
  attempt: number
  /** ISO timestamp. */
  dueAt: string
  ladderSeconds: number[]
}

/** The signal with which every start of `webhookDelivery` comes; its argument is a NextStep. */
export const TAKE_UP_SIGNAL = 'takeUp'

/** Sent to a running `webhookDelivery`: where its delivery was given back meanwhile, it continues with this attempt. */
export type NextStep = Pick<DeliveryInput, 'attempt' | 'dueAt'>

/** The series of attempts at a delivery that another one has followed. */
export type FormerSeries = Pick<DeliveryInput, 'deliveryId' | 'series'>

/** The signal with which `webhookDelivery` makes its next attempt now; one of a former series ends instead. */
export const RETRY_NOW_SIGNAL = 'retryNow'

export const dispatchId = (batchId: string) => `dispatch/${batchId}`

export const deliveryProcessId = (deliveryId: string, series: number) =>
  series === 0 ? `webhook/${deliveryId}` : `webhook/${deliveryId}/r${series}`
