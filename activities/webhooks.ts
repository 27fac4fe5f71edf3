// What the stories of webhooks may ask for: the attempts at deliveries.
import { ApplicationFailure } from '@temporalio/activity'
import { admitAttempt } from '../commands/webhooks/claims.ts'
import { abandonDelivery, beginAttempts, type AttemptKey } from '../commands/webhooks/deliveries.ts'
import type { DeliveryInput, DeliveryStatus, DispatchInput } from '../domain/delivery.ts'
import { statusAfter } from '../domain/delivery.ts'
import { createAttempts, type AttemptDependencies } from './attempts.ts'
import { attemptAll } from './batch.ts'
import { withHeartbeat } from './heartbeat.ts'

export interface AttemptInput extends AttemptKey {
  /** The wait in ms before the next attempt, should this one fail; null when it is the last. */
  waitMs: number | null
  /** True where an operator has asked for it: it is made although the circuit is open. */
  byHand?: boolean
}

/**
 * `SUSPENDED`: the organisation is, so nothing was sent and nothing counted. `WAITING`: the delivery waits in PostgreSQL
 * again, for the circuit of its endpoint or for a free place, and its process has nothing left to do.
 */
export type AttemptState = DeliveryStatus | 'SUSPENDED' | 'WAITING'

export interface BatchResult {
  /** What a process was to be started with for each refused delivery, by the batches of versions before 0.2. */
  refused: DeliveryInput[]
  /** How many attempts have failed. The relay starts the processes of their deliveries. */
  failed?: number
}

export interface WebhookDependencies extends AttemptDependencies {
  /** Has the relay look at once, where it is in this process. */
  wakeRelay(): void
}

export function webhookActivities(dependencies: WebhookDependencies) {
  const { connection, clock, wakeRelay } = dependencies
  const attempts = createAttempts({ ...dependencies, onRefused: wakeRelay })

  return {
    /** The next attempts at the deliveries of a batch, side by side. */
    attemptBatch: ({ batchId, ladderSeconds }: DispatchInput): Promise<BatchResult> =>
      withHeartbeat(async (context) => {
        const cancelled = context.cancellationSignal
        const failed = await attemptAll({ connection, clock }, attempts, batchId, ladderSeconds, cancelled)
        if (cancelled.aborted) await context.cancelled
        // Its places are free again: there may be more for them.
        wakeRelay()
        return { refused: [], failed }
      }),

    /** One attempt on the ladder. An attempt that has its outcome already is not made again. */
    attemptDelivery: (input: AttemptInput): Promise<AttemptState> =>
      withHeartbeat(async () => {
        const admission = await admitAttempt(connection, input, clock(), input.byHand === true)
        if (!admission) throw unknownDelivery(input.deliveryId)
        if (admission.state === 'settled') return admission.status
        if (admission.state !== 'due') return admission.state === 'waiting' ? 'WAITING' : 'SUSPENDED'
        const [started] = await beginAttempts(connection, [input], clock())
        if (!started) throw unknownDelivery(input.deliveryId)
        if (started.state === 'suspended') return 'SUSPENDED'
        if (started.state === 'settled') return started.status
        return statusAfter(await attempts.attempt(started, input.waitMs), input.waitMs)
      }),

    /** Gives a delivery up, as an operator has asked. */
    async abandonDelivery({ orgId, deliveryId }: { orgId: string; deliveryId: string }): Promise<DeliveryStatus> {
      const status = await abandonDelivery(connection, orgId, deliveryId, clock())
      if (!status) throw unknownDelivery(deliveryId)
      return status
    },
  }
}

const unknownDelivery = (id: string) => ApplicationFailure.nonRetryable(`there is no delivery ${id}`, 'UnknownDelivery')
