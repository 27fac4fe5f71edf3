// Processes of the version before, under load, while a migration changes the tables that they use most: no call fails.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import pg from 'pg'
import { audit } from '../../audit/audit.ts'
import { freePort } from '../../bin/services/port.ts'
import { openDatabase, type Database } from '../../models/database.ts'
import { migrate } from '../../models/migrate.ts'
import { mintPartnerKey } from '../../models/partner-key.ts'
import { callAt } from '../fixtures/client.ts'
import { asService, cloneDatabase, dropDatabase } from '../fixtures/template.ts'
import { ROOT } from '../fixtures/root.ts'
import { startLoad, type Load } from '../kills/load.ts'
import { bodyOf, numbersInARow, openLoadedOrganization, type LoadedOrganization } from '../kills/organization.ts'

jest.setTimeout(300_000)

const SCALE = Number(process.env.KILLS_SCALE ?? 1)
const MORE = 25 * SCALE
const PATIENCE_MS = 120_000 * SCALE

// One table's lock in a step, as CONTRIBUTING.md asks. The last two change what statements return that name their columns.
const MIGRATION = [
  'ALTER TABLE tokens ADD COLUMN IF NOT EXISTS added text;',
  'ALTER TABLE invoices ADD COLUMN IF NOT EXISTS added text;',
  'ALTER TABLE invoice_lines ADD COLUMN IF NOT EXISTS added text;',
  'DROP INDEX CONCURRENTLY IF EXISTS invoices_added;',
  'CREATE INDEX CONCURRENTLY invoices_added ON invoices (org_id, added);',
  'ALTER TABLE webhook_deliveries ADD COLUMN IF NOT EXISTS added integer NOT NULL DEFAULT 0;',
  'ALTER TABLE invoice_lines ALTER COLUMN description TYPE varchar;',
  'ALTER TABLE invoices ALTER COLUMN customer_name TYPE varchar;',
]

let url: string
let database: Database
let partnerKey: string
let org: LoadedOrganization
const folder = mkdtempSync(join(tmpdir(), 'upgrade-'))
const processes: { program: string; child: ChildProcess }[] = []
const loads: Load[] = []

const key = randomBytes(32).toString('base64')
const suffix = `-${randomUUID()}`
async function start(program: 'api/server.ts' | 'worker/worker.ts'): Promise<string> {
  const port = await freePort(undefined)
  const env = {
    ...process.env, PORT: String(port), DATABASE_URL: asService(url), DATABASE_POOL: '6', ENCRYPTION_KEY: key, LOG_LEVEL: 'silent', RATE_LIMIT_PARTNER: '1000000',
    TEMPORAL_ADDRESS: process.env.TEST_TEMPORAL_ADDRESS ?? '127.0.0.1:7233', TEMPORAL_QUEUE_SUFFIX: suffix, PDF_WARM_UP: 'false',
    WEBHOOK_LADDER_SECONDS: '1,2,4,8,16,32', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', WEBHOOK_ALLOW_HTTP: 'true',
  }
  const child = spawn(process.execPath, [program], { cwd: ROOT, env, stdio: 'ignore' })
  processes.push({ program, child })
  const origin = `http://127.0.0.1:${port}`
  if (program === 'api/server.ts') await until(() => fetch(`${origin}/health/live`).then(({ ok }) => ok, () => false))
  return `${origin}/api/public/v1`
}

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await delay(50)
}

beforeAll(async () => {
  url = await cloneDatabase()
  database = openDatabase({ url, pool: 2, name: 'upgrade' })
  partnerKey = await mintPartnerKey(database, 'Partner', new Date())
})
afterAll(async () => {
  for (const { stop } of loads) await stop()
  await Promise.all(processes.map(async ({ child }) => {
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
  }))
  await org?.customer.close()
  await database.close()
  await dropDatabase(url)
  rmSync(folder, { recursive: true })
})

test('no call that is repeated with its key fails, and writes go on while the migration waits for a long reader', async () => {
  const [first, second] = await Promise.all([start('api/server.ts'), start('api/server.ts'), start('worker/worker.ts')])
  org = await openLoadedOrganization(first!, partnerKey)
  const { organization: { org_id: other } } = (await callAt(first!)('POST', '/partner/organizations', { partnerKey, key: 'other', body: { name: 'Chandni Chowk Traders' } })).body
  for (const api of [first!, second!]) loads.push(startLoad(api, org.token, (one) => bodyOf(org, one)))
  const goOn = () => Promise.all(loads.map((load) => load.acknowledges(MORE, PATIENCE_MS)))
  // Reads of documents, and new tokens, at both APIs.
  const answers: Record<string, number> = {}
  let isOver = false
  const others = Promise.all([first!, second!].map(async (api) => {
    const call = callAt(api)
    while (!isOver) {
      const { answer: { body: { invoice } } } = loads[0]!.acknowledged.at(-1) ?? { answer: { body: {} } }
      const read = await call('GET', invoice ? `/invoices/${invoice.invoice_id}` : '/whoami', { token: org.token })
      const issued = await call('POST', `/partner/organizations/${other}/token`, { partnerKey, key: randomUUID() })
      for (const { status } of [read, issued]) answers[status] = (answers[status] ?? 0) + 1
    }
  }))
  await goOn()

  const reader = new pg.Client({ connectionString: url, application_name: 'long reader' })
  await reader.connect()
  await reader.query('BEGIN')
  await reader.query('SELECT (SELECT count(*) FROM tokens), (SELECT count(*) FROM invoices), (SELECT count(*) FROM invoice_lines)')
  const waits: string[] = []
  writeFileSync(join(folder, '9001_more.sql'), MIGRATION.join('\n-- step\n'))
  const migrated = migrate(url, { folder, lockMs: 300, tell: (line) => waits.push(line) })
  await until(() => waits.length >= 2)
  await goOn()
  expect(waits.every((line) => /^9001_more\.sql, step 1 of 8: .*long reader.* trying again in \d+ s$/.test(line))).toBe(true)
  await reader.query('COMMIT')
  await reader.end()
  expect(await migrated).toEqual(['9001_more.sql'])
  await goOn()
  // One of the processes is replaced: it runs on a schema that has more than it knows.
  loads.push(startLoad(await start('api/server.ts'), org.token, (one) => bodyOf(org, one)))
  await loads.at(-1)!.acknowledges(MORE, PATIENCE_MS)
  isOver = true
  await Promise.all([others, ...loads.map(({ stop }) => stop())])

  expect(loads.flatMap(({ surprises }) => surprises)).toEqual([])
  expect(loads.map(({ unheard }) => unheard)).toEqual([0, 0, 0])
  expect(Object.keys(answers)).toEqual(['200'])
  const acknowledged = loads.flatMap((load) => load.acknowledged)
  const found = await org.invoices()
  expect(new Set(found.map(({ reference_number }) => reference_number))).toEqual(new Set(acknowledged.map((one) => one.key)))
  expect(found.map(({ invoice_number }) => invoice_number).sort()).toEqual(numbersInARow(acknowledged.length))
  await until(() => org.bodiesByDelivery().size >= acknowledged.length)
  expect(processes.map(({ child }) => child.exitCode)).toEqual([null, null, null, null])
  await until(async () => (await database.run({ name: '', text: `SELECT FROM webhook_deliveries WHERE status <> 'DELIVERED'` }, [])).length === 0)
  expect(await audit(database)).toEqual([])
})
