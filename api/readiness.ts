// The readiness probe behind GET /health/ready: which parts of the service respond, and which queues have a worker.
import { connect } from 'node:net'
import type { Database } from '../models/database.ts'
import { queuesServed, type Served } from '../models/heartbeat.ts'
import type { BlobStore } from '../gateways/storage/blobs.ts'
import type { Settings } from '../settings.ts'
import type { ClockState, QueueState, Readiness } from './http/origin.ts'
import type { Limiter } from './http/rate-limit.ts'
import { QUEUES } from '../domain/task-queues.ts'

/** How long a part has to respond before it counts as unavailable, in ms. */
export const PROBE_TIMEOUT_MS = 1_000
/** The clocks of this process and of PostgreSQL may differ by as much, in ms. */
export const CLOCK_SKEW_MS = 3_000

/** Probes all parts concurrently. A part that does not respond within PROBE_TIMEOUT_MS is reported as `away`. */
export function createReadinessProbe(
  settings: Settings,
  database: Pick<Database, 'observe'>,
  limiter: Limiter,
  blobs: BlobStore,
  isStarting: () => boolean,
): () => Promise<Readiness> {
  return async () => {
    const storage = settings.azureStorageConnectionString === null ? 'not configured' : within(blobs.isReachable())
    const [asked, temporal, stored] = await Promise.all([
      within(askServed(database, settings.temporalQueueSuffix)),
      within(reach(settings.temporalAddress)),
      storage,
    ])
    return {
      parts: {
        api: isStarting() ? 'starting' : 'up',
        database: asked === null ? 'away' : 'up',
        temporal: temporal === null ? 'away' : 'up',
        worker: asked?.served.hasWorker ? 'up' : 'away',
        redis: limiter.state(),
        storage: stored === 'not configured' ? stored : stored ? 'up' : 'away',
      },
      queues: queueStates(asked?.served ?? null),
      clock: asked?.clock ?? { state: 'unknown' },
    }
  }
}

async function askServed(database: Pick<Database, 'observe'>, suffix: string) {
  const asked = Date.now()
  const served = await queuesServed(database, suffix)
  return { served, clock: clockState(served.now.getTime(), asked, Date.now()) }
}

/** How the database's clock differs from one that showed `asked` before the database was asked, and `answered` afterwards. */
export function clockState(databaseMs: number, asked: number, answered: number): ClockState {
  // The database read its clock somewhere between the two.
  const aheadMs = databaseMs > answered ? databaseMs - answered : Math.min(0, databaseMs - asked)
  if (Math.abs(aheadMs) <= CLOCK_SKEW_MS) return { state: 'up' }
  return { state: 'skewed', database_ahead_seconds: Math.round(aheadMs / 100) / 10 }
}

function queueStates(served: Served | null): Record<string, QueueState> {
  if (!served) return Object.fromEntries(QUEUES.map((queue) => [queue, { state: 'unknown' }]))
  return Object.fromEntries(
    served.queues.map(({ queue, seenAt, isServed }) => [
      queue,
      isServed ? { state: 'up' } : { state: 'away', since: seenAt?.toISOString() ?? null },
    ]),
  )
}

// Only opens a connection to Temporal. Whether Temporal works shows in the workers' heartbeats, which are written while they poll.
function reach(address: string): Promise<true> {
  const [host = '', port = ''] = address.split(/:(?=\d+$)/)
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), timeout: PROBE_TIMEOUT_MS })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('timeout', () => {
      socket.destroy()
      reject(new Error('no answer'))
    })
    socket.once('error', reject)
  })
}

function within<T>(probe: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, PROBE_TIMEOUT_MS, null)
  })
  return Promise.race([probe.catch(() => null), timeout]).finally(() => clearTimeout(timer))
}
