// The statements that move many webhooks at a time lock rows in the order of their keys, or pass over those that others have.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { FIND_LEFT_WAITING, RELEASE_WAITING, TRY } from '../../models/circuit.ts'
import type { Statement } from '../../models/connection.ts'
import { BEGIN, PUT_BACK, RELEASE, SETTLE } from '../../models/attempt.ts'
import { CLAIM, CLAIM_MORE, NOTE_PROCESSES } from '../../models/queue.ts'
import { cloneDatabase, dropDatabase } from '../fixtures/template.ts'
import { blockedBy } from '../fixtures/blocked.ts'

const COUNT = 5
const NOW = new Date('2026-11-20T12:00:00Z')
const EARLIER = new Date(NOW.getTime() - 3_600_000)
const LATER = new Date(NOW.getTime() + 3_600_000)
const LONG_AGO = new Date(NOW.getTime() - 6 * 86_400_000)
const BATCH = id(9_000)
const ORG = id(1)
// Rows lie in the table, and are named to the statements, in the reverse of the order in which they are to be locked.
const DELIVERIES = Array.from({ length: COUNT }, (_, n) => id(100 + n)).toReversed()
const ENDPOINTS = Array.from({ length: COUNT }, (_, n) => id(200 + n)).toReversed()
const orgs = DELIVERIES.map(() => ORG)

function id(n: number): string {
  return `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
}

let url: string
let moving: pg.Client
let holding: pg.Client
beforeAll(async () => {
  url = await cloneDatabase()
  ;[moving, holding] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })]
  await Promise.all([moving.connect(), holding.connect()])
  await moving.query(
    `INSERT INTO organizations (id, name, state_code, status, currency_code, fiscal_year_start_month, time_zone, sandbox, preferences, created_time, last_modified_time)
     VALUES ($1, 'Lock Street', 'IN-KA', 'ACTIVE', 'INR', 4, 'Asia/Kolkata', false, '{}', now(), now())`, [ORG])
  for (const [n, endpoint] of ENDPOINTS.entries()) {
    await moving.query(
      `INSERT INTO webhook_endpoints (org_id, id, url, secret_sealed, events, status, created_time, last_modified_time)
       VALUES ($1, $2, 'https://hooks.example.com/', 's', '{INVOICE_CREATED}', 'ENABLED', now(), now())`, [ORG, endpoint])
    await moving.query(`INSERT INTO webhook_circuits VALUES ($1, $2, 'CLOSED', 0, 0, NULL, false, false)`, [ORG, endpoint])
    await moving.query(`INSERT INTO webhook_events VALUES ($1, $2, 'INVOICE_CREATED', 'INVOICE', $2, '{}', now())`, [ORG, DELIVERIES[n]])
    await moving.query(
      `INSERT INTO webhook_deliveries (org_id, id, event_id, endpoint_id, event_type, payload, status, created_time, last_modified_time, held_by)
       VALUES ($1, $2, $2, $3, 'INVOICE_CREATED', '{}', 'PENDING', $4, $4, 'QUEUE')`, [ORG, DELIVERIES[n], endpoint, EARLIER])
    await moving.query(`INSERT INTO webhook_attempts VALUES ($1, $2, 0, 1, $3)`, [ORG, DELIVERIES[n], EARLIER])
  }
})
afterAll(async () => {
  await Promise.all([moving.end(), holding.end()])
  await dropDatabase(url)
})

interface Case {
  statement: Statement
  values: unknown[]
  /** What is true of the rows before. */
  before?: string[]
  table?: 'webhook_deliveries' | 'webhook_circuits'
  ids?: string[]
}

const settled = (status: 'DELIVERED' | 'RETRYING') => JSON.stringify(DELIVERIES.map((delivery_id, n) => ({
  org_id: ORG, delivery_id, series: 0, attempt: 1, endpoint_id: ENDPOINTS[n], status, duration_ms: 5, ended_at: NOW,
  next_attempt_at: status === 'RETRYING' ? LATER : null,
})))
const held = (by: string) => `UPDATE webhook_deliveries SET held_by = '${by}', batch_id = ${by === 'BATCH' ? `'${BATCH}'` : 'NULL'}`
const refused = `UPDATE webhook_deliveries SET status = 'RETRYING', attempts_made = 1, next_attempt_at = '${LATER.toISOString()}'`

const ORDERED: Record<string, Case> = {
  'processes are noted': {
    statement: NOTE_PROCESSES, values: [orgs, DELIVERIES, DELIVERIES.map(() => 1), DELIVERIES.map(() => LATER), NOW], before: [refused],
  },
  'deliveries are put back': { statement: PUT_BACK, values: [orgs, DELIVERIES], before: [held('BATCH')] },
  'a batch is released': { statement: RELEASE, values: [BATCH], before: [held('BATCH')] },
  'deliveries of disabled endpoints are skipped': {
    statement: BEGIN, values: [orgs, DELIVERIES, DELIVERIES.map(() => 0), DELIVERIES.map(() => 1), NOW],
    before: [held('BATCH'), `UPDATE webhook_endpoints SET status = 'DISABLED'`],
  },
  'attempts are settled': { statement: SETTLE, values: [settled('DELIVERED'), LONG_AGO], before: [held('BATCH')] },
  'circuits of endpoints that are disabled close': {
    statement: SETTLE, values: [settled('RETRYING'), new Date(LONG_AGO.getTime() + 3_600_000)], table: 'webhook_circuits', ids: ENDPOINTS,
    before: [held('BATCH'), `UPDATE webhook_endpoints SET failing_since = '${LONG_AGO.toISOString()}'`],
  },
  'what has waited for closed circuits is released': {
    statement: RELEASE_WAITING, values: [], before: [held('CIRCUIT'), 'UPDATE webhook_circuits SET releasing = true'],
  },
  'circuits with deliveries left waiting are found': {
    statement: FIND_LEFT_WAITING, values: [], before: [held('CIRCUIT')], table: 'webhook_circuits', ids: ENDPOINTS,
  },
}

const rowOf = (table: string, mode: string) => `SELECT FROM ${table} WHERE id = $1 FOR UPDATE ${mode}`

/** The rows of the case that another connection can lock now. */
async function free(table: string, ids: string[]): Promise<string[]> {
  const unlocked: string[] = []
  for (const each of ids) if ((await holding.query(rowOf(table, 'SKIP LOCKED'), [each])).rowCount === 1) unlocked.push(each)
  return unlocked
}

/** Does the work on rows of which `before` is true, and makes them what they were. */
async function inState(before: string[], work: () => Promise<void>): Promise<void> {
  for (const text of before) await moving.query(text)
  try {
    await work()
  } finally {
    await moving.query('ROLLBACK')
    await holding.query('ROLLBACK')
    await moving.query(`UPDATE webhook_deliveries SET status = 'PENDING', held_by = 'QUEUE', batch_id = NULL, attempts_made = 0, next_attempt_at = NULL`)
    await moving.query(`UPDATE webhook_endpoints SET status = 'ENABLED', failing_since = NULL`)
    await moving.query(`UPDATE webhook_circuits SET state = 'CLOSED', next_try_at = NULL, releasing = false`)
  }
}

test.each(Object.entries(ORDERED))('when %s', async (_name, { statement, values, before = [], table = 'webhook_deliveries', ids = DELIVERIES }) => {
  await inState(before, async () => {
    const [first] = ids.toSorted()
    await holding.query('BEGIN')
    await holding.query(rowOf(table, ''), [first])
    await moving.query('BEGIN')
    const moved = moving.query(statement.text, values)
    await blockedBy(holding)
    // It waits for the first row, and so has none of those behind it.
    expect(await free(table, ids)).toEqual(ids)
    await holding.query('ROLLBACK')
    await moved
    await holding.query('BEGIN')
    expect(await free(table, ids)).toEqual([])
  })
})

const opened = `UPDATE webhook_circuits SET state = 'OPEN', next_try_at = '${EARLIER.toISOString()}'`
const BEGINNING = ['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000']
const PASSING: Record<string, Case & { moved: string }> = {
  'a batch is claimed': { statement: CLAIM, values: [...BEGINNING, NOW, BATCH, 100, false], moved: 'BATCH' },
  'more is claimed for a batch': { statement: CLAIM_MORE, values: [orgs, ENDPOINTS, NOW, BATCH, 100, false], moved: 'BATCH' },
  'what waits for open circuits is handed to them': { statement: CLAIM, values: [...BEGINNING, NOW, BATCH, 100, false], before: [opened], moved: 'CIRCUIT' },
  'open circuits are tried': { statement: TRY, values: [BATCH, NOW, LATER, LATER], before: [held('CIRCUIT'), opened], moved: 'BATCH' },
}

test.each(Object.entries(PASSING))('a delivery that another statement has is passed over when %s', async (_name, { statement, values, before = [], moved }) => {
  await inState(before, async () => {
    const [taken, ...others] = DELIVERIES.toSorted()
    const untouched = (await moving.query('SELECT held_by FROM webhook_deliveries WHERE id = $1', [taken])).rows[0].held_by
    await holding.query('BEGIN')
    await holding.query(rowOf('webhook_deliveries', ''), [taken])
    await moving.query('BEGIN')
    await moving.query('SET LOCAL lock_timeout = 2000')
    await moving.query(statement.text, values)
    const { rows } = await moving.query('SELECT id, held_by FROM webhook_deliveries ORDER BY id')
    expect(rows).toEqual([{ id: taken, held_by: untouched }, ...others.map((each) => ({ id: each, held_by: moved }))])
  })
})
