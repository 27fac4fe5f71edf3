// Waits until others stand behind what a connection has locked: what else waits for a lock in the database does not count.
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Connection } from '../models/connection.ts'

// Behind the asking connection, or behind one that is. Unlike pg_stat_activity, pg_locks is read anew by every statement
// of a transaction.
const BEHIND = `
  WITH RECURSIVE waits AS (
    SELECT pid, unnest(pg_blocking_pids(pid)) AS before FROM (SELECT DISTINCT pid FROM pg_locks WHERE NOT granted) AS waiting
  ), behind AS (
    SELECT pid FROM waits WHERE before = pg_backend_pid() UNION SELECT w.pid FROM waits AS w JOIN behind AS b ON w.before = b.pid
  )
  SELECT pid FROM behind`

/** The backends that wait for `holder`, once there are so many; `holder` is in its transaction, and is asked itself. */
export async function blockedBy(holder: pg.Client | Connection, count = 1, withinMs = 30_000): Promise<number[]> {
  const last = Date.now() + withinMs
  for (;;) {
    const rows: { pid: number }[] = 'run' in holder ? await holder.run({ name: '', text: BEHIND }, []) : (await holder.query(BEHIND)).rows
    if (rows.length >= count) return rows.map(({ pid }) => pid)
    if (Date.now() > last) throw new Error(`${rows.length} of ${count} wait for the held rows within ${withinMs} ms`)
    await delay(25)
  }
}
