// Requests to convert documents, their progress, and the documents that were made from a source.
import type { PartInput, Source } from '../domain/conversion.ts'
import type { Connection, Statement } from './connection.ts'
import { findRow, type Lock, type Scope } from './find.ts'
import { BOOLEAN, INTEGER, TEXT, TIME, UUID, json, orNull, textOf, model, type ModelOf, type RowOf } from './model.ts'
import { partOf, type PartQuery } from './whole-rows.ts'

export const conversions = model('conversions', {
  org_id: UUID,
  id: UUID,
  source_type: textOf<Source>(),
  source_id: UUID,
  /** How far an estimate is converted; null for its order alone. */
  through: orNull(textOf<'invoice'>()),
  /** The part of an order to convert; null for everything that is left. */
  line_items: orNull(json<PartInput[]>()),
  auto_approve: BOOLEAN,
  /** The user who sent the request; null where the token has no user. */
  requested_by: orNull(UUID),
  /** Where the request came from, for the activity entries of what it makes. */
  origin: json<{ request_id: string | null; ip: string | null; user_agent: string | null; source: string }>(),
  /** How many documents it has made so far. */
  hops: INTEGER,
  /** The error code with which it was refused; null while it waits or runs, and once it is done. */
  refusal: orNull(TEXT),
  sales_order_id: orNull(UUID),
  invoice_id: orNull(UUID),
  bill_id: orNull(UUID),
  created_time: TIME,
  last_modified_time: TIME,
})
export type ConversionRow = RowOf<typeof conversions>

export function findConversion(scope: Scope, id: string, lock: Lock = ''): Promise<ConversionRow | null> {
  return findRow(scope, conversions, id, lock)
}

/** Records that a conversion was refused; one that has gone on meanwhile stays as it is. */
export async function recordRefusal(
  { connection, orgId }: Scope,
  { id, hops }: Pick<ConversionRow, 'id' | 'hops'>,
  refusal: string,
  now: Date,
): Promise<void> {
  await connection.run(REFUSED, [orgId, id, hops, refusal, now])
}

const REFUSED = {
  name: 'refused conversion',
  text: `UPDATE conversions SET refusal = $4, last_modified_time = greatest($5, last_modified_time) WHERE org_id = $1 AND id = $2 AND hops = $3`,
}

/** Requests of every organisation between two times from which nothing was made and that were not refused, oldest first. */
export async function conversionsWithoutDocument(
  connection: Connection,
  since: Date,
  until: Date,
  limit: number,
): Promise<Pick<ConversionRow, 'org_id' | 'id' | 'source_type' | 'source_id'>[]> {
  return connection.run(WITHOUT_DOCUMENT, [since, until, limit])
}

const WITHOUT_DOCUMENT = {
  name: 'conversions without document',
  text: `SELECT org_id, id, source_type, source_id FROM conversions
         WHERE hops = 0 AND refusal IS NULL AND created_time BETWEEN $1 AND $2 ORDER BY created_time, id LIMIT $3`,
}

/**
 * Removes conversions that ended before this time, at most `atMost` of them, and returns how many. Documents name their sources
 * themselves, so what was made keeps its links. One that waits, or has made only the first of two documents, stays.
 */
export async function removeOldConversions(connection: Connection, before: Date, atMost: number): Promise<number> {
  const [row] = await connection.run<{ removed: number }>(REMOVE_OLD, [before, atMost])
  return row!.removed
}

// By conversions_ended. Two workers at once take different ones, and note them in the order of the organisations.
const REMOVE_OLD: Statement = {
  name: 'remove old conversions',
  text: `WITH old AS MATERIALIZED (
    SELECT org_id, id, last_modified_time FROM conversions
    WHERE (refusal IS NOT NULL OR hops = CASE through WHEN 'invoice' THEN 2 ELSE 1 END) AND last_modified_time < $1
    ORDER BY last_modified_time LIMIT $2 FOR UPDATE SKIP LOCKED
  ), removed AS (
    DELETE FROM conversions AS c USING old WHERE c.org_id = old.org_id AND c.id = old.id
  ), noted AS (
    INSERT INTO removed_conversions AS r (org_id, ended_at) SELECT org_id, max(last_modified_time) FROM old GROUP BY org_id ORDER BY org_id
    ON CONFLICT (org_id) DO UPDATE SET ended_at = greatest(r.ended_at, excluded.ended_at)
  )
  SELECT count(*)::integer AS removed FROM old`,
}

/** The ids of the invoices or bills that were made from these sources, by the source's id, in the order in which they were made. */
export async function documentsMadeFrom(
  { connection, orgId }: Scope,
  source: 'estimate' | 'sales order' | 'purchase order',
  ids: string[],
): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map()
  const rows = await connection.run<{ source_id: string; made: string[] }>(MADE_FROM[source], [orgId, ids])
  return new Map(rows.map(({ source_id, made }) => [source_id, made]))
}

/** The ids of what was made from sources, for a page of them; each is a row with the source's id in `column`. */
export function documentsMade<Row extends { org_id: string; id: string; created_time: Date }>(
  model: ModelOf<Row>,
  column: keyof Row & string,
): { part: PartQuery; idsOf(found: object[]): (sourceId: string) => string[] } {
  return {
    part: partOf(model, column, ['created_time', 'id'], [column, 'id']),
    idsOf(found) {
      const bySource = Map.groupBy(found as Row[], (row) => row[column] as string)
      return (sourceId) => (bySource.get(sourceId) ?? []).map(({ id }) => id)
    },
  }
}

const made = (name: string, target: string, column: string): Statement => ({
  name: `made from ${name}`,
  text: `SELECT ${column} AS source_id, array_agg(id ORDER BY created_time, id) AS made FROM ${target}
         WHERE org_id = $1 AND ${column} = ANY ($2::uuid[]) GROUP BY ${column}`,
})
const MADE_FROM = {
  estimate: made('estimates', 'invoices', 'estimate_id'),
  'sales order': made('sales orders', 'invoices', 'sales_order_id'),
  'purchase order': made('purchase orders', 'bills', 'purchase_order_id'),
}
