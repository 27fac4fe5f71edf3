// Waits until others stand behind what a connection has locked: what else waits for a lock in the database does not count.
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'

// Unlike pg_stat_activity, pg_locks is read anew by every statement of a transaction.
const BLOCKED = 'SELECT DISTINCT pid FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))'

/** The backends that wait for `holder`, once there is one; `holder` is in its transaction and asks for itself. */
export async function blockedBy(holder: pg.Client, withinMs = 30_000): Promise<number[]> {
  const last = Date.now() + withinMs
  for (;;) {
    const { rows } = await holder.query<{ pid: number }>(BLOCKED)
    if (rows.length > 0) return rows.map(({ pid }) => pid)
    if (Date.now() > last) throw new Error(`nobody waits for the held rows within ${withinMs} ms`)
    await delay(25)
  }
}
