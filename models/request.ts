// The log of an organisation's calls: written in batches beside the calls, read by its people, removed after some days.
import type { Connection, Statement } from './connection.ts'
import type { Database } from './database.ts'
import { INTEGER, model, NUMBER, orNull, TEXT, TIME, UUID, type RowOf } from './model.ts'

export const requests = model('requests', {
  org_id: UUID,
  /** The id that the answer had. */
  id: UUID,
  time: TIME,
  method: TEXT,
  route: TEXT,
  status: INTEGER,
  duration_ms: NUMBER,
  token_id: orNull(UUID),
})
export type RequestRow = RowOf<typeof requests>

/** Writes some calls, of any organisations; those that are written already are left as they are. */
export async function writeRequests(
  { observe }: Pick<Database, 'observe'>,
  rows: readonly RequestRow[],
): Promise<void> {
  const columns = requests.columns.map((name) => rows.map((row) => row[name as keyof RequestRow]))
  await observe(WRITE, columns)
}

const WRITE: Statement = {
  name: 'write requests',
  text: `INSERT INTO requests (org_id, id, time, method, route, status, duration_ms, token_id)
         SELECT org_id, id, time, method, route, status, duration_ms, token_id
         FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::integer[], $7::double precision[], $8::uuid[])
           AS r(org_id, id, time, method, route, status, duration_ms, token_id)
         ON CONFLICT DO NOTHING`,
}

/** Removes calls from before this time, at most `atMost` of them; returns how many. */
export async function removeOldRequests(connection: Connection, before: Date, atMost: number): Promise<number> {
  const rows = await connection.run(REMOVE_OLD, [before, atMost])
  return rows.length
}

const REMOVE_OLD: Statement = {
  name: 'remove old requests',
  text: `DELETE FROM requests WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM requests WHERE time < $1 ORDER BY time LIMIT $2::integer FOR UPDATE SKIP LOCKED))
         RETURNING 1`,
}
