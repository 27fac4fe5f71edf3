// The API and the worker do not run on a schema that they do not know, nor with a key that is not that of the database.
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePort } from '../../bin/services/port.ts'
import { openDatabase, type Database } from '../../models/database.ts'
import { hasOtherKey, installationOf, unfitKey, WRONG_KEY } from '../../models/installation.ts'
import { mintPartnerKey } from '../../models/partner-key.ts'
import { callAt } from '../fixtures/client.ts'
import { asService, cloneDatabase, dropDatabase, SERVICE } from '../fixtures/template.ts'
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

const newKey = () => randomBytes(32).toString('base64')

async function start(program: string, databaseUrl: string, key = newKey()) {
  const port = await freePort(undefined)
  const env = { ...process.env, PORT: String(port), DATABASE_URL: databaseUrl, DATABASE_POOL: '5', ENCRYPTION_KEY: key, TEMPORAL_ADDRESS: '127.0.0.1:9' }
  const child = spawn(process.execPath, [program], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  return { child, port, ended: once(child, 'exit').then(async ([code]) => ({ code: code as number | null, said: (await said).join('') })) }
}

const fatal = (said: string) => said.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as { level: number; msg: string })
  .filter(({ level }) => level === 60).map(({ msg }) => msg)

const refusals = async (...programs: string[]) => refusalsWith(newKey(), ...programs)
const refusalsWith = (key: string, ...programs: string[]) => refusalsAt(url, key, ...programs)
const refusalsAt = async (address: string, key: string, ...programs: string[]) => {
  const processes = await Promise.all(programs.map((program) => start(program, address, key)))
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

test('whose tables are not granted to their role', async () => {
  await sql(`REVOKE ALL ON schema_migrations FROM ${SERVICE.name}`)
  const why = 'The role of DATABASE_URL may not use the tables (permission denied for table schema_migrations)'
  const line = `${why}: run npm run migrate as their owner, with this role as SERVICE_ROLE`
  expect(await refusalsAt(asService(url), newKey(), 'api/server.ts', 'worker/worker.ts')).toEqual(Array(2).fill({ code: 1, fatal: [line] }))
})

const untilLive = async ({ port }: { port: number }) => {
  while (!(await fetch(`http://127.0.0.1:${port}/health/live`).then((answer) => answer.ok, () => false))) await delay(50)
}

test('also when the database answers only later', async () => {
  const later = Object.assign(new URL(url), { pathname: `/test_${randomBytes(6).toString('hex')}` }).href
  const unfit = await start('api/server.ts', later)
  await untilLive(unfit)
  await sql(`CREATE DATABASE ${new URL(later).pathname.slice(1)}`)
  const { code, said } = await unfit.ended
  expect({ code, fatal: fatal(said) }).toEqual({ code: 1, fatal: [expect.stringMatching(/^The schema lacks \d+ migrations of this version .*: run npm run migrate$/)] })
  await dropDatabase(later)
}, 60_000)

const reseal = (ring: string, ...args: string[]) => new Promise<{ code: number; said: string }>((resolve) => {
  const env = { ...process.env, DATABASE_URL: url, ENCRYPTION_KEY: ring }
  execFile(process.execPath, ['bin/reseal.ts', ...args], { cwd: ROOT, env }, (error, stdout, stderr) =>
    resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }))
})

test('with the key of another database', async () => {
  const [old, added, other] = [newKey(), newKey(), newKey()]
  const api = await start('api/server.ts', url, old)
  await untilLive(api)
  const partnerKey = await mintPartnerKey(database, 'Partner', new Date())
  const call = callAt(`http://127.0.0.1:${api.port}/api/public/v1`)
  const { body: { token: { token } } } = await call('POST', '/partner/organizations', { partnerKey, key: 'org', body: { name: 'Asha Traders' } })
  const { body: { endpoint } } = await call('POST', '/webhooks/endpoints', { token, body: { url: 'https://example.com/hooks', events: ['INVOICE_CREATED'] } })
  api.child.kill('SIGTERM')
  await api.ended

  const refused = { code: 1, fatal: [WRONG_KEY] }
  expect(await refusalsWith(other, 'api/server.ts', 'worker/worker.ts')).toEqual([refused, refused])
  // A database of before has no sample: its secrets say the same.
  await sql('UPDATE installation SET key_sample = NULL')
  expect(await refusalsWith(other, 'api/server.ts')).toEqual([refused])
  expect(await reseal(other)).toEqual({ code: 1, said: `${WRONG_KEY}\n` })
  expect([await unfitKey(database, `${other},${old}`), await unfitKey(database, old)]).toEqual([null, WRONG_KEY])
  await sql('UPDATE installation SET key_sample = NULL')

  expect(await unfitKey(database, `${old},${added}`)).toBe(null)
  expect(await unfitKey(database, added)).toBe(WRONG_KEY)
  expect(await reseal(`${added},${old}`)).toMatchObject({ code: 0 })
  expect(await Promise.all([added, old, `${other},${added}`].map((ring) => hasOtherKey(database, ring)))).toEqual([false, true, false])

  // The key is lost.
  const lost = await reseal(other, '--lost-key')
  expect(lost).toEqual({ code: 1, said: expect.stringContaining(`No key of ENCRYPTION_KEY reads the secrets of 1 of them: ${endpoint.endpoint_id}`) })
  expect([await unfitKey(database, other), await unfitKey(database, added)]).toEqual([null, WRONG_KEY])
}, 60_000)

test('of two that begin with different keys, one', async () => {
  await sql('DELETE FROM installation')
  await sql('DELETE FROM webhook_endpoints')
  const found = await Promise.all([newKey(), newKey()].map((key) => unfitKey(database, key)))
  expect(found.filter((unfit) => unfit !== null)).toEqual([WRONG_KEY])
  expect(await sql('SELECT FROM installation')).toHaveLength(1)
  await sql('DELETE FROM installation')
  const [one, other] = await Promise.all([installationOf(database), installationOf(database)])
  expect(one).toEqual(other)
})

test('settings that are invalid are named, without a stack trace', async () => {
  const { ended } = await start('api/server.ts', 'nonsense')
  expect(await ended).toEqual({ code: 2, said: 'Invalid settings:\n  DATABASE_URL: must be an address such as postgres://user:password@host:5432/bahi\n' })
})
