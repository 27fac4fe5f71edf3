// A backup of an earlier version, whose schema knew nothing of restores: the way of docs/running.md leads to whole books.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { pino } from 'pino'
import { BASE_PATH, createApi } from '../../api/server.ts'
import { openDatabase } from '../../models/database.ts'
import { migrate } from '../../models/migrate.ts'
import { mintPartnerKey } from '../../models/partner-key.ts'
import { readSettings } from '../../settings.ts'
import { callAt, clientOf } from '../fixtures/client.ts'
import { asService, dropDatabase, emptyDatabase, SERVICE } from '../fixtures/template.ts'
import { ROOT } from '../fixtures/root.ts'

// Every row of a database of that version, as its API wrote it: invoices, a bill, an estimate, and what was under way: a bulk, a
// conversion, a mail, a schedule that charges, deliveries.
const ROWS = readFileSync(join(import.meta.dirname, 'backups', '0043.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as { table: string; row: Record<string, unknown> })
const LAST_MIGRATION = '0043_reminders.sql'
const ENCRYPTION_KEY = 'YSBiYWNrdXAgb2Ygc2NoZW1hIDAwNDMgaW4gYSB0ZXM='
const rowsOf = (table: string) => ROWS.filter((one) => one.table === table).map(({ row }) => row)

let url: string
beforeAll(async () => void (url = await emptyDatabase()))
afterAll(() => dropDatabase(url))

const envOf = (more: Record<string, string>) => ({
  ...process.env, PORT: '0', ENCRYPTION_KEY, DATABASE_POOL: '4', AZURE_STORAGE_CONNECTION_STRING: '', DATABASE_URL: asService(url), ...more,
})

function run(program: string, args: string[] = [], more: Record<string, string> = {}): Promise<{ code: number; said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [`bin/${program}.ts`, ...args], { cwd: ROOT, env: envOf(more) }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }))
  })
}

/** Puts the rows into the schema of their version, as pg_restore does: triggers are not asked. */
async function restore(): Promise<void> {
  await migrate(url, { to: LAST_MIGRATION })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const applied = await client.query('SELECT name, sha256 FROM schema_migrations ORDER BY name')
    expect(rowsOf('schema_migrations').map(({ name, sha256 }) => ({ name, sha256 }))).toEqual(applied.rows)
    await client.query(`SET session_replication_role = replica`)
    const { rows: tables } = await client.query<{ name: string }>(`SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`)
    await client.query(`TRUNCATE ${tables.map(({ name }) => name).join(', ')}`)
    for (const table of new Set(ROWS.map((one) => one.table))) {
      const rows = rowsOf(table)
      const columns = Object.keys(rows[0]!).join(', ')
      await client.query(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::${table}, $1)`, [JSON.stringify(rows)])
    }
  } finally {
    await client.end()
  }
}

test('it is migrated, treated as restored and found whole, and the service runs on it', async () => {
  await restore()
  expect(await run('migrate', [], { DATABASE_URL: url, SERVICE_ROLE: SERVICE.name })).toMatchObject({ code: 0, said: expect.stringContaining('0044_installation.sql') })
  const { code, said } = await run('after-restore', ['--failed-at', '2026-11-23T09:00:00Z'])
  expect([code, said]).toEqual([0, expect.stringMatching(/^What was written between 2026-11-23T08:0\d:\S+ and 2026-11-23T09:00:00\.000Z is lost\.$/m)])
  const { id, name } = rowsOf('organizations')[0]!
  // Four invoices, a bill and an estimate were made in the busiest hour: three times as many, and ten.
  expect(said).toContain(`  ${id} ${name}: invoice 22 (to INV-2026-27-026), bill 13 (to BILL-`)
  for (const concerned of ['callers of bulks', 'callers of conversions', 'payers by payment links']) {
    expect(said).toMatch(new RegExp(`^- ${concerned}.*:\\n {2}${String(id)} ${String(name)}: 1$`, 'm'))
  }
  expect(said).toMatch(/^Marked 1 mails as UNKNOWN/m)
  expect(said).toMatch(/^- organisations with e-invoicing/m)
  expect(said).toContain('npm run token -- revoke --created-before 2026-11-23T09:00:00.000Z --yes')
  expect(await run('audit')).toEqual({ code: 0, said: 'The books are in order.\n' })
  expect(await run('after-restore')).toMatchObject({ code: 1, said: expect.stringMatching(/^This database does not look restored\. after-restore was run at/) })
  expect(await run('reseal')).toMatchObject({ code: 0 })

  const database = openDatabase({ url, pool: 1, name: 'old backup' })
  const partnerKey = await mintPartnerKey(database, 'Partner of the test', new Date())
  await database.run({ name: '', text: `UPDATE organizations SET partner_id = (SELECT id FROM partners WHERE name = 'Partner of the test')` }, [])
  const api = createApi(readSettings(envOf({})), pino({ level: 'silent' }))
  try {
    const call = callAt(`http://127.0.0.1:${await api.listen()}${BASE_PATH}`)
    const { body } = await call('POST', `/partner/organizations/${String(id)}/token`, { partnerKey, key: 'anew' })
    const org = clientOf(call, String(id), body.token.token)
    const [customer] = rowsOf('contacts')
    const invoice = { customer_id: customer!.id, date: '2026-11-24', place_of_supply: 'IN-KA', auto_approve: true, line_items: [{ name: 'Slates', rate: 100, quantity: 1 }] }
    expect((await org.post('/invoices', invoice)).body.invoice).toMatchObject({ invoice_number: 'INV-2026-27-027', status: 'SENT' })
  } finally {
    await api.close()
    await database.close()
  }
  expect(await run('audit')).toEqual({ code: 0, said: 'The books are in order.\n' })
})
