// The readiness probe behind GET /health/ready: which parts of the service respond.
import { connect } from 'node:net'
import type { Connection } from '../models/connection.ts'
import type { BlobStore } from '../gateways/storage/blobs.ts'
import type { Settings } from '../settings.ts'
import type { Readiness } from './http/origin.ts'
import type { Limiter } from './http/rate-limit.ts'

/** How long a part has to respond before it counts as unavailable, in ms. */
export const PROBE_TIMEOUT_MS = 1_000
const WORKER_SILENCE_MS = 6_000

const LAST_SEEN = { name: 'last seen', text: 'SELECT seen_at FROM process_heartbeats WHERE name = $1' }

/** Probes all parts concurrently. A part that does not respond within PROBE_TIMEOUT_MS is reported as `away`. */
export function createReadinessProbe(
  settings: Settings,
  connection: Connection,
  limiter: Limiter,
  blobs: BlobStore,
): () => Promise<Readiness> {
  return async () => {
    const worker = within(connection.run<{ seen_at: Date }>(LAST_SEEN, ['worker']))
    const storage = settings.azureStorageConnectionString === null ? 'not configured' : within(blobs.isReachable())
    const [seen, temporal, stored] = await Promise.all([worker, within(reach(settings.temporalAddress)), storage])
    const silence = Date.now() - (seen?.[0]?.seen_at.getTime() ?? 0)
    return {
      api: 'up',
      database: seen === null ? 'away' : 'up',
      temporal: temporal === null ? 'away' : 'up',
      worker: silence > WORKER_SILENCE_MS ? 'away' : 'up',
      redis: limiter.state(),
      storage: stored === 'not configured' ? stored : stored ? 'up' : 'away',
    }
  }
}

// Only opens a connection to Temporal. Whether Temporal works shows in the worker's heartbeat, which is written while it polls.
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
