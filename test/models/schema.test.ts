// The migrated schema against what the code believes of it, and against its own promises.
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { v7 as uuidv7 } from 'uuid'
import type { Route } from '../../api/http/route.ts'
import { routesOf } from '../../api/routes.ts'
import { openDatabase, type Database } from '../../models/database.ts'
import { models, sequelizeModelOf } from '../../models/model.ts'
import { cloneDatabase, dropDatabase } from '../fixtures/template.ts'

let url: string
let database: Database
const sql = <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> => database.run({ name: '', text }, values)

beforeAll(async () => {
  for (const name of readdirSync(new URL('../../models/', import.meta.url))) {
    if (name.endsWith('.ts')) await import(`../../models/${name}`)
  }
  url = await cloneDatabase()
  database = openDatabase({ url, pool: 2, name: 'schema' })
})
afterAll(async () => {
  await database.close()
  await dropDatabase(url)
})

const TYPES: Record<string, string[]> = {
  UUID: ['uuid'], TEXT: ['text'], INTEGER: ['integer', 'smallint'], BIGINT: ['bigint'], DECIMAL: ['numeric'], BOOLEAN: ['boolean'],
  DATEONLY: ['date'], DATE: ['timestamp with time zone'], JSONB: ['jsonb'], BLOB: ['bytea'], ARRAY: ['ARRAY'], 'DOUBLE PRECISION': ['double precision'],
}
// Written by the database itself, or by one statement that names it.
const UNDECLARED = ['event_counters', 'last_uses', 'monthly_balances', 'number_counters', 'removed_conversions', 'removed_events', 'schema_migrations', 'sign_ins', 'temporal_marks']
// For the processes of the version before: what they read, and what is filled in where they leave it out.
const VIEWS = ['account_balances']
const FILLED_IN = ['journal_lines.date']

interface Column { table_name: string; column_name: string; data_type: string; is_generated: string; is_nullable: string }

test('every model has just the columns of its table, with their types', async () => {
  const columns = await sql<Column>(
    `SELECT table_name, column_name, data_type, is_generated, is_nullable FROM information_schema.columns WHERE table_schema = 'public'`,
  )
  const inSchema = Map.groupBy(columns, ({ table_name }) => table_name)
  for (const table of models()) {
    const found = inSchema.get(table.name) ?? []
    expect([table.name, [...table.columns, ...table.generated].sort()]).toEqual([table.name, found.map(({ column_name }) => column_name).sort()])
    for (const { column_name, data_type, is_generated, is_nullable } of found) {
      const { type, allowNull } = sequelizeModelOf(table).getAttributes()[column_name] as { type: { key: string }; allowNull: boolean }
      expect([table.name, column_name, TYPES[type.key]]).toEqual([table.name, column_name, expect.arrayContaining([data_type])])
      expect([table.name, column_name, table.generated.includes(column_name)]).toEqual([table.name, column_name, is_generated === 'ALWAYS'])
      expect([table.name, column_name, allowNull]).toEqual([table.name, column_name, is_nullable === 'YES' && !FILLED_IN.includes(`${table.name}.${column_name}`)])
    }
  }
  expect([...models().map(({ name }) => name), ...UNDECLARED, ...VIEWS].sort()).toEqual([...inSchema.keys()].sort())
})

test('every declared key is the primary key', async () => {
  const keys = await sql<{ name: string; key: string[] }>(
    `SELECT conrelid::regclass::text AS name, array(SELECT attname::text FROM unnest(conkey) WITH ORDINALITY AS k(num, place)
       JOIN pg_attribute ON attrelid = conrelid AND attnum = num ORDER BY place) AS key
     FROM pg_constraint WHERE contype = 'p' AND connamespace = 'public'::regnamespace`,
  )
  const keyOf = new Map(keys.map(({ name, key }) => [name, key]))
  for (const { name, key } of models()) expect([name, keyOf.get(name)]).toEqual([name, key])
})

describe('what belongs to an organisation', () => {
  const OWNED = `SELECT table_name::text AS name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = 'public' AND column_name = 'org_id' AND table_type = 'BASE TABLE'`

  test('has it first in its key', async () => {
    const wrong = await sql(
      `SELECT o.name FROM (${OWNED}) AS o WHERE NOT EXISTS (
         SELECT FROM pg_constraint AS c JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
         WHERE c.contype = 'p' AND c.conrelid = o.name::regclass AND a.attname = 'org_id')`,
    )
    expect(wrong).toEqual([])
  })

  test('points only into its own: every foreign key between such tables carries org_id on both sides', async () => {
    const wrong = await sql<{ name: string; key: string }>(
      `SELECT c.conrelid::regclass::text AS name, c.conname::text AS key FROM pg_constraint AS c
       WHERE c.contype = 'f' AND c.conrelid::regclass::text IN (${OWNED}) AND c.confrelid::regclass::text IN (${OWNED})
         AND NOT EXISTS (
           SELECT FROM unnest(c.conkey, c.confkey) AS k(here, there)
           JOIN pg_attribute AS h ON h.attrelid = c.conrelid AND h.attnum = k.here
           JOIN pg_attribute AS t ON t.attrelid = c.confrelid AND t.attnum = k.there
           WHERE h.attname = 'org_id' AND t.attname = 'org_id')`,
    )
    expect(wrong).toEqual([])
  })

  test('belongs to one that exists: a foreign key leads to organizations, straight or through another table', async () => {
    const adrift = await sql<{ name: string }>(
      `WITH RECURSIVE anchored AS (
         SELECT 'organizations'::regclass::oid AS id
         UNION
         SELECT c.conrelid FROM pg_constraint AS c JOIN anchored ON c.confrelid = anchored.id
         JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) AND a.attname = 'org_id'
         WHERE c.contype = 'f'
       ) SELECT o.name FROM (${OWNED}) AS o WHERE NOT EXISTS (
         SELECT FROM pg_class AS c JOIN anchored ON anchored.id = c.oid WHERE c.relname = o.name AND c.relnamespace = 'public'::regnamespace)`,
    )
    // The log of calls waits for no lock of an organisation and takes none; nothing of the books reads it.
    expect(adrift).toEqual([{ name: 'requests' }])
  })
})

describe('what is only ever added to', () => {
  test.each(['journals', 'journal_lines', 'activity'])('%s refuses UPDATE, DELETE and TRUNCATE', async (name) => {
    for (const statement of [`UPDATE ${name} SET org_id = org_id`, `DELETE FROM ${name}`, `TRUNCATE ${name} CASCADE`]) {
      await expect(sql(statement)).rejects.toThrow(/is append-only/)
    }
  })
})

describe('the ledger refuses', () => {
  const orgId = uuidv7()
  const accounts = [uuidv7(), uuidv7()]
  beforeAll(async () => {
    await sql(`INSERT INTO organizations (id, name, state_code, status, currency_code, fiscal_year_start_month, time_zone, sandbox, preferences,
      created_time, last_modified_time) VALUES ($1, 'Schema', 'IN-KA', 'ACTIVE', 'INR', 4, 'Asia/Kolkata', false, '{}', now(), now())`, orgId)
    for (const [place, id] of accounts.entries()) {
      await sql(`INSERT INTO accounts (org_id, id, code, name, account_type, currency_code, is_active, is_system, created_time, last_modified_time)
        VALUES ($1, $2, $3, 'Cash', 'CASH', 'INR', true, false, now(), now())`, orgId, id, String(place))
    }
  })

  /** Writes an entry that says it has `count` lines, and these lines: [debit, credit] of each account in turn. */
  const enter = (count: number, lines: [number, number][], id = uuidv7()) => database.transaction(async (connection) => {
    await connection.run({ name: '', text: `INSERT INTO journals (org_id, id, journal_number, date, source, line_count, created_time)
      VALUES ($1, $2::uuid, $2::uuid::text, '2026-11-10', 'MANUAL', $3, now())` }, [orgId, id, count])
    for (const [place, [debit, credit]] of lines.entries()) {
      await connection.run({ name: '', text: `INSERT INTO journal_lines (org_id, journal_id, line_no, line_count, account_id, debit, credit, created_time)
        VALUES ($1, $2, $3, $4, $5, $6, $7, now())` }, [orgId, id, place + 1, count, accounts[place % 2], debit, credit])
    }
    return id
  })

  test('a line of another day than its entry', async () => {
    const id = uuidv7()
    const written = database.transaction(async (connection) => {
      await connection.run({ name: '', text: `INSERT INTO journals (org_id, id, journal_number, date, source, line_count, created_time)
        VALUES ($1, $2::uuid, $2::uuid::text, '2026-11-10', 'MANUAL', 2, now())` }, [orgId, id])
      await connection.run({ name: '', text: `INSERT INTO journal_lines (org_id, journal_id, line_no, line_count, date, account_id, debit, credit, created_time)
        VALUES ($1, $2, 1, 2, '2026-11-10', $3, 5, 0, now()), ($1, $2, 2, 2, '2026-11-11', $3, 0, 5, now())` }, [orgId, id, accounts[0]])
    })
    await expect(written).rejects.toThrow(/does not balance: 1 of 2 lines of its date/)
  })

  test('an entry that does not balance, has a line too few or too many, or none', async () => {
    const id = await enter(2, [[100, 0], [0, 100]])
    expect(await sql('SELECT balance::text FROM account_balances WHERE org_id = $1 ORDER BY 1', orgId)).toEqual([{ balance: '-100' }, { balance: '100' }])
    expect(await sql(`SELECT month, debit::text, credit::text FROM monthly_balances WHERE org_id = $1 ORDER BY 2`, orgId))
      .toEqual([{ month: '2026-11-01', debit: '0', credit: '100' }, { month: '2026-11-01', debit: '100', credit: '0' }])
    await expect(enter(2, [[100, 0], [0, 99]])).rejects.toThrow(/does not balance/)
    await expect(enter(3, [[100, 0], [0, 100]])).rejects.toThrow(/does not balance/)
    await expect(enter(2, [])).rejects.toThrow(/does not balance/)
    await expect(enter(2, [[100, 0], [0, 50], [0, 50]])).rejects.toThrow(/journal_lines_check/)
    await expect(enter(2, [[100, 0], [0, 0]])).rejects.toThrow(/journal_lines_check/)
    await expect(enter(2, [[-100, 0], [0, -100]])).rejects.toThrow(/check/)
    // Nor can a line be added to an entry that exists.
    for (const line of [1, 3]) {
      await expect(sql(`INSERT INTO journal_lines (org_id, journal_id, line_no, line_count, account_id, debit, credit, created_time)
        VALUES ($1, $2, $3, 2, $4, 5, 0, now())`, orgId, id, line, accounts[0])).rejects.toThrow(/journal_lines_(pkey|check)/)
    }
    expect(await sql('SELECT count(*)::integer AS lines FROM journal_lines WHERE org_id = $1', orgId)).toEqual([{ lines: 2 }])
  })
})

describe('every list filter has an index that begins with the organisation and the column', () => {
  // Lists that are bounded by nature: a chart, a tax list, at most twenty endpoints. The customer ledger is no list of rows:
  // it reads a contact's journal lines, by journal_lines_by_contact.
  const SMALL = [
    '/reports/customer_ledger', '/accounts', '/taxes', '/webhooks/endpoints', '/branches', '/bank_accounts', '/cost_centers', '/currencies',
  ]
  const TABLE: Record<string, string> = { '/invoices/series/gaps': 'number_gaps', '/webhooks/deliveries': 'webhook_deliveries', '/webhooks/events': 'webhook_events', '/recurring': 'recurring_schedules' }
  const COLUMN: Record<string, string> = {
    date_from: 'date', date_to: 'date', modified_since: 'last_modified_time', search: 'search', cursor: 'created_time',
    '/activity since': 'occurred_at', '/activity until': 'occurred_at', '/webhooks/deliveries since': 'created_time', '/webhooks/deliveries until': 'created_time',
    '/journals modified_since': 'created_time', '/journals account_id': 'journal_lines.account_id', '/invoices overdue': 'due_date', '/bills overdue': 'due_date',
    '/expenses account_id': 'expense_lines.account_id', '/recurring is_active': 'status',
    '/webhooks/deliveries entity_type': 'webhook_events.entity_type', '/webhooks/deliveries entity_id': 'webhook_events.entity_id',
    '/webhooks/events cursor': 'position', '/invoices/series/gaps cursor': 'document', '/invoices/series/gaps modified_since': 'document',
  }
  // What is looked for inside a value; the ids of cost centers are of one organisation anyway.
  const BY_VALUES: Record<string, RegExp> = { search: /USING gin \(.*gin_trgm_ops/s, tag: /USING gin \(tags\) WHERE \(tags <> '{}'::uuid\[\]\)/ }
  // What is asked for by a range is in the order of another column: an index that has both.
  const BY_RANGE = ['date', 'due_date', 'last_modified_time']
  // What shapes the page, and does not choose rows by a column of its own.
  const NO_FILTER = ['organization_id', 'per_page', 'page', 'sort', 'limit', 'include_reversed', 'branchId', 'transactionDate', 'series', 'start']
  // The token's kind has no organisation: partners page their own.
  const lists = routesOf({ publicUrl: 'http://schema.test' }).filter(({ method, path, query, by }: Route) =>
    method === 'GET' && query && by !== 'partner' && !path.includes('{') && !SMALL.includes(path))
  const asked = lists.flatMap(({ path, query }) => Object.keys(query!.properties).filter((name) => !NO_FILTER.includes(name)).map((name) => [path, name]))

  test.each(asked)('%s?%s', async (path, name) => {
    const [column, table] = (COLUMN[`${path} ${name}`] ?? COLUMN[name!] ?? name!).split('.').reverse() as [string, string?]
    const indexes = await sql<{ definition: string }>(
      `SELECT indexdef AS definition FROM pg_indexes WHERE schemaname = 'public' AND tablename = $1`, table ?? TABLE[path!] ?? path!.slice(1),
    )
    const wanted = BY_VALUES[column] ?? new RegExp(BY_RANGE.includes(column)
      ? `USING gist \\(org_id,( \\w+,)* ${column},( \\w+,)* \\(created_time AT TIME ZONE 'UTC'::text\\)\\)`
      : `USING btree \\(org_id, "?${column}\\b`)
    expect(indexes.map(({ definition }) => definition)).toEqual(expect.arrayContaining([expect.stringMatching(wanted)]))
  })
})
