// Which deliveries are attempted next, and by whom: batches, trials of open circuits, and processes of their own.
import { v7 as uuidv7 } from 'uuid'
import type { DeliveryStatus } from '../../domain/delivery.ts'
import { CAPS } from '../../domain/webhook-caps.ts'
import { FIND_LEFT_WAITING, RELEASE_WAITING, TRY } from '../../models/circuit.ts'
import type { Connection } from '../../models/connection.ts'
import type { Database } from '../../models/database.ts'
import type { DeliveryUnderWay, NextAttempt } from '../../models/delivery.ts'
import { ADMIT, CHOOSE_FOR_PROCESSES, CLAIM, CLAIM_MORE, LOCK_CLAIMS, NOTE_PROCESSES } from '../../models/queue.ts'
import type { AttemptKey } from './deliveries.ts'

/** Waiting deliveries that one process is to attempt. Where all are of one kind, it is named. */
export interface Batch {
  batchId: string
  size: number
  orgId: string | undefined
  endpointId: string | undefined
  entityType: string | undefined
  entityId: string | undefined
}

/** Behind which endpoint a walk through the queue goes on. */
export interface EndpointKeyOfOrganization {
  orgId: string
  endpointId: string
}

const NOBODY = '00000000-0000-0000-0000-000000000000'
export const BEGINNING: EndpointKeyOfOrganization = { orgId: NOBODY, endpointId: NOBODY }

export interface BatchRequest {
  now: Date
  limit?: number
  /** Whether the endpoints are served that answer slowly, or the others. */
  slow?: boolean
  after?: EndpointKeyOfOrganization
}

/** `next` is null when the walk has come to the end of the queue. */
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

interface Walked {
  next_org_id: string | null
  next_endpoint_id: string | null
}

/**
 * Claims deliveries that are due, up to `limit`, for one batch: of each endpoint as many as its free places, of each
 * organisation as many as its share, the organisations in turns. Those of suspended organisations and of open circuits
 * are left. The claim is committed before its process is started, so that a crash between the two repeats the very
 * same batch.
 */
export async function claimBatch(database: Database, { now, limit = CAPS.batch, slow = false, after = BEGINNING }: BatchRequest): Promise<ClaimedBatch> {
  const batchId = uuidv7()
  const [row] = await underLock(database, (connection) => connection.runLast<Walked & { claimed: ClaimedRow[] }>(
    CLAIM, [after.orgId, after.endpointId, now, batchId, limit, slow]))
  return { batch: batchOf(batchId, row?.claimed ?? []), next: placeOf(row) }
}

/**
 * Claims one delivery of every endpoint whose circuit is open and due for a trial. A trial whose outcome has not come
 * within `lostAfterMs` may be made again. Null when there is none.
 */
export async function claimTrials(connection: Connection, now: Date, lostAfterMs: number): Promise<Batch | null> {
  const batchId = uuidv7()
  const later = (ms: number) => new Date(now.getTime() + ms)
  const rows = await connection.run<ClaimedRow>(TRY, [batchId, now, later(NOTHING_TO_TRY_MS), later(lostAfterMs)])
  return batchOf(batchId, rows)
}

// A circuit with nothing to try looks again so soon.
const NOTHING_TO_TRY_MS = 5_000

/** Claims more deliveries of these endpoints for a batch under way, as many as have become free. */
export async function claimMore(database: Database, batchId: string, endpoints: readonly EndpointKeyOfOrganization[], now: Date): Promise<NextAttempt[]> {
  if (endpoints.length === 0) return []
  const keys = [endpoints.map(({ orgId }) => orgId), endpoints.map(({ endpointId }) => endpointId)]
  return underLock(database, (connection) => connection.runLast<NextAttempt>(CLAIM_MORE, [...keys, now, batchId, CAPS.batch, false]))
}

export interface ForProcesses {
  deliveries: DeliveryUnderWay[]
  next: EndpointKeyOfOrganization | null
}

/** Refused deliveries that may get a process of their own, up to `limit`; nothing is written yet. */
export async function chooseForProcesses(connection: Connection, now: Date, limit: number, after: EndpointKeyOfOrganization = BEGINNING): Promise<ForProcesses> {
  const rows = await connection.run<DeliveryUnderWay & Walked>(CHOOSE_FOR_PROCESSES, [after.orgId, after.endpointId, now, limit])
  return { deliveries: rows.filter(({ id }) => id !== null), next: placeOf(rows[0]) }
}

/** Notes that these deliveries have their process now. What has moved on meanwhile is left as it is. */
export async function noteProcesses(connection: Connection, deliveries: readonly DeliveryUnderWay[]): Promise<void> {
  if (deliveries.length === 0) return
  await connection.run(NOTE_PROCESSES, [
    deliveries.map(({ org_id }) => org_id), deliveries.map(({ id }) => id),
    deliveries.map(({ attempts_made }) => attempts_made), deliveries.map(({ next_attempt_at }) => next_attempt_at),
  ])
}

/** `waiting`: the delivery waits in PostgreSQL again, or somebody else has it; its process has nothing left to do. */
export type Admission = { state: 'due' | 'suspended' | 'waiting' } | { state: 'settled'; status: DeliveryStatus }

/**
 * Lets a process make an attempt. `byHand`: an operator has asked for it, so it is made although the circuit is open.
 * Null when there is no such delivery.
 */
export async function admitAttempt(database: Database, key: AttemptKey, now: Date, byHand: boolean): Promise<Admission | null> {
  const { orgId, deliveryId, series, attempt } = key
  const [row] = await underLock(database, (connection) => connection.runLast<{ state: string; status: DeliveryStatus }>(
    ADMIT, [orgId, deliveryId, series, attempt, now, byHand]))
  if (!row) return null
  if (row.state === 'settled') return { state: 'settled', status: row.status }
  return { state: row.state === 'due' || row.state === 'suspended' ? row.state : 'waiting' }
}

/** Puts a part of what has waited for closed circuits back into the queue. */
export async function releaseWaiting(connection: Connection): Promise<void> {
  await connection.run(RELEASE_WAITING, [])
}

/** Finds what still waits for a circuit that is closed. */
export async function findLeftWaiting(connection: Connection): Promise<void> {
  await connection.run(FIND_LEFT_WAITING, [])
}

async function underLock<T>(database: Database, work: Parameters<typeof database.transaction<T>>[0]): Promise<T> {
  return database.transaction(async (connection) => {
    // In a statement of its own: what follows must see what the claim before has committed.
    await connection.run(LOCK_CLAIMS, [])
    return work(connection)
  })
}

function placeOf(row: Walked | undefined): EndpointKeyOfOrganization | null {
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
