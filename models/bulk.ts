// Bulks and their rows: what was sent, and the document or the error that became of each row.
import type { BulkCounts, BulkKind } from '../domain/bulk.ts'
import type { FaultCode, FieldProblem } from '../domain/faults.ts'
import type { Warning } from '../domain/warnings.ts'
import type { Connection, Statement } from './connection.ts'
import { findRow, type Lock, type Scope } from './find.ts'
import { INTEGER, TIME, UUID, columnsOf, json, model, orNull, textOf, type RowOf } from './model.ts'
import type { Precondition } from './transaction.ts'

/** Why a row has failed, as the answer to a single creation would have said it. */
export interface RowError {
  code: FaultCode
  message: string
  field?: string
  details?: Record<string, unknown>
  errors?: FieldProblem[]
}

export const bulks = model('bulks', {
  org_id: UUID,
  id: UUID,
  entity_type: textOf<BulkKind>(),
  total: INTEGER,
  status: textOf<'RUNNING' | 'COMPLETED'>(),
  /** Set when the bulk is completed; until then its rows are counted. */
  succeeded: INTEGER,
  failed: INTEGER,
  /** The user who sent the bulk; null where the token has no user. */
  requested_by: orNull(UUID),
  /** Where the bulk came from, for the activity entries of what it creates. */
  origin: json<{ request_id: string | null; ip: string | null; user_agent: string | null; source: string }>(),
  created_time: TIME,
  completed_time: orNull(TIME),
})
export type BulkRow = RowOf<typeof bulks>

export const bulkItems = model(
  'bulk_items',
  {
    org_id: UUID,
    bulk_id: UUID,
    /** The place of the row in the call, from 0. */
    index: INTEGER,
    status: textOf<'PENDING' | 'SUCCEEDED' | 'FAILED'>(),
    /** The row as it was sent; null once its document is created, and where it cannot be stored. */
    body: orNull(json<unknown>()),
    document_id: orNull(UUID),
    warnings: orNull(json<Warning[]>()),
    error: orNull(json<RowError>()),
    completed_time: orNull(TIME),
  },
  { key: ['org_id', 'bulk_id', 'index'] },
)
export type BulkItemRow = RowOf<typeof bulkItems>

export function findBulk(scope: Scope, id: string, lock: Lock = ''): Promise<BulkRow | null> {
  return findRow(scope, bulks, id, lock)
}

/** A row that is still to be worked on. */
export type PendingItem = Pick<BulkItemRow, 'bulk_id' | 'index' | 'body'>

/** The next pending rows after this place, in their order: so many, and so many lines after the first row. */
export function findPending(
  { connection, orgId }: Scope,
  bulkId: string,
  after: number,
  { rows, lines }: { rows: number; lines: number },
): Promise<PendingItem[]> {
  return connection.run<PendingItem>(PENDING, [orgId, bulkId, after, rows, lines])
}

const PENDING: Statement = {
  name: 'pending rows of bulk',
  text: `SELECT bulk_id, index, body FROM (
           SELECT bulk_id, index, body, row_number() OVER places AS place,
             sum(CASE jsonb_typeof(body->'line_items') WHEN 'array' THEN jsonb_array_length(body->'line_items') ELSE 1 END) OVER places AS lines
           FROM (SELECT bulk_id, index, body FROM bulk_items
             WHERE org_id = $1 AND bulk_id = $2 AND index > $3 AND status = 'PENDING' ORDER BY index LIMIT $4) AS next
           WINDOW places AS (ORDER BY index)) AS counted
         WHERE place = 1 OR lines <= $5 ORDER BY index`,
  takesNoLock: true,
}

export interface ItemPage {
  /** The place of the last row of the page before; -1 for the first. */
  after: number
  atMost: number
  status: 'SUCCEEDED' | 'FAILED' | null
}

/** What became of a row. */
export type ItemResult = Pick<BulkItemRow, 'index' | 'status' | 'document_id' | 'warnings' | 'error'>

/** A page of the rows of a bulk that are decided, in their order; of one status, or of both. */
export function findResults(
  { connection, orgId }: Scope,
  bulkId: string,
  { after, atMost, status }: ItemPage,
): Promise<ItemResult[]> {
  return connection.run<ItemResult>(RESULTS, [orgId, bulkId, after, atMost, status])
}

const RESULTS: Statement = {
  name: 'rows of bulk',
  text: `SELECT index, status, document_id, warnings, error FROM bulk_items
         WHERE org_id = $1 AND bulk_id = $2 AND index > $3 AND status <> 'PENDING' AND ($5::text IS NULL OR status = $5) ORDER BY index LIMIT $4`,
  takesNoLock: true,
}

/** How many rows of the bulk have succeeded and failed so far. */
export async function countRows({ connection, orgId }: Scope, { id, total }: BulkRow): Promise<BulkCounts> {
  const [counts] = await connection.run<Omit<BulkCounts, 'total'>>(COUNTS, [orgId, id])
  return { total, ...counts! }
}

const COUNTS: Statement = {
  name: 'counts of bulk',
  text: `SELECT count(*) FILTER (WHERE status = 'SUCCEEDED')::integer AS succeeded, count(*) FILTER (WHERE status = 'FAILED')::integer AS failed
         FROM bulk_items WHERE org_id = $1 AND bulk_id = $2`,
  takesNoLock: true,
}

/** How many bulks the organisation has under way. Who asks next waits until this transaction has ended, so that the answer stays true. */
export async function countRunning({ connection, orgId }: Scope): Promise<number> {
  const [, [row]] = await connection.runBoth<unknown, { running: number }>([TURN, [orgId]], [RUNNING, [orgId]])
  return row!.running
}

const TURN: Statement = {
  name: 'turn to count bulks',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('bulks of ' || $1::text, 0))`,
}

const RUNNING: Statement = {
  name: 'running bulks',
  text: `SELECT count(*)::integer AS running FROM bulks WHERE org_id = $1 AND status = 'RUNNING'`,
  takesNoLock: true,
}

/** Thrown by a transaction one of whose rows is no longer pending: another try of the same work has committed it. */
export class AlreadySettled extends Error {}

/** Requires that the rows of a bulk are still pending, and locks them, so that what the transaction makes of them is made once. */
export function stillPending({ orgId }: Scope, items: readonly PendingItem[]): Precondition {
  const bulkId = items[0]!.bulk_id
  const indices = items.map(({ index }) => index)
  return {
    statement: [STILL_PENDING, [orgId, bulkId, indices]],
    check(rows) {
      if (rows.length === items.length) return
      throw new AlreadySettled(
        `${items.length - rows.length} of the rows ${indices.join()} of bulk ${bulkId} are no longer pending`,
      )
    },
  }
}

const STILL_PENDING: Statement = {
  name: 'rows of bulk still pending',
  text: `SELECT index FROM bulk_items
         WHERE org_id = $1 AND bulk_id = $2 AND index = ANY ($3::integer[]) AND status = 'PENDING' ORDER BY index FOR UPDATE`,
}

/** The bulks of all active organisations that are under way since before this time, for the process that starts them again. */
export function bulksLeft(connection: Connection, before: Date): Promise<BulkRow[]> {
  return connection.run<BulkRow>(LEFT, [before])
}

const COLUMNS_OF_BULK = columnsOf(bulks, 'b')
const LEFT: Statement = {
  name: 'bulks left',
  text: `SELECT ${COLUMNS_OF_BULK} FROM bulks AS b JOIN organizations AS o ON o.id = b.org_id
         WHERE b.status = 'RUNNING' AND b.created_time < $1 AND o.status = 'ACTIVE' ORDER BY b.created_time LIMIT 1000`,
  takesNoLock: true,
}

/**
 * Deletes bulks that were completed before this time with their rows: one, or several that have so many rows at most together.
 * Returns how many.
 */
export async function deleteOldBulks(connection: Connection, before: Date, rows: number): Promise<number> {
  const deleted = await connection.run(DELETE_OLD, [before, rows])
  return deleted.length
}

const DELETE_OLD: Statement = {
  name: 'delete old bulks',
  text: `DELETE FROM bulks WHERE (org_id, id) IN (
           SELECT org_id, id FROM (
             SELECT org_id, id, row_number() OVER places AS place, sum(total) OVER places AS rows FROM (
               SELECT org_id, id, total, completed_time FROM bulks
               WHERE status = 'COMPLETED' AND completed_time < $1 ORDER BY completed_time LIMIT 100 FOR UPDATE SKIP LOCKED) AS old
             WINDOW places AS (ORDER BY completed_time, id)) AS counted
           WHERE place = 1 OR rows <= $2)
         RETURNING 1`,
}
