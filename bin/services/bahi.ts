// Starts the API and the worker as parts of the local run.
import { join } from 'node:path'
import { PROBE_MS } from './keep-alive.ts'
import { freePort } from './port.ts'
import { end, lastLines, launch, type Launched, type StartedServer, sizeOf, sleep } from './process.ts'

/** How long a process has to stop; then it is killed. */
export const STOP_PATIENCE_MS = 15_000

const ROOT = join(import.meta.dirname, '..', '..')

export interface ServiceOptions {
  log: string
  environment: NodeJS.ProcessEnv
  onLaunch(launched: Launched): void
  /** Whether the API goes first while all processors are busy. */
  isBackground?: boolean
}

/** Starts the API and waits until it responds at `origin`; throws an Error with the last lines of its log if it ends, or after a minute. */
export function startApi(options: ServiceOptions, origin: string): Promise<StartedServer> {
  return startAnswering('API', 'api/server.ts', options, origin)
}

/**
 * Starts the worker and waits, like startApi, until it responds on a health port of its own. Whether it takes work shows in
 * the API's /health/ready.
 */
export async function startWorker({ environment, ...options }: ServiceOptions): Promise<StartedServer> {
  const port = await freePort(undefined)
  const own = { ...environment, HOST: '127.0.0.1', HEALTH_PORT: String(port) }
  const worker = { ...options, environment: own, isBackground: true }
  return startAnswering('Worker', 'worker/worker.ts', worker, `http://127.0.0.1:${port}`)
}

async function startAnswering(
  name: string,
  file: string,
  options: ServiceOptions,
  origin: string,
): Promise<StartedServer> {
  const { log } = options
  const from = sizeOf(log)
  const server = await startNode(name, file, options)
  const deadline = Date.now() + 60_000
  while (!(await isLive(origin))) {
    if (server.process.hasEnded()) {
      throw new Error(
        `it ended at start (${await server.process.ended}); the last lines of ${log}:\n${lastLines(log, 5, from)}`,
      )
    }
    if (Date.now() > deadline) {
      await server.stop()
      throw new Error(`no answer from ${origin}/health/live within a minute; see ${log}`)
    }
    await sleep(50)
  }
  return { ...server, url: origin }
}

async function startNode(
  name: string,
  file: string,
  { log, environment, onLaunch, isBackground }: ServiceOptions,
): Promise<StartedServer> {
  const args = [join(ROOT, file)]
  const launched = await launch({ name, command: process.execPath, args, log, env: environment, isBackground })
  onLaunch(launched)
  return {
    url: `process ${launched.pid}`,
    process: launched,
    stop: () => end(launched, { patienceMs: STOP_PATIENCE_MS }),
  }
}

/**
 * Whether the API or the worker responds to a probe within PROBE_MS. An error status counts as a response, and so does a
 * connection that is closed: a process with too many connections works, and a restart would not help. Only silence means
 * that the process hangs.
 */
export async function isLive(origin: string): Promise<boolean> {
  try {
    const answer = await fetch(`${origin}/health/live`, {
      signal: AbortSignal.timeout(PROBE_MS),
      headers: { connection: 'close' },
    })
    await answer.body?.cancel()
    return true
  } catch (error) {
    return CLOSED_BY_PEER.has(((error as Error).cause as NodeJS.ErrnoException | undefined)?.code ?? '')
  }
}

const CLOSED_BY_PEER = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** Waits until /health/ready is 200; prints its answer every ten seconds until then. */
export async function waitUntilReady(
  origin: string,
  stopping: AbortSignal,
  say: (line: string) => void,
): Promise<void> {
  let printedAt = Date.now()
  while (!stopping.aborted) {
    let state: string
    try {
      const answer = await fetch(`${origin}/health/ready`, { signal: AbortSignal.timeout(5000) })
      state = await answer.text()
      if (answer.ok) return
    } catch (error) {
      state = (error as Error).message
    }
    if (Date.now() - printedAt > 10_000) {
      say(`not ready yet: ${state}`)
      printedAt = Date.now()
    }
    await sleep(100, stopping)
  }
}
