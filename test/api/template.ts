// Databases for tests: each a copy of a template that is migrated once.
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'

const SERVER_URL = process.env.TEST_DATABASE_URL ?? 'postgres://TEST_DATABASE_URL.is.not.set'
const MIGRATIONS = new URL('../../models/migrations/', import.meta.url)
const ADVISORY_LOCK = 7_305_815

/** A new migrated database of the tests' server; answers its URL. */
export async function cloneDatabase(): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await onServer(async (client) => {
    // The files are copied as they are: through the write-ahead log it would take four times as long.
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${await template(client)} STRATEGY FILE_COPY`)
  })
  return urlOf(name)
}

/** A new database without a schema, for tests of migrations; answers its URL. */
export async function emptyDatabase(): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await onServer(async (client) => void (await client.query(`CREATE DATABASE ${name}`)))
  return urlOf(name)
}

export async function dropDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  await onServer(async (client) => void (await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)))
}

// It gets its name when it is whole: a run that ends in the middle leaves no half template behind.
async function template(client: pg.Client): Promise<string> {
  const name = `template_${migrationsHash()}`
  await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK])
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name])
    if (rowCount === 0) {
      await client.query(`DROP DATABASE IF EXISTS ${name}_in_the_making WITH (FORCE)`)
      await client.query(`CREATE DATABASE ${name}_in_the_making`)
      // Only the first file of a run needs it, and it takes a while to load.
      const { migrate } = await import('../../models/migrate.ts')
      await migrate(urlOf(`${name}_in_the_making`))
      await client.query(`ALTER DATABASE ${name}_in_the_making RENAME TO ${name}`)
    }
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCK])
  }
  return name
}

function migrationsHash(): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(MIGRATIONS).sort()) hash.update(name).update(readFileSync(new URL(name, MIGRATIONS)))
  return hash.digest('hex').slice(0, 16)
}

function urlOf(name: string): string {
  return Object.assign(new URL(SERVER_URL), { pathname: `/${name}` }).href
}

async function onServer(work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: SERVER_URL })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
