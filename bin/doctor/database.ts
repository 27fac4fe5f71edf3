// What the doctor asks PostgreSQL: the schema, what is stuck, and whether the keys fit.
import { findStuck } from '../../audit/stuck/stuck.ts'
import type { Finding } from '../../audit/stuck/check.ts'
import type { Database } from '../../models/database.ts'
import { hasOtherKey } from '../../models/installation.ts'
import { pendingMigrations } from '../../models/schema-version.ts'
import { canUnseal } from '../../models/sealed.ts'
import { queuesServed } from '../../models/heartbeat.ts'
import { mightyRoleIn } from '../../models/mighty-role.ts'
import { someSealedSecrets } from '../../models/webhook.ts'

export const ADD_KEY = 'add the earlier key to ENCRYPTION_KEY of every process, separated by a comma, and restart it'
/** Enough to notice a missing key. */
const SECRETS = 1_000

export async function examineDatabase(
  database: Database,
  {
    encryptionKey,
    queueSuffix,
    retainIdempotencyDays,
  }: { encryptionKey: string; queueSuffix: string; retainIdempotencyDays: number },
  now: Date,
): Promise<Finding[]> {
  const pending = await pendingMigrations(database)
  if (pending.length > 0) {
    const problem = `${pending.length} migrations are pending: ${pending.join(', ')}; nothing else was examined`
    return [{ check: 'migrations', severity: 'stuck', problem, mend: 'npm run migrate' }]
  }
  return [
    ...(await unserved(database, queueSuffix)),
    ...(await findStuck(database, now, { retainIdempotencyDays, queueSuffix })),
    ...(await unreadable(database, encryptionKey)),
    ...(await mightyRole(database)),
  ]
}

async function mightyRole(database: Database): Promise<Finding[]> {
  const name = await mightyRoleIn(database)
  if (name === null) return []
  const problem = `DATABASE_URL connects as ${name}, which could change what is booked, or the tables themselves`
  const mend = `run the service as a role that owns nothing (docs/running.md, "The roles in PostgreSQL")`
  return [{ check: 'database role', severity: 'notice', problem, mend }]
}

// A queue without a worker, while others have one; the check `worker` says it where none is at work.
async function unserved(database: Database, queueSuffix: string): Promise<Finding[]> {
  const { hasWorker, queues } = await queuesServed(database, queueSuffix)
  if (!hasWorker) return []
  return queues.flatMap(({ queue, seenAt, isServed }) => {
    if (isServed) return []
    const since = seenAt ? `no worker has served the queue ${queue} since ${seenAt.toISOString()}` : null
    const problem = since ?? `no worker has ever served the queue ${queue}`
    return [{ check: 'queues', severity: 'stuck' as const, problem, mend: `WORKER_QUEUES=${queue} npm run worker` }]
  })
}

async function unreadable(database: Database, encryptionKey: string): Promise<Finding[]> {
  const finding = (problem: string): Finding => ({ check: 'encryption key', severity: 'stuck', problem, mend: ADD_KEY })
  if (await hasOtherKey(database, encryptionKey))
    return [finding('this ENCRYPTION_KEY is not the key of the database: the API and the worker do not start with it')]
  const secrets = await someSealedSecrets(database, SECRETS)
  const wrong = secrets.filter((sealed) => !canUnseal(encryptionKey, sealed)).length
  if (wrong === 0) return []
  return [
    finding(`the secrets of ${wrong} of ${secrets.length} enabled endpoints cannot be read with this ENCRYPTION_KEY`),
  ]
}
