// Examines a running service: what is unavailable, and what is stuck in PostgreSQL and in Temporal.
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Finding } from '../../audit/stuck/check.ts'
import { openEngine } from '../../gateways/temporal/engine.ts'
import { openDatabase } from '../../models/database.ts'
import { readLocalRun, temporalOf, type Settings } from '../../settings.ts'
import { examineDatabase } from './database.ts'
import { examinePdfs } from './pdfs.ts'
import { isStarting, whileStarting } from './starting.ts'
import { examineTemporal } from './temporal.ts'

const REDIS_MS = 2_000
const TEMPORAL_MS = 30_000

/** Returns everything that is found. A part that does not answer is a finding, and what needs it is left out. */
export async function examine(settings: Settings, now: Date): Promise<Finding[]> {
  const { temporalAddress: address, temporalNamespace: namespace, temporalQueueSuffix: queueSuffix } = settings
  const { encryptionKey } = settings
  const engine = openEngine(temporalOf(settings))
  const database = openDatabase({ url: settings.databaseUrl, pool: 1, name: 'bahi doctor' })
  try {
    const [stored, reachable, redis] = await Promise.all([
      examineDatabase(
        database,
        { encryptionKey, queueSuffix, retainIdempotencyDays: settings.retainIdempotency },
        now,
      ).catch(away('PostgreSQL')),
      engine.isReachable(),
      settings.redisUrl === null ? [] : redisFindings(settings.redisUrl),
    ])
    const isReadable = !stored.some(({ check }) => check === 'PostgreSQL' || check === 'migrations')
    const temporal = !reachable
      ? [unavailable('Temporal', `no answer at ${address} in the namespace ${namespace}`)]
      : isReadable
        ? await within(
            examineTemporal({ engine, database, queueSuffix, ladderSeconds: settings.webhookLadderSeconds, now }),
          ).catch(away('Temporal'))
        : []
    const pdfs = examinePdfs({ engine: settings.pdfEngine, path: readLocalRun().path })
    const found = [...stored, ...temporal, ...pdfs, ...redis]
    return isReadable && (await isStarting(database, queueSuffix, now)) ? whileStarting(found) : found
  } finally {
    await engine.close()
    await database.close()
  }
}

const unavailable = (check: string, why: string): Finding => ({
  check,
  severity: 'stuck',
  problem: `${check} does not answer, or refuses: ${why}`,
  mend: `restore ${check} (docs/running.md, "When a part is unavailable"); nothing else needs a restart`,
})

const away = (check: string) => (error: AggregateError) => [
  unavailable(check, error.message || error.errors?.map(String).join('; ') || String(error)),
]

async function within<T>(examined: Promise<T>): Promise<T> {
  const stop = new AbortController()
  const late = delay(TEMPORAL_MS, null, { signal: stop.signal }).then(() => {
    throw new Error(`no answer within ${TEMPORAL_MS / 1000} s`)
  })
  return Promise.race([examined, late]).finally(() => {
    stop.abort()
    late.catch(() => undefined)
  })
}

// Any answer will do: a server that asks for a password is there.
async function redisFindings(url: string): Promise<Finding[]> {
  const { hostname: host, port } = new URL(url)
  try {
    await new Promise<void>((resolve, reject) => {
      const socket = connect({ host, port: Number(port || 6379), timeout: REDIS_MS }, () => socket.write('PING\r\n'))
      socket.once('data', () => socket.destroy() && resolve())
      socket.once('timeout', () => socket.destroy(new Error('no answer')))
      socket.once('error', reject)
    })
    return []
  } catch (error) {
    return [{ ...unavailable('Redis', `${(error as Error).message} at ${host}`), severity: 'notice' }]
  }
}
