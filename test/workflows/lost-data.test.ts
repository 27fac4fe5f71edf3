// A Temporal server that has lost everything, and a PostgreSQL that was restored from an earlier moment: schedules go on from their rows.
import { execFile, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import pg from 'pg'
import { pino } from 'pino'
import { housekeepingId } from '../../domain/housekeeping.ts'
import { remindersId } from '../../domain/reminders.ts'
import { reconcileId, scheduleProcessId, type ScheduleTick } from '../../domain/schedule.ts'
import { openEngine, type Engine } from '../../gateways/temporal/engine.ts'
import { markNamespace } from '../../worker/namespace/marking.ts'
import { reconcileSchedules } from '../../worker/schedule-signals.ts'
import { createScheduling } from '../../worker/scheduling.ts'
import { AHEAD, invoiceBody, scheduleBody } from '../fixtures/bodies.ts'
import type { Answered, Json } from '../fixtures/client.ts'
import { openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { ROOT } from '../fixtures/root.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { openTemporalServer, type TemporalServer } from '../fixtures/temporal-server.ts'
import { openWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts'
import { kill, spawnWorker } from '../fixtures/worker.ts'
import { until } from '../start/local-run.ts'

jest.setTimeout(240_000)

let temporal: TemporalServer
let service: Service
let org: TestOrganization
let engine: Engine
let customer: WebhookServer
let worker: ChildProcess
const startWorker = async () => void (worker = await spawnWorker(service.env))

beforeAll(async () => {
  temporal = await openTemporalServer()
  // The next attempts of refused deliveries are far away, unless a test makes them due.
  service = await startService({ TEMPORAL_ADDRESS: temporal.address, WEBHOOK_LADDER_SECONDS: '3600,3600' })
  org = await openOrganization(service)
  engine = openEngine({ address: temporal.address, namespace: 'default', queueSuffix: service.env.TEMPORAL_QUEUE_SUFFIX!, encryptionKey: service.env.ENCRYPTION_KEY! })
  const { endpoint } = await org.send('POST', '/webhooks/endpoints', { url: 'http://127.0.0.1:9/', events: ['INVOICE_CREATED'] })
  customer = await openWebhookServer(endpoint.secret)
  await org.send('PUT', `/webhooks/endpoints/${endpoint.endpoint_id}`, { url: customer.url })
  await startWorker()
})
afterAll(async () => {
  await kill(worker)
  await engine.close()
  await customer.close()
  await service.close()
  await temporal.close()
})

const FAR = `${AHEAD}-01-31`
const LIMIT_MS = 120_000
const add = async (changes: Json = {}): Promise<string> => (await org.send('POST', '/recurring', scheduleBody(org, { start_date: FAR, ...changes }))).recurring.recurring_id
const read = async (id: string): Promise<Json> => (await org.get(`/recurring/${id}`)).recurring
const run = (id: string, key = randomUUID()) => org.client.post(`/recurring/${id}/run`, undefined, key)
const handleOf = (id: string) => engine.client.workflow.getHandle(scheduleProcessId(id))
const stateOf = (id: string) => handleOf(id).query<ScheduleTick | null>('state').catch(() => null)
const statusOf = (id: string) => handleOf(id).describe().then(({ status }) => status.name, () => 'NONE')
const occurrences = async (id: string) =>
  (await service.sql<{ occurrence: number }>(`SELECT occurrence FROM recurring_runs WHERE schedule_id = $1 AND status = 'SUCCEEDED' ORDER BY occurrence`, id)).map(({ occurrence }) => occurrence)

/** As on the day: the next occurrence was due so many minutes ago. */
const makeDue = (id: string, minutes: number) =>
  service.sql(
    `UPDATE recurring_schedules SET next_run_at = now() - $2 * interval '1 minute', anchor_date = (now() - $2 * interval '1 minute')::date,
       anchor_occurrence = next_occurrence WHERE id = $1`, id, minutes)

const untilRun = (id: string, count: number) =>
  until(async () => (await read(id)).run_count === count, LIMIT_MS, () => `schedule ${id} does not come to ${count} runs`)
/** A run by hand, asked for again with its key while the answer is to do so, which may come at once: the workflow may be one of a worker that was killed. */
async function patientRun(id: string, key = randomUUID()): Promise<Answered> {
  let answer!: Answered
  await until(async () => (answer = await run(id, key)).status !== 503, LIMIT_MS, () => `the run is answered ${answer.text}`)
  return answer
}
/** The command that operators run; answers how many schedules it says to have signalled. */
async function reconcile(): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['bin/reconcile.ts'], { cwd: ROOT, env: { ...process.env, ...service.env } })
  return Number(/^(\d+) active schedules signalled\.$/m.exec(stdout)?.[1])
}

/** When the workflow of a delivery makes its next attempt; null where there is no such workflow. */
const nextAttemptOf = (id: string) =>
  engine.client.workflow.getHandle(`webhook/${id}`).query<{ nextAttemptAt: string | null }>('progress').then(({ nextAttemptAt }) => nextAttemptAt, () => null)
const isThere = (scheduleId: string) => engine.client.schedule.getHandle(scheduleId).describe().then(() => true, () => false)
const suffix = () => service.env.TEMPORAL_QUEUE_SUFFIX!
async function allDelivered(): Promise<void> {
  let left: unknown[] = []
  const isDelivered = async () => (left = await service.sql(`SELECT id, status, held_by FROM webhook_deliveries WHERE status <> 'DELIVERED'`)).length === 0
  await until(isDelivered, LIMIT_MS, () => `not all is delivered: ${JSON.stringify(left)}`)
}

test('with the database of Temporal deleted under a running worker, all is rebuilt from PostgreSQL; nothing is billed twice or left out', async () => {
  const [overdue, justDue, later, paused] = await Promise.all([add(), add(), add(), add()]) as [string, string, string, string]
  for (const id of [overdue, justDue, later, paused]) expect((await patientRun(id)).status).toBe(200)
  await org.send('POST', `/recurring/${paused}/pause`)
  await allDelivered()
  customer.answer = () => 503
  const refused = (await org.send('POST', '/invoices', invoiceBody(org))).invoice.invoice_id
  const ladder = async () => (await service.sql<{ id: string; next_attempt_at: Date; held_by: string }>(
    `SELECT d.id, d.next_attempt_at, d.held_by FROM webhook_deliveries AS d JOIN webhook_events AS e ON e.id = d.event_id WHERE e.entity_id = $1`, refused))[0]
  await until(async () => (await ladder())?.held_by === 'PROCESS', LIMIT_MS, () => 'the refused delivery has no workflow')
  const before = (await ladder())!

  await temporal.stop()
  // One more is under way towards Temporal when it goes. It is sent as soon as Temporal is back, and a refusal would hold it up for an hour.
  customer.answer = () => 200
  const queued = (await org.send('POST', '/invoices', invoiceBody(org))).invoice.invoice_id
  await temporal.startEmpty('bare')
  await makeDue(overdue, 30)
  await makeDue(justDue, 1)
  // A server without our search attributes is one that callers wait for.
  const statuses = new Set<number>()
  const { estimate_id } = await org.acceptedEstimate()
  const key = randomUUID()
  await until(async () => {
    const { status } = await org.client.post(`/estimates/${estimate_id}/convert`, {}, key)
    statuses.add(status)
    return status < 300
  }, LIMIT_MS, () => `no conversion succeeds: ${[...statuses].join()}`)
  expect([...statuses].filter((status) => status >= 300 && status !== 503)).toEqual([])

  await untilRun(overdue, 2)
  await untilRun(justDue, 2)
  for (const id of [overdue, justDue, later]) await until(async () => (await statusOf(id)) === 'RUNNING' && (await stateOf(id)) !== null, LIMIT_MS, () => `schedule ${id} has no workflow`)
  expect(await stateOf(later)).toMatchObject({ state: 'ACTIVE', nextRunAt: (await read(later)).next_run_at, generated: 0 })
  expect([await occurrences(overdue), await occurrences(justDue), await occurrences(later), await occurrences(paused)]).toEqual([[1, 2], [1, 2], [1], [1]])
  for (const id of [housekeepingId('Asia/Kolkata', suffix()), reconcileId(suffix()), remindersId(suffix())]) expect([id, await isThere(id)]).toEqual([id, true])

  // The ladder goes on where it was, at its time.
  const due = before.next_attempt_at.toISOString()
  let nextAt: string | null = null
  await until(async () => (nextAt = await nextAttemptOf(before.id)) !== null, LIMIT_MS, () => 'the ladder of the delivery is not taken up')
  expect(Math.abs(Date.parse(nextAt!) - Date.parse(due))).toBeLessThan(1_000)
  await until(async () => (await ladder())!.held_by === 'PROCESS', LIMIT_MS, () => 'the workflow of the delivery is not noted')
  expect(await ladder()).toEqual(before)

  // A second time.
  await temporal.stop()
  await temporal.startEmpty()
  await until(async () => (await nextAttemptOf(before.id)) !== null && (await statusOf(later)) === 'RUNNING', LIMIT_MS, () => 'it is not taken up a second time')
  await engine.client.workflow.getHandle(`webhook/${before.id}`).signal('retryNow')
  await org.send('POST', `/recurring/${paused}/resume`)
  expect((await patientRun(paused)).status).toBe(200)
  expect([await occurrences(paused), await occurrences(later)]).toEqual([[1, 2], [1]])

  await allDelivered()
  const told = new Set(customer.arrivals.map(({ body }) => JSON.parse(body.toString()).data.id))
  expect([told.has(refused), told.has(queued)]).toEqual([true, true])
  const invoices = await service.sql('SELECT 1 FROM invoices')
  expect(told.size).toBe(invoices.length)
  expect(await service.audit()).toEqual([])
})

test('under an older PostgreSQL, workflows that know of later runs go on from the row; nothing is billed twice in it', async () => {
  customer.answer = () => 200
  const [again, completed, deleted] = await Promise.all([add(), add({ max_runs: 2 }), add()]) as [string, string, string]
  for (const id of [again, completed, deleted]) expect((await patientRun(id)).status).toBe(200)
  // A call whose answer is lost: its request is in the backup, its run is not.
  const lost = randomUUID()
  await kill(worker)
  expect((await run(again, lost)).status).toBe(503)
  await keepCopy()
  await startWorker()
  await untilRun(again, 2)
  for (const id of [again, completed]) expect((await patientRun(id)).status).toBe(200)
  await org.send('DELETE', `/recurring/${deleted}`)
  const unknown = await add()
  const knowsAll = async () => (await stateOf(again))?.runCount === 3 && (await stateOf(unknown)) !== null
  const haveEnded = async () => (await statusOf(completed)) === 'COMPLETED' && (await statusOf(deleted)) === 'COMPLETED'
  await until(async () => (await knowsAll()) && (await haveEnded()), LIMIT_MS, () => 'not all workflows know of the later runs')

  await kill(worker)
  await restoreCopy()
  // It is another database now, which takes the place of the one that Temporal has served.
  const place = { address: temporal.address, namespace: 'default', queueSuffix: suffix() }
  const refusing = markNamespace({ connection: service.database, engine, place, log: pino({ level: 'silent' }) })
  await expect(refusing).rejects.toThrow('serves these books in another database')
  await promisify(execFile)(process.execPath, ['bin/after-restore.ts', '--nothing-lost', '--take-namespace'], { cwd: ROOT, env: { ...process.env, ...service.env } })
  expect([await occurrences(again), await occurrences(completed), await occurrences(deleted)]).toEqual([[1], [1], [1]])
  await startWorker()
  const repeated = await patientRun(again, lost)
  expect(repeated.status).toBe(200)
  expect((await org.get(`/invoices/${repeated.body.generated_entity_id}`)).invoice.invoice_id).toBe(repeated.body.generated_entity_id)
  expect((await run(again, lost)).body).toEqual(repeated.body)
  expect(await occurrences(again)).toEqual([1, 2])
  for (const id of [again, completed, deleted]) await makeDue(id, 5)
  await reconcile()
  await untilRun(again, 3)
  await untilRun(completed, 2)
  await untilRun(deleted, 2)
  expect([await occurrences(again), await occurrences(completed), await occurrences(deleted)]).toEqual([[1, 2, 3], [1, 2], [1, 2]])
  await until(async () => (await stateOf(again))?.runCount === 3, LIMIT_MS, () => 'the workflow does not accept the row')
  expect(await read(completed)).toMatchObject({ status: 'COMPLETED', run_count: 2 })
  // One that was created after the backup ends when it next reads its row.
  await engine.signalSchedule({ orgId: org.orgId, scheduleId: unknown, entityType: 'INVOICE' }, 'configChanged')
  expect(await handleOf(unknown).result()).toBe('DELETED')
  expect(await service.audit()).toEqual([])
})

test('a nightly schedule that Temporal has lost is created again by a worker that goes on running', async () => {
  const ensure = createScheduling({ connection: service.database, engine, log: pino({ level: 'silent' }) })
  const nightly = engine.client.schedule.getHandle(housekeepingId('Asia/Kolkata', service.env.TEMPORAL_QUEUE_SUFFIX!))
  const isThere = () => nightly.describe().then(() => true, () => false)
  await ensure()
  await engine.removeSchedule('Asia/Kolkata')
  expect(await isThere()).toBe(false)
  for (let minutes = 0; minutes < 10; minutes += 1) await ensure()
  expect(await isThere()).toBe(true)
})

test('a schedule whose workflow Temporal refuses holds up no other', async () => {
  const [refused, other] = [await add(), await add()]
  for (const id of [refused, other]) await until(async () => (await stateOf(id)) !== null, LIMIT_MS, () => `schedule ${id} has no workflow`)
  for (const id of [refused, other]) await makeDue(id, 30)
  const lines: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
  const refusing: Pick<Engine, 'signalSchedule'> = {
    async signalSchedule(input, signal) {
      if (input.scheduleId === refused) throw new Error('exceeded workflow execution limit for signal events')
      await engine.signalSchedule(input, signal)
    },
  }
  await reconcileSchedules({ connection: service.database, engine: refusing, log, clock: () => new Date() })
  await untilRun(other, 1)
  expect(lines.map((line) => JSON.parse(line).schedule_id)).toEqual([refused])
})

const NAME = () => new URL(service.databaseUrl).pathname.slice(1)

/** A copy of the database as it is now, as a backup has it: once nobody has connected again since the connections were ended. */
const keepCopy = () => until(() => onServer([`CREATE DATABASE ${NAME()}_backup TEMPLATE ${NAME()}`]).then(() => true, isInUse), LIMIT_MS, () => 'the database stays in use')
const isInUse = (error: { code?: string }) => (error.code === '55006' ? false : Promise.reject(error))
const restoreCopy = () => onServer([`DROP DATABASE ${NAME()} WITH (FORCE)`, `ALTER DATABASE ${NAME()}_backup RENAME TO ${NAME()}`])

async function onServer(statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: Object.assign(new URL(service.databaseUrl), { pathname: '/postgres' }).href })
  await client.connect()
  try {
    // Nobody may be connected to a database that is copied.
    for (const statement of statements) {
      await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [NAME()])
      await client.query(statement)
    }
  } finally {
    await client.end()
  }
}
