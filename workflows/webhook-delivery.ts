// The workflow of a refused delivery: waits and attempts it again, up the retry ladder, until it arrives or fails.
import {
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import type { Activities } from '../activities/create.ts'
import {
  RETRY_NOW_SIGNAL,
  TAKE_UP_SIGNAL,
  type DeliveryInput,
  type DeliveryStatus,
  type NextStep,
} from '../domain/delivery.ts'
import { attemptsOf, waitBefore } from '../domain/retry-ladder.ts'
import { SEARCH_ATTRIBUTES, searchPairs } from '../domain/search-attributes.ts'
import { queueBeside } from '../domain/task-queues.ts'

/** Makes the next attempt now instead of when it is due. Sent to the run of a former series, it ends that: its delivery is elsewhere. */
export const retryNow = defineSignal(RETRY_NOW_SIGNAL)
/** Gives the delivery up: FAILED. */
export const abort = defineSignal('abort')
/** Sent with every start. One that arrives while this run gives its delivery back makes it continue instead of ending. */
export const takeUp = defineSignal<[NextStep]>(TAKE_UP_SIGNAL)

export interface DeliveryProgress {
  /** WAITING: the delivery waits in PostgreSQL again, and this process has ended. */
  state: 'ATTEMPTING' | 'SUSPENDED' | 'WAITING' | DeliveryStatus
  attempt: number
  attempts: number
  nextAttemptAt: string | null
}
export const progress = defineQuery<DeliveryProgress>('progress')

interface Requested {
  now: boolean
  abort: boolean
  /** Sent since the attempt under way began. */
  next: NextStep | null
}

// Deliveries of an organisation continue within a minute of its reactivation (decisions §10).
const SUSPENDED_MS = 50_000
// Every error of an activity is one of our own, such as an unavailable database, and is retried.
const retry = { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' } as const

export async function webhookDelivery(input: DeliveryInput): Promise<DeliveryStatus | 'WAITING'> {
  const attempts = attemptsOf(input.ladderSeconds)
  const requested: Requested = { now: false, abort: false, next: null }
  let shown: DeliveryProgress = { state: 'RETRYING', attempt: input.attempt, attempts, nextAttemptAt: input.dueAt }

  function show(state: DeliveryProgress['state'], attempt: number, nextAt: Date | null): void {
    shown = { state, attempt, attempts, nextAttemptAt: nextAt?.toISOString() ?? null }
    upsertSearchAttributes([...searchPairs({ state, attempt }), { key: SEARCH_ATTRIBUTES.nextAt, value: nextAt }])
    setCurrentDetails(`${state}: attempt ${attempt} of ${attempts}${nextAt ? `, next at ${nextAt.toISOString()}` : ''}`)
  }

  setHandler(retryNow, () => void (requested.now = true), { description: 'Make the next attempt now.' })
  setHandler(abort, () => void (requested.abort = true), { description: 'Give the delivery up: FAILED.' })
  setHandler(takeUp, (next) => void (requested.next = next), { description: 'Continue, should this run be ending.' })
  setHandler(progress, () => shown, { description: 'The state, the attempt, and when it is made.' })
  // Cancelling the workflow means the same as abort, so that no delivery stays without an outcome.
  CancellationScope.current().cancelRequested.catch(() => void (requested.abort = true))
  return CancellationScope.nonCancellable(async () => {
    const status = (await climb(input, requested, show)) ?? (await giveUp(input))
    show(status, shown.attempt, null)
    return status
  })
}

/** Waits and attempts in turn; returns the final status of the delivery, WAITING where it waits elsewhere, or null when it is given up. */
async function climb(
  input: DeliveryInput,
  requested: Requested,
  show: (state: DeliveryProgress['state'], attempt: number, nextAt: Date | null) => void,
): Promise<DeliveryStatus | 'WAITING' | null> {
  const { orgId, deliveryId, series, ladderSeconds } = input
  const attempts = attemptsOf(ladderSeconds)
  const { attemptDelivery } = proxyActivities<Activities['webhooks']>({
    taskQueue: queueBeside(workflowInfo().taskQueue, 'webhooks'),
    startToCloseTimeout: '5 minutes',
    heartbeatTimeout: '15 seconds',
    retry,
  })
  let attempt = input.attempt
  let state: 'RETRYING' | 'SUSPENDED' = 'RETRYING'
  // The first wait counts from the end of the previous attempt, which another process made.
  let waitMs = waitUntil(input.dueAt)
  for (;;) {
    show(state, attempt, new Date(Date.now() + waitMs))
    const summary = state === 'SUSPENDED' ? 'organisation suspended' : `retry ${attempt - 1} of ${attempts - 1}`
    if (waitMs > 0) await condition(() => requested.now || requested.abort, waitMs, { summary })
    if (requested.abort) return null

    const byHand = requested.now
    requested.now = false
    requested.next = null
    show('ATTEMPTING', attempt, null)
    const nextWaitMs = waitBefore(attempt + 1, ladderSeconds, Math.random())
    const result = await attemptDelivery.executeWithOptions({ summary: `attempt ${attempt} of ${attempts}` }, [
      { orgId, deliveryId, series, attempt, waitMs: nextWaitMs, byHand },
    ])
    if (result === 'SUSPENDED') {
      state = 'SUSPENDED'
      waitMs = SUSPENDED_MS
      // A suspension may last for months, and the history must not grow as long.
      if (workflowInfo().continueAsNewSuggested && !requested.abort) await startAfresh({ ...input, attempt }, waitMs)
    } else if (result === 'RETRYING' && nextWaitMs !== null) {
      state = 'RETRYING'
      waitMs = nextWaitMs
      attempt += 1
    } else {
      const next = result === 'WAITING' ? sentMeanwhile(requested) : null
      if (!next) return result
      state = 'RETRYING'
      attempt = next.attempt
      waitMs = waitUntil(next.dueAt)
    }
  }
}

// In a function, because the type checker takes the field for what was last assigned to it.
const sentMeanwhile = ({ next }: Requested) => next

const waitUntil = (dueAt: string) => Math.max(0, Date.parse(dueAt) - Date.now())

function startAfresh(input: DeliveryInput, waitMs: number): Promise<never> {
  return continueAsNew<typeof webhookDelivery>({ ...input, dueAt: new Date(Date.now() + waitMs).toISOString() })
}

async function giveUp({ orgId, deliveryId }: DeliveryInput): Promise<DeliveryStatus> {
  const { abandonDelivery } = proxyActivities<Activities['core']>({ startToCloseTimeout: '30 seconds', retry })
  return abandonDelivery.executeWithOptions({ summary: 'given up by an operator' }, [{ orgId, deliveryId }])
}
