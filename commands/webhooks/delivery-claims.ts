// Claims deliveries for their next attempt: in batches, as trials of open circuits, and for a process of their own.
import { v7 as uuidv7 } from 'uuid'
import type { DeliveryStatus } from '../../domain/delivery.ts'
import { CAPS } from '../../domain/webhook-caps.ts'
import { FIND_LEFT_WAITING, RELEASE_WAITING, TRY } from '../../models/circuit.ts'
import type { Connection } from '../../models/connection.ts'
import type { Database } from '../../models/database.ts'
import type { DeliveryUnderWay, NextAttempt } from '../../models/delivery.ts'
import { ADMIT, CHOOSE_FOR_PROCESSES, CLAIM, CLAIM_MORE, LOCK_CLAIMS, NOTE_PROCESSES } from '../../models/queue.ts'
import type { AttemptKey } from './deliveries.ts'

/** Claimed deliveries that one process attempts. Each id is given where all deliveries have the same one. */
export interface Batch {
  batchId: string
  size: number
  orgId: string | undefined
  endpointId: string | undefined
  entityType: string | undefined
  entityId: string | undefined
}

/** The endpoint after which paging through the queue continues. */
export interface EndpointKeyOfOrganization {
  orgId: string
  endpointId: string
}

const ZERO_ID = '00000000-0000-0000-0000-000000000000'
export const BEGINNING: EndpointKeyOfOrganization = { orgId: ZERO_ID, endpointId: ZERO_ID }

export interface BatchRequest {
  now: Date
  limit?: number
  /** True to claim for endpoints that answer slowly, false for all others. */
  slow?: boolean
  after?: EndpointKeyOfOrganization
}

/** `next` is null at the end of the queue. */
export interface ClaimedBatch {
  batch: Batch | null
  next: EndpointKeyOfOrganization | null
}

interface ClaimedRow {
  org_id: string
  endpoint_id: string
  entity_type: string
  entity_id: string
}

interface NextEndpoint {
  next_org_id: string | null
  next_endpoint_id: string | null
}

/**
 * Claims deliveries that are due, up to `limit`, for one batch: within the caps of each endpoint and organisation, and in
 * turns between organisations. Skips suspended organisations; deliveries whose circuit is not closed are handed to the
 * circuit, and released when it closes. The claim is committed before its process starts, so that after a crash between the
 * two the same batch is started again.
 */
export async function claimBatch(
  database: Database,
  { now, limit = CAPS.batch, slow = false, after = BEGINNING }: BatchRequest,
): Promise<ClaimedBatch> {
  const batchId = uuidv7()
  const [row] = await underLock(database, (connection) =>
    connection.runLast<NextEndpoint & { claimed: ClaimedRow[] }>(CLAIM, [
      after.orgId,
      after.endpointId,
      now,
      batchId,
      limit,
      slow,
    ]),
  )
  return { batch: batchOf(batchId, row?.claimed ?? []), next: nextOf(row) }
}

/**
 * Claims one delivery of each endpoint whose circuit is not closed and due for a trial, up to CAPS.batch endpoints. A trial
 * without an outcome after `lostAfterMs` may be made again. Null when there is none.
 */
export async function claimTrials(connection: Connection, now: Date, lostAfterMs: number): Promise<Batch | null> {
  const batchId = uuidv7()
  const later = (ms: number) => new Date(now.getTime() + ms)
  const rows = await connection.run<ClaimedRow>(TRY, [batchId, now, later(NOTHING_TO_TRY_MS), later(lostAfterMs)])
  return batchOf(batchId, rows)
}

// How soon a circuit without a delivery to try is checked again.
const NOTHING_TO_TRY_MS = 5_000

/** Claims more deliveries of these endpoints for a running batch, as many as the caps allow now. */
export async function claimMore(
  database: Database,
  batchId: string,
  endpoints: readonly EndpointKeyOfOrganization[],
  now: Date,
): Promise<NextAttempt[]> {
  if (endpoints.length === 0) return []
  const keys = [endpoints.map(({ orgId }) => orgId), endpoints.map(({ endpointId }) => endpointId)]
  return underLock(database, (connection) =>
    connection.runLast<NextAttempt>(CLAIM_MORE, [...keys, now, batchId, CAPS.batch, false]),
  )
}

export interface ForProcesses {
  deliveries: DeliveryUnderWay[]
  next: EndpointKeyOfOrganization | null
}

/** Deliveries with a failed attempt that may get a process of their own, up to `limit`. Writes nothing. */
export async function chooseForProcesses(
  connection: Connection,
  now: Date,
  limit: number,
  after: EndpointKeyOfOrganization = BEGINNING,
): Promise<ForProcesses> {
  const rows = await connection.run<DeliveryUnderWay & NextEndpoint>(CHOOSE_FOR_PROCESSES, [
    after.orgId,
    after.endpointId,
    now,
    limit,
  ])
  return { deliveries: rows.filter(({ id }) => id !== null), next: nextOf(rows[0]) }
}

/** Marks that these deliveries have their process now. Leaves those that have changed since they were chosen or are due. */
export async function noteProcesses(
  connection: Connection,
  deliveries: readonly DeliveryUnderWay[],
  now: Date,
): Promise<void> {
  if (deliveries.length === 0) return
  await connection.run(NOTE_PROCESSES, [
    deliveries.map(({ org_id }) => org_id),
    deliveries.map(({ id }) => id),
    deliveries.map(({ attempts_made }) => attempts_made),
    deliveries.map(({ next_attempt_at }) => next_attempt_at),
    now,
  ])
}

/** `waiting`: the delivery is back in PostgreSQL, or a batch or a circuit holds it, so its process ends. */
export type Admission = { state: 'due' | 'suspended' | 'waiting' } | { state: 'settled'; status: DeliveryStatus }

/**
 * Decides whether a process may make an attempt now. `byHand`: an operator requested it, so an open circuit does not stop it.
 * Null when there is no such delivery.
 */
export async function admitAttempt(
  database: Database,
  key: AttemptKey,
  now: Date,
  byHand: boolean,
): Promise<Admission | null> {
  const { orgId, deliveryId, series, attempt } = key
  const [row] = await underLock(database, (connection) =>
    connection.runLast<{ state: string; status: DeliveryStatus }>(ADMIT, [
      orgId,
      deliveryId,
      series,
      attempt,
      now,
      byHand,
    ]),
  )
  if (!row) return null
  if (row.state === 'settled') return { state: 'settled', status: row.status }
  return { state: row.state === 'due' || row.state === 'suspended' ? row.state : 'waiting' }
}

/** Puts some of the deliveries that waited for circuits which are closed now back into the queue. */
export async function releaseWaiting(connection: Connection): Promise<void> {
  await connection.run(RELEASE_WAITING, [])
}

/** Marks closed circuits that deliveries still wait for, so that releaseWaiting releases those too. */
export async function findLeftWaiting(connection: Connection): Promise<void> {
  await connection.run(FIND_LEFT_WAITING, [])
}

async function underLock<T>(database: Database, work: Parameters<typeof database.transaction<T>>[0]): Promise<T> {
  return database.transaction(async (connection) => {
    // In a statement of its own, so that the next one sees what the claim before has committed.
    await connection.run(LOCK_CLAIMS, [])
    return work(connection)
  })
}

function nextOf(row: NextEndpoint | undefined): EndpointKeyOfOrganization | null {
  const { next_org_id: orgId = null, next_endpoint_id: endpointId = null } = row ?? {}
  return orgId === null || endpointId === null ? null : { orgId, endpointId }
}

function batchOf(batchId: string, rows: ClaimedRow[]): Batch | null {
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
