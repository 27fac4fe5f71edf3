// Books of the schema before get dates, branches and months while the version before goes on posting to them.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { v7 as uuidv7 } from 'uuid'
import { openDatabase, type Database } from '../../models/database.ts'
import { migrate } from '../../models/migrate.ts'
import { LEDGER } from '../../audit/ledger/ledger.ts'
import { dropDatabase, emptyDatabase } from '../fixtures/template.ts'

let url: string
let database: Database
const sql = <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> => database.run({ name: '', text }, values)

const BEFORE = '0015_callers.sql'
const FIRST = '0016_ledger_dates.sql'
const SECOND = '0017_ledger_months.sql'

interface Org { id: string; accounts: string[]; branches: string[]; documents: { source: string; id: string; branch: string }[] }
const orgs: Org[] = []

beforeAll(async () => {
  url = await emptyDatabase()
  await migrate(url, { to: BEFORE })
  database = openDatabase({ url, pool: 5, name: 'old books' })
  for (let n = 0; n < 2; n += 1) orgs.push(await openOrg(n))
  // More entries than the migration takes at once.
  await post(orgs[0]!, 2_600)
  await post(orgs[1]!, 300)
})
afterAll(async () => {
  await database.close()
  await dropDatabase(url)
})

/** Inserts a row: what is given, and anything that will do in the other columns that must not be null. */
async function insert(table: string, given: Record<string, unknown>): Promise<void> {
  const columns = await sql<{ name: string; type: string }>(
    `SELECT column_name::text AS name, data_type::text AS type FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 AND is_nullable = 'NO' AND column_default IS NULL AND is_generated = 'NEVER'`, table)
  const anything: Record<string, unknown> = {
    uuid: uuidv7(), text: 'x', date: '2026-04-01', 'timestamp with time zone': new Date(0), boolean: false, jsonb: '{}', ARRAY: '{}',
    bigint: 0, integer: 1, smallint: 1, numeric: 1,
  }
  const row: Record<string, unknown> = { ...Object.fromEntries(columns.map(({ name, type }) => [name, anything[type]])), ...given }
  const names = Object.keys(row)
  await sql(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map((_, place) => `$${place + 1}`).join()})`, ...Object.values(row))
}

/** An organisation with three accounts, two branches, and a document of every kind that has a branch, half of them of the second. */
async function openOrg(n: number): Promise<Org> {
  const org: Org = { id: uuidv7(), accounts: [uuidv7(), uuidv7(), uuidv7()], branches: [uuidv7(), uuidv7()], documents: [] }
  const own = { org_id: org.id }
  await insert('organizations', { id: org.id, status: 'ACTIVE', state_code: 'IN-KA', currency_code: 'INR', fiscal_year_start_month: 4, time_zone: 'Asia/Kolkata' })
  for (const [place, id] of org.accounts.entries()) await insert('accounts', { ...own, id, code: String(place), account_type: 'CASH', currency_code: 'INR' })
  for (const [place, id] of org.branches.entries()) await insert('branches', { ...own, id, code: String(place), is_default: place === 0, state: 'IN-KA' })
  const contact = uuidv7()
  await insert('contacts', { ...own, id: contact, contact_type: 'BOTH', status: 'ACTIVE' })
  for (const [place, branch_id] of [0, 1, 0, 1].map((place) => org.branches[place]!).entries()) {
    const [source, table, party] = [
      ['INVOICE', 'invoices', 'customer_id'], ['BILL', 'bills', 'vendor_id'], ['CREDIT_NOTE', 'credit_notes', 'customer_id'], ['DEBIT_NOTE', 'debit_notes', 'vendor_id'],
    ][(place + n) % 4] as [string, string, string]
    const id = uuidv7()
    const particulars = { INVOICE: { due_date: '2026-04-01' }, BILL: { due_date: '2026-04-01' }, CREDIT_NOTE: { type: 'customer' }, DEBIT_NOTE: {} }[source]
    await insert(table, { ...own, id, branch_id, [party]: contact, status: 'DRAFT', ...particulars })
    org.documents.push({ source, id, branch: branch_id })
  }
  return org
}

const MANUAL = { source: 'MANUAL', id: null, branch: null }

/** So many entries as the version before wrote them, its lines without a date and in the same statement as their journals. */
async function post(org: Org, count: number, first = '2024-11-20'): Promise<void> {
  await sql(
    `WITH entry AS MATERIALIZED (
       SELECT uuidv7() AS id, n, $3::date + n % 800 AS date, 1 + n % 977 AS amount, $4::jsonb -> (n % jsonb_array_length($4)) AS document
       FROM generate_series(1, $2::integer) AS n
     ), journal AS (
       INSERT INTO journals (org_id, id, journal_number, date, source, source_id, line_count, created_time)
       SELECT $1, id, id::text, date, document ->> 'source', (document ->> 'id')::uuid, 3, now() FROM entry
     ), line AS (
       INSERT INTO journal_lines (org_id, journal_id, line_no, line_count, account_id, debit, credit, created_time)
       SELECT $1, id, side.no, 3, ($5::uuid[])[1 + (n + side.no) % 3], side.debit * amount, side.credit * amount, now()
       FROM entry, (VALUES (1, 1, 0), (2, 2, 0), (3, 0, 3)) AS side (no, debit, credit)
     ) SELECT 1`,
    org.id, count, first, JSON.stringify([...org.documents, MANUAL]), org.accounts)
}

/** Every line with the date and branch that it should have. */
const lines = () => sql<{ right: boolean; count: bigint }>(
  `SELECT l.date IS NOT DISTINCT FROM j.date AND l.branch_id IS NOT DISTINCT FROM b.id AS right, count(*) FROM journal_lines AS l
   JOIN journals AS j ON j.org_id = l.org_id AND j.id = l.journal_id
   LEFT JOIN jsonb_to_recordset($1) AS d(source text, id uuid, branch uuid) ON d.source = j.source AND d.id = j.source_id
   LEFT JOIN branches AS b ON b.org_id = j.org_id AND b.id = d.branch GROUP BY 1 ORDER BY 1`, JSON.stringify(orgs.flatMap(({ documents }) => documents)))

const balances = () => sql<{ account_id: string; balance: bigint }>(`SELECT account_id, balance FROM account_balances WHERE balance <> 0 ORDER BY 1`)
const summed = () => sql<{ account_id: string; balance: bigint }>(
  `SELECT account_id, sum(debit - credit)::bigint AS balance FROM journal_lines GROUP BY 1 HAVING sum(debit - credit) <> 0 ORDER BY 1`)

async function wrong(): Promise<string[]> {
  const found = await Promise.all(LEDGER.map((question) => database.run<{ wrong: string }>(question, [])))
  return found.flat().map((row) => row.wrong)
}

describe('between the two parts', () => {
  beforeAll(async () => {
    expect(await balances()).toEqual(await summed())
    expect(await migrate(url, { to: FIRST })).toEqual([FIRST])
  })

  test('the version before posts on, and reads the balances that it keeps', async () => {
    await post(orgs[0]!, 40, '2026-01-10')
    expect(await balances()).toEqual(await summed())
    // What stood has no date yet, what was added has its own.
    expect(await lines()).toEqual([{ right: false, count: 8_700n }, { right: true, count: 120n }])
  })

  test('a line may be given its date and nothing else', async () => {
    await expect(sql('UPDATE journal_lines SET debit = debit + 1, date = now() WHERE date IS NULL')).rejects.toThrow(/append-only/)
    await expect(sql('UPDATE journal_lines SET date = date WHERE date IS NOT NULL')).rejects.toThrow(/append-only/)
    await expect(sql('DELETE FROM journal_lines')).rejects.toThrow(/append-only/)
  })

  test('a run that is broken off keeps what it has dated', async () => {
    // It comes to a line that somebody holds when a portion is done, and is ended there.
    const held = await sql<{ id: string }>(`SELECT id FROM journals WHERE org_id = $1 ORDER BY id OFFSET 2100 LIMIT 1`, orgs[0]!.id)
    const broken = database.transaction(async (holder) => {
      await holder.run({ name: '', text: 'SELECT FROM journal_lines WHERE org_id = $1 AND journal_id = $2 FOR UPDATE' }, [orgs[0]!.id, held[0]!.id])
      const migrating = migrate(url).then(() => 'done', (error: Error) => error.message)
      const MIGRATING = `FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'bahi migrate'`
      while ((await sql(`SELECT ${MIGRATING} AND wait_event_type = 'Lock'`)).length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
      await sql(`SELECT pg_terminate_backend(pid) ${MIGRATING}`)
      return migrating
    })
    expect(await broken).toMatch(new RegExp(`Migration ${SECOND} failed`))
    const dated = (await lines()).find(({ right }) => right)!.count
    expect(dated).toBeGreaterThan(120n)
    expect(dated).toBeLessThan(8_820n)
    expect(await balances()).toEqual(await summed())
  })

  test('a balance that is not the sum of its lines is not thrown away: the run stops, and says so', async () => {
    const drift = (by: number) => sql('UPDATE account_balances SET balance = balance + $2 WHERE account_id = $1', orgs[0]!.accounts[0], by)
    await drift(1)
    await expect(migrate(url)).rejects.toThrow(new RegExp(`Migration ${SECOND} failed: the balances of 1 accounts are not the sums of their lines`))
    await drift(-1)
    expect(await lines()).toEqual([{ right: true, count: 8_820n }])
  })

  test('the next run goes on, or two at once', async () => {
    const applied = (await Promise.all([migrate(url), migrate(url)])).flat()
    // Each once, and behind it whatever came later.
    expect(applied[0]).toBe(SECOND)
    expect(new Set(applied).size).toBe(applied.length)
    expect(await lines()).toEqual([{ right: true, count: 8_820n }])
    expect(await wrong()).toEqual([])
  })
})

describe('afterwards', () => {
  test('the version before posts on, and reads the same balances', async () => {
    await post(orgs[1]!, 50, '2020-02-01')
    expect(await balances()).toEqual(await summed())
    expect(await lines()).toEqual([{ right: true, count: 8_970n }])
    expect(await wrong()).toEqual([])
  })

  test('every month is what its lines are', async () => {
    const kept = await sql(`SELECT * FROM monthly_balances ORDER BY org_id, account_id, month`)
    expect(kept.length).toBeGreaterThan(100)
    expect(kept).toEqual(await sql(
      `SELECT l.org_id, l.account_id, (to_char(j.date, 'YYYY-MM') || '-01')::date AS month, sum(debit)::bigint AS debit, sum(credit)::bigint AS credit
       FROM journal_lines AS l JOIN journals AS j ON j.org_id = l.org_id AND j.id = l.journal_id GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`))
  })

  test('no line is changed directly, its date as little as anything else', async () => {
    for (const change of ['date = date', 'branch_id = NULL', 'debit = debit']) {
      await expect(sql(`UPDATE journal_lines SET ${change}`)).rejects.toThrow(/append-only/)
    }
  })
})
