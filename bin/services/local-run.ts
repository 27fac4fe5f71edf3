// The local run: starts every part in order, watches them, and stops them.
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { portProblem } from '../../gateways/health-port.ts'
import { type LocalRun, readSettings } from '../../settings.ts'
import { buildConsole } from './console-build.ts'
import { demoKeys } from './demo-keys.ts'
import { printReady } from './ready.ts'
import { startServers } from './local-servers.ts'
import type { RunPart } from './keep-alive.ts'
import { eventsKeyOf } from './mailbox.ts'
import { freePort, isFree } from './port.ts'
import { end, type Launched, type StartedServer, sizeOf, sleep } from './process.ts'
import { endLeftovers, openRunRecord, type RunRecord } from './run-record.ts'
import { isLive, startApi, startWorker, STOP_PATIENCE_MS, waitUntilReady } from './bahi.ts'
import { PartRefused, refusalIn } from './part-log.ts'
import { printRemedy } from './remedies.ts'
import { environmentOf } from './service-environment.ts'
import { secondsSince, step, printLine } from './steps.ts'

// A part is stopped before those that it uses.
const STOP_ORDER = ['API', 'Worker', 'Mailbox', 'Temporal', 'Redis', 'Azurite', 'PostgreSQL']

const LONG_LOG_BYTES = 20_000_000

/** Watches a part of the service, which may have failed to start, until `stopping`. */
export type Watch = (part: RunPart, started: StartedServer | Error, stopping: AbortSignal) => Promise<void>

interface Run {
  /** Rejected by a part that no repeat would start. */
  refused: PromiseWithResolvers<never>
  local: LocalRun
  watch: Watch
  begun: number
  stopping: AbortController
  /** Aborted by a second signal: parts that have not ended are killed. */
  hurry: AbortController
}

/** Runs all parts until a signal, then stops them and exits; `watch` watches the API and the worker. */
export async function runLocally(local: LocalRun, watch: Watch): Promise<never> {
  const run: Run = {
    local,
    watch,
    begun: Date.now(),
    stopping: new AbortController(),
    hurry: new AbortController(),
    refused: Promise.withResolvers(),
  }
  run.refused.promise.catch(() => undefined)
  // A closed terminal must not end this process before all parts are stopped.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  let record: RunRecord | undefined
  try {
    const settings = readSettings({
      ...local.inherited,
      // Both are created below, after the data folder is locked; here the other settings are validated before anything is started.
      DATABASE_URL: local.databaseUrl ?? 'postgres://made-at-start',
      ENCRYPTION_KEY: local.encryptionKey ?? randomBytes(32).toString('base64'),
    })
    record = await openRunRecord(local.dataDir, local.underNpm ? process.ppid : undefined)
    const stopRequested = onStopSignal(run)
    const up = bringUp(run, record, settings)
    await Promise.race([stopRequested, up, run.refused.promise])
    await Promise.race([stopRequested, run.refused.promise])
    await stopAll(run, record)
    // An interrupted build or initdb removes its files.
    await Promise.race([up.catch(() => undefined), sleep(3000, run.hurry.signal)])
    process.exit(0)
  } catch (error) {
    // The error of a connection refused at every address of a name has its messages in `errors`.
    const { message, errors } = error as AggregateError
    console.error(`\n${message || errors?.map(String).join('; ') || String(error)}`)
    if (error instanceof PartRefused) await printRemedy(local, error.why)
    if (record) await stopAll(run, record)
    process.exit(1)
  }
}

// Ctrl-C arrives twice, from the terminal and from npm, so only a signal after more than a second is a second one.
function onStopSignal({ stopping, hurry }: Run): Promise<void> {
  return new Promise((resolve) => {
    let first = 0
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (first === 0) first = Date.now()
        else if (Date.now() - first > 1000) hurry.abort()
        stopping.abort()
        resolve()
      })
    }
  })
}

type Settings = ReturnType<typeof readSettings>

async function bringUp(run: Run, record: RunRecord, settings: Settings): Promise<void> {
  const { local, stopping } = run
  printLine('Data folder', local.dataDir)
  rotateLogs(join(local.dataDir, 'logs'))
  if (record.leftovers.length > 0) {
    const names = record.leftovers.map(({ name, pid }) => `${name} (${pid})`).join(', ')
    printLine('Leftovers', `of a run that was killed are ended: ${names}`)
    await endLeftovers(record.leftovers)
  }
  const { port, host } = await choosePorts(settings)
  const onLaunch = (launched: Launched) => {
    record.noteChild(launched)
    if (stopping.signal.aborted) void end(launched, { patienceMs: 0 })
  }
  // Loaded while the servers start.
  const schema = import('../../models/migrate.ts')
  const hasConsole = step('Console', async () => [await buildConsole(), true]).catch((error: Error) => {
    printLine('Console', error.message)
    return false
  })
  const stopped = stopping.signal
  const namespace = settings.temporalNamespace
  const encryptionKey = local.encryptionKey ?? keptEncryptionKey(local)
  const origin = `http://${reachable(host)}:${port}`
  const addresses = await startServers({ local, namespace, record, onLaunch, stopping: stopped, origin }, encryptionKey)
  await step(
    'Schema',
    async (say) => {
      const { url, service } = addresses.migrating
      const applied = await (await schema).migrate(url, { service, tell: say })
      return [applied.length > 0 ? `${applied.length} migrations applied` : 'nothing to do', applied]
    },
    'current',
  )

  const mailEventsKey = addresses.mailboxUrl === null ? null : await eventsKeyOf(addresses.mailboxUrl)
  const environment = environmentOf(local, addresses, { port, encryptionKey, mailEventsKey })
  record.noteServices(environment)
  if (addresses.temporalUiUrl === null) {
    const { examineNamedTemporal } = await import('./named-temporal.ts')
    await examineNamedTemporal(environment, (line) => printLine('Temporal', line))
  }
  await startService(run, origin, environment, onLaunch)
  const probed = settings.healthPortOnly ? `http://${reachable(host)}:${settings.healthPort}` : origin
  await step('Service', async (say) => {
    await waitUntilReady(probed, stopped, say)
    return ['every part answers', true]
  })
  if (stopped.aborted) return
  const keys = await demoKeys(local, addresses.databaseUrl, `${origin}/api/public/v1`)
  printReady(run, origin, { ...addresses, hasConsole: await hasConsole }, keys)
}

// Renames logs above LONG_LOG_BYTES to .log.1, which replaces the previous one.
function rotateLogs(folder: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.log'))) {
    const log = join(folder, name)
    if (sizeOf(log) > LONG_LOG_BYTES) renameSync(log, `${log}.1`)
  }
}

async function choosePorts(settings: Settings): Promise<{ port: number; host: string }> {
  const { port, host, healthPort } = settings
  const problem = portProblem(settings)
  if (problem !== null) throw new Error(problem)
  if (healthPort !== null && !(await isFree(healthPort, host)))
    throw new Error(
      `Port ${healthPort} of ${host}, the HEALTH_PORT, is taken by another program.\n` +
        '  Remedy: stop that program, or choose another HEALTH_PORT; npm start needs none',
    )
  if (port === 0) return { port: await freePort(undefined), host }
  if (await isFree(port, host)) return { port, host }
  throw new Error(
    `Port ${port} of ${host} is taken by another program.\n` +
      `  Remedy: stop that program, or choose another port: PORT=${port + 1} npm start` +
      `\n  (a second copy beside a running one also needs a folder of its own: PORT=${port + 1} DATA_DIR=.data-2 npm start)`,
  )
}

// The address to connect to, for a host that may be a wildcard address.
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

// Webhook secrets and histories are encrypted with this key, so it must be kept as long as the data.
function keptEncryptionKey(local: LocalRun): string {
  const file = join(local.dataDir, 'encryption.key')
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('base64'), { mode: 0o600, flush: true })
  return readFileSync(file, 'utf8').trim()
}

async function startService(
  { local, watch, stopping, refused }: Run,
  origin: string,
  environment: NodeJS.ProcessEnv,
  onLaunch: (launched: Launched) => void,
): Promise<void> {
  const log = (name: string) => join(local.dataDir, 'logs', `${name}.log`)
  const options = (name: string) => ({ log: log(name), environment, onLaunch })
  const part = (name: string, log: string, begin: () => Promise<StartedServer>): Omit<RunPart, 'detail'> => {
    let from = 0
    const start = () => {
      from = sizeOf(log)
      return begin()
    }
    return { name, log, start, answers: ({ url }) => isLive(url), refusal: () => refusalIn(log, from) }
  }
  const parts: RunPart[] = [
    { ...part('API', log('api'), () => startApi(options('api'), origin)), detail: ({ url }) => url },
    // Its port is only used by the health check.
    {
      ...part('Worker', log('worker'), () => startWorker(options('worker'))),
      detail: ({ process: { pid } }) => `process ${pid}`,
    },
  ]
  await Promise.all(
    parts.map(async (part) => {
      const started = Date.now()
      const server = await part.start().catch((error: Error) => error)
      if (!(server instanceof Error)) printLine(part.name, 'started', part.detail(server), secondsSince(started))
      watch(part, server, stopping.signal).catch(refused.reject)
    }),
  )
}

async function stopAll({ stopping, hurry }: Run, record: RunRecord): Promise<void> {
  stopping.abort()
  const nothing = record.children().length === 0
  for (const name of STOP_ORDER) {
    const child = record.children().find((other) => other.name === name)
    if (!child) continue
    const since = Date.now()
    await end(child, { patienceMs: STOP_PATIENCE_MS, hurry: hurry.signal })
    printLine(name, 'stopped', '', secondsSince(since))
  }
  record.close()
  if (!nothing) console.log('Everything is stopped.')
}
