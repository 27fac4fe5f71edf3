// A page of the delivery log reads little more than its own rows, by each of its filters, on the first page and on the deepest.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { allOf, equalTo, everything, from, hasId, to, type Condition } from '../../models/condition.ts'
import type { Connection } from '../../models/connection.ts'
import { openDatabase, type Database } from '../../models/database.ts'
import { pageOf, type PageRequest } from '../../models/page.ts'
import { aboutRecord, aboutType, webhookDeliveries } from '../../models/webhook.ts'
import { cloneDatabase, dropDatabase } from '../fixtures/template.ts'

const [ORG, OTHER] = [uuidv7(), uuidv7()]
const ROWS = 10_000
const PER_PAGE = 10

let url: string
let database: Database
let client: pg.Client

beforeAll(async () => {
  url = await cloneDatabase()
  database = openDatabase({ url, pool: 1, name: 'delivery pages' })
  client = new pg.Client({ connectionString: url })
  await client.connect()
  // What the rows point to is not asked for.
  await client.query('SET session_replication_role = replica')
  for (const org of [ORG, OTHER]) for (const text of SEED) await client.query(text, [org, ROWS])
  await client.query('VACUUM (ANALYZE) webhook_events, webhook_deliveries')
})
afterAll(async () => {
  await client.end()
  await database.close()
  await dropDatabase(url)
})

const id = (kind: string, n: string) => `('00000000-0000-7000-${kind}-' || lpad(to_hex(${n}), 12, '0'))::uuid`
// Five events of each of 2,000 records, spread over the whole log, each delivered to one of four endpoints; one in a hundred failed.
const SEED = [
  `INSERT INTO webhook_events (org_id, id, event_type, entity_type, entity_id, data, occurred_at, position)
   SELECT $1, ${id('8000', 'n')}, kind || '_UPDATED', kind, ${id('9000', 'n % 2000')}, '{}', '2026-01-01'::date + n * interval '1 minute', n
   FROM generate_series(1, $2::integer) AS n CROSS JOIN LATERAL (SELECT CASE WHEN n % 2000 < 20 THEN 'BILL' ELSE 'INVOICE' END AS kind) AS k`,
  `INSERT INTO webhook_deliveries (org_id, id, event_id, endpoint_id, event_type, payload, status, created_time, last_modified_time, held_by)
   SELECT $1, ${id('a000', 'n')}, ${id('8000', 'n')}, ${id('b000', 'n % 4')}, CASE WHEN n % 2000 < 20 THEN 'BILL' ELSE 'INVOICE' END || '_UPDATED', '{}',
     CASE WHEN n % 100 = 7 THEN 'FAILED' ELSE 'DELIVERED' END, '2026-01-01'::date + n * interval '1 minute', '2026-01-01'::date + n * interval '1 minute', NULL
   FROM generate_series(1, $2::integer) AS n`,
]

const record = '00000000-0000-7000-9000-0000000003e8'
const endpoint = '00000000-0000-7000-b000-000000000001'
const FILTERS: [string, Condition][] = [
  ['no filter', everything],
  ['entity_id', aboutRecord(record)],
  ['entity_type and entity_id', allOf([aboutType('INVOICE'), aboutRecord(record)])],
  ['entity_id and status', allOf([aboutRecord(record), equalTo('status', 'FAILED')])],
  ['entity_id and since', allOf([aboutRecord(record), from('created_time', '2026-01-03T00:00:00Z')])],
  ['entity_id and modified_since', allOf([aboutRecord(record), from('last_modified_time', '2026-01-03T00:00:00Z')])],
  ['entity_type', aboutType('INVOICE')],
  ['endpoint_id', hasId('endpoint_id', endpoint)],
  ['status', equalTo('status', 'FAILED')],
  ['event_type', equalTo('event_type', 'BILL_UPDATED')],
  ['since and until', allOf([from('created_time', '2026-01-02T00:00:00Z'), to('created_time', '2026-01-03T00:00:00Z')])],
  ['modified_since', from('last_modified_time', '2026-01-03T00:00:00Z')],
]
// Of a page: its rows, one more than is shown, each with its event; and the way down the indexes.
const MAX_BUFFERS = (PER_PAGE + 1) * 8 + 30

test.each(FILTERS)('%s', async (_name, where) => {
  for (const ascending of [false, true]) {
    const request = { where, perPage: PER_PAGE, ascending }
    expect(await buffersOf({ ...request, after: null })).toBeLessThanOrEqual(MAX_BUFFERS)
    const { hasMore, end } = await pageOf({ connection: database, orgId: ORG }, webhookDeliveries, { ...request, ascending: !ascending, after: null })
    if (hasMore) expect(await buffersOf({ ...request, after: end })).toBeLessThanOrEqual(MAX_BUFFERS)
  }
})

test('the deliveries of a record are all of it, and of this organisation alone', async () => {
  const { rows } = await pageOf({ connection: database, orgId: ORG }, webhookDeliveries, { where: aboutRecord(record), perPage: PER_PAGE, after: null })
  const numbers = rows.map((row) => Number.parseInt(row.id.slice(-12), 16))
  expect(numbers).toEqual([9_000, 7_000, 5_000, 3_000, 1_000])
  expect(new Set(rows.map(({ org_id }) => org_id))).toEqual(new Set([ORG]))
})

/** How many pages of 8 kB, of the tables and their indexes, PostgreSQL looks at for it. */
async function buffersOf(request: PageRequest): Promise<number> {
  let asked = ''
  const run = async ({ text }: { text: string }) => {
    asked = text
    return []
  }
  await pageOf({ connection: { run } as unknown as Connection, orgId: ORG }, webhookDeliveries, request)
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${asked}`)
  const { Plan: plan } = rows[0]!['QUERY PLAN'][0]
  return plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!
}
