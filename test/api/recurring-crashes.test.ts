// Schedules whose steps are cut off, overtaken or repeated: what each step leaves behind, without a Temporal server.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Caller } from '../../commands/books/caller.ts'
import { openBooks, type WriteContext } from '../../commands/books/open-books.ts'
import { recordFailure } from '../../commands/recurring/failures.ts'
import { runNext, type Attempt } from '../../commands/recurring/generate.ts'
import { runByHand } from '../../commands/recurring/manual-runs.ts'
import { addDays } from '../../domain/dates.ts'
import type { Fault } from '../../domain/faults.ts'
import type { RunRequest } from '../../domain/schedule.ts'
import { MAX_IN_TICK } from '../../domain/tick.ts'
import type { RunRow, ScheduleRow } from '../../models/recurring.ts'
import { findOrganizationFacts } from '../../models/token.ts'
import { AHEAD, scheduleBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, TODAY, type TestOrganization } from '../fixtures/organization.ts'
import { whileLocked } from '../hammer/two-servers.ts'
import { startService, type Service } from '../fixtures/service.ts'

const PLAN = { time: '09:00', zone: 'Asia/Kolkata', everySeconds: null }
const RUNNING = { plan: PLAN, paymentLinks: { linkOf: () => 'https://pay.example.test' } }

let service: Service
let org: TestOrganization
let context: WriteContext
beforeAll(async () => {
  service = await startService()
  org = await openOrganization(service)
  context = { database: service.database, wakeRelay: () => undefined, forgetCallers: () => undefined, clock: () => new Date() }
})
afterAll(() => service.close())

const daysAgo = (days: number) => addDays(TODAY, -days)
const add = async (changes: Json = {}): Promise<string> => (await org.send('POST', '/recurring', scheduleBody(org, changes))).recurring.recurring_id
const change = async (id: string, body: Json): Promise<Json> => (await org.send('PUT', `/recurring/${id}`, body)).recurring
const rowOf = async (id: string) => (await service.sql<ScheduleRow>('SELECT * FROM recurring_schedules WHERE id = $1', id))[0]!
const runsOf = (id: string) => service.sql<RunRow>('SELECT * FROM recurring_runs WHERE schedule_id = $1 ORDER BY started_at, id', id)

async function caller(id: string): Promise<Caller> {
  const organization = await findOrganizationFacts(service.database, org.orgId)
  const origin = { request_id: null, ip: null, user_agent: null, source: 'RECURRING_SCHEDULE', recurring_id: id }
  return { subject: '', kind: 'SYSTEM', tier: 'DEFAULT', scopes: [], userId: null, partnerId: null, organization, origin }
}

/** One step of a tick, as the activity takes it. */
async function step(id: string, tickId: string, attempt: Attempt = { wanted: null }) {
  return openBooks(context, await caller(id), (books) => runNext(books, id, tickId, RUNNING, attempt))
}

async function failed(id: string, attempt: Attempt, refusal: Fault) {
  const by = await caller(id)
  return openBooks(context, by, (books) => recordFailure(books, id, { ...attempt.wanted!, refusal, ask: null }, PLAN))
}

async function byHand(id: string, retryOf: string | null = null, attempt: Attempt = { wanted: null }): Promise<RunRow> {
  const ask: RunRequest = { runId: randomUUID(), retryOf, userId: null }
  return openBooks(context, await caller(id), (books) => runByHand(books, id, ask, RUNNING, attempt))
}

/** A schedule that was due so many days ago, and whose run has failed, for its template was deleted; then it gets another. */
async function afterFailure(days: number, changes: Json = {}): Promise<{ id: string; failure: RunRow }> {
  const { invoice_id } = await org.invoice()
  const id = await add({ template_payload: null, template_entity_id: invoice_id, frequency: 'DAILY', start_date: daysAgo(days), ...changes })
  await org.send('DELETE', `/invoices/${invoice_id}`)
  const attempt: Attempt = { wanted: null }
  const refusal = await step(id, 'first').then(() => null, (error: Fault) => error) ?? null
  await step(id, 'first', attempt).catch(() => undefined)
  await failed(id, attempt, refusal!)
  const [failure] = await runsOf(id)
  await change(id, { template_payload: scheduleBody(org).template_payload })
  return { id, failure: failure! }
}

test('a tick that is run again after a crash goes on counting, so that it makes 31 documents at most', async () => {
  const id = await add({ frequency: 'DAILY', start_date: daysAgo(50) })
  for (let made = 0; made < 20; made += 1) expect((await step(id, 'tick')).did).toBe('GENERATED')
  // Here the worker died; its successor knows only the name of the tick.
  let made = 20
  while ((await step(id, 'tick')).did === 'GENERATED') made += 1
  expect(made).toBe(MAX_IN_TICK)
  const { not_before, next_occurrence } = await rowOf(id)
  expect([next_occurrence, not_before! > new Date()]).toEqual([MAX_IN_TICK + 1, true])
  // Neither a change nor a run by hand brings the rest forward.
  await change(id, { name: 'Rent of the shop' })
  await byHand(id)
  expect((await rowOf(id)).not_before).toEqual(not_before)
  expect((await step(id, 'tick of the change')).did).toBe('IDLE')
  await service.sql('UPDATE recurring_schedules SET not_before = NULL WHERE id = $1', id)
  expect((await step(id, 'next tick')).did).toBe('GENERATED')
  expect(await rowOf(id)).toMatchObject({ tick_id: 'next tick', tick_runs: 1, not_before: null })
})

test('a change between a failed run and its record is not put off, for it may have mended the cause', async () => {
  const { invoice_id } = await org.invoice()
  const id = await add({ template_payload: null, template_entity_id: invoice_id, start_date: daysAgo(3), max_runs: 1 })
  await org.send('DELETE', `/invoices/${invoice_id}`)
  const attempt: Attempt = { wanted: null }
  const refusal: Fault = await step(id, 'tick', attempt).then(() => null as never, (error: Fault) => error)
  await change(id, { template_payload: scheduleBody(org).template_payload })
  await failed(id, attempt, refusal)
  expect(await runsOf(id)).toEqual([])
  expect(await rowOf(id)).toMatchObject({ failures: 0, last_error: null, not_before: null })
  expect((await step(id, 'tick')).did).toBe('GENERATED')
})

test('a repeat that uses the last run up completes the schedule', async () => {
  const { id, failure } = await afterFailure(3, { max_runs: 1 })
  await org.send('POST', `/recurring/${id}/pause`)
  await org.send('POST', `/recurring/${id}/resume`)
  expect((await rowOf(id)).next_occurrence).toBeGreaterThan(failure.occurrence)
  await byHand(id, failure.id)
  expect(await rowOf(id)).toMatchObject({ run_count: 1, status: 'COMPLETED', next_run_at: null })
})

test('a repeat after a change of the rule is of the period that has failed, and the new dates lose none', async () => {
  const { id, failure } = await afterFailure(10, { frequency: 'MONTHLY' })
  const changed = await change(id, { start_date: daysAgo(2), frequency: 'WEEKLY' })
  expect(changed.next_run_at.slice(0, 10)).toBe(daysAgo(2))
  const again = await byHand(id, failure.id)
  const { occurrence, period_start, period_end, document_date } = failure
  expect(again).toMatchObject({ occurrence, period_start, period_end, document_date, retry_of: failure.id })
  expect(again.period_start).toBe(daysAgo(10))
  expect((await step(id, 'tick')).did).toBe('GENERATED')
  const [, , latest] = await runsOf(id)
  expect(latest).toMatchObject({ occurrence: occurrence + 1, document_date: daysAgo(2) })
  expect(await rowOf(id)).toMatchObject({ run_count: 2, status: 'ACTIVE', next_occurrence: occurrence + 2 })
})

test('a run that was asked for before its organisation was suspended makes nothing', async () => {
  const id = await add({ start_date: `${AHEAD}-01-31` })
  await service.sql(`UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1`, org.orgId)
  await expect(byHand(id)).rejects.toMatchObject({ code: 'authz.organization_suspended' })
  await service.sql(`UPDATE organizations SET status = 'ACTIVE' WHERE id = $1`, org.orgId)
  expect(await byHand(id)).toMatchObject({ status: 'SUCCEEDED', occurrence: 1 })
})

test.each([
  ['a run by hand', (id: string, attempt: Attempt) => byHand(id, null, attempt), 'validation.invalid_value'],
  ['a tick', (id: string, attempt: Attempt) => step(id, 'tick', attempt), 'IDLE'],
])('%s that begins anew while the schedule is paused has tried to generate nothing: no failed run is written down', async (_name, run, outcome) => {
  await service.sql(`CREATE OR REPLACE FUNCTION deadlock() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_advisory_xact_lock_shared(4711); RAISE EXCEPTION 'a deadlock' USING ERRCODE = '40P01'; END $$`)
  await service.sql(`CREATE TRIGGER deadlock BEFORE INSERT ON invoices FOR EACH ROW WHEN (NEW.notes = 'deadlock') EXECUTE FUNCTION deadlock()`)
  const { template_payload } = scheduleBody(org)
  const id = await add({ start_date: daysAgo(1), template_payload: { ...(template_payload as Json), notes: 'deadlock' } })
  const attempt: Attempt = { wanted: null }
  const [ended] = await whileLocked(service.database, { text: 'SELECT pg_advisory_xact_lock(4711)', values: [] }, async (waiting) => {
    const running = run(id, attempt).then((done) => ('did' in done ? done.did : done.status), (error: Fault) => error.code)
    await waiting(1)
    const pausing = org.send('POST', `/recurring/${id}/pause`).then(() => '')
    await waiting(2)
    return [running, pausing]
  })
  await service.sql('DROP TRIGGER deadlock ON invoices')
  expect([ended, attempt.wanted]).toEqual([outcome, null])
})

test('a schedule that a suspension has skipped to its end is COMPLETED, and the activity log says so', async () => {
  const id = await add({ frequency: 'DAILY', start_date: daysAgo(5), end_date: daysAgo(1) })
  await service.sql(`UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1`, org.orgId)
  expect(await step(id, 'tick')).toMatchObject({ did: 'SKIPPED', schedule: { status: 'COMPLETED', run_count: 0 } })
  await service.sql(`UPDATE organizations SET status = 'ACTIVE' WHERE id = $1`, org.orgId)
  const { activity } = await org.get(`/activity?entity_type=RECURRING&entity_id=${id}`)
  expect(activity[0]).toMatchObject({ action: 'RECURRING_STATUS_CHANGED', changes: { status: { old: 'ACTIVE', new: 'COMPLETED' } }, metadata: { source: 'RECURRING_SCHEDULE' } })
})

describe('a template document', () => {
  const runOf = async (template: Json): Promise<Json> => {
    const id = await add({ template_payload: null, template_entity_id: template.invoice_id, start_date: `${AHEAD}-01-31` })
    return (await org.get(`/invoices/${(await byHand(id)).generated_entity_id}`)).invoice
  }

  test('in a foreign currency gives its own rate only where none is stored for the date', async () => {
    const template = await org.invoice({ currency_code: 'USD', exchange_rate: 82.5 })
    expect(await runOf(template)).toMatchObject({ currency_code: 'USD', exchange_rate: 82.5 })
    const rateOn = (date: string, rate: number) => service.sql(
      `INSERT INTO exchange_rates (org_id, id, from_currency, to_currency, rate, rate_date, source) VALUES ($1, gen_random_uuid(), 'USD', 'INR', $2, $3, 'TEST')`, org.orgId, rate, date)
    await rateOn(addDays(TODAY, 1), 90)
    expect(await runOf(template)).toMatchObject({ exchange_rate: 82.5 })
    await rateOn(daysAgo(1), 84.25)
    expect(await runOf(template)).toMatchObject({ exchange_rate: 84.25 })
    await service.sql('DELETE FROM exchange_rates WHERE org_id = $1', org.orgId)
  })

  test('gives a round-off that was set by hand; one that rounding has made is computed again', async () => {
    const line_items = [{ name: 'Rent', quantity: 1, rate: 100.3 }]
    const byHandRounded = await org.invoice({ line_items, round_off: 0.4 })
    expect(await runOf(byHandRounded)).toMatchObject({ round_off: 0.4, total: byHandRounded.total })
    await org.setPreferences({ roundInvoiceTotals: true })
    const rounded = await org.invoice({ line_items })
    expect(rounded.total % 1).toBe(0)
    expect(await runOf(rounded)).toMatchObject({ round_off: rounded.round_off, total: rounded.total })
    await org.setPreferences({ roundInvoiceTotals: false })
    expect(await runOf(await org.invoice({ line_items }))).toMatchObject({ round_off: 0, total: 100.3 })
  })
})
