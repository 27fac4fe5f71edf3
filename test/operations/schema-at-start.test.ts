// The API and the worker do not run on a schema that they do not know.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePort } from '../../bin/services/port.ts'
import { openDatabase, type Database } from '../../models/database.ts'
import { cloneDatabase, dropDatabase } from '../fixtures/template.ts'
import { ROOT } from '../fixtures/root.ts'

let url: string
let database: Database
beforeAll(async () => {
  url = await cloneDatabase()
  database = openDatabase({ url, pool: 2, name: 'schema' })
  await sql('ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS requires text')
})
afterAll(async () => {
  await database.close()
  await dropDatabase(url)
})
const sql = (statement: string) => database.run({ name: '', text: statement }, [])

async function start(program: string, databaseUrl: string): Promise<{ port: number; ended: Promise<{ code: number | null; said: string }> }> {
  const port = await freePort(undefined)
  const env = { ...process.env, PORT: String(port), DATABASE_URL: databaseUrl, DATABASE_POOL: '5', ENCRYPTION_KEY: randomBytes(32).toString('base64'), TEMPORAL_ADDRESS: '127.0.0.1:9' }
  const child = spawn(process.execPath, [program], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  return { port, ended: once(child, 'exit').then(async ([code]) => ({ code: code as number | null, said: (await said).join('') })) }
}

const fatal = (said: string) => said.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as { level: number; msg: string })
  .filter(({ level }) => level === 60).map(({ msg }) => msg)

const refusals = async (...programs: string[]) => {
  const processes = await Promise.all(programs.map((program) => start(program, url)))
  return Promise.all(processes.map(async ({ ended }) => {
    const { code, said } = await ended
    // All that it said where it said nothing of this, so that a failure shows what else ended it.
    const lines = fatal(said)
    return { code, fatal: lines.length > 0 ? lines : said }
  }))
}

test('which lacks a migration', async () => {
  await sql(`DELETE FROM schema_migrations WHERE name = '0036_mail.sql'`)
  const line = 'The schema lacks 1 migrations of this version (0036_mail.sql): run npm run migrate'
  expect(await refusals('api/server.ts', 'worker/worker.ts')).toEqual([{ code: 1, fatal: [line] }, { code: 1, fatal: [line] }])
  await sql(`INSERT INTO schema_migrations (name, sha256) VALUES ('0036_mail.sql', 'as it was')`)
})

test('which needs newer code', async () => {
  await sql(`INSERT INTO schema_migrations (name, sha256, requires) VALUES ('9001_less.sql', 'newer', '9000_reads_less.sql')`)
  const line = 'The schema is newer than this version: 9001_less.sql was applied, which needs a version that has 9000_reads_less.sql. Start such a version'
  expect(await refusals('worker/worker.ts')).toEqual([{ code: 1, fatal: [line] }])
  await sql(`UPDATE schema_migrations SET requires = NULL WHERE name = '9001_less.sql'`)
})

test('also when the database answers only later', async () => {
  const later = Object.assign(new URL(url), { pathname: `/test_${randomBytes(6).toString('hex')}` }).href
  const unfit = await start('api/server.ts', later)
  const isLive = ({ port }: { port: number }) => fetch(`http://127.0.0.1:${port}/health/live`).then((answer) => answer.ok, () => false)
  while (!(await isLive(unfit))) await delay(50)
  await sql(`CREATE DATABASE ${new URL(later).pathname.slice(1)}`)
  const { code, said } = await unfit.ended
  expect({ code, fatal: fatal(said) }).toEqual({ code: 1, fatal: [expect.stringMatching(/^The schema lacks \d+ migrations of this version .*: run npm run migrate$/)] })
  await dropDatabase(later)
}, 60_000)

test('settings that are invalid are named, without a stack trace', async () => {
  const { ended } = await start('api/server.ts', 'nonsense')
  expect(await ended).toEqual({ code: 2, said: 'Invalid settings:\n  DATABASE_URL: must be an address such as postgres://user:password@host:5432/bahi\n' })
})
