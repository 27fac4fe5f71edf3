// What the worker looks for in the e-invoices of all organisations: workflows to start, and those that were lost.
import type { EInvoicedKind } from '../domain/e-invoice/state.ts'
import type { Connection } from './connection.ts'

export interface WaitingEInvoice {
  org_id: string
  id: string
  kind: EInvoicedKind
  start_at: Date
}

/** Those to start by now, in turns of the organisations, the oldest of each first; at most so many, and of one. */
export const findEInvoicesToStart = (
  connection: Connection,
  now: Date,
  { most, ofOne }: { most: number; ofOne: number },
): Promise<WaitingEInvoice[]> => connection.run<WaitingEInvoice>(TO_START, [now, most, ofOne])

/** Takes those off that were started; one that was queued again since stays. */
export async function noteStarted(connection: Connection, started: WaitingEInvoice[]): Promise<void> {
  await connection.run(STARTED, columnsOf(started))
}

/** Puts one off that could not be started. */
export async function putStartOff(connection: Connection, one: WaitingEInvoice, until: Date): Promise<void> {
  await connection.run(PUT_OFF, [one.org_id, one.id, one.start_at, until])
}

/** Queues those whose workflow has not looked at them since `before`: it was terminated or lost. Returns how many. */
export async function queueLostEInvoices(connection: Connection, before: Date, now: Date): Promise<number> {
  return (await connection.run(QUEUE_LOST, [before, now])).length
}

const columnsOf = (rows: WaitingEInvoice[]) => [
  rows.map(({ org_id }) => org_id),
  rows.map(({ id }) => id),
  rows.map(({ start_at }) => start_at),
]

const TO_START = {
  name: 'e-invoices to start',
  // The organisations are found by a step in the index each, however many e-invoices of one of them wait.
  text: `WITH RECURSIVE waiting(org_id) AS (
      (SELECT org_id FROM e_invoices WHERE start_at IS NOT NULL ORDER BY org_id LIMIT 1)
      UNION ALL
      SELECT (SELECT e.org_id FROM e_invoices AS e WHERE e.start_at IS NOT NULL AND e.org_id > waiting.org_id ORDER BY e.org_id LIMIT 1)
      FROM waiting WHERE waiting.org_id IS NOT NULL
    )
    SELECT org_id, id, kind, start_at
    FROM waiting CROSS JOIN LATERAL (
      SELECT e.*, row_number() OVER (ORDER BY e.start_at, e.id) AS turn FROM (
        SELECT id, kind, start_at FROM e_invoices
        WHERE org_id = waiting.org_id AND start_at <= $1 ORDER BY start_at, id LIMIT $3
      ) AS e
    ) AS its
    ORDER BY turn, start_at, id LIMIT $2`,
}
const STARTED = {
  name: 'note e-invoices started',
  text: `UPDATE e_invoices AS e SET start_at = NULL FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS k(org_id, id, start_at)
    WHERE e.org_id = k.org_id AND e.id = k.id AND e.start_at = k.start_at`,
}
const PUT_OFF = {
  name: 'put an e-invoice off',
  text: `UPDATE e_invoices SET start_at = $4 WHERE org_id = $1 AND id = $2 AND start_at = $3`,
}
const QUEUE_LOST = {
  name: 'queue lost e-invoices',
  text: `UPDATE e_invoices SET start_at = $2 WHERE (org_id, id) IN (
      SELECT org_id, id FROM e_invoices WHERE status IN ('PENDING', 'CANCELLING') AND last_modified_time < $1
        AND start_at IS NULL AND coalesce(attended_at, last_modified_time) < $1 ORDER BY last_modified_time LIMIT 100
    ) RETURNING 1`,
}
