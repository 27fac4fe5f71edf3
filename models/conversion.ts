// Conversions as they were asked for, how far they have come, and what has been made of a source.
import type { PartWanted, Source } from '../domain/conversion.ts'
import type { Statement } from './database.ts'
import { findRow, type Lock, type Scope } from './find.ts'
import { table } from './table.ts'

export interface ConversionRow {
  org_id: string
  id: string
  source_type: Source
  source_id: string
  /** How far an estimate goes; null for its order alone. */
  through: 'invoice' | null
  /** The part of an order to convert; null for everything that is left. */
  line_items: PartWanted[] | null
  auto_approve: boolean
  /** The user who asked, null where a token is nobody's. */
  requested_by: string | null
  /** Where the request came from, for the activity entries of what it makes. */
  origin: { request_id: string | null; ip: string | null; user_agent: string | null; source: string }
  /** How many documents it has made so far. */
  hops: number
  sales_order_id: string | null
  invoice_id: string | null
  bill_id: string | null
  created_time: Date
  last_modified_time: Date
}

export const conversions = table<ConversionRow>('conversions', {
  org_id: 'uuid', id: 'uuid', source_type: 'text', source_id: 'uuid', through: 'text', line_items: 'json', auto_approve: 'boolean',
  requested_by: 'uuid', origin: 'json', hops: 'integer', sales_order_id: 'uuid', invoice_id: 'uuid', bill_id: 'uuid',
  created_time: 'time', last_modified_time: 'time',
})

export function findConversion(scope: Scope, id: string, lock: Lock = ''): Promise<ConversionRow | null> {
  return findRow(scope, conversions, id, lock)
}

/** The ids of the invoices or bills that were made of these sources, by the source's id, in the order of their making. */
export async function madeOf(
  { connection, orgId }: Scope, source: 'estimate' | 'sales order' | 'purchase order', ids: string[],
): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map()
  const rows = await connection.run<{ source_id: string; made: string[] }>(MADE_OF[source], [orgId, ids])
  return new Map(rows.map(({ source_id, made }) => [source_id, made]))
}

const made = (name: string, target: string, column: string): Statement => ({
  name: `made of ${name}`,
  text: `SELECT ${column} AS source_id, array_agg(id ORDER BY created_time, id) AS made FROM ${target}
         WHERE org_id = $1 AND ${column} = ANY ($2::uuid[]) GROUP BY ${column}`,
})
const MADE_OF = {
  estimate: made('estimates', 'invoices', 'estimate_id'),
  'sales order': made('sales orders', 'invoices', 'sales_order_id'),
  'purchase order': made('purchase orders', 'bills', 'purchase_order_id'),
}
