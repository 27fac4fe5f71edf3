// Recurring schedules on a real Temporal server: ticks, runs by hand, failures, crashes, and a server that has lost everything.
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals'
import { addDays } from '../../domain/dates.ts'
import { scheduleProcessId } from '../../domain/schedule.ts'
import { openEngine, type Engine } from '../../gateways/temporal/engine.ts'
import { reconcileSchedules, renewSchedules } from '../../worker/schedule-signals.ts'
import { blockedBy } from '../fixtures/blocked.ts'
import { AHEAD, expenseBody, journalBody, scheduleBody } from '../fixtures/bodies.ts'
import { finished, type Json } from '../fixtures/client.ts'
import { openOrganization, TODAY, type TestOrganization } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { kill, spawnWorker } from '../fixtures/worker.ts'
import { removeSchedules } from './schedules.ts'

jest.setTimeout(180_000)

let service: Service
let org: TestOrganization
let engine: Engine
const children: ChildProcess[] = []
const worker = async (more: Record<string, string> = {}) => {
  const child = await spawnWorker({ ...service.env, RECURRING_TICK_SECONDS: '1', ...more })
  children.push(child)
  return child
}

beforeAll(async () => {
  service = await startService()
  org = await openOrganization(service)
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_QUEUE_SUFFIX: queueSuffix = '', ENCRYPTION_KEY: encryptionKey = '' } = service.env
  engine = openEngine({ address, namespace: 'default', queueSuffix, encryptionKey })
  await worker()
})
afterEach(async () => {
  if (children.length === 0) await worker()
})
afterAll(async () => {
  await Promise.all(children.splice(0).map(kill))
  await removeSchedules(service.database, service.env.TEMPORAL_ADDRESS!, service.env.TEMPORAL_QUEUE_SUFFIX!)
  await engine.close()
  await service.close()
})

const add = async (changes: Json = {}): Promise<Json> => (await org.send('POST', '/recurring', scheduleBody(org, changes))).recurring
const read = async (id: string): Promise<Json> => (await org.get(`/recurring/${id}`)).recurring
const runsOf = async (id: string): Promise<Json[]> => (await org.get(`/recurring/${id}/runs?per_page=200`)).runs
const daysAgo = (days: number) => addDays(TODAY, -days)

/** Reads the schedule until it is as wanted; the condition, not a time, ends the wait. */
async function until(id: string, wanted: (schedule: Json) => boolean): Promise<Json> {
  for (let last: Json; ;) {
    last = await read(id)
    if (wanted(last)) return last
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('what is due is generated, oldest first, dated by its occurrence, its texts filled in', async () => {
  const { recurring_id: id } = await add({
    frequency: 'DAILY', start_date: daysAgo(4), max_runs: 3,
    template_payload: {
      customer_id: org.customerId, place_of_supply: 'IN-KA', auto_approve: true, due_date: daysAgo(-6), notes: 'No. {{occurrence}}: {{period_start}} - {{period_end}}',
      line_items: [{ name: 'Rent {{month}} {{year}}', quantity: 1, rate: 100 }],
    },
  })
  const done = await until(id, ({ status }) => status === 'COMPLETED')
  expect(done).toMatchObject({ is_active: false, run_count: 3, next_run_at: null, last_error: null, last_run_at: expect.any(String) })
  const runs = (await runsOf(id)).toReversed()
  expect(runs.map(({ occurrence, status, manual, document_date }) => [occurrence, status, manual, document_date.slice(0, 10)]))
    .toEqual([[1, 'SUCCEEDED', false, daysAgo(4)], [2, 'SUCCEEDED', false, daysAgo(3)], [3, 'SUCCEEDED', false, daysAgo(2)]])
  const { invoice } = await org.get(`/invoices/${runs[1]!.generated_entity_id}`)
  expect(invoice).toMatchObject({ invoice_number: runs[1]!.generated_number, status: 'SENT', total: 100, notes: expect.stringMatching(/^No\. 2: \d\d \w{3} \d{4} - \d\d \w{3} \d{4}$/) })
  expect([invoice.date.slice(0, 10), invoice.due_date.slice(0, 10)]).toEqual([daysAgo(3), addDays(daysAgo(3), 10)])
  const { activity } = await org.get(`/invoices/${invoice.invoice_id}/activity`)
  expect(activity.map(({ action, metadata }: Json) => [action, metadata.source, metadata.recurring_id]))
    .toEqual(expect.arrayContaining([['INVOICE_CREATED', 'RECURRING_SCHEDULE', id], ['INVOICE_SENT', 'RECURRING_SCHEDULE', id]]))
  const events = await service.sql('SELECT 1 FROM webhook_events WHERE entity_id = $1', invoice.invoice_id)
  expect(events).toHaveLength(1)
})

test('every kind is generated from a document of its kind, as a draft unless the schedule approves', async () => {
  const { invoice_id } = await org.invoice({ notes: 'Of {{month}}', due_date: '2026-11-25' })
  const { bill_id } = await org.bill()
  const { expense } = await org.send('POST', '/expenses', expenseBody(org))
  const { journal } = await org.send('POST', '/journals', journalBody(org, { memo: 'For {{year}}' }))
  const schedules = await Promise.all([
    ['INVOICE', invoice_id, false], ['BILL', bill_id, true], ['EXPENSE', expense.expense_id, false], ['JOURNAL', journal.journal_id, false],
  ].map(([entity_type, template_entity_id, auto_approve]) =>
    add({ entity_type, template_payload: null, template_entity_id, auto_approve, start_date: TODAY, max_runs: 1, next_run_at: undefined })))
  // Before 09:00 in India nothing of today is due yet, so each is moved to yesterday.
  for (const { recurring_id: id } of schedules) await org.send('PUT', `/recurring/${id}`, { next_run_at: daysAgo(1) }).catch(() => undefined)
  const made = await Promise.all(schedules.map(async ({ recurring_id: id }) => {
    await until(id, ({ status }) => status === 'COMPLETED')
    return (await runsOf(id))[0]!
  }))
  const [invoice, bill, spent, entry] = made.map(({ generated_entity_id }) => generated_entity_id)
  expect((await org.get(`/invoices/${invoice}`)).invoice).toMatchObject({ status: 'DRAFT', notes: expect.stringMatching(/^Of [A-Z]\w+$/) })
  expect((await org.get(`/bills/${bill}`)).bill).toMatchObject({ status: 'OPEN', total: 100 })
  expect((await org.get(`/expenses/${spent}`)).expense).toMatchObject({ total: 500 })
  expect((await org.get(`/journals/${entry}`)).journal).toMatchObject({ memo: expect.stringMatching(/^For \d{4}$/) })
})

test('a run by hand is dated today, uses the next occurrence up, and a repeat of its key answers the same', async () => {
  const { recurring_id: id } = await add({ start_date: `${AHEAD}-01-31` })
  const key = randomUUID()
  const answers = await Promise.all([1, 2, 3].map(() => org.client.post(`/recurring/${id}/run`, undefined, key)))
  const first = answers.find(({ status }) => status === 200)!
  expect(first.body).toMatchObject({ code: 0, recurring: { run_count: 1, next_run_at: `${AHEAD}-02-28T03:30:00.000Z` }, generated_entity_id: expect.any(String) })
  const again = await org.client.post(`/recurring/${id}/run`, undefined, key)
  expect(again.body).toEqual(first.body)
  expect(await runsOf(id)).toMatchObject([{ occurrence: 1, manual: true, generated_entity_id: first.body.generated_entity_id }])
  expect((await org.get(`/invoices/${first.body.generated_entity_id}`)).invoice.date.slice(0, 10)).toBe(TODAY)
  await org.send('POST', `/recurring/${id}/pause`)
  expect(await org.refusal('POST', `/recurring/${id}/run`)).toMatchObject({ status: 400, code: 'validation.invalid_value' })
  expect(await org.refusal('POST', `/recurring/${id}/runs/${randomUUID()}/retry`)).toMatchObject({ status: 404 })
})

test('a deleted template fails its runs, pauses after three, and a failed run is repeated by itself once it is mended', async () => {
  const { invoice_id } = await org.invoice()
  const { recurring_id: id } = await add({ template_payload: null, template_entity_id: invoice_id, start_date: `${AHEAD}-01-31` })
  await org.send('DELETE', `/invoices/${invoice_id}`)
  expect(await org.refusal('POST', `/recurring/${id}/run`)).toMatchObject({ status: 400, code: 'validation.invalid_value', field: 'template_entity_id' })
  expect(await read(id)).toMatchObject({ status: 'ACTIVE', run_count: 0, next_run_at: `${AHEAD}-01-31T03:30:00.000Z`, last_error: expect.stringMatching(/template/) })
  await org.send('PUT', `/recurring/${id}`, { next_run_at: daysAgo(2) })
  const paused = await until(id, ({ status }) => status === 'PAUSED')
  expect(paused).toMatchObject({ run_count: 0, last_error: expect.stringMatching(/template/) })
  const failed = (await runsOf(id)).filter(({ manual }) => !manual)
  expect(failed.map(({ status, occurrence, error_code }) => [status, occurrence, error_code])).toEqual(Array(3).fill(['FAILED', 1, 'validation.invalid_value']))
  const { activity } = await org.get(`/activity?entity_id=${id}`)
  expect(activity[0]).toMatchObject({ action: 'RECURRING_STATUS_CHANGED', changes: { status: { old: 'ACTIVE', new: 'PAUSED' } }, metadata: { failures: 3 } })
  await org.send('PUT', `/recurring/${id}`, { template_payload: scheduleBody(org).template_payload })
  const retried = await org.send('POST', `/recurring/${id}/runs/${failed[0]!.run_id}/retry`)
  expect(retried).toMatchObject({ recurring: { run_count: 1, status: 'PAUSED', last_error: null }, generated_entity_id: expect.any(String) })
  expect((await org.get(`/invoices/${retried.generated_entity_id}`)).invoice.date.slice(0, 10)).toBe(daysAgo(2))
  expect(await org.refusal('POST', `/recurring/${id}/runs/${failed[1]!.run_id}/retry`)).toMatchObject({ status: 409, code: 'conflict.invalid_state' })
})

test('a skipped occurrence that is repeated by itself counts as a run: the last one completes the schedule', async () => {
  const { invoice_id } = await org.invoice()
  const { recurring_id: id } = await add({ template_payload: null, template_entity_id: invoice_id, start_date: `${AHEAD}-01-31`, max_runs: 1 })
  await org.send('DELETE', `/invoices/${invoice_id}`)
  await org.send('PUT', `/recurring/${id}`, { next_run_at: daysAgo(2) })
  await until(id, ({ status }) => status === 'PAUSED')
  await org.send('PUT', `/recurring/${id}`, { template_payload: scheduleBody(org).template_payload })
  expect(await org.send('POST', `/recurring/${id}/resume`)).toMatchObject({ recurring: { status: 'ACTIVE', run_count: 0 } })
  const [failed] = await runsOf(id)
  const retried = await org.send('POST', `/recurring/${id}/runs/${failed!.run_id}/retry`)
  expect(retried).toMatchObject({ recurring: { status: 'COMPLETED', run_count: 1, next_run_at: null } })
  const { activity } = await org.get(`/activity?entity_id=${id}`)
  expect(activity[0]).toMatchObject({ action: 'RECURRING_STATUS_CHANGED', changes: { status: { old: 'ACTIVE', new: 'COMPLETED' } } })
})

test('at most 31 occurrences in a tick, the rest in the next', async () => {
  const { recurring_id: id } = await add({ frequency: 'DAILY', start_date: daysAgo(40), max_runs: 35 })
  await until(id, ({ status }) => status === 'COMPLETED')
  const tick = await service.sql<Json>('SELECT occurrence, started_at FROM recurring_runs WHERE schedule_id = $1 ORDER BY occurrence', id)
  expect(tick.map(({ occurrence }) => occurrence)).toEqual(Array.from({ length: 35 }, (_, place) => place + 1))
  expect(tick[31].started_at - tick[30].started_at).toBeGreaterThanOrEqual(900)
})

test('a worker that is killed in the middle of a tick neither doubles nor loses a document', async () => {
  const schedules = await Promise.all(Array.from({ length: 6 }, () => add({ frequency: 'DAILY', start_date: daysAgo(40), max_runs: 31 })))
  for (let deaths = 0; deaths < 3; deaths += 1) {
    const [{ count: before }] = (await service.sql<{ count: number }>('SELECT count(*)::integer FROM recurring_runs')) as [{ count: number }]
    for (let made = before; made < before + 20;) {
      await new Promise((resolve) => setTimeout(resolve, 10))
      ;[{ count: made }] = (await service.sql<{ count: number }>('SELECT count(*)::integer FROM recurring_runs')) as [{ count: number }]
    }
    await Promise.all(children.splice(0).map(kill))
    await worker()
  }
  for (const { recurring_id: id } of schedules) {
    await until(id, ({ status }) => status === 'COMPLETED')
    const made = await service.sql<Json>('SELECT occurrence FROM recurring_runs WHERE schedule_id = $1 ORDER BY occurrence', id)
    expect(made.map(({ occurrence }) => occurrence)).toEqual(Array.from({ length: 31 }, (_, place) => place + 1))
  }
  const [counts] = await service.sql<Json>(
    `SELECT (SELECT count(*) FROM recurring_runs WHERE status = 'SUCCEEDED') =
       (SELECT count(DISTINCT entity_id) FROM activity WHERE metadata->>'source' = 'RECURRING_SCHEDULE' AND action LIKE '%\\_CREATED') AS same`)
  expect(counts).toEqual({ same: true })
})

test('with its workflow gone from the server, a schedule is rebuilt from its row', async () => {
  const { recurring_id: id } = await add({ start_date: `${AHEAD}-01-31`, max_runs: 2 })
  const handle = engine.client.workflow.getHandle(scheduleProcessId(id))
  await until(id, () => true)
  for (;;) if (await handle.query('state').catch(() => null)) break
  await handle.terminate('lost')
  // As it would be on the day: the row says that it is due, and nobody is left to wait for it.
  await service.sql(`UPDATE recurring_schedules SET anchor_date = $2::date, next_run_at = $2::date + time '03:30' AT TIME ZONE 'UTC' WHERE id = $1`, id, daysAgo(3))
  const silent = { connection: service.database, engine, log: console as never, clock: () => new Date() }
  expect(await reconcileSchedules(silent)).toBeGreaterThanOrEqual(1)
  await until(id, ({ run_count }) => run_count === 1)
  expect(await reconcileSchedules(silent)).toBe(0)
  expect(await reconcileSchedules(silent, true)).toBeGreaterThanOrEqual(1)
  expect(await read(id)).toMatchObject({ run_count: 1, status: 'ACTIVE' })
})

test('started anew, a schedule has another workflow, a run that a caller waits for is continued by a repeat, and nothing is billed twice', async () => {
  const { recurring_id: id } = await add({ frequency: 'DAILY', start_date: daysAgo(2), max_runs: 9 })
  await until(id, ({ run_count }) => run_count >= 2)
  const handle = engine.client.workflow.getHandle(scheduleProcessId(id))
  const { runId: before } = await handle.describe()
  const key = randomUUID()
  const run = () => org.client.post(`/recurring/${id}/run`, undefined, key)
  const waiting = await service.database.transaction(async (transaction) => {
    await transaction.run({ name: '', text: 'SELECT FROM recurring_schedules WHERE id = $1 FOR UPDATE' }, [id])
    const answer = run()
    await blockedBy(transaction)
    expect(await renewSchedules({ connection: service.database, log: console as never }, engine)).toBeGreaterThanOrEqual(1)
    return await answer
  })
  expect(waiting).toMatchObject({ status: 503, body: { code: 'service.unavailable' } })
  expect((await finished(run)).status).toBe(200)
  expect((await handle.describe()).runId).not.toBe(before)
  const { run_count: count } = await until(id, ({ next_run_at }) => new Date(next_run_at) > new Date())
  expect((await runsOf(id)).map(({ occurrence, status }) => `${occurrence} ${status}`).toSorted())
    .toEqual(Array.from({ length: count }, (_, place) => `${place + 1} SUCCEEDED`))
})

test('a deleted schedule ends its workflow, and its documents stay', async () => {
  const { recurring_id: id } = await add({ start_date: daysAgo(1), end_date: `${AHEAD}-12-31` })
  await until(id, ({ run_count }) => run_count === 1)
  const [run] = await runsOf(id)
  await org.send('DELETE', `/recurring/${id}`)
  expect(await engine.client.workflow.getHandle(scheduleProcessId(id)).result()).toBe('DELETED')
  expect((await org.get(`/invoices/${run!.generated_entity_id}`)).invoice.invoice_id).toBe(run!.generated_entity_id)
})

test('while its organisation is suspended, what falls due is skipped', async () => {
  const other = await openOrganization(service)
  const made = (await other.send('POST', '/recurring', scheduleBody(other, { frequency: 'DAILY', start_date: `${AHEAD}-01-31` }))).recurring
  await service.sql(`UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1`, other.orgId)
  await service.sql(`UPDATE recurring_schedules SET anchor_date = $2::date, next_run_at = $2::date + time '03:30' AT TIME ZONE 'UTC' WHERE id = $1`, made.recurring_id, daysAgo(3))
  await engine.signalSchedule({ orgId: other.orgId, scheduleId: made.recurring_id, entityType: 'INVOICE' }, 'configChanged')
  for (;;) {
    const [row] = await service.sql<Json>('SELECT run_count, next_occurrence, next_run_at FROM recurring_schedules WHERE id = $1', made.recurring_id)
    if (row.next_occurrence > 1) {
      expect([row.run_count, row.next_run_at > new Date()]).toEqual([0, true])
      break
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
})
