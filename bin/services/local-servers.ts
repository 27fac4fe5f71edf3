// PostgreSQL, Temporal, Redis, the blob store and the mailbox of the local run: started here, or those of the settings.
import { join } from 'node:path'
import type { LocalRun } from '../../settings.ts'
import { answersAt, startAzurite } from './azurite.ts'
import { type Migrating, serviceLogin, urlFor } from './local-roles.ts'
import { keepAlive, type RunPart } from './keep-alive.ts'
import { startMailbox } from './mailbox.ts'
import { freePort } from './port.ts'
import { startPostgres } from './postgres.ts'
import { type Launched, onPath } from './process.ts'
import { startRedis } from './redis.ts'
import type { RunRecord } from './run-record.ts'
import { step, printLine } from './steps.ts'
import { findTemporal } from './temporal-binary.ts'
import { startTemporal } from './temporal.ts'

export interface StartContext {
  local: LocalRun
  namespace: string
  record: RunRecord
  onLaunch(launched: Launched): void
  stopping: AbortSignal
  /** The origin of the API, which is started afterwards. */
  origin: string
}

export interface Addresses {
  databaseUrl: string
  migrating: Migrating
  temporalAddress: string
  temporalUiUrl: string | null
  /** Decrypts for Temporal's UI and CLI. */
  codecUrl: string
  redisUrl: string | null
  storageConnectionString: string
  /** Null where mail goes to the provider of the settings. */
  mailboxUrl: string | null
}

type Ports = Record<'postgres' | 'temporal' | 'temporalUi' | 'codec' | 'redis' | 'azurite' | 'mailbox', number>

/** Starts the servers that the settings do not name, in parallel, and keeps them running. */
export async function startServers(context: StartContext, encryptionKey: string): Promise<Addresses> {
  const ports = await choosePorts(context.record)
  const [{ databaseUrl, migrating }, temporal, redisUrl, storageConnectionString, mailboxUrl] = await allOf([
    database(context, ports),
    temporalServer(context, ports),
    redis(context, ports),
    blobStore(context, ports),
    mailbox(context, ports),
  ])
  const codecUrl = await startCodec(ports, encryptionKey, temporal.temporalUiUrl)
  return { databaseUrl, migrating, ...temporal, codecUrl, redisUrl, storageConnectionString, mailboxUrl }
}

async function choosePorts(record: RunRecord): Promise<Ports> {
  const { lastPorts } = record
  const taken = new Set<number>()
  const ports: Ports = {
    postgres: await freePort(lastPorts.postgres, taken),
    temporal: await freePort(lastPorts.temporal, taken),
    temporalUi: await freePort(lastPorts.temporalUi, taken),
    codec: await freePort(lastPorts.codec, taken),
    redis: await freePort(lastPorts.redis, taken),
    azurite: await freePort(lastPorts.azurite, taken),
    mailbox: await freePort(lastPorts.mailbox, taken),
  }
  record.notePorts(ports)
  return ports
}

// Waits for every part, even if one fails: a part must have started before it can be stopped.
async function allOf<T extends unknown[]>(parts: { [I in keyof T]: Promise<T[I]> }): Promise<T> {
  await Promise.allSettled(parts)
  return (await Promise.all(parts)) as T
}

async function database(context: StartContext, ports: Ports): Promise<Pick<Addresses, 'databaseUrl' | 'migrating'>> {
  const { local, onLaunch } = context
  if (local.databaseUrl && !isOwn(local.databaseUrl, context.record.lastPorts.postgres)) {
    printLine('PostgreSQL', 'yours', withoutPassword(local.databaseUrl), 'DATABASE_URL')
    return { databaseUrl: local.databaseUrl, migrating: { url: local.databaseUrl, service: null } }
  }
  let version = ''
  const log = logOf(local, 'postgres')
  const dataDir = join(local.dataDir, 'postgres')
  const start = async () => {
    const server = await startPostgres({
      dataDir,
      port: ports.postgres,
      log,
      durable: true,
      inherited: local.inherited,
      onLaunch,
    })
    version = server.version
    return server
  }
  const detail = () => `127.0.0.1:${ports.postgres} (${version})`
  const url = await up(context, { name: 'PostgreSQL', log, start, detail })
  const service = serviceLogin(local.dataDir)
  return { databaseUrl: urlFor(service, url), migrating: { url, service } }
}

async function temporalServer(
  context: StartContext,
  ports: Ports,
): Promise<{ temporalAddress: string; temporalUiUrl: string | null }> {
  const { local, namespace, onLaunch, stopping } = context
  if (local.temporalAddress && !isOwn(local.temporalAddress, context.record.lastPorts.temporal)) {
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
      codecUrl: urlOf(ports.codec),
      log,
      inherited: local.inherited,
      onLaunch,
    })
  const find = async (say: (line: string) => void) => {
    binary = await findTemporal({ ...local, say, stopping })
  }
  const temporalAddress = await up(context, { name: 'Temporal', log, start, detail: ({ url }) => url }, find)
  return { temporalAddress, temporalUiUrl: urlOf(ports.temporalUi) }
}

// An operator's shell may have exported the address of the run's own server, for Temporal's CLI or psql: that is no other server.
const isOwn = (address: string, port: number | undefined) =>
  new RegExp(`(^|@)(127\\.0\\.0\\.1|localhost|\\[::1\\]):${port}(/|$)`).test(address)

const urlOf = (port: number) => `http://127.0.0.1:${port}`

// In this process: it answers as long as the run lasts, also while the worker is down.
async function startCodec(ports: Ports, encryptionKey: string, uiUrl: string | null): Promise<string> {
  const [{ openCodecServer }, { createPayloadCodec }] = await Promise.all([
    import('../../gateways/temporal/codec-server.ts'),
    import('../../gateways/temporal/payload-codec.ts'),
  ])
  const origins = uiUrl ? [uiUrl, uiUrl.replace('127.0.0.1', 'localhost')] : []
  await openCodecServer({ host: '127.0.0.1', port: ports.codec, codec: createPayloadCodec(encryptionKey), origins })
  return urlOf(ports.codec)
}

async function redis({ local, ...context }: StartContext, ports: Ports): Promise<string | null> {
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
  const start = () => startRedis({ binary, dataDir, port: ports.redis, log, inherited, onLaunch: context.onLaunch })
  return up({ local, ...context }, { name: 'Redis', log, start, detail: () => `127.0.0.1:${ports.redis}` })
}

async function blobStore(context: StartContext, { azurite: port }: Ports): Promise<string> {
  const { local, onLaunch } = context
  if (local.storageConnectionString) {
    printLine('Blob store', 'yours', 'AZURE_STORAGE_CONNECTION_STRING')
    return local.storageConnectionString
  }
  const log = logOf(local, 'azurite')
  const dataDir = join(local.dataDir, 'azurite')
  const { inherited } = local
  const start = () => startAzurite({ dataDir, durable: true, port, log, inherited, onLaunch })
  const answers = () => answersAt(port)
  return up(context, { name: 'Azurite', log, start, answers, detail: () => `127.0.0.1:${port}` })
}

async function mailbox({ local, ...context }: StartContext, ports: Ports): Promise<string | null> {
  if (local.hasMailProvider) {
    printLine('Mailbox', 'none', 'mail goes to the provider of the settings')
    return null
  }
  const log = logOf(local, 'mailbox')
  const folder = join(local.dataDir, 'mailbox')
  const { inherited } = local
  const { onLaunch, origin } = context
  const eventsUrl = `${origin}/internal/v1/mail/events`
  const start = () => startMailbox({ folder, port: ports.mailbox, log, inherited, eventsUrl, onLaunch })
  return up({ local, ...context }, { name: 'Mailbox', log, start, detail: ({ url }) => url })
}

async function up(
  { stopping }: StartContext,
  part: RunPart,
  prepare: (say: (line: string) => void) => Promise<void> = async () => undefined,
): Promise<string> {
  return step(part.name, async (say) => {
    await prepare(say)
    const server = await part.start()
    // None of these refuses for good.
    void keepAlive(part, server, stopping)
    return [part.detail(server), server.url]
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
