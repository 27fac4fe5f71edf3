// PostgreSQL, Temporal and Redis of the local run: started here, or those of the settings.
import { join } from 'node:path'
import type { LocalRun } from '../../settings.ts'
import { keepAlive, type Part } from './part.ts'
import { freePort } from './port.ts'
import { startPostgres } from './postgres.ts'
import { type Launched, onPath } from './process.ts'
import { startRedis } from './redis.ts'
import type { RunRecord } from './run-record.ts'
import { step, printLine } from './steps.ts'
import { findTemporal } from './temporal-binary.ts'
import { startTemporal } from './temporal.ts'

export interface Beside {
  local: LocalRun
  namespace: string
  record: RunRecord
  onLaunch(launched: Launched): void
  stopping: AbortSignal
}

export interface Addresses {
  databaseUrl: string
  temporalAddress: string
  temporalUiUrl: string | null
  redisUrl: string | null
}

type Ports = Record<'postgres' | 'temporal' | 'temporalUi' | 'redis', number>

/** Starts the servers that the settings do not name, in parallel, and keeps them running. */
export async function startMachines(beside: Beside): Promise<Addresses> {
  const ports = await choosePorts(beside.record)
  const [databaseUrl, temporal, redisUrl] = await allOf([
    database(beside, ports),
    temporalServer(beside, ports),
    redis(beside, ports),
  ])
  return { databaseUrl, ...temporal, redisUrl }
}

async function choosePorts(record: RunRecord): Promise<Ports> {
  const { lastPorts } = record
  const taken = new Set<number>()
  const ports: Ports = {
    postgres: await freePort(lastPorts.postgres, taken),
    temporal: await freePort(lastPorts.temporal, taken),
    temporalUi: await freePort(lastPorts.temporalUi, taken),
    redis: await freePort(lastPorts.redis, taken),
  }
  record.notePorts(ports)
  return ports
}

// Waits for every part, even if one fails: a part must have started before it can be stopped.
async function allOf<T extends unknown[]>(parts: { [I in keyof T]: Promise<T[I]> }): Promise<T> {
  await Promise.allSettled(parts)
  return (await Promise.all(parts)) as T
}

async function database(beside: Beside, ports: Ports): Promise<string> {
  const { local, onLaunch } = beside
  if (local.databaseUrl) {
    printLine('PostgreSQL', 'yours', withoutPassword(local.databaseUrl), 'DATABASE_URL')
    return local.databaseUrl
  }
  let version = ''
  const log = logOf(local, 'postgres')
  const dataDir = join(local.dataDir, 'postgres')
  const start = async () => {
    const machine = await startPostgres({
      dataDir,
      port: ports.postgres,
      log,
      durable: true,
      inherited: local.inherited,
      onLaunch,
    })
    version = machine.version
    return machine
  }
  return up(beside, { name: 'PostgreSQL', log, start, detail: () => `127.0.0.1:${ports.postgres} (${version})` })
}

async function temporalServer(
  beside: Beside,
  ports: Ports,
): Promise<{ temporalAddress: string; temporalUiUrl: string | null }> {
  const { local, namespace, onLaunch, stopping } = beside
  if (local.temporalAddress) {
    printLine('Temporal', 'yours', local.temporalAddress, 'TEMPORAL_ADDRESS')
    return { temporalAddress: local.temporalAddress, temporalUiUrl: null }
  }
  const log = logOf(local, 'temporal')
  let binary = ''
  const start = () =>
    startTemporal({
      binary,
      namespace,
      databaseFile: join(local.dataDir, 'temporal', 'temporal.db'),
      port: ports.temporal,
      uiPort: ports.temporalUi,
      log,
      inherited: local.inherited,
      onLaunch,
    })
  const find = async (say: (line: string) => void) => {
    binary = await findTemporal({ ...local, say, stopping })
  }
  const temporalAddress = await up(beside, { name: 'Temporal', log, start, detail: ({ url }) => url }, find)
  return { temporalAddress, temporalUiUrl: `http://127.0.0.1:${ports.temporalUi}` }
}

async function redis({ local, ...beside }: Beside, ports: Ports): Promise<string | null> {
  if (local.redisUrl) {
    printLine('Redis', 'yours', withoutPassword(local.redisUrl), 'REDIS_URL')
    return local.redisUrl
  }
  const binary = onPath('redis-server', local.path)
  if (!binary) {
    printLine('Redis', 'none', 'limits are counted in the API process')
    return null
  }
  const log = logOf(local, 'redis')
  const dataDir = join(local.dataDir, 'redis')
  const { inherited } = local
  const start = () => startRedis({ binary, dataDir, port: ports.redis, log, inherited, onLaunch: beside.onLaunch })
  return up({ local, ...beside }, { name: 'Redis', log, start, detail: () => `127.0.0.1:${ports.redis}` })
}

async function up(
  { stopping }: Beside,
  part: Part,
  prepare: (say: (line: string) => void) => Promise<void> = async () => undefined,
): Promise<string> {
  return step(part.name, async (say) => {
    await prepare(say)
    const machine = await part.start()
    void keepAlive(part, machine, stopping)
    return [part.detail(machine), machine.url]
  })
}

function logOf(local: LocalRun, name: string): string {
  return join(local.dataDir, 'logs', `${name}.log`)
}

function withoutPassword(url: string): string {
  try {
    const { host, pathname } = new URL(url)
    return `${host}${pathname}`
  } catch {
    return '(an address that is no URL)'
  }
}
