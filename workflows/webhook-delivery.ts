// One delivery that was refused: it waits, is attempted again, and so climbs the ladder until it arrives or fails.
import {
  condition, continueAsNew, defineQuery, defineSignal, proxyActivities, setCurrentDetails, setHandler, upsertSearchAttributes, workflowInfo,
} from '@temporalio/workflow'
import type { Activities } from '../activities/create.ts'
import type { DeliveryInput, DeliveryStatus } from '../domain/delivery.ts'
import { attemptsOf, waitBefore } from '../domain/retry-ladder.ts'
import { SEARCH_ATTRIBUTES, searchPairs } from '../domain/search-attributes.ts'
import { queueBeside } from '../domain/task-queues.ts'

/** Makes the next attempt now instead of when it is due. */
export const retryNow = defineSignal('retryNow')
/** Gives the delivery up: FAILED. */
export const abort = defineSignal('abort')

export interface DeliveryProgress {
  state: 'RETRYING' | 'ATTEMPTING' | 'SUSPENDED' | DeliveryStatus
  attempt: number
  attempts: number
  nextAttemptAt: string | null
}
export const progress = defineQuery<DeliveryProgress>('progress')

// Deliveries of an organisation go on within a minute of its reactivation (decisions §10).
const SUSPENDED_MS = 50_000

export async function webhookDelivery(input: DeliveryInput): Promise<DeliveryStatus> {
  const { orgId, deliveryId, series, ladderSeconds } = input
  const attempts = attemptsOf(ladderSeconds)
  const beside = queueBeside(workflowInfo().taskQueue, 'webhooks')
  const retry = { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' } as const
  const { abandonDelivery } = proxyActivities<Activities['core']>({ startToCloseTimeout: '30 seconds', retry })
  const { attemptDelivery } = proxyActivities<Activities['webhooks']>({
    taskQueue: beside, startToCloseTimeout: '5 minutes', heartbeatTimeout: '15 seconds', retry,
  })

  const asked = { now: false, abort: false }
  setHandler(retryNow, () => void (asked.now = true))
  setHandler(abort, () => void (asked.abort = true))
  let shown: DeliveryProgress = { state: 'RETRYING', attempt: input.attempt, attempts, nextAttemptAt: input.dueAt }
  setHandler(progress, () => shown)

  function show(state: DeliveryProgress['state'], attempt: number, nextAt: Date | null): void {
    shown = { state, attempt, attempts, nextAttemptAt: nextAt?.toISOString() ?? null }
    upsertSearchAttributes([...searchPairs({ state, attempt }), { key: SEARCH_ATTRIBUTES.nextAt, value: nextAt }])
    setCurrentDetails(`${state}: attempt ${attempt} of ${attempts}${nextAt ? `, next at ${nextAt.toISOString()}` : ''}`)
  }

  // The first wait counts from the end of the attempt before, which another process made.
  let waitMs = Math.max(0, Date.parse(input.dueAt) - Date.now())
  let state: 'RETRYING' | 'SUSPENDED' = 'RETRYING'
  for (let attempt = input.attempt; ;) {
    show(state, attempt, new Date(Date.now() + waitMs))
    const summary = state === 'SUSPENDED' ? 'organisation suspended' : `retry ${attempt - 1} of ${attempts - 1}`
    if (waitMs > 0) await condition(() => asked.now || asked.abort, waitMs, { summary })
    if (asked.abort) break

    asked.now = false
    show('ATTEMPTING', attempt, null)
    const nextWaitMs = waitBefore(attempt + 1, ladderSeconds, Math.random())
    const key = { orgId, deliveryId, series, attempt, waitMs: nextWaitMs }
    const result = await attemptDelivery.executeWithOptions({ summary: `attempt ${attempt} of ${attempts}` }, [key])
    if (result === 'SUSPENDED') {
      state = 'SUSPENDED'
      waitMs = SUSPENDED_MS
      const dueAt = new Date(Date.now() + waitMs).toISOString()
      if (workflowInfo().continueAsNewSuggested && !asked.abort) await continueAsNew<typeof webhookDelivery>({ ...input, attempt, dueAt })
      continue
    }
    if (result !== 'RETRYING' || nextWaitMs === null) {
      show(result, attempt, null)
      return result
    }
    state = 'RETRYING'
    waitMs = nextWaitMs
    attempt += 1
  }

  const status = await abandonDelivery.executeWithOptions({ summary: 'given up by an operator' }, [{ orgId, deliveryId }])
  show(status, shown.attempt, null)
  return status
}
