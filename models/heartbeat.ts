// Records when each process and nightly job of the service was last at work, for the readiness check and for operators.
import type { Connection } from './connection.ts'
import { TEXT, TIME, model, type RowOf } from './model.ts'

export const heartbeats = model(
  'process_heartbeats',
  {
    name: TEXT,
    seen_at: TIME,
  },
  { key: ['name'] },
)
export type HeartbeatRow = RowOf<typeof heartbeats>

/** Records that the process or job is at work now, by the database's clock. The worker calls it every two seconds, a nightly job at its end. */
export async function recordHeartbeat(connection: Connection, name: string): Promise<void> {
  await connection.run(BEAT, [name])
}

const BEAT = {
  name: 'beat',
  text: `INSERT INTO process_heartbeats (name, seen_at) VALUES ($1, clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at`,
}
