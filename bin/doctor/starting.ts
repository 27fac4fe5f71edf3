// What the doctor finds of a service that has just started: what it has had no time for yet is no trouble.
import type { Finding } from '../../audit/stuck/check.ts'
import type { Database } from '../../models/database.ts'
import { queuesServed } from '../../models/heartbeat.ts'

/** What waited while the service was down goes on within this time. */
const GRACE_MS = 5 * 60_000
/** A worker that starts with its database is at work by then. */
const FIRST_WORKER_MS = 60_000

/** Does not pass by itself, however long the service has been at work. */
const LASTING = new Set([
  'PostgreSQL',
  'Temporal',
  'Redis',
  'migrations',
  'encryption key',
  'PDF engine',
  'PDF fonts',
  'workflows',
  'processes without a row',
])

/** Whether the service has been at work for less than five minutes, or its database has just started and no worker is at work yet. */
export async function isStarting(database: Database, queueSuffix: string, now: Date): Promise<boolean> {
  const { hasWorker, since } = await queuesServed(database, queueSuffix)
  const lessThan = (ms: number, at: Date | null) => at !== null && now.getTime() - at.getTime() < ms
  if (hasWorker) return lessThan(GRACE_MS, since)
  const [server] = await database.run<{ started: Date }>(STARTED, [])
  return lessThan(FIRST_WORKER_MS, server!.started)
}

const STARTED = { name: 'start of the server', text: 'SELECT pg_postmaster_start_time() AS started' }

/** The findings of a service that is starting. */
export const whileStarting = (findings: Finding[]): Finding[] =>
  findings.map((found) =>
    found.severity === 'stuck' && !LASTING.has(found.check) ? { ...found, severity: 'starting' } : found,
  )
