// Migrations of a database that is in use: what they wait for, what goes on meanwhile, and what they leave when they give up.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { openDatabase, type Database } from '../../models/database.ts'
import { MigrationFailed } from '../../models/locks-awaited.ts'
import { migrate, type Migrating } from '../../models/migrate.ts'
import { pendingMigrations, unfitSchema } from '../../models/schema-version.ts'
import { cloneDatabase, dropDatabase } from '../fixtures/template.ts'

let url: string
let database: Database
let folder: string
let reader: pg.Client

beforeAll(async () => {
  url = await cloneDatabase()
  database = openDatabase({ url, pool: 3, name: 'in use' })
})
afterAll(async () => {
  await database.close()
  await dropDatabase(url)
})
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'migrations-'))
  reader = new pg.Client({ connectionString: url, application_name: 'long reader' })
  await reader.connect()
})
afterEach(async () => {
  await reader.end()
  rmSync(folder, { recursive: true })
})

const LOCK_MS = 100
const sql = <Row extends object>(text: string, ...values: unknown[]) => database.run<Row>({ name: '', text }, values)
const file = (name: string, text: string) => writeFileSync(join(folder, name), text)
const migrating = (more: Migrating = {}) => migrate(url, { folder, lockMs: LOCK_MS, ...more })
const processId = async () => (await reader.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid
const until = async (condition: () => Promise<boolean> | boolean) => {
  while (!(await condition())) await delay(20)
}
const columns = () => sql(`SELECT FROM information_schema.columns WHERE table_name = 'tokens' AND column_name LIKE 'added%'`)

test('a migration behind a long reader lets the others on, tells whom it waits for, and is applied afterwards', async () => {
  file('9001_add.sql', 'ALTER TABLE tokens ADD COLUMN added text;')
  await reader.query('BEGIN')
  await reader.query('SELECT count(*) FROM tokens')
  const [lines, steps]: [string[], string[]] = [[], []]
  const applied = migrating({ tell: (line) => lines.push(line), onStep: (name) => steps.push(name) })
  await until(() => lines.length > 0)
  // Statements that came behind the waiting lock are answered while the reader still reads.
  await sql('SELECT count(*) FROM tokens')
  await sql(`UPDATE tokens SET scopes = scopes`)
  const holder = `process ${await processId()} \\(long reader, idle in transaction\\) holds, in its transaction for \\d+ s`
  expect(lines[0]).toMatch(new RegExp(`^9001_add.sql: waiting for AccessExclusiveLock on tokens, which ${holder}; trying again in 1 s$`))
  expect(await columns()).toHaveLength(0)
  await reader.query('COMMIT')
  expect(await applied).toEqual(['9001_add.sql'])
  expect(steps).toEqual(['9001_add.sql'])
  expect(await columns()).toHaveLength(1)
  expect(await migrating()).toEqual([])
})

test('a migration that gets no lock gives up with a reason, leaves nothing behind, and can be run again', async () => {
  file('9002_add_two.sql', 'ALTER TABLE tokens ADD COLUMN added_first text;\n-- step\nALTER TABLE tokens ADD COLUMN added_second text; ALTER TABLE users ADD COLUMN added text;')
  await reader.query('BEGIN')
  await reader.query('SELECT count(*) FROM users')
  const failed = await migrating({ inAllMs: 0 }).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(MigrationFailed)
  expect((failed as Error).message).toMatch(/^9002_add_two.sql, step 2 of 2: no lock for 1 s: waiting for AccessExclusiveLock on users, which process \d+ \(long reader, .*Nothing of this step was applied$/)
  expect(await columns()).toHaveLength(2)
  await reader.query('COMMIT')
  // As its steps must be repeatable.
  await sql('ALTER TABLE tokens DROP COLUMN added_first')
  expect(await migrating()).toEqual(['9002_add_two.sql'])
  expect(await columns()).toHaveLength(3)
})

test('an index is built while older transactions are open, for longer than a lock is waited for', async () => {
  file('9003_index.sql', 'DROP INDEX CONCURRENTLY IF EXISTS tokens_added;\n-- step\nCREATE INDEX CONCURRENTLY tokens_added ON tokens (created_time);\n-- step\nSELECT 1;')
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await reader.query('SELECT count(*) FROM tokens')
  const applied = migrating()
  await until(async () => (await sql(
    `SELECT FROM pg_stat_activity WHERE application_name = 'bahi migrate' AND wait_event_type = 'Lock'
       AND query LIKE '%CREATE INDEX CONCURRENTLY%' AND clock_timestamp() - query_start > interval '${5 * LOCK_MS} ms'`)).length > 0)
  await sql(`UPDATE tokens SET scopes = scopes`)
  await reader.query('COMMIT')
  expect(await applied).toEqual(['9003_index.sql'])
  expect(await sql(`SELECT indisvalid FROM pg_index WHERE indexrelid = 'tokens_added'::regclass`)).toEqual([{ indisvalid: true }])
})

test('a file that fails is named with what PostgreSQL says, and so is one that was edited', async () => {
  file('9004_wrong.sql', 'ALTER TABLE nowhere ADD COLUMN added text;')
  await expect(migrating()).rejects.toThrow(/^Migration 9004_wrong.sql failed: relation "nowhere" does not exist$/)
  file('9004_wrong.sql', 'SELECT 1;')
  expect(await migrating()).toEqual(['9004_wrong.sql'])
  file('9004_wrong.sql', 'SELECT 2;')
  await expect(migrating()).rejects.toThrow(/^Migration 9004_wrong.sql was edited after it had been applied$/)
})

test('code runs on a schema that has more, and not on one that lacks a migration or needs newer code', async () => {
  expect(await unfitSchema(database)).toBe(null)
  file('9005_more.sql', '-- Adds only.\nSELECT 1;')
  file('9006_older_code_is_gone.sql', '-- requires: 0001_identity.sql\nSELECT 1;')
  await migrating()
  expect(await unfitSchema(database)).toBe(null)
  file('9007_less.sql', '-- Nobody reads it since 9005.\n-- requires: 9005_more.sql\nSELECT 1;')
  await migrating()
  expect(await unfitSchema(database)).toBe(
    'The schema is newer than this version: 9007_less.sql was applied, which needs a version that has 9005_more.sql. Start such a version')
  file('9008_impossible.sql', '-- requires: 9009_later.sql\nSELECT 1;')
  await expect(migrating()).rejects.toThrow('Migration 9008_impossible.sql requires 9009_later.sql, which comes after it')
  await sql(`DELETE FROM schema_migrations WHERE name = '0036_mail.sql'`)
  expect(await pendingMigrations(database)).toEqual(['0036_mail.sql'])
  expect(await unfitSchema(database)).toBe('The schema lacks 1 migrations of this version (0036_mail.sql): run npm run migrate')
  await sql('DROP TABLE schema_migrations')
  expect(await unfitSchema(database)).toMatch(/^The schema lacks \d+ migrations of this version \(0001_identity.sql to \d{4}_\w+.sql\): run npm run migrate$/)
})
