// Which of the service's own processes was seen last when: the readiness check reads it.
import type { Connection } from './database.ts'
import { TEXT, TIME, model, type RowOf } from './model.ts'

export const heartbeats = model('process_heartbeats', {
  name: TEXT,
  seen_at: TIME,
}, { key: ['name'] })
export type HeartbeatRow = RowOf<typeof heartbeats>

/** A process is away when it was not seen for so long; it writes every two seconds. */
export const AWAY_AFTER_MS = 10_000

/** Writes down that the process is at work now, by the database's clock. */
export async function beat(connection: Connection, name: string): Promise<void> {
  await connection.run(BEAT, [name])
}

/** Milliseconds since the process was last seen, by the database's clock; null when it never was. */
export async function lastSeen(connection: Connection, name: string): Promise<number | null> {
  const [row] = await connection.run<{ ago_ms: number }>(LAST_SEEN, [name])
  return row?.ago_ms ?? null
}

const BEAT = {
  name: 'beat',
  text: `INSERT INTO process_heartbeats (name, seen_at) VALUES ($1, clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at`,
}
const LAST_SEEN = {
  name: 'last seen',
  text: `SELECT (extract(epoch FROM clock_timestamp() - seen_at) * 1000)::double precision AS ago_ms
    FROM process_heartbeats WHERE name = $1`,
}
