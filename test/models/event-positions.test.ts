// The events of an older schema get their positions while the version before goes on announcing.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { v7 as uuidv7 } from 'uuid'
import { openDatabase, type Database } from '../../models/database.ts'
import { feedPage } from '../../models/event-feed.ts'
import { migrate } from '../../models/migrate.ts'
import { dropDatabase, emptyDatabase } from '../fixtures/template.ts'

let url: string
let database: Database
const ORGS = [uuidv7(), uuidv7(), uuidv7()]
const sql = <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> => database.run({ name: '', text }, values)

// One by one, as calls do; the first half in the order of time, the other against it.
const announce = (org: string, count: number) => sql(
  `INSERT INTO webhook_events (org_id, id, event_type, entity_type, entity_id, data, occurred_at)
   SELECT $1, gen_random_uuid(), 'INVOICE_CREATED', 'INVOICE', gen_random_uuid(), '{}', timestamptz '2026-04-01' + abs(n - $2::integer / 2) * interval '1 minute'
   FROM generate_series(1, $2::integer) AS n`, org, count)

beforeAll(async () => {
  url = await emptyDatabase()
  await migrate(url, { to: '0018_ranges.sql' })
  database = openDatabase({ url, pool: 3, name: 'old events' })
  for (const org of ORGS) {
    await sql(
      `INSERT INTO organizations (id, name, state_code, status, currency_code, fiscal_year_start_month, time_zone, sandbox, preferences, created_time, last_modified_time)
       VALUES ($1, 'Old', 'IN-KA', 'ACTIVE', 'INR', 4, 'Asia/Kolkata', false, '{}', now(), now())`, org)
  }
  await announce(ORGS[0]!, 3_000)
  await announce(ORGS[1]!, 7)
})
afterAll(async () => {
  await database.close()
  await dropDatabase(url)
})

test('they follow each other by time, without gaps, and new ones come after them', async () => {
  let migrating = true
  const migrated = migrate(url).finally(() => {
    migrating = false
  })
  let later = 0
  while (migrating) {
    for (const org of ORGS) await announce(org, 1)
    later += 1
  }
  await migrated
  for (const [place, old] of [3_000, 7, 0].entries()) {
    const rows = await sql<{ position: bigint; occurred_at: Date }>(
      'SELECT position, occurred_at FROM webhook_events WHERE org_id = $1 ORDER BY position', ORGS[place])
    expect(rows.map(({ position }) => Number(position))).toEqual(Array.from({ length: old + later }, (_, n) => n + 1))
    const page = await feedPage({ connection: database, orgId: ORGS[place]! }, { filters: {}, after: null, perPage: 200 })
    expect(page).toMatchObject({ hasMore: old + later > 200 })
  }
  const [first] = await sql<{ sorted: boolean }>(
    `SELECT bool_and(occurred_at >= before) AS sorted FROM (
       SELECT occurred_at, lag(occurred_at, 1, occurred_at) OVER (ORDER BY position) AS before FROM webhook_events WHERE org_id = $1 AND position <= 3000) AS e`,
    ORGS[0])
  expect(first).toEqual({ sorted: true })
})

test('a run that was broken off is run again', async () => {
  const [file] = await sql<{ name: string }>(`DELETE FROM schema_migrations WHERE name = '0022_event_feed.sql' RETURNING name`)
  expect(file).toEqual({ name: '0022_event_feed.sql' })
  const before = await sql('SELECT id, position FROM webhook_events ORDER BY org_id, position')
  expect(await migrate(url)).toEqual(['0022_event_feed.sql'])
  expect(await sql('SELECT id, position FROM webhook_events ORDER BY org_id, position')).toEqual(before)
})
