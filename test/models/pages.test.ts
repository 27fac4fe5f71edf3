// A page of a list reads no more than its own rows, whatever is asked for, on the first page and on the deepest.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { remindersDue } from '../../domain/reminders.ts'
import { routesOf } from '../../api/routes.ts'
import { allOf, equalTo, everything, from, hasId, hasTag, not, to, type Condition } from '../../models/condition.ts'
import type { Connection } from '../../models/connection.ts'
import { openDatabase, type Database } from '../../models/database.ts'
import { invoices, type InvoiceRow } from '../../models/invoice.ts'
import { overdueOn } from '../../models/overdue.ts'
import { invoicesToRemind } from '../../models/reminder.ts'
import { pageOf, type PageOf, type PageRequest } from '../../models/page.ts'
import { cloneDatabase, dropDatabase } from '../fixtures/template.ts'

const [ORG, OTHER] = [uuidv7(), uuidv7()]
const ROWS = 8_000
const CUSTOMERS = 40
const PER_PAGE = 10
// Of a page: a row each in a page of the table of its own, one more than is shown, and the way down an index or two.
const MAX_BUFFERS = PER_PAGE + 1 + 20
const TODAY = '2026-06-30'

let url: string
let database: Database
let client: pg.Client

beforeAll(async () => {
  url = await cloneDatabase()
  database = openDatabase({ url, pool: 1, name: 'pages' })
  client = new pg.Client({ connectionString: url })
  await client.connect()
  // What the rows point to is not asked for.
  await client.query('SET session_replication_role = replica')
  for (const org of [ORG, OTHER]) await client.query(SEED, [org, ROWS, CUSTOMERS, TODAY])
  // All rows are in the sample, so the plans are the same each time.
  await client.query('VACUUM (ANALYZE) invoices')
})
afterAll(async () => {
  await client.end()
  await database.close()
  await dropDatabase(url)
})

// Two years of invoices, two at each time: dated some days before or after, changed some days later, nine in ten paid.
const SEED = `
INSERT INTO invoices (org_id, id, branch_id, invoice_number, customer_id, customer_name, date, due_date, reference_number,
  place_of_supply, currency_code, exchange_rate, sub_total, cgst, sgst, igst, cess, tax_total, round_off, total, payment_made,
  credits_applied, status, tags, version, created_time, last_modified_time)
SELECT $1::uuid, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1::uuid, 'INV-' || n,
  ('00000000-0000-7000-9000-' || lpad(to_hex(n * 7919 % $3), 12, '0'))::uuid, 'Customer', at::date + n * 7 % 5 - 2, at::date + 30,
  CASE WHEN n % 2 = 0 THEN 'PO-' || n / 20 END, 'IN-KA', 'INR', 1, 100, 0, 0, 0, 0, 0, 0, 100,
  CASE WHEN status = 'PAID' THEN 100 ELSE 0 END, 0, status,
  CASE WHEN n % 20 = 3 THEN ARRAY[$1::uuid] ELSE '{}' END, 1, at, at + n % 11 * interval '1 day'
FROM generate_series(1, $2::integer) AS n
  CROSS JOIN LATERAL (SELECT $4::date - ($2 - n / 2 * 2) * interval '730 days' / $2 AS at) AS a
  CROSS JOIN LATERAL (SELECT CASE WHEN n % 50 = 7 THEN 'DRAFT' WHEN n % 10 > 0 AND n < $2 * 0.95 THEN 'PAID'
    WHEN at::date + 30 < $4::date THEN 'OVERDUE' ELSE 'SENT' END AS status) AS s`

const customer = '00000000-0000-7000-9000-000000000005'
const FILTERS: Record<string, Record<string, Condition>> = {
  none: { 'no filter': everything },
  modified_since: {
    yesterday: from('last_modified_time', '2026-06-29T00:00:00Z'), 'a year ago': from('last_modified_time', '2025-06-30T00:00:00Z'),
    'the beginning': from('last_modified_time', '2020-01-01T00:00:00Z'),
  },
  status: { PAID: equalTo('status', 'PAID'), DRAFT: equalTo('status', 'DRAFT'), OVERDUE: equalTo('status', 'OVERDUE') },
  customer_id: { 'a customer': hasId('customer_id', customer) },
  date_from: {
    'the last year': from('date', '2025-07-01'), 'the last month': from('date', '2026-06-01'),
    'with date_to, a day': allOf([from('date', '2024-11-05'), to('date', '2024-11-05')]),
    'with date_to, a quarter': allOf([from('date', '2024-10-01'), to('date', '2024-12-31')]),
    'with date_to, a year': allOf([from('date', '2025-01-01'), to('date', '2025-12-31')]),
  },
  date_to: { 'the year before': to('date', '2025-06-30'), 'the first month': to('date', '2024-07-31') },
  tag: { 'a tag': hasTag(ORG) },
  reference_number: { 'a reference': equalTo('reference_number', 'PO-100') },
  invoice_number: { 'a number': equalTo('invoice_number', 'INV-2000') },
  overdue: { true: overdueOn('INVOICE', TODAY), false: not(overdueOn('INVOICE', TODAY)) },
}
// All rows of a tag are read, and sorted: GIN has them in no order.
const READ_WHOLE = new Set(['a tag'])

test('every filter of the list is here', () => {
  const list = routesOf({ publicUrl: 'http://test' }).find(({ method, path }) => method === 'GET' && path === '/invoices')!
  const ofPages = new Set(['organization_id', 'cursor', 'per_page', 'sort'])
  const filters = Object.keys(list.query!.properties).filter((name) => !ofPages.has(name))
  expect(Object.keys(FILTERS).filter((name) => name !== 'none').sort()).toEqual(filters.sort())
})

const every = Object.entries(FILTERS).flatMap(([name, kinds]) => Object.entries(kinds).map(([kind, where]) => [name, kind, where] as const))

describe.each(every)('%s: %s', (_name, kind, where) => {
  test.each([['newest first', false], ['oldest first', true]])('%s', async (_order, ascending) => {
    const most = READ_WHOLE.has(kind) ? 500 : MAX_BUFFERS
    const request = { where, perPage: PER_PAGE, ascending }
    expect(await buffersOf({ ...request, after: null })).toBeLessThanOrEqual(most)
    const deepest = await deepestOf(request)
    if (deepest) expect(await buffersOf({ ...request, after: deepest })).toBeLessThanOrEqual(most)
  })
})

test.each([['newest first', false], ['oldest first', true]])('a range is walked through in the order of the list, %s', async (_, ascending) => {
  const where = allOf([from('date', '2024-10-01'), to('date', '2024-10-31')])
  const found: string[] = []
  for (let page = await read({ where, perPage: 7, ascending, after: null }); ; page = await read({ where, perPage: 7, ascending, after: page.end })) {
    found.push(...page.rows.map(({ id }) => id))
    if (!page.hasMore) break
  }
  const order = ascending ? 'ASC' : 'DESC'
  const { rows } = await client.query<{ id: string }>(
    `SELECT id FROM invoices WHERE org_id = $1 AND date BETWEEN '2024-10-01' AND '2024-10-31' ORDER BY created_time ${order}, id ${order}`, [ORG])
  expect(rows.length).toBeGreaterThan(100)
  expect(found).toEqual(rows.map(({ id }) => id))
})

describe('the sweep of reminders', () => {
  const due = remindersDue({ enabled: true, days: [-30, -20, -10, -5, -1, 0, 1, 5, 10, 20, 30, 60, 90, 120, 150, 180, 210, 240, 300, 365] }, TODAY)

  test('walks through what is owed by due date, each invoice once', async () => {
    const found: { id: string }[] = []
    for (let page = await invoicesToRemind({ connection: database, orgId: ORG }, due, null, 7); page.length > 0;) {
      found.push(...page)
      page = await invoicesToRemind({ connection: database, orgId: ORG }, due, { day: TODAY, ...page.at(-1)! }, 7)
    }
    const { rows } = await client.query<{ id: string }>(
      `SELECT id FROM invoices WHERE org_id = $1 AND due_date = ANY ($2::date[]) AND status IN ('SENT', 'PARTIALLY_PAID', 'OVERDUE') AND balance > 0
       ORDER BY due_date, id`, [ORG, due.map(({ due_date }) => due_date)])
    expect(rows.length).toBeGreaterThan(50)
    expect(found.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
  })

  test('reads no more than a look into its index for each due date, and the invoices of its page', async () => {
    let asked: [string, readonly unknown[]] = ['', []]
    const run = async ({ text }: { text: string }, values: readonly unknown[]) => {
      asked = [text, values]
      return []
    }
    await invoicesToRemind({ connection: { run } as unknown as Connection, orgId: ORG }, due, null, PER_PAGE)
    expect(await buffersOfStatement(...asked)).toBeLessThanOrEqual(due.length * 3 + MAX_BUFFERS)
  })
})

const read = (request: PageRequest): Promise<PageOf<InvoiceRow>> => pageOf({ connection: database, orgId: ORG }, invoices, request)

/** Where the page before the last rows of the list ends. */
async function deepestOf({ where, perPage, ascending }: { where: Condition; perPage: number; ascending: boolean }) {
  const { hasMore, end } = await read({ where, perPage: perPage + 1, ascending: !ascending, after: null })
  return hasMore ? end : null
}

/** How many pages of 8 kB, of the table and its indexes, PostgreSQL looks at for it. */
async function buffersOf(request: PageRequest): Promise<number> {
  let asked = ''
  const run = async ({ text }: { text: string }) => {
    asked = text
    return []
  }
  await pageOf({ connection: { run } as unknown as Connection, orgId: ORG }, invoices, request)
  return buffersOfStatement(asked)
}

// Where other sessions of the server make and drop enough tables, also in other databases, PostgreSQL has a session forget what
// it keeps of the catalog, and counts with the next statement that it reads that again. So the least of some is what the pages took.
const TIMES = 5

async function buffersOfStatement(text: string, values: readonly unknown[] = []): Promise<number> {
  const counts: number[] = []
  for (let time = 0; time < TIMES; time += 1) {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, [...values])
    const { Plan: plan } = rows[0]!['QUERY PLAN'][0]
    counts.push(plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!)
  }
  return Math.min(...counts)
}
