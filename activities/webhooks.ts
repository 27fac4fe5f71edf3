// The activities of webhook workflows: attempts at deliveries, and giving a delivery up.
import { admitAttempt } from '../commands/webhooks/delivery-claims.ts'
import { abandonDelivery, beginAttempts, type AttemptKey } from '../commands/webhooks/deliveries.ts'
import type { DeliveryInput, DeliveryStatus, DispatchInput } from '../domain/delivery.ts'
import { statusAfter } from '../domain/delivery.ts'
import { createAttempts, type AttemptDependencies } from './attempts.ts'
import { attemptAll } from './batch.ts'
import { withHeartbeat } from './heartbeat.ts'
import { unknownRow } from './unknown-row.ts'

export interface AttemptInput extends AttemptKey {
  /** The wait in ms before the next attempt, if this one fails; null when this is the last. */
  waitMs: number | null
  /** True where an operator has asked for the attempt: it is made although the circuit is open. */
  byHand?: boolean
}

/**
 * `SUSPENDED`: the organisation is suspended, so nothing was sent and no attempt counted. `WAITING`: the delivery waits in
 * PostgreSQL again, for the circuit of its endpoint or for a free place, and its process has nothing left to do.
 */
export type AttemptState = DeliveryStatus | 'SUSPENDED' | 'WAITING'

export interface BatchResult {
  /** The input of a process for each refused delivery, in batches of versions before 0.2; empty since. */
  refused: DeliveryInput[]
  /** How many attempts have failed. The relay starts the processes of their deliveries. */
  failed?: number
}

export interface WebhookDependencies extends AttemptDependencies {
  /** Wakes the relay at once, where it runs in this process. */
  wakeRelay(): void
}

export function webhookActivities(dependencies: WebhookDependencies) {
  const { connection, clock, wakeRelay } = dependencies
  const attempts = createAttempts({ ...dependencies, onRefused: wakeRelay })

  return {
    /** Makes the next attempts at the deliveries of a batch, concurrently. */
    attemptBatch: ({ batchId, ladderSeconds }: DispatchInput): Promise<BatchResult> =>
      withHeartbeat(async (context) => {
        const cancelled = context.cancellationSignal
        const failed = await attemptAll({ connection, clock }, attempts, batchId, ladderSeconds, cancelled)
        if (cancelled.aborted) await context.cancelled
        // The places of the batch are free again, so more deliveries may be claimed.
        wakeRelay()
        return { refused: [], failed }
      }),

    /** Makes one attempt of the retry ladder. An attempt that has an outcome already is not made again. */
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

    /** Gives a delivery up, at the request of an operator. */
    async abandonDelivery({ orgId, deliveryId }: { orgId: string; deliveryId: string }): Promise<DeliveryStatus> {
      const status = await abandonDelivery(connection, orgId, deliveryId, clock())
      if (!status) throw unknownDelivery(deliveryId)
      return status
    },
  }
}

const unknownDelivery = (id: string) => unknownRow(`there is no delivery ${id}`, 'UnknownDelivery')
