// Brings the schema up to date: the numbered SQL files, run by Umzug, one process at a time.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { Umzug } from 'umzug'
import { isZone, zoneName } from '../domain/dates.ts'
import type { Connection } from './connection.ts'

const MIGRATIONS = fileURLToPath(new URL('./migrations/*.sql', import.meta.url))
// Any number that nothing else uses for an advisory lock in this database.
const ADVISORY_LOCK = 7_305_814

// The pause between two checks whether another process is still migrating.
const LOOK_MS = 200

// The line between the steps of a file that is not one transaction.
const STEP = /^-- step$/m

/**
 * Applies the migrations that are missing, up to and including `to`, and returns their names. Several processes may call
 * it at once: the others wait. Throws when an applied file has been edited since.
 *
 * A file is one transaction, or several steps. Each step but the last is sent and committed by itself, so that calls do not
 * wait for the whole file. A file that was interrupted is run again from its start, so its steps must be repeatable.
 */
export async function migrate(databaseUrl: string, { to }: { to?: string } = {}): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'bahi migrate' })
  // The statement under way fails with the lost connection; an error event without a listener would end the process.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await takeTurn(client)
    await client.query(`CREATE TABLE IF NOT EXISTS schema_migrations
      (name text PRIMARY KEY, sha256 text NOT NULL, applied_time timestamptz NOT NULL DEFAULT now())`)
    const applied = await migrations(client).up(to === undefined ? {} : { to })
    await renameZones(client)
    return applied.map((migration) => migration.name)
  } finally {
    await client.end()
  }
}

// Polls: CREATE INDEX CONCURRENTLY would wait for a statement that waits in PostgreSQL for the lock, and the two for each other.
async function takeTurn(client: pg.Client): Promise<void> {
  for (;;) {
    const {
      rows: [turn],
    } = await client.query<{ ours: boolean }>('SELECT pg_try_advisory_lock($1) AS ours', [ADVISORY_LOCK])
    if (turn!.ours) return
    await setTimeout(LOOK_MS)
  }
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

function migrations(client: pg.Client) {
  return new Umzug({
    logger: undefined,
    migrations: {
      glob: MIGRATIONS,
      resolve: ({ path }) => ({
        name: basename(path!),
        up: async () => {
          const sql = await readFile(path!, 'utf8')
          const steps = sql.split(STEP)
          const last = steps.pop()!
          try {
            for (const step of steps) await client.query(step)
            await client.query('BEGIN')
            await client.query(last)
            await client.query('INSERT INTO schema_migrations (name, sha256) VALUES ($1, $2)', [
              basename(path!),
              sha256(sql),
            ])
            await client.query('COMMIT')
          } catch (error) {
            await client.query('ROLLBACK').catch(() => undefined)
            throw new Error(`Migration ${basename(path!)} failed: ${(error as Error).message}`, { cause: error })
          }
        },
      }),
    },
    storage: {
      logMigration: async () => undefined,
      unlogMigration: async () => undefined,
      executed: async () => executed(client),
    },
  })
}

/** The names of the migrations that this version has and the database lacks. */
export async function pendingMigrations(connection: Connection): Promise<string[]> {
  const [{ exists }] = (await connection.run<{ exists: boolean }>(HAS_MIGRATIONS, [])) as [{ exists: boolean }]
  const applied = exists ? await connection.run<{ name: string }>(APPLIED, []) : []
  const names = new Set(applied.map(({ name }) => name))
  const files = await readdir(new URL('./migrations/', import.meta.url))
  return files.filter((name) => name.endsWith('.sql') && !names.has(name)).sort()
}

const HAS_MIGRATIONS = {
  name: 'has migrations',
  text: `SELECT to_regclass('schema_migrations') IS NOT NULL AS exists`,
}
const APPLIED = { name: 'applied migrations', text: 'SELECT name FROM schema_migrations' }

// A file that was applied and then edited would leave two databases that differ under one name.
async function executed(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'SELECT name, sha256 FROM schema_migrations ORDER BY name',
  )
  for (const row of rows) {
    const file = new URL(`./migrations/${row.name}`, import.meta.url)
    const sql = await readFile(file, 'utf8').catch(() => null)
    if (sql !== null && sha256(sql) !== row.sha256)
      throw new Error(`Migration ${row.name} was edited after it had been applied`)
  }
  return rows.map((row) => row.name)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
