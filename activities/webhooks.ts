// What the stories of webhooks may ask for: the attempts at deliveries.
import { ApplicationFailure, Context } from '@temporalio/activity'
import {
  abandonDelivery, beginAttempts, putOff, type AttemptKey, type Begun, type DueAttempt, type Settlement,
} from '../commands/deliveries.ts'
import type { DeliveryInput, DeliveryStatus, DispatchInput, Outcome } from '../domain/delivery.ts'
import { statusAfter } from '../domain/delivery.ts'
import { waitBefore } from '../domain/retry-ladder.ts'
import type { Receiver } from '../gateways/receiver.ts'
import { deliveryHeaders } from '../gateways/signature.ts'
import type { Connection } from '../models/database.ts'
import { refusedOfBatch, untriedOfBatch } from '../models/delivery.ts'
import type { Sealer } from '../models/sealed.ts'
import { gateOf } from './gate.ts'
import { settleInGroups } from './settling.ts'

export interface WebhookParts {
  connection: Connection
  receiver: Receiver
  sealer: Sealer
  clock(): Date
}

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

const SECRET_UNREADABLE = 'The secret of this endpoint cannot be read; rotate it, or give the service its old key.'
const HEARTBEAT_MS = 3_000
/** At once to all receivers together, whatever the number of batches. */
const MOST_SOCKETS = 256
/** Side by side to one endpoint: quick when it answers, no crowd when it does not. */
const AT_ONCE = 8

export function webhookActivities({ connection, receiver, sealer, clock }: WebhookParts) {
  const settling = settleInGroups(connection)
  const sockets = gateOf(MOST_SOCKETS)

  /** Makes the attempt that was begun and answers what is to be settled. */
  async function attempt(due: DueAttempt, waitMs: number | null): Promise<Settlement> {
    const outcome = await post(due)
    const { orgId, deliveryId, series, attempt, endpointId } = due
    return { orgId, deliveryId, series, attempt, endpointId, outcome, endedAt: clock(), waitMs }
  }

  async function post({ deliveryId, eventType, payload, url, secretSealed }: DueAttempt): Promise<Outcome> {
    const body = Buffer.from(payload)
    let secret
    try {
      secret = sealer.unseal(secretSealed)
    } catch {
      // An endpoint whose secret was sealed under a lost key must not hold up the others of its batch.
      return { kind: 'blocked', statusCode: null, error: SECRET_UNREADABLE, responseBody: null, durationMs: 0 }
    }
    return sockets.through(() => {
      const headers = deliveryHeaders({ deliveryId, eventType, body, secrets: [secret] }, clock())
      return receiver.post({ url, body, headers })
    })
  }

  /** The first attempts at one endpoint. When it hangs, the rest is put off instead of waiting for it here. */
  async function attemptAtEndpoint(dues: DueAttempt[], firstWait: () => number | null, cancelled: AbortSignal): Promise<void> {
    const settled: Promise<void>[] = []
    const waiting = [...dues]
    let hangs = false
    const lane = async () => {
      for (let due = waiting.shift(); due; due = waiting.shift()) {
        if (hangs || cancelled.aborted) return void waiting.unshift(due)
        const settlement = await attempt(due, firstWait())
        hangs ||= settlement.outcome.kind === 'timeout'
        const committed = settling.settle(settlement)
        // Awaited below with the others; until then nobody listens.
        committed.catch(() => undefined)
        settled.push(committed)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
    await Promise.all(settled)
    if (hangs) await putOff(connection, waiting.map((due, place) => ({ ...due, until: afterOthers(place) })))
  }

  const afterOthers = (place: number) => new Date(clock().getTime() + 10_000 * (1 + Math.floor(place / AT_ONCE)))

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
        await allOf([...endpoints.values()].map((dues) => attemptAtEndpoint(dues, firstWait, context.cancellationSignal)))
        if (context.cancellationSignal.aborted) await context.cancelled
        const refused = await refusedOfBatch(connection, batchId)
        return {
          refused: refused.map((delivery) => ({
            orgId: delivery.org_id,
            deliveryId: delivery.id,
            endpointId: delivery.endpoint_id,
            entityType: delivery.entity_type,
            entityId: delivery.entity_id,
            series: delivery.series,
            attempt: 2,
            dueAt: delivery.next_attempt_at.toISOString(),
            ladderSeconds,
          })),
        }
      }),

    /** One attempt on the ladder. An attempt that has its outcome already is not made again. */
    attemptDelivery: (input: AttemptInput): Promise<AttemptResult> =>
      whileBeating(async () => {
        const [begun] = await beginAttempts(connection, [input], clock())
        if (!begun) throw unknownDelivery(input.deliveryId)
        if (begun.state === 'suspended') return 'SUSPENDED'
        if (begun.state === 'settled') return begun.status
        const settlement = await attempt(begun, input.waitMs)
        await settling.settle(settlement)
        return statusAfter(settlement.outcome, input.waitMs)
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

// By its heartbeat an activity of a worker that died is soon given to another.
async function whileBeating<T>(work: (context: Context) => Promise<T>): Promise<T> {
  const context = Context.current()
  const beating = setInterval(() => context.heartbeat(), HEARTBEAT_MS)
  return work(context).finally(() => clearInterval(beating))
}

const isDue = (begun: Begun): begun is DueAttempt => begun.state === 'due'

// Every endpoint is seen to before the trouble of one, which is ours and not the receiver's, fails the activity.
async function allOf(work: Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}
