// Brings the schema up to date: the numbered SQL files, run by Umzug, one process at a time.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { Umzug } from 'umzug'
import { isZone, zoneName } from '../domain/dates.ts'
import { MigrationFailed, withLocks, type Patience } from './locks-awaited.ts'
import { requiredBy } from './schema-version.ts'
import { grantToService, type ServiceRole } from './service-role.ts'

const MIGRATIONS = fileURLToPath(new URL('./migrations/', import.meta.url))
// Any number that nothing else uses for an advisory lock in this database.
const ADVISORY_LOCK = 7_305_814

// The pause between two checks whether another process is still migrating.
const LOOK_MS = 200
const LOOKS_UNTIL_TOLD = 20

// The line between the steps of a file that is not one transaction.
const STEP = /^-- step$/m

export const LOCK_MS = 2_000
export const IN_ALL_MS = 600_000

export interface Migrating extends Partial<Patience> {
  /** The last file to apply. */
  to?: string
  /** The folder of the files. */
  folder?: string
  /** Is granted afterwards what the API and the worker do. */
  service?: ServiceRole | null
  /** Gets the name of each file, or the step of it, that begins. */
  onStep?(name: string): void
}

/** What applies one file. */
interface Applying {
  client: pg.Client
  watching: pg.Client
  folder: string
  patience: Patience
  onStep(name: string): void
}

/**
 * Applies the migrations that are missing, up to and including `to`, and returns their names. Several processes may call
 * it at once: the others wait. Throws MigrationFailed when an applied file has been edited since, and when a file fails.
 *
 * A file is one transaction, or several steps. Each step but the last is sent and committed by itself, so that calls do not
 * wait for the whole file. A file that was interrupted is run again from its start, and a step that did not get its locks is
 * run again, so steps must be repeatable.
 */
export async function migrate(databaseUrl: string, options: Migrating = {}): Promise<string[]> {
  const {
    to,
    folder = MIGRATIONS,
    service = null,
    lockMs = LOCK_MS,
    inAllMs = IN_ALL_MS,
    tell = () => undefined,
    onStep = () => undefined,
  } = options
  const [client, watching] = [connectionTo(databaseUrl), connectionTo(databaseUrl)]
  const applying = { client, watching, folder, patience: { lockMs, inAllMs, tell }, onStep }
  try {
    await client.connect()
    await watching.connect()
    await takeTurn(client, tell)
    await keepRecord(applying)
    const applied = await migrations(applying)
      .up(to === undefined ? {} : { to })
      .catch(unwrapped)
    await renameZones(client)
    if (service !== null) {
      const later = await laterMigrations(client, folder)
      if (later.length > 0)
        tell(`the schema is newer than this version (${later[0]}): nothing is taken from ${service.name}`)
      await grantToService(client, service, { isNewer: later.length > 0 })
    }
    return applied.map((migration) => migration.name)
  } finally {
    await Promise.all([client.end(), watching.end()])
  }
}

// Umzug wraps what a migration throws.
function unwrapped(error: Error): never {
  throw error.cause instanceof MigrationFailed ? error.cause : error
}

function connectionTo(databaseUrl: string): pg.Client {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'bahi migrate' })
  // The statement under way fails with the lost connection; an error event without a listener would end the process.
  client.on('error', () => undefined)
  return client
}

// Polls: CREATE INDEX CONCURRENTLY would wait for a statement that waits in PostgreSQL for the lock, and the two for each other.
async function takeTurn(client: pg.Client, tell: (line: string) => void): Promise<void> {
  for (let looks = 1; ; looks += 1) {
    const {
      rows: [turn],
    } = await client.query<{ ours: boolean }>('SELECT pg_try_advisory_lock($1) AS ours', [ADVISORY_LOCK])
    if (turn!.ours) return
    if (looks === LOOKS_UNTIL_TOLD) tell('waiting for another process that migrates this database')
    await setTimeout(LOOK_MS)
  }
}

// A column that is there already needs no lock, so that a migration without anything to do waits for nobody.
async function keepRecord({ client, watching, patience }: Applying): Promise<void> {
  await client.query(`CREATE TABLE IF NOT EXISTS schema_migrations
    (name text PRIMARY KEY, sha256 text NOT NULL, applied_time timestamptz NOT NULL DEFAULT now(), requires text)`)
  const { rowCount } = await client.query(`SELECT FROM pg_attribute
    WHERE attrelid = 'schema_migrations'::regclass AND attname = 'requires' AND NOT attisdropped`)
  if (rowCount === 1) return
  await withLocks({ client, watching }, { name: 'schema_migrations', blocksNobody: false }, patience, () =>
    client.query('ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS requires text'),
  )
}

// Older organisations may have any name of their time zone. Only the code knows which name is the canonical one.
async function renameZones(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ zone: string }>('SELECT DISTINCT time_zone AS zone FROM organizations')
  for (const { zone } of rows.filter(({ zone }) => isZone(zone) && zoneName(zone) !== zone)) {
    await client.query('UPDATE organizations SET time_zone = $2, last_modified_time = now() WHERE time_zone = $1', [
      zone,
      zoneName(zone),
    ])
  }
}

function migrations(applying: Applying) {
  const { client, folder } = applying
  return new Umzug({
    logger: undefined,
    migrations: {
      glob: ['*.sql', { cwd: folder }],
      resolve: ({ path }) => ({ name: basename(path!), up: () => apply(applying, path!) }),
    },
    storage: {
      logMigration: async () => undefined,
      unlogMigration: async () => undefined,
      executed: async () => executed(client, folder),
    },
  })
}

async function apply({ client, watching, patience, onStep }: Applying, path: string): Promise<void> {
  const name = basename(path)
  const sql = await readFile(path, 'utf8')
  const requires = requiredBy(sql)
  if (requires !== null && requires > name)
    throw new MigrationFailed(`Migration ${name} requires ${requires}, which comes after it`)
  const steps = sql.split(STEP)
  const last = steps.length
  for (const [place, step] of steps.entries()) {
    const label = last === 1 ? name : `${name}, step ${place + 1} of ${last}`
    onStep(label)
    // CONCURRENTLY takes locks that writes do not wait for, and waits itself for the transactions that have begun before it.
    const blocksNobody = place + 1 < last && /\bCONCURRENTLY\b/.test(step.replaceAll(/--.*$/gm, ''))
    const work = async () => {
      if (place + 1 < last) return client.query(step)
      await client.query('BEGIN')
      await client.query(step)
      await client.query('INSERT INTO schema_migrations (name, sha256, requires) VALUES ($1, $2, $3)', [
        name,
        sha256(sql),
        requires,
      ])
      return client.query('COMMIT')
    }
    await withLocks({ client, watching }, { name: label, blocksNobody }, patience, work).catch((error: Error) => {
      if (error instanceof MigrationFailed) throw error
      const where = last === 1 ? '' : ` (in step ${place + 1} of ${last})`
      throw new MigrationFailed(`Migration ${name} failed: ${error.message}${where}`, { cause: error })
    })
  }
}

// Those of a version after this one.
async function laterMigrations(client: pg.Client, folder: string): Promise<string[]> {
  const known = new Set(await readdir(folder))
  return (await executed(client, folder)).filter((name) => !known.has(name))
}

// A file that was applied and then edited would leave two databases that differ under one name.
async function executed(client: pg.Client, folder: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'SELECT name, sha256 FROM schema_migrations ORDER BY name',
  )
  for (const row of rows) {
    const sql = await readFile(join(folder, row.name), 'utf8').catch(() => null)
    if (sql !== null && sha256(sql) !== row.sha256)
      throw new MigrationFailed(`Migration ${row.name} was edited after it had been applied`)
  }
  return rows.map((row) => row.name)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
