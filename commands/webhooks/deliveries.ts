// Writes what happens to webhook deliveries: attempts begin and end, deliveries are put back or given up; each in one transaction.
import { circuitAfter, type CircuitRules } from '../../domain/circuit.ts'
import type { DeliveryStatus, Outcome } from '../../domain/delivery.ts'
import { statusAfter } from '../../domain/delivery.ts'
import type { FormerSecret } from '../../domain/webhook-secrets.ts'
import { circuitIn, columnsOf, lockCircuits, TURN } from '../../models/circuit.ts'
import type { Connection } from '../../models/connection.ts'
import type { Database } from '../../models/database.ts'
import { ABANDON, BEGIN, PUT_BACK, RELEASE, SETTLE } from '../../models/attempt.ts'
import type { Transaction } from '../../models/transaction.ts'
import { retried } from '../books/retries.ts'

export interface AttemptKey {
  orgId: string
  deliveryId: string
  series: number
  attempt: number
}

/** An attempt that is made now. */
export interface DueAttempt extends AttemptKey {
  state: 'due'
  endpointId: string
  eventType: string
  payload: string
  url: string
  secretSealed: string
  formerSecrets: FormerSecret[]
  /** Whether it carries the headers of Standard Webhooks too. */
  standardWebhooks: boolean
}

export type StartedAttempt =
  | DueAttempt
  /** The delivery is finished, or this attempt has an outcome already. */
  | (AttemptKey & { state: 'settled'; status: DeliveryStatus })
  /** The organisation is suspended: nothing is sent, and no attempt is counted. */
  | (AttemptKey & { state: 'suspended' })

interface StartedAttemptRow {
  org_id: string
  delivery_id: string
  series: number
  attempt: number
  endpoint_id: string
  event_type: string
  payload: string
  url: string
  secret_sealed: string
  former_secrets: FormerSecret[]
  standard_webhooks: boolean
  state: StartedAttempt['state']
  status: DeliveryStatus
}

/**
 * Begins attempts: reads each delivery with its current endpoint, sets those of deleted or disabled endpoints to SKIPPED,
 * and inserts the attempts that are due.
 */
export async function beginAttempts(
  connection: Connection,
  keys: readonly AttemptKey[],
  now: Date,
): Promise<StartedAttempt[]> {
  if (keys.length === 0) return []
  const columns = [
    keys.map((key) => key.orgId),
    keys.map((key) => key.deliveryId),
    keys.map((key) => key.series),
    keys.map((key) => key.attempt),
  ]
  const rows = await connection.run<StartedAttemptRow>(BEGIN, [...columns, now])
  return rows.map((row) => {
    const key = { orgId: row.org_id, deliveryId: row.delivery_id, series: row.series, attempt: row.attempt }
    if (row.state === 'settled') return { ...key, state: row.state, status: row.status }
    if (row.state === 'suspended') return { ...key, state: row.state }
    return {
      ...key,
      state: row.state,
      endpointId: row.endpoint_id,
      eventType: row.event_type,
      payload: row.payload,
      url: row.url,
      secretSealed: row.secret_sealed,
      formerSecrets: row.former_secrets,
      standardWebhooks: row.standard_webhooks,
    }
  })
}

export interface AttemptResult extends AttemptKey {
  endpointId: string
  outcome: Outcome
  endedAt: Date
  /** The wait in ms before the next attempt, used if this one failed; null when it was the last. */
  waitMs: number | null
}

/** An endpoint whose attempts have all failed for this long is disabled (decisions §5). */
const FAILING_TOO_LONG_MS = 5 * 24 * 60 * 60 * 1_000

/** The result of ended attempts for the circuit of their endpoint. */
interface VerdictRow {
  org_id: string
  id: string
  answered: boolean
  failures: number
  slow: boolean
  last_at: Date
}

/**
 * Writes the results of ended attempts in one statement: the outcomes, the states of the deliveries, and the health of the
 * endpoints, which are disabled, with an activity entry, after five days of failures. An attempt that has an outcome already
 * stays as it is. After failures the circuits are updated in the same transaction, so that no claim uses the free places
 * before it can see that the circuit is open. Contention is retried, because a lost result sends the webhook again.
 */
export async function recordAttemptResults(
  database: Database,
  results: readonly AttemptResult[],
  rules: CircuitRules,
): Promise<void> {
  if (results.length === 0) return
  const latest = Math.max(...results.map(({ endedAt }) => endedAt.getTime()))
  const values = [JSON.stringify(results.map(resultRow)), new Date(latest - FAILING_TOO_LONG_MS)]
  const settle = (connection: Connection) => connection.run<VerdictRow>(SETTLE, values)
  if (results.some(({ outcome }) => outcome.kind !== 'delivered')) {
    await retried(() =>
      database.transaction(async (connection) => updateCircuits(connection, await settle(connection), rules)),
    )
    return
  }
  const verdicts = await retried(() => settle(database))
  if (verdicts.length > 0)
    await retried(() => database.transaction((connection) => updateCircuits(connection, verdicts, rules)))
}

function resultRow({ orgId, deliveryId, series, attempt, endpointId, outcome, endedAt, waitMs }: AttemptResult) {
  const status = statusAfter(outcome, waitMs)
  return {
    org_id: orgId,
    delivery_id: deliveryId,
    series,
    attempt,
    endpoint_id: endpointId,
    status,
    duration_ms: outcome.durationMs,
    status_code: outcome.statusCode,
    error: outcome.error,
    response_body: outcome.responseBody,
    ended_at: endedAt,
    next_attempt_at: status === 'RETRYING' ? new Date(endedAt.getTime() + waitMs!) : null,
  }
}

async function updateCircuits(connection: Transaction, verdicts: VerdictRow[], rules: CircuitRules): Promise<void> {
  if (verdicts.length === 0) return
  const of = new Map(verdicts.map((verdict) => [`${verdict.org_id} ${verdict.id}`, verdict]))
  const updated = (await lockCircuits(connection, verdicts)).map((row) => {
    const { last_at: at, ...verdict } = of.get(`${row.org_id} ${row.id}`)!
    return {
      org_id: row.org_id,
      id: row.id,
      ...columnsOf(circuitAfter(circuitIn(row), { ...verdict, at }, rules, Math.random())),
    }
  })
  await connection.runLast(TURN, [JSON.stringify(updated)])
}

/** Puts deliveries of a batch whose attempts were not made back into the queue. */
export async function putBack(
  connection: Connection,
  deliveries: readonly { orgId: string; deliveryId: string }[],
): Promise<void> {
  if (deliveries.length === 0) return
  await connection.run(PUT_BACK, [deliveries.map(({ orgId }) => orgId), deliveries.map(({ deliveryId }) => deliveryId)])
}

/** Sets a PENDING or RETRYING delivery to FAILED. Returns the status that it has then, null for an unknown delivery. */
export async function abandonDelivery(
  connection: Connection,
  orgId: string,
  deliveryId: string,
  now: Date,
): Promise<DeliveryStatus | null> {
  const [row] = await connection.run<{ status: DeliveryStatus }>(ABANDON, [orgId, deliveryId, now])
  return row?.status ?? null
}

/** Puts the unattempted deliveries of a batch whose process has ended back into the queue. Returns how many. */
export async function releaseBatch(connection: Connection, batchId: string): Promise<number> {
  return (await connection.run(RELEASE, [batchId])).length
}
