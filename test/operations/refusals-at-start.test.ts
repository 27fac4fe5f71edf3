// The API and the worker do not run on a schema that they do not know, nor with a key that is not that of the database.
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
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

async function start(program: string, databaseUrl: string, key = newKey(), temporal = '127.0.0.1:9') {
  const port = await freePort(undefined)
  const listens = { [program.startsWith('worker') ? 'HEALTH_PORT' : 'PORT']: String(port) }
  const env = { ...process.env, ...listens, DATABASE_URL: databaseUrl, DATABASE_POOL: '5', ENCRYPTION_KEY: key, TEMPORAL_ADDRESS: temporal }
  const child = spawn(process.execPath, [program], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  return { child, port, ended: once(child, 'exit').then(async ([code]) => ({ code: code as number | null, said: (await said).join('') })) }
}

const fatal = (said: string) => said.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as { level: number; msg: string; isFinal?: boolean })
  .filter(({ level }) => level === 60).map(({ msg, isFinal }) => (isFinal ? msg : `for now: ${msg}`))

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
})

/** A way to a port on which connections are accepted and nothing answers before `open`. */
async function openSlowWay(beyond: number) {
  const sockets: net.Socket[] = []
  const waiting: (() => void)[] = []
  let connections = 0
  let isOpen = false
  const server = net.createServer((socket) => {
    connections += 1
    sockets.push(socket.on('error', () => undefined))
    const pass = () => {
      const other = net.connect(beyond, '127.0.0.1').on('error', () => socket.destroy())
      sockets.push(other)
      socket.on('close', () => other.destroy())
      socket.pipe(other).pipe(socket)
    }
    if (isOpen) pass()
    else waiting.push(pass)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as net.AddressInfo
  return {
    port,
    connections: () => connections,
    open() {
      isOpen = true
      for (const pass of waiting.splice(0)) pass()
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

test('no call is served and no task is taken while a slow database has not shown its schema and its key', async () => {
  const [slow, temporal] = await Promise.all([openSlowWay(Number(new URL(url).port)), openSlowWay(9)])
  const through = Object.assign(new URL(url), { port: String(slow.port) }).href
  const key = newKey()
  const [api, worker] = await Promise.all([start('api/server.ts', through, key), start('worker/worker.ts', through, key, `127.0.0.1:${temporal.port}`)])
  await Promise.all([untilLive(api), untilLive(worker)])
  const ask = (path: string) => fetch(`http://127.0.0.1:${api.port}${path}`)
  const ping = await ask('/api/public/v1/ping')
  expect([ping.status, ping.headers.get('retry-after'), ((await ping.json()) as { code: string }).code]).toEqual([503, '2', 'service.unavailable'])
  const ready = await ask('/health/ready')
  expect([ready.status, ((await ready.json()) as { parts: object }).parts]).toEqual([503, expect.objectContaining({ api: 'starting' })])
  expect((await fetch(`http://127.0.0.1:${worker.port}/health/ready`)).status).toBe(503)
  // Long enough for a second and a third try.
  while (slow.connections() < 8) await delay(100)
  expect((await ask('/api/public/v1/ping')).status).toBe(503)
  expect(temporal.connections()).toBe(0)

  slow.open()
  while ((await ask('/api/public/v1/ping')).status !== 200 || temporal.connections() === 0) await delay(50)
  for (const { child } of [api, worker]) child.kill('SIGKILL')
  for (const { said } of await Promise.all([api.ended, worker.ended])) {
    const problems = said.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as { level: number; err?: string }).filter(({ level, err }) => level === 40 && err)
    expect(problems.length).toBeGreaterThan(0)
    expect(new Set(problems.map(({ err }) => err)).size).toBe(problems.length)
  }
  slow.close()
  temporal.close()
  await sql('UPDATE installation SET key_sample = NULL')
}, 120_000)

test('a worker takes no task on restored books before after-restore has run', async () => {
  const temporal = await openSlowWay(9)
  await installationOf(database)
  await sql(`UPDATE installation SET server = '1/2/00000001', alive_time = now()`)
  const key = newKey()
  const worker = await start('worker/worker.ts', url, key, `127.0.0.1:${temporal.port}`)
  await untilLive(worker)
  // It has shown that it fits, and then looks for a restore by a connection of its own.
  while ((await sql(`SELECT FROM pg_stat_activity WHERE application_name = 'bahi waits' AND datname = current_database() AND state = 'idle'`)).length === 0) await delay(50)
  expect([temporal.connections(), (await fetch(`http://127.0.0.1:${worker.port}/health/ready`)).status]).toEqual([0, 503])
  const env = { ...process.env, DATABASE_URL: url, ENCRYPTION_KEY: key, AZURE_STORAGE_CONNECTION_STRING: '' }
  const told = await new Promise<string>((resolve) => {
    execFile(process.execPath, ['bin/after-restore.ts', '--nothing-lost'], { cwd: ROOT, env }, (_error, stdout, stderr) => resolve(stdout + stderr))
  })
  expect(told).toBe('The service runs on this database from now on.\n')
  while (temporal.connections() === 0) await delay(50)
  worker.child.kill('SIGKILL')
  const { said } = await worker.ended
  expect(said.match(/The worker takes no work before that/g)).toHaveLength(1)
  temporal.close()
  await sql('UPDATE installation SET key_sample = NULL')
}, 120_000)

const reseal = (ring: string, ...args: string[]) => operate('reseal', ring, ...args)
const operate = (program: string, ring: string, ...args: string[]) => new Promise<{ code: number; said: string }>((resolve) => {
  const env = { ...process.env, DATABASE_URL: url, ENCRYPTION_KEY: ring, TEMPORAL_ADDRESS: '127.0.0.1:9' }
  execFile(process.execPath, [`bin/${program}.ts`, ...args], { cwd: ROOT, env }, (error, stdout, stderr) =>
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
  const said = `${WRONG_KEY}\n`
  expect(await operate('after-restore', other, '--nothing-lost')).toEqual({ code: 1, said })
  // A database of before has no sample: its secrets say the same.
  await sql('UPDATE installation SET key_sample = NULL')
  expect(await refusalsWith(other, 'api/server.ts')).toEqual([refused])
  expect(await Promise.all([reseal(other), operate('reconcile', other), operate('reconcile', other, '--anew')])).toEqual(Array(3).fill({ code: 1, said }))
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
})

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
