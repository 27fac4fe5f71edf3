// An older backup takes the place of the database: nothing that callers and receivers were told is given out or said a second time.
import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import pg from 'pg'
import { pino } from 'pino'
import { BASE_PATH, createApi } from '../../api/server.ts'
import { freePort } from '../../bin/services/port.ts'
import { startPostgres } from '../../bin/services/postgres.ts'
import { SEQUENCE_JUMP } from '../../domain/restoration.ts'
import { openBlobStore } from '../../gateways/storage/azure-blobs.ts'
import { openDatabase, type Database } from '../../models/database.ts'
import { unfitKey } from '../../models/installation.ts'
import { migrate } from '../../models/migrate.ts'
import { mintPartnerKey } from '../../models/partner-key.ts'
import { readSettings, storageOf } from '../../settings.ts'
import { createRestoreMarks } from '../../worker/restore-marks.ts'
import { callAt, clientOf, type Client, type Json } from '../fixtures/client.ts'
import { TODAY } from '../fixtures/organization.ts'
import { ROOT } from '../fixtures/root.ts'
import { cloneDatabase, copyDatabase, dropDatabase } from '../fixtures/template.ts'
import { startLoad } from '../kills/load.ts'
import { bodyOf, openLoadedOrganization } from '../kills/organization.ts'

jest.setTimeout(240_000)

const PATIENCE_MS = 120_000

const ENCRYPTION_KEY = randomBytes(32).toString('base64')
const CONTAINER = `restores-${randomBytes(6).toString('hex')}`
const databases: string[] = []
const closing: (() => Promise<void>)[] = []

const envOf = (url: string) => ({
  PORT: '0', DATABASE_URL: url, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', WEBHOOK_ALLOW_HTTP: 'true', DATABASE_POOL: '6', ENCRYPTION_KEY, RATE_LIMIT_DEFAULT: '100000', RATE_LIMIT_PARTNER: '100000',
  AZURE_STORAGE_CONNECTION_STRING: process.env.TEST_AZURE_STORAGE_CONNECTION_STRING ?? '', AZURE_STORAGE_CONTAINER: CONTAINER,
})

beforeAll(async () => void databases.push(await cloneDatabase()))
afterAll(async () => {
  await close()
  for (const url of databases) await dropDatabase(url)
})

interface Running {
  database: Database
  base: string
  call: ReturnType<typeof callAt>
  warnings: string[]
  /** As the worker does every minute. */
  mark(): Promise<void>
}

async function open(url: string): Promise<Running> {
  const settings = readSettings(envOf(url))
  const warnings: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push((JSON.parse(line) as { msg: string }).msg) })
  const api = createApi(settings, log)
  const database = openDatabase({ url, pool: 2, name: 'restored' })
  closing.push(() => api.close(), () => database.close())
  const base = `http://127.0.0.1:${await api.listen()}${BASE_PATH}`
  await unfitKey(database, ENCRYPTION_KEY)
  const mark = () => createRestoreMarks({ connection: database, blobs: openBlobStore(storageOf(settings)), log, clock: () => new Date() })()
  return { database, base, call: callAt(base), warnings, mark }
}

async function close(): Promise<void> {
  for (const end of closing.splice(0)) await end()
}

/** Runs an operator's command on a database. */
function run(program: string, url: string, ...args: string[]): Promise<{ code: number; said: string }> {
  const env = { ...process.env, ...envOf(url) }
  return new Promise((resolve) => {
    execFile(process.execPath, [`bin/${program}.ts`, ...args], { cwd: ROOT, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }))
  })
}

const line_items = [{ name: 'Silk', rate: 100, quantity: 1 }]
const NUMBERED: [path: string, noun: string][] = [['/invoices', 'invoice'], ['/estimates', 'estimate'], ['/bills', 'bill'], ['/sales_orders', 'sales_order']]

/** Makes so many documents of each kind; answers their numbers. */
async function make(client: Client, { customer_id, vendor_id }: Json, count: number): Promise<string[]> {
  const numbers: string[] = []
  for (let n = 0; n < count; n += 1) {
    for (const [path, noun] of NUMBERED) {
      const body = { customer_id, vendor_id, date: TODAY, place_of_supply: 'IN-KA', line_items, auto_approve: true, reference_number: randomUUID() }
      const { status, body: answer, text } = await client.post(path, body, randomUUID())
      if (status !== 201) throw new Error(text)
      numbers.push(answer[noun][`${noun}_number`])
    }
  }
  return numbers
}

const sql = <Row>({ database }: Running, text: string, values: unknown[] = []) => database.run<Row>({ name: '', text }, values)
const sequencesOf = async (running: Running, id: string): Promise<number[]> =>
  (await sql<{ sequence: number }>(running, `SELECT (data ->> 'sequence')::integer AS sequence FROM webhook_events WHERE entity_id = $1 ORDER BY position`, [id]))
    .map(({ sequence }) => sequence)

test('an older dump: numbers, sequences, revocations, suspensions and mails', async () => {
  const first = await open(databases[0]!)
  const partnerKey = await mintPartnerKey(first.database, 'Partner', new Date())
  const provide = async (name: string) => (await first.call('POST', '/partner/organizations', { partnerKey, key: randomUUID(), body: { name, state_code: 'IN-KA' } })).body
  const [asha, meena, quiet] = [await provide('Asha Traders'), await provide('Meena Sarees'), await provide('Quiet Books')]
  const client = (running: Running, { organization, token }: Json, secret = token.token) => clientOf(running.call, organization.org_id, secret)
  const before = client(first, asha)
  const contactOf = async (contact_type: string) => (await before.post('/contacts', { contact_name: contact_type, contact_type })).body.contact.contact_id
  const parties = { customer_id: await contactOf('CUSTOMER'), vendor_id: await contactOf('VENDOR') }
  await make(before, parties, 3)
  const { body: { invoice } } = await before.post('/invoices', { customer_id: parties.customer_id, date: TODAY, place_of_supply: 'IN-KA', line_items }, 'draft')
  await first.mark()
  await sql(first, `INSERT INTO emails (org_id, id, purpose, entity_type, entity_id, state, sender_name, subject, body_html, attach_pdf, tries, origin,
      created_time, last_modified_time)
    VALUES ($1, $2, 'DOCUMENT', 'INVOICE', $3, 'READY', 'Asha', 'Invoice', '', false, 0, '{}', now(), now())`, [asha.organization.org_id, randomUUID(), invoice.invoice_id])
  await sql(first, `INSERT INTO email_recipients (org_id, email_id, place, kind, address) SELECT org_id, id, 0, 'TO', 'meena@example.com' FROM emails`)
  await close()
  databases.push(await copyDatabase(databases[0]!))

  // After the backup, until the failure.
  const after = await open(databases[0]!)
  const lost = client(after, asha)
  const given = await make(lost, parties, 5)
  const { body: { contact: other } } = await client(after, quiet).post('/contacts', { contact_name: 'First' })
  const { body: { estimate } } = await client(after, quiet).post('/estimates', { customer_id: other.contact_id, line_items })
  for (const notes of ['a', 'b', 'c']) await lost.put(`/invoices/${invoice.invoice_id}`, { notes })
  const heard = Math.max(...await sequencesOf(after, invoice.invoice_id))
  const reissued = await after.call('POST', `/partner/organizations/${asha.organization.org_id}/token`, { partnerKey, key: 'again' })
  expect(reissued.status).toBe(200)
  expect((await after.call('POST', `/partner/organizations/${meena.organization.org_id}/suspend`, { partnerKey })).status).toBe(200)
  await after.mark()
  await close()

  // The backup takes the place of the database, and a worker begins on it.
  const [, backup] = databases as [string, string]
  const restored = await open(backup)
  await restored.mark()
  expect(restored.warnings).toEqual([expect.stringContaining('run npm run after-restore')])
  expect(await run('after-restore', backup)).toEqual({ code: 1, said: expect.stringMatching(/^Processes of the service are connected: bahi api, bahi listens to callers\. Stop them first/) })
  await close()
  expect((await run('audit', backup)).said).toMatch(/^The database was restored, promoted or moved .*after-restore/)

  const done = await run('after-restore', backup, '--json')
  expect(done).toMatchObject({ code: 0 })
  const report = JSON.parse(done.said) as Json
  expect(report.repeated.map(({ change }: Json) => change).sort()).toEqual(['ORGANIZATION_STATUS', 'TOKEN_REVOKED'])
  expect(report.mails).toHaveLength(1)
  expect(await run('audit', backup)).toEqual({ code: 0, said: 'The books are in order.\n' })
  expect((await run('after-restore', backup)).said).toMatch(/^This database does not look restored\. after-restore was run at/)

  const again = await open(backup)
  await again.mark()
  expect(again.warnings).toEqual([])
  expect((await again.call('GET', '/whoami', { token: asha.token.token })).status).toBe(401)
  expect((await again.call('GET', '/whoami', { token: meena.token.token })).status).toBe(403)
  const renewed = await again.call('POST', `/partner/organizations/${asha.organization.org_id}/token`, { partnerKey, key: 'renewed' })
  const now = client(again, asha, renewed.body.token.token)
  const anew = await make(now, parties, 30)
  expect(anew.filter((number) => given.includes(number))).toEqual([])
  const { body: { contact } } = await client(again, quiet).post('/contacts', { contact_name: 'First' })
  const { body: { estimate: second } } = await client(again, quiet).post('/estimates', { customer_id: contact.contact_id, line_items })
  expect(second.estimate_number).not.toBe(estimate.estimate_number)
  await now.put(`/invoices/${invoice.invoice_id}`, { notes: 'd' })
  await now.put(`/invoices/${invoice.invoice_id}`, { notes: 'e' })
  const said = await sequencesOf(again, invoice.invoice_id)
  expect(said.slice(-2)).toEqual([said.at(-3)! + 1 + SEQUENCE_JUMP, said.at(-3)! + 2 + SEQUENCE_JUMP])
  expect(said.at(-1)).toBeGreaterThan(heard)
  const { body: { gaps } } = await now.get('/invoices/series/gaps?per_page=200')
  expect(gaps.map(({ number }: Json) => number)).toEqual(expect.arrayContaining(given.filter((number) => number.startsWith('INV-')).slice(0, 5)))
  expect(new Set(gaps.map(({ reason }: Json) => reason))).toEqual(new Set(['Skipped after the restore of a backup']))
  await close()
  expect(await run('audit', backup)).toEqual({ code: 0, said: 'The books are in order.\n' })
})


test('a recovery to a point in time: nothing acknowledged before it is lost, and no number is given out twice', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'recovery-'))
  const [archive, first, second] = ['archive', 'first', 'second'].map((name) => join(folder, name)) as [string, string, string]
  mkdirSync(archive)
  const port = await freePort(undefined)
  const start = (dataDir: string) => startPostgres({ dataDir, port, log: `${dataDir}.log`, durable: false, inherited: process.env })
  const ask = async <Row>(text: string): Promise<Row> => {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    return client.query(text).then(({ rows }) => rows.at(-1) as Row).finally(() => client.end())
  }
  let server = await start(first)
  try {
    await ask(`ALTER SYSTEM SET archive_mode = 'on'`)
    await ask(`ALTER SYSTEM SET archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'`)
    await server.stop()
    server = await start(first)
    await migrate(server.url)
    const running = await open(server.url)
    const partnerKey = await mintPartnerKey(running.database, 'Partner', new Date())
    const org = await openLoadedOrganization(running.base, partnerKey)
    closing.unshift(() => org.customer.close())
    await running.mark()
    const load = startLoad(running.base, org.token, (key) => bodyOf(org, key))
    await load.acknowledges(20, PATIENCE_MS)
    // The base backup, while the service runs: the commands that pg_basebackup gives too.
    const session = new pg.Client({ connectionString: server.url })
    await session.connect()
    await session.query(`SELECT pg_backup_start('base', true)`)
    cpSync(first, second, { recursive: true, filter: (path) => !/(postmaster\.(pid|opts)|pg_internal\.init(\.\d+)?|pg_wal\/.+)$/.test(path) })
    const { rows: [{ labelfile }] } = await session.query('SELECT labelfile FROM pg_backup_stop(false)')
    await session.end()
    writeFileSync(join(second, 'backup_label'), labelfile)
    cpSync(`${first}.password`, `${second}.password`)
    await load.acknowledges(20, PATIENCE_MS)
    const before = [...load.acknowledged]
    const { now: target } = await ask<{ now: string }>('SELECT clock_timestamp()::text AS now')
    await load.acknowledges(20, PATIENCE_MS)
    await load.stop()
    const { name: last } = await ask<{ name: string }>('SELECT pg_walfile_name(pg_switch_wal()) AS name')
    while ((await ask<{ archived: string }>('SELECT last_archived_wal AS archived FROM pg_stat_archiver')).archived < last) await delay(50)
    await close()
    await server.stop()
    appendFileSync(join(second, 'postgresql.auto.conf'),
      `restore_command = 'cp ${archive}/%f %p'\nrecovery_target_time = '${target}'\nrecovery_target_action = 'promote'\n`)
    writeFileSync(join(second, 'recovery.signal'), '')
    server = await start(second)
    while ((await ask<{ busy: boolean }>('SELECT pg_is_in_recovery() AS busy')).busy) await delay(50)
    expect((await run('audit', server.url)).said).toMatch(/^The database was restored, promoted or moved .*after-restore/)
    expect(await run('after-restore', server.url)).toMatchObject({ code: 0, said: expect.stringContaining('Skipped') })

    const restored = await open(server.url)
    expect(load.acknowledged.length).toBeGreaterThan(before.length)
    const repeated = await Promise.all(load.acknowledged.map(({ key, body }) => clientOf(restored.call, org.orgId, org.token).post('/invoices', body, key)))
    expect(new Set(repeated.map(({ status }) => status))).toEqual(new Set([201]))
    const numberOf = ({ body }: { body: Json }) => body.invoice.invoice_number as string
    const answers = new Map(load.acknowledged.map(({ key }, place) => [key, repeated[place]!]))
    for (const { key, answer } of before) expect(numberOf(answers.get(key)!)).toBe(numberOf(answer))
    // What was answered after the target may be there, or is made anew under a number that nobody was told before.
    const told = new Map(load.acknowledged.map(({ key, answer }) => [numberOf(answer), key]))
    for (const [key, answer] of answers) expect(told.get(numberOf(answer)) ?? key).toBe(key)
    await close()
    expect(await run('audit', server.url)).toEqual({ code: 0, said: 'The books are in order.\n' })
  } finally {
    await close()
    await server.stop()
    rmSync(folder, { recursive: true })
  }
})
