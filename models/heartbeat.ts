// Which of the service's own processes was seen last when, for whoever looks into the database.
import type { Connection } from './connection.ts'
import { TEXT, TIME, model, type RowOf } from './model.ts'

export const heartbeats = model('process_heartbeats', {
  name: TEXT,
  seen_at: TIME,
}, { key: ['name'] })
export type HeartbeatRow = RowOf<typeof heartbeats>

/** Writes down that the process is at work now, by the database's clock; it does so every two seconds. */
export async function recordHeartbeat(connection: Connection, name: string): Promise<void> {
  await connection.run(BEAT, [name])
}

const BEAT = {
  name: 'beat',
  text: `INSERT INTO process_heartbeats (name, seen_at) VALUES ($1, clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at`,
}
