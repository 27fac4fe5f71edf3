// A whole installation for a test: PostgreSQL, Temporal and Redis of its own, and two APIs and two workers as processes on them.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openMailbox } from '../../bin/mailbox/server.ts'
import { freePort } from '../../bin/services/port.ts'
import { startPostgres, type Postgres } from '../../bin/services/postgres.ts'
import { lastLines, onPath, type StartedServer } from '../../bin/services/process.ts'
import { startRedis } from '../../bin/services/redis.ts'
import { findTemporal } from '../../bin/services/temporal-binary.ts'
import { openDatabase, type Database } from '../../models/database.ts'
import { mintPartnerKey } from '../../models/partner-key.ts'
import { readLocalRun } from '../../settings.ts'
import { ROOT } from '../fixtures/root.ts'
import { openTemporalServer, type TemporalServer } from '../fixtures/temporal-server.ts'
import { statusOf, until } from '../start/local-run.ts'
import { workflowBundle } from '../workflows/bundle.ts'

export const PROCESSES = ['Worker 1', 'Worker 2', 'API 1', 'API 2'] as const
export type ProcessName = (typeof PROCESSES)[number]

export interface Installation {
  /** The addresses of the two APIs. */
  addresses: string[]
  partnerKey: string
  mailboxUrl: string
  database: Database
  databaseUrl: string
  temporal: TemporalServer
  postgres: { pid(): number; restart(): Promise<void> }
  /** Null where redis-server is not installed. */
  redis: { kill(): Promise<void>; start(): Promise<void> } | null
  /** The settings of every process that is started from now on. */
  env: Record<string, string>
  /** Migrates to the schema of this checkout, as the owner, and lets what is started from now on connect as the role of the service. */
  migrate(): Promise<void>
  /** Starts a process and waits until it serves; from another checkout where one is named. */
  start(name: ProcessName, checkout?: string): Promise<void>
  /** Ends a process at once, as the system would. */
  kill(name: ProcessName): Promise<void>
  /** Tells a process to stop, and answers how it ended: its exit code, or the signal. */
  drain(name: ProcessName): Promise<number | string>
  /** Runs a program of the checkout as an operator does; answers what it says. Throws where it fails. */
  operate(program: string, settings?: Record<string, string>, checkout?: string): Promise<string>
  /** Runs Temporal's own program on this installation's server; answers what it says. */
  temporalCli(...args: string[]): Promise<string>
  /** The last lines of the logs of all processes. */
  output(): string
  /** Lines of the logs that no call should cause. */
  unhandled(): string[]
  close(): Promise<void>
}

const READY_MS = 90_000

/** Starts everything, with the schema and the processes of a checkout. */
export async function openInstallation(settings: Record<string, string>, checkout = ROOT): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'bahi-operations-'))
  const logOf = (name: string) => join(folder, 'logs', `${name.replace(' ', '-').toLowerCase()}.log`)
  mkdirSync(join(folder, 'logs'))
  const parts = await startParts(folder, logOf)
  const mailbox = await openMailbox({ port: 0, folder: join(folder, 'mailbox') })
  const ports = new Map<ProcessName, number>()
  for (const name of PROCESSES) ports.set(name, await freePort(undefined, new Set(ports.values())))
  const env: Record<string, string> = {
    DATABASE_URL: parts.databaseUrl, DATABASE_POOL: '10', TEMPORAL_ADDRESS: parts.temporal.address, LOG_LEVEL: 'warn',
    ...(parts.redisUrl && { REDIS_URL: parts.redisUrl }),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'), AZURE_STORAGE_CONNECTION_STRING: process.env.TEST_AZURE_STORAGE_CONNECTION_STRING ?? '',
    AZURE_STORAGE_CONTAINER: `operations-${randomBytes(6).toString('hex')}`, RATE_LIMIT_PARTNER: '1000000', PDF_WARM_UP: 'false',
    MAIL_API_URL: mailbox.url, SENDGRID_API_KEY: 'SG.operations', MAIL_FROM: 'books@bahi.test',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', WEBHOOK_ALLOW_HTTP: 'true', ...settings,
  }
  const running = new Map<ProcessName, ChildProcess>()

  async function start(name: ProcessName, from = checkout): Promise<void> {
    const isApi = name.startsWith('API')
    const port = String(ports.get(name))
    // The workflows of this checkout are bundled once for all its workers; another one has its own.
    const own = isApi ? { PORT: port } : { HEALTH_PORT: port, ...(from === ROOT && { WORKFLOW_BUNDLE: await workflowBundle() }) }
    const log = openSync(logOf(name), 'a')
    const child = spawn(process.execPath, [isApi ? 'api/server.ts' : 'worker/worker.ts'], { cwd: from, env: { ...process.env, ...env, ...own }, stdio: ['ignore', log, log] })
    closeSync(log)
    running.set(name, child)
    const probe = `http://127.0.0.1:${port}/health/${isApi ? 'live' : 'ready'}`
    const isServing = async () => {
      if (child.exitCode !== null) throw new Error(`${name} ended at its start:\n${lastLines(logOf(name))}`)
      return (await statusOf(probe)) === 200
    }
    await until(isServing, READY_MS, () => `${name} does not serve:\n${lastLines(logOf(name))}`)
  }

  async function end(name: ProcessName, signal: NodeJS.Signals): Promise<number | string> {
    const child = running.get(name)
    if (!child || child.exitCode !== null || child.signalCode !== null) return 'not running'
    const ended = once(child, 'exit')
    child.kill(signal)
    const [code, by] = await ended
    return (code ?? by) as number | string
  }

  async function operate(program: string, more: Record<string, string> = {}, from = ROOT): Promise<string> {
    const [file, ...args] = program.split(' ')
    const { stdout } = await promisify(execFile)(process.execPath, [`bin/${file}.ts`, ...args], { cwd: from, env: { ...process.env, ...env, ...more } })
    return stdout
  }

  async function temporalCli(...args: string[]): Promise<string> {
    const binary = await findTemporal({ ...readLocalRun(), say: () => undefined })
    return (await promisify(execFile)(binary, [...args, '--address', parts.temporal.address])).stdout
  }

  await operate('migrate', {}, checkout)
  const database = openDatabase({ url: parts.databaseUrl, pool: 2, name: 'operations' })
  const partnerKey = await mintPartnerKey(database, 'Partner', new Date())
  const installation: Installation = {
    ...parts, env, database, partnerKey, start, operate, temporalCli, mailboxUrl: mailbox.url,
    addresses: PROCESSES.filter((name) => name.startsWith('API')).map((name) => `http://127.0.0.1:${ports.get(name)}/api/public/v1`),
    async migrate() {
      const [owner, role] = [new URL(parts.databaseUrl), { SERVICE_ROLE: 'bahi_service', SERVICE_PASSWORD: randomBytes(18).toString('base64url') }]
      await operate('migrate', { DATABASE_URL: owner.href, ...role })
      env.DATABASE_URL = Object.assign(owner, { username: role.SERVICE_ROLE, password: role.SERVICE_PASSWORD }).href
    },
    kill: async (name) => void (await end(name, 'SIGKILL')),
    drain: (name) => end(name, 'SIGTERM'),
    output: () => PROCESSES.map((name) => `${name}:\n${lastLines(logOf(name), 8)}`).join('\n'),
    unhandled: () => PROCESSES.flatMap((name) => readFileSync(logOf(name), 'utf8').split('\n').filter((line) => line.includes('unhandled error') || line.includes('"level":60'))),
    async close() {
      await Promise.all(PROCESSES.map((name) => end(name, 'SIGKILL')))
      await database.close()
      await mailbox.close()
      await parts.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await Promise.all(PROCESSES.map((name) => start(name)))
  return installation
}

async function startParts(folder: string, logOf: (name: string) => string) {
  const inherited = process.env
  const [postgresPort, redisPort] = [await freePort(undefined), await freePort(undefined)]
  const binary = onPath('redis-server', readLocalRun().path)
  // What is acknowledged must outlive the end of PostgreSQL.
  const startDatabase = () => startPostgres({ dataDir: join(folder, 'postgres'), port: postgresPort, log: logOf('postgres'), durable: true, inherited })
  const startCounter = () => startRedis({ binary: binary!, dataDir: join(folder, 'redis'), port: redisPort, log: logOf('redis'), inherited })
  const [temporal, first, firstRedis] = await Promise.all([openTemporalServer(), startDatabase(), binary === null ? null : startCounter()])
  let database: Postgres = first
  let redis: StartedServer | null = firstRedis
  return {
    temporal,
    databaseUrl: first.url,
    redisUrl: firstRedis?.url ?? null,
    postgres: {
      pid: () => database.process.pid,
      async restart() {
        await database.stop()
        database = await startDatabase()
      },
    },
    redis: firstRedis && {
      async kill() {
        process.kill(redis!.process.pid, 'SIGKILL')
        await redis!.process.ended
      },
      async start() {
        redis = await startCounter()
      },
    },
    async close() {
      await Promise.all([temporal.close(), database.stop(), redis?.stop()])
    },
  }
}
