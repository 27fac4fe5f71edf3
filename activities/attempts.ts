// Makes an attempt at a delivery: posts one webhook and records its outcome.
import type { DueAttempt } from '../commands/webhooks/deliveries.ts'
import type { CircuitRules } from '../domain/circuit.ts'
import { statusAfter, type Outcome } from '../domain/delivery.ts'
import { CAPS } from '../domain/webhook-caps.ts'
import { goodAt } from '../domain/webhook-secrets.ts'
import type { WebhookSender } from '../gateways/webhook/sender.ts'
import { fairSemaphore } from '../gateways/semaphore.ts'
import { deliveryHeaders } from '../gateways/webhook/signature.ts'
import type { Database } from '../models/database.ts'
import type { Sealer } from '../models/sealed.ts'
import { inSpan, isTracing } from '../models/tracing.ts'
import { traceparentOfDelivery } from '../models/traces.ts'
import { recordInGroups } from './attempt-results.ts'

export interface AttemptDependencies {
  connection: Database
  sender: Pick<WebhookSender, 'post'>
  sealer: Sealer
  /** The rules by which the circuit of an endpoint opens and is tried. */
  circuit: CircuitRules
  clock(): Date
  /** Called after every attempt. */
  onAttempt?(endpointId: string, outcome: Outcome): void
  /** Called after every failed attempt that was not the last: its delivery may get a process now. */
  onRefused?(): void
}

export interface Attempts {
  /** Makes one attempt; returns its outcome after it is committed. */
  attempt(due: DueAttempt, waitMs: number | null): Promise<Outcome>
}

const SECRET_UNREADABLE =
  'The secret of this endpoint cannot be read; give the service its old ENCRYPTION_KEY, or rotate the secret of the endpoint.'

export function createAttempts({
  connection,
  sender,
  sealer,
  circuit,
  clock,
  onAttempt,
  onRefused,
}: AttemptDependencies): Attempts {
  const recorder = recordInGroups(connection, circuit)
  const connections = fairSemaphore({ places: CAPS.connections })

  async function post({ orgId, deliveryId, eventType, payload, url, ...due }: DueAttempt): Promise<Outcome> {
    const secret = opened(due.secretSealed)
    if (secret === null) {
      return { kind: 'blocked', statusCode: null, error: SECRET_UNREADABLE, responseBody: null, durationMs: 0 }
    }
    const body = Buffer.from(payload)
    return connections.through(orgId, () => {
      const now = clock()
      const former = goodAt(due.formerSecrets, now).flatMap(({ sealed }) => opened(sealed) ?? [])
      const { standardWebhooks } = due
      const signed = { deliveryId, eventType, body, secrets: [secret, ...former], standardWebhooks }
      const headers = deliveryHeaders(signed, now)
      return sender.post({ orgId, url, body, headers })
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

  // The attempt is a part of the trace of the call whose event it delivers.
  async function traced(due: DueAttempt): Promise<Outcome> {
    if (!isTracing()) return post(due)
    const { orgId, deliveryId, attempt, eventType } = due
    const parent = await traceparentOfDelivery({ connection, orgId }, deliveryId)
    const attributes = {
      'delivery.id': deliveryId,
      'delivery.attempt': attempt,
      'event.type': eventType,
      'organization.id': orgId,
    }
    return inSpan('webhook attempt', { kind: 'CLIENT', parent, attributes }, async (span) => {
      const outcome = await post(due)
      span?.setAttributes({
        'delivery.outcome': outcome.kind,
        'http.response.status_code': outcome.statusCode ?? undefined,
      })
      return outcome
    })
  }

  return {
    async attempt(due, waitMs) {
      const outcome = await traced(due)
      const { orgId, deliveryId, series, attempt, endpointId } = due
      onAttempt?.(endpointId, outcome)
      await recorder.record({ orgId, deliveryId, series, attempt, endpointId, outcome, endedAt: clock(), waitMs })
      if (statusAfter(outcome, waitMs) === 'RETRYING') onRefused?.()
      return outcome
    },
  }
}
