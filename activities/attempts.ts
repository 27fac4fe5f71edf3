// The attempts themselves: one letter posted and settled, or all the first ones to an endpoint side by side.
import { putOff, type DueAttempt, type Settlement } from '../commands/deliveries.ts'
import type { Outcome } from '../domain/delivery.ts'
import type { Receiver } from '../gateways/receiver.ts'
import { deliveryHeaders } from '../gateways/signature.ts'
import type { Connection } from '../models/database.ts'
import type { Sealer } from '../models/sealed.ts'
import { gateOf } from './gate.ts'
import { settleInGroups } from './settling.ts'

export interface AttemptParts {
  connection: Connection
  receiver: Pick<Receiver, 'post'>
  sealer: Sealer
  clock(): Date
}

export interface Attempts {
  /** Makes one attempt, and answers its outcome once that is committed. */
  attempt(due: DueAttempt, waitMs: number | null): Promise<Outcome>
  /** Makes the first attempts at one endpoint. When it hangs, the rest is put off instead of waiting for it here. */
  attemptAtEndpoint(dues: DueAttempt[], firstWait: () => number | null, cancelled: AbortSignal): Promise<void>
}

const SECRET_UNREADABLE = 'The secret of this endpoint cannot be read; rotate it, or give the service its old key.'
/** At once to all receivers together, whatever the number of batches. */
const MOST_SOCKETS = 256
/** Side by side to one endpoint: quick when it answers, no crowd when it does not. */
const AT_ONCE = 8
const PUT_OFF_MS = 10_000

export function createAttempts({ connection, receiver, sealer, clock }: AttemptParts): Attempts {
  const settling = settleInGroups(connection)
  const sockets = gateOf(MOST_SOCKETS)

  async function post({ orgId, deliveryId, eventType, payload, url, secretSealed }: DueAttempt): Promise<Outcome> {
    const secret = opened(secretSealed)
    if (secret === null) {
      return { kind: 'blocked', statusCode: null, error: SECRET_UNREADABLE, responseBody: null, durationMs: 0 }
    }
    const body = Buffer.from(payload)
    return sockets.through(() => {
      const headers = deliveryHeaders({ deliveryId, eventType, body, secrets: [secret] }, clock())
      return receiver.post({ orgId, url, body, headers })
    })
  }

  // An endpoint whose secret was sealed under a lost key must not hold up the others of its batch.
  function opened(secretSealed: string): string | null {
    try {
      return sealer.unseal(secretSealed)
    } catch {
      return null
    }
  }

  async function settlementOf(due: DueAttempt, waitMs: number | null): Promise<Settlement> {
    const outcome = await post(due)
    const { orgId, deliveryId, series, attempt, endpointId } = due
    return { orgId, deliveryId, series, attempt, endpointId, outcome, endedAt: clock(), waitMs }
  }

  const later = (place: number) => new Date(clock().getTime() + PUT_OFF_MS * (1 + Math.floor(place / AT_ONCE)))

  return {
    async attempt(due, waitMs) {
      const settlement = await settlementOf(due, waitMs)
      await settling.settle(settlement)
      return settlement.outcome
    },

    async attemptAtEndpoint(dues, firstWait, cancelled) {
      const committed: Promise<void>[] = []
      const waiting = [...dues]
      let hangs = false
      const lane = async () => {
        while (waiting.length > 0 && !hangs && !cancelled.aborted) {
          const settlement = await settlementOf(waiting.shift()!, firstWait())
          hangs ||= settlement.outcome.kind === 'timeout'
          const settled = settling.settle(settlement)
          // Awaited below with the others; until then nobody listens.
          settled.catch(() => undefined)
          committed.push(settled)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, lane))
      await Promise.all(committed)
      if (hangs) await putOff(connection, waiting.map((due, place) => ({ ...due, until: later(place) })))
    },
  }
}
