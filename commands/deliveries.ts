// What happens to webhook deliveries: claimed in batches, attempted, settled, put off, given up; each one transaction.
import { v7 as uuidv7 } from 'uuid'
import type { DeliveryStatus, Outcome } from '../domain/delivery.ts'
import { statusAfter } from '../domain/delivery.ts'
import type { Connection } from '../models/database.ts'
import { ABANDON, BEGIN, CLAIM, PUT_OFF, RELEASE, RENEW, SETTLE } from '../models/delivery.ts'

export interface AttemptKey {
  orgId: string
  deliveryId: string
  series: number
  attempt: number
}

/** Waiting deliveries that one process is to attempt. Where all are of one kind, it is named. */
export interface Batch {
  batchId: string
  size: number
  orgId: string | undefined
  endpointId: string | undefined
  entityType: string | undefined
  entityId: string | undefined
}

interface ClaimedRow {
  org_id: string
  endpoint_id: string
  entity_type: string
  entity_id: string
}

/**
 * Claims the deliveries that have waited longest, up to `limit`, for one batch; null when nothing waits. Those of a
 * suspended organisation are left where they are. The claim is committed before its process is started, so that a
 * crash between the two repeats the very same batch.
 */
export async function claimBatch(connection: Connection, now: Date, limit = 100): Promise<Batch | null> {
  const batchId = uuidv7()
  const rows = await connection.run<ClaimedRow>(CLAIM, [batchId, now, limit])
  if (rows.length === 0) return null
  const only = (column: keyof ClaimedRow) =>
    rows.every((row) => row[column] === rows[0]![column]) ? rows[0]![column] : undefined
  return {
    batchId,
    size: rows.length,
    orgId: only('org_id'),
    endpointId: only('endpoint_id'),
    entityType: only('entity_id') && only('entity_type'),
    entityId: only('entity_id'),
  }
}

/** An attempt to be made now. */
export interface DueAttempt extends AttemptKey {
  state: 'due'
  endpointId: string
  eventType: string
  payload: string
  url: string
  secretSealed: string
}

export type Begun =
  | DueAttempt
  /** The delivery is finished, or this attempt was made already and its outcome stands. */
  | (AttemptKey & { state: 'settled'; status: DeliveryStatus })
  /** The organisation is suspended: nothing is sent, and nothing is counted. */
  | (AttemptKey & { state: 'suspended' })

interface BegunRow {
  org_id: string
  delivery_id: string
  series: number
  attempt: number
  endpoint_id: string
  event_type: string
  payload: string
  url: string
  secret_sealed: string
  state: Begun['state']
  status: DeliveryStatus
}

/**
 * Begins attempts: reads each delivery with its endpoint as they are now, skips those whose endpoint is gone or
 * disabled, and writes down that the rest have started.
 */
export async function beginAttempts(connection: Connection, keys: readonly AttemptKey[], now: Date): Promise<Begun[]> {
  if (keys.length === 0) return []
  const columns = [
    keys.map((key) => key.orgId), keys.map((key) => key.deliveryId),
    keys.map((key) => key.series), keys.map((key) => key.attempt),
  ]
  const rows = await connection.run<BegunRow>(BEGIN, [...columns, now])
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
    }
  })
}

export interface Settlement extends AttemptKey {
  endpointId: string
  outcome: Outcome
  endedAt: Date
  /** The wait in ms before the next attempt, should this one have failed; null when it was the last. */
  waitMs: number | null
}

/** An endpoint with nothing but failures for so long is disabled (decisions §5). */
export const FAILING_TOO_LONG_MS = 5 * 24 * 60 * 60 * 1_000

/**
 * Settles attempts that have ended, in one statement: the attempts' outcomes, the deliveries' states, and the health
 * of their endpoints, which are disabled with an activity entry after five days of failures. An attempt that was
 * settled before is left as it is.
 */
export async function settleAttempts(connection: Connection, settlements: readonly Settlement[]): Promise<void> {
  if (settlements.length === 0) return
  const given = settlements.map(({ orgId, deliveryId, series, attempt, endpointId, outcome, endedAt, waitMs }) => {
    const status = statusAfter(outcome, waitMs)
    const nextAttemptAt = status === 'RETRYING' ? new Date(endedAt.getTime() + waitMs!) : null
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
      next_attempt_at: nextAttemptAt,
    }
  })
  const latest = Math.max(...settlements.map(({ endedAt }) => endedAt.getTime()))
  await connection.run(SETTLE, [JSON.stringify(given), new Date(latest - FAILING_TOO_LONG_MS)])
}

/**
 * Puts deliveries of a batch, whose first attempt was not made, back into the queue: until the given time, or, for
 * null, until their organisation is active.
 */
export async function putOff(
  connection: Connection, deliveries: readonly { orgId: string; deliveryId: string; until: Date | null }[],
): Promise<void> {
  if (deliveries.length === 0) return
  await connection.run(PUT_OFF, [
    deliveries.map(({ orgId }) => orgId), deliveries.map(({ deliveryId }) => deliveryId),
    deliveries.map(({ until }) => until),
  ])
}

/** Gives up a delivery that is still under way: FAILED. Answers the status that it has now, null when it is unknown. */
export async function abandonDelivery(
  connection: Connection, orgId: string, deliveryId: string,
): Promise<DeliveryStatus | null> {
  const [row] = await connection.run<{ status: DeliveryStatus }>(ABANDON, [orgId, deliveryId])
  return row?.status ?? null
}

/** Frees what a batch has left untried, for a batch whose process ended without it; answers how many. */
export async function releaseBatch(connection: Connection, batchId: string): Promise<number> {
  return (await connection.run(RELEASE, [batchId])).length
}

/**
 * Takes a delivery up again from the start of the ladder, under a new series, when the process of the series before
 * has ended without settling it. Answers the new series; null when the delivery is no longer under way.
 */
export async function renewDelivery(connection: Connection, orgId: string, deliveryId: string): Promise<number | null> {
  const [row] = await connection.run<{ series: number }>(RENEW, [orgId, deliveryId])
  return row?.series ?? null
}
