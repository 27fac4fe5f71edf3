// The change feed under slow writers: nothing is skipped and nothing comes twice, and a page reads no more than its own rows.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { v7 as uuidv7 } from 'uuid'
import type { Statement } from '../../models/connection.ts'
import { openDatabase, type Database } from '../../models/database.ts'
import { feedPage, type FeedFilters, type FeedPage, type FeedPlace } from '../../models/event-feed.ts'
import type { Transaction } from '../../models/transaction.ts'
import { UnitOfWork } from '../../models/unit-of-work.ts'
import { blockedBy } from '../fixtures/blocked.ts'
import { cloneDatabase, dropDatabase } from '../fixtures/template.ts'

let url: string
let database: Database
let org: string
const clients: pg.Client[] = []

beforeAll(async () => {
  url = await cloneDatabase()
  database = openDatabase({ url, pool: 2, name: 'feed' })
})
afterAll(async () => {
  await database.close()
  await dropDatabase(url)
})
beforeEach(async () => {
  org = await newOrganization()
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()))
})

const sql = <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> => database.run({ name: '', text }, values)

async function newOrganization(): Promise<string> {
  const id = uuidv7()
  await sql(
    `INSERT INTO organizations (id, name, state_code, status, currency_code, fiscal_year_start_month, time_zone, sandbox, preferences, created_time, last_modified_time)
     VALUES ($1, 'Feed', 'IN-KA', 'ACTIVE', 'INR', 4, 'Asia/Kolkata', false, '{}', now(), now())`, id)
  return id
}

async function connected(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  clients.push(client)
  await client.connect()
  return client
}

/** An open transaction, as a unit of work sees it: its last statement is sent, and what commits it is left to the test. */
const held = (client: pg.Client) => ({
  runLast: async ({ text }: Statement, values: readonly unknown[]) => (await client.query(text, [...values])).rows,
}) as unknown as Transaction

/** Writes so many events in the open transaction of the client; each has the writer's name in its data. */
async function announce(client: pg.Client, count: number, writer = 'a', orgId = org): Promise<void> {
  const unit = new UnitOfWork()
  for (let n = 0; n < count; n += 1) {
    const placeholder = uuidv7()
    unit.announcements.push({
      id: uuidv7(), event_type: n % 2 === 0 ? 'INVOICE_CREATED' : 'INVOICE_UPDATED', entity_type: 'INVOICE', entity_id: uuidv7(), data: { writer },
      occurred_at: new Date(), payload: '{}', placeholder,
    })
  }
  await client.query('BEGIN')
  await unit.write(held(client), orgId)
}

async function page(after: FeedPlace | null, perPage = 3, filters: FeedFilters = {}): Promise<FeedPage> {
  const found = await feedPage({ connection: database, orgId: org }, { filters, after, perPage })
  if (typeof found === 'string') throw new Error(found)
  return found
}

const positions = ({ rows }: FeedPage) => rows.map(({ position }) => Number(position))

test('an event is handed out when it is committed, and one of a later transaction not before it', async () => {
  const [slow, quick] = [await connected(), await connected()]
  await announce(slow, 2, 'slow')
  // The later transaction waits for its positions until the earlier one has ended.
  const later = announce(quick, 1, 'quick')
  await blockedBy(slow)
  expect(positions(await page(null))).toEqual([])
  await slow.query('COMMIT')
  await later
  const first = await page(null)
  expect([positions(first), first.hasMore]).toEqual([[1, 2], false])
  await quick.query('COMMIT')
  expect(positions(await page(first.end))).toEqual([3])
})

test('a transaction that is rolled back leaves no gap', async () => {
  const [failing, next] = [await connected(), await connected()]
  await announce(failing, 2)
  const waiting = announce(next, 2)
  await blockedBy(failing)
  await failing.query('ROLLBACK')
  await waiting
  await next.query('COMMIT')
  expect(positions(await page(null))).toEqual([1, 2])
})

test('the first events of an organisation, by two transactions at once', async () => {
  const [one, other] = [await connected(), await connected()]
  await announce(one, 1)
  const waiting = announce(other, 1)
  await blockedBy(one)
  await one.query('COMMIT')
  await waiting
  await other.query('COMMIT')
  expect(positions(await page(null))).toEqual([1, 2])
})

test('transactions of other organisations, however long, hold up nobody', async () => {
  const [neighbour, own] = [await connected(), await connected()]
  await announce(neighbour, 1, 'neighbour', await newOrganization())
  await announce(own, 1)
  await own.query('COMMIT')
  // The neighbour's transaction is older, has written, and is still open.
  expect(positions(await page(null))).toEqual([1])
  await neighbour.query('ROLLBACK')
})

test('an event that is inserted without a position gets the next one', async () => {
  const client = await connected()
  await announce(client, 1)
  await client.query('COMMIT')
  // As a process of the version before inserts it.
  await sql(`INSERT INTO webhook_events (org_id, id, event_type, entity_type, entity_id, data, occurred_at)
    SELECT $1, gen_random_uuid(), 'BILL_CREATED', 'BILL', gen_random_uuid(), '{}', now() FROM generate_series(1, 2)`, org)
  await announce(client, 1)
  await client.query('COMMIT')
  expect(positions(await page(null, 9))).toEqual([1, 2, 3, 4])
})

test('slow writers of all kinds, and readers at any pace: each reader has every event once, in one order', async () => {
  const [WRITERS, TURNS] = [5, 14]
  let writing = true
  const committed: string[] = []
  const write = async (writer: number) => {
    const client = await connected()
    for (let turn = 0; turn < TURNS; turn += 1) {
      const name = `${writer}/${turn}`
      await announce(client, 1 + (turn % 3), name)
      await delay((writer * 7 + turn * 5) % 12)
      const isKept = (writer + turn) % 4 > 0
      await client.query(isKept ? 'COMMIT' : 'ROLLBACK')
      if (isKept) committed.push(...Array.from({ length: 1 + (turn % 3) }, () => name))
    }
  }
  const read = async (perPage: number) => {
    const seen: { position: number; writer: unknown }[] = []
    for (let after: FeedPlace | null = null, last = false; ;) {
      const { rows, hasMore, end } = await page(after, perPage)
      seen.push(...rows.map(({ position, data }) => ({ position: Number(position), writer: data.writer })))
      after = end
      if (last && !hasMore) return seen
      last = !writing
      await delay(perPage % 3)
    }
  }
  const written = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer))).finally(() => {
    writing = false
  })
  const [eager, patient] = await Promise.all([read(1), read(8), written])
  expect(eager).toEqual(patient)
  expect(eager.map(({ position }) => position)).toEqual(committed.map((_, n) => n + 1))
  expect(eager.map(({ writer }) => writer).toSorted()).toEqual(committed.toSorted())
})

describe('a page reads its own rows', () => {
  const EVENTS = 20_000
  const PER_PAGE = 10
  const NEEDLE = '00000000-0000-7000-8000-00000000ffff'
  // Of a page: its rows, one more, the event of the cursor and both ends, and the way down each index.
  const MAX_BUFFERS = PER_PAGE + 1 + 20
  beforeAll(async () => {
    org = await newOrganization()
    await sql(
      `INSERT INTO webhook_events (org_id, id, event_type, entity_type, entity_id, data, occurred_at, position)
       SELECT $1, ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid,
         CASE WHEN n % 1000 = 7 THEN 'BILL_VOIDED' WHEN n % 3 = 0 THEN 'INVOICE_UPDATED' ELSE 'INVOICE_CREATED' END,
         CASE WHEN n % 1000 = 7 THEN 'BILL' ELSE 'INVOICE' END,
         CASE WHEN n % 500 = 3 THEN $3::uuid ELSE gen_random_uuid() END, '{"id": "x"}', now(), n
       FROM generate_series(1, $2::integer) AS n`, org, EVENTS, NEEDLE)
    await sql('VACUUM (ANALYZE) webhook_events')
  })

  const cases: [string, FeedFilters][] = [
    ['no filter', {}],
    ['a common type', { event_type: 'INVOICE_CREATED' }],
    ['a rare type', { event_type: 'BILL_VOIDED' }],
    ['a type that is not there', { event_type: 'JOURNAL_POSTED' }],
    ['a common entity type', { entity_type: 'INVOICE' }],
    ['a rare entity type', { entity_type: 'BILL' }],
    ['an entity', { entity_id: NEEDLE }],
    ['an entity and its type', { entity_type: 'INVOICE', entity_id: NEEDLE }],
  ]
  test.each(cases)('%s, at the beginning and at the end', async (_name, filters) => {
    const seeded = (await sql<{ org_id: string }>('SELECT org_id FROM webhook_events WHERE position = $1', EVENTS))[0]!.org_id
    const all = await everything(filters, seeded)
    expect(await buffersOf(filters, null, seeded)).toBeLessThanOrEqual(MAX_BUFFERS)
    const deep = all.at(-PER_PAGE - 2) ?? null
    expect(await buffersOf(filters, deep, seeded)).toBeLessThanOrEqual(MAX_BUFFERS)
  })

  const everything = (filters: FeedFilters, orgId: string) => {
    const names = Object.keys(filters)
    return sql<FeedPlace>(
      `SELECT position, id FROM webhook_events WHERE org_id = $1 ${names.map((name, n) => `AND ${name} = $${n + 2}`).join(' ')} ORDER BY position`,
      orgId, ...Object.values(filters))
  }

  /** How many pages of 8 kB PostgreSQL looks at, with the plan that a prepared statement ends with. */
  async function buffersOf(filters: FeedFilters, after: FeedPlace | null, orgId: string): Promise<number> {
    let asked: [string, readonly unknown[]] = ['', []]
    const run = async ({ text }: Statement, values: readonly unknown[]) => {
      asked = [text, values]
      return [{ id: null, oldest: null, newest: null, newest_id: null, has_read: true, removed_id: null }]
    }
    await feedPage({ connection: { run } as unknown as Database, orgId }, { filters, after, perPage: PER_PAGE })
    const client = await connected()
    const [text, values] = asked
    await client.query(`SET plan_cache_mode = force_generic_plan`)
    await client.query(`PREPARE feed (uuid, bigint, uuid, bigint${values.slice(4).map((value) => (value === NEEDLE ? ', uuid' : ', text')).join('')}) AS ${text}`)
    const literals = values.map((value) => pg.escapeLiteral(String(value))).join(', ')
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE feed(${literals})`)
    const { Plan: plan } = rows[0]!['QUERY PLAN'][0]
    return plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!
  }
})
