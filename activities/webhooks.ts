// What the stories of webhooks may ask for: the attempts at deliveries.
import { ApplicationFailure } from '@temporalio/activity'
import {
  abandonDelivery, beginAttempts, putOff, type AttemptKey, type Begun, type DueAttempt,
} from '../commands/deliveries.ts'
import type { DeliveryInput, DeliveryStatus, DispatchInput } from '../domain/delivery.ts'
import { statusAfter } from '../domain/delivery.ts'
import { waitBefore } from '../domain/retry-ladder.ts'
import { refusedOfBatch, untriedOfBatch, type DeliveryUnderWay } from '../models/delivery.ts'
import { createAttempts, type AttemptParts } from './attempts.ts'
import { whileBeating } from './beating.ts'

export interface AttemptInput extends AttemptKey {
  /** The wait in ms before the next attempt, should this one fail; null when it is the last. */
  waitMs: number | null
}

/** `SUSPENDED`: the organisation is, so nothing was sent and nothing counted. */
export type AttemptResult = DeliveryStatus | 'SUSPENDED'

export interface BatchResult {
  /** What each refused delivery's own process is started with. */
  refused: DeliveryInput[]
}

export function webhookActivities(parts: AttemptParts) {
  const { connection, clock } = parts
  const { attempt, attemptAtEndpoint } = createAttempts(parts)

  return {
    /** The first attempts of a batch, side by side. Run again after a crash, it repeats only what has no outcome. */
    attemptBatch: ({ batchId, ladderSeconds }: DispatchInput): Promise<BatchResult> =>
      whileBeating(async (context) => {
        const untried = await untriedOfBatch(connection, batchId)
        const begun = await beginAttempts(
          connection,
          untried.map(({ org_id, id, series }) => ({ orgId: org_id, deliveryId: id, series, attempt: 1 })),
          clock(),
        )
        const suspended = begun.filter(({ state }) => state === 'suspended')
        await putOff(connection, suspended.map((delivery) => ({ ...delivery, until: null })))
        const firstWait = () => waitBefore(2, ladderSeconds, Math.random())
        const endpoints = Map.groupBy(begun.filter(isDue), ({ endpointId }) => endpointId)
        const cancelled = context.cancellationSignal
        await allOf([...endpoints.values()].map((dues) => attemptAtEndpoint(dues, firstWait, cancelled)))
        if (cancelled.aborted) await context.cancelled
        const refused = await refusedOfBatch(connection, batchId)
        return { refused: refused.map((delivery) => retryOf(delivery, ladderSeconds)) }
      }),

    /** One attempt on the ladder. An attempt that has its outcome already is not made again. */
    attemptDelivery: (input: AttemptInput): Promise<AttemptResult> =>
      whileBeating(async () => {
        const [begun] = await beginAttempts(connection, [input], clock())
        if (!begun) throw unknownDelivery(input.deliveryId)
        if (begun.state === 'suspended') return 'SUSPENDED'
        if (begun.state === 'settled') return begun.status
        return statusAfter(await attempt(begun, input.waitMs), input.waitMs)
      }),

    /** Gives a delivery up, as an operator has asked. */
    async abandonDelivery({ orgId, deliveryId }: { orgId: string; deliveryId: string }): Promise<DeliveryStatus> {
      const status = await abandonDelivery(connection, orgId, deliveryId)
      if (!status) throw unknownDelivery(deliveryId)
      return status
    },
  }
}

const unknownDelivery = (id: string) => ApplicationFailure.nonRetryable(`there is no delivery ${id}`, 'UnknownDelivery')

function retryOf(delivery: DeliveryUnderWay, ladderSeconds: number[]): DeliveryInput {
  return {
    orgId: delivery.org_id,
    deliveryId: delivery.id,
    endpointId: delivery.endpoint_id,
    entityType: delivery.entity_type,
    entityId: delivery.entity_id,
    series: delivery.series,
    attempt: 2,
    dueAt: delivery.next_attempt_at.toISOString(),
    ladderSeconds,
  }
}

const isDue = (begun: Begun): begun is DueAttempt => begun.state === 'due'

// Every endpoint is seen to before the trouble of one, which is ours and not the receiver's, fails the activity.
async function allOf(work: Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}
