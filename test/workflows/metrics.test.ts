// The metrics of a worker process, and that alert rules and the dashboard ask only for metrics that there are.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NativeConnection, Worker } from '@temporalio/worker'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { createAccessLog } from '../../api/http/access-log.ts'
import { addNamespaceMetric } from '../../api/own-namespace.ts'
import { addWaitingMetrics } from '../../api/http/waiting-metrics.ts'
import { freePort } from '../../bin/services/port.ts'
import { onPath } from '../../bin/services/process.ts'
import { QUEUES } from '../../domain/task-queues.ts'
import { openEngine } from '../../gateways/temporal/engine.ts'
import { workerIdentity } from '../../gateways/temporal/task-queues.ts'
import { addBacklogs, atMostEvery, createDatabaseWaits } from '../../gateways/process-metrics.ts'
import { createWorkerMetrics } from '../../worker/metrics/metrics.ts'
import { createReceiverTimes, SHOWN } from '../../worker/metrics/receiver-times.ts'
import { ROOT } from '../fixtures/root.ts'
import { openWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts'
import { until } from '../start/local-run.ts'
import { SECRET, openWorkflowSetup, type WorkflowSetup } from './setup.ts'

jest.setTimeout(180_000)

const HOUR_S = 3_600

let setup: WorkflowSetup
let customer: WebhookServer
let url: string
beforeAll(async () => {
  const port = await freePort(undefined)
  url = `http://127.0.0.1:${port}/metrics`
  setup = await openWorkflowSetup({ HEALTH_PORT: String(port), WEBHOOK_LADDER_SECONDS: String(HOUR_S) })
  customer = await openWebhookServer(SECRET)
  customer.answer = () => 500
  await setup.addEndpoint(customer.url)
  // Waits on purpose: nothing is due for a suspended organisation.
  await setup.sql(
    `INSERT INTO process_heartbeats (name, seen_at) VALUES ('housekeeping/Asia/Kolkata', '2026-01-02T03:04:05Z')`)
  await setup.announce(3)
  await setup.spawnWorker()
  await setup.until(({ held_by: holder }) => holder === 'PROCESS')
})
afterAll(async () => {
  await setup.close()
  await customer.close()
})

const metrics = async () => (await fetch(url)).text()

/** The value of a line such as `name{label="x"}`. */
function valueIn(text: string, line: string): number | null {
  const found = text.split('\n').find((each) => each.startsWith(`${line} `))
  return found === undefined ? null : Number(found.slice(line.length + 1))
}

test('what waits in PostgreSQL, the background jobs, and the queues and slots of Temporal', async () => {
  // Those that are repeated within seconds, also after a failure.
  const JOBS = ['relay', 'slow_relay', 'processes', 'heartbeat']
  const served = QUEUES.map((queue) => `bahi_queue_last_seen_timestamp_seconds{queue="${queue}"}`)
  const times = ['bahi_last_seen_timestamp_seconds{name="worker"}', ...served, ...JOBS.map((job) => `bahi_background_job_last_success_timestamp_seconds{name="${job}"}`)]
  let text = ''
  const value = (line: string) => valueIn(text, line)
  // What was read before is shown for ten seconds, and each job succeeds for the first time at its own time.
  await until(async () => {
    text = await metrics()
    return value('bahi_webhook_deliveries{held_by="process"}') === 3 && times.every((line) => value(line) !== null)
  }, 90_000, () => text)
  expect(['queue', 'circuit', 'batch'].map((holder) => value(`bahi_webhook_deliveries{held_by="${holder}"}`))).toEqual([0, 0, 0])
  expect([value('bahi_worker_polling'), value('bahi_outbox_age_seconds'), value('bahi_webhook_deliveries_overdue'), value('bahi_webhook_circuits_open')]).toEqual([1, 0, 0, 0])
  expect(value('bahi_last_seen_timestamp_seconds{name="housekeeping/Asia/Kolkata"}')).toBe(Date.parse('2026-01-02T03:04:05Z') / 1000)
  for (const line of times) expect(value(line)).toBeGreaterThan(Date.now() / 1000 - HOUR_S)
  // The workers of other suffixes do not count, and each queue has one name in every process.
  expect(text.match(/^bahi_queue_last_seen_timestamp_seconds{queue="\w+"}/gm)).toHaveLength(QUEUES.length)
  expect(text).not.toContain('name="queue/')
  const queue = `core-${setup.env.TEMPORAL_QUEUE_SUFFIX}`
  expect(text).toMatch(new RegExp(`^temporal_worker_task_slots_available{.*task_queue="${queue}",worker_type="ActivityWorker"} 20$`, 'm'))
  expect(text).toMatch(/^temporal_activity_schedule_to_start_latency_seconds_count{.*task_queue="webhooks-/m)
  for (const [queue, kind] of [['core', 'workflow'], ...QUEUES.map((name) => [name, 'activity'])])
    expect(value(`bahi_task_queue_backlog{queue="${queue}",kind="${kind}"}`)).toBe(0)
  expect(value('bahi_database_wait_seconds_count{what="connection"}')).toBeGreaterThan(0)
  expect(value('bahi_webhook_attempt_seconds_count{outcome="refused"}')).toBe(3)
  expect(text.match(/^bahi_webhook_receiver_seconds{endpoint="[0-9a-f-]{36}"} 0\.\d+$/gm)).toHaveLength(1)
})

test('an outbox that nobody serves grows old, of active organisations only', async () => {
  const observed: string[] = []
  const reading = createWorkerMetrics({
    database: {
      roundTrips: () => 0,
      observe(statement, values) {
        observed.push(statement.name)
        return setup.database.observe(statement, values)
      },
    },
    clock: () => new Date(Date.now() + HOUR_S * 1000),
    waits: createDatabaseWaits(), engine: { backlogs: () => Promise.reject(new Error('away')) },
    queueSuffix: '', arePolling: () => false, jobsDone: () => ({}), sdkAddress: null, pdfsWaiting: () => 0,
  })
  await setup.sql(`UPDATE webhook_deliveries SET held_by = 'QUEUE', next_attempt_at = now() + interval '2 hours' WHERE held_by = 'PROCESS'`)
  await setup.sql(`UPDATE webhook_deliveries SET next_attempt_at = now() + interval '30 minutes' WHERE id = (SELECT min(id::text)::uuid FROM webhook_deliveries)`)
  const answers = await Promise.all(Array.from({ length: 20 }, () => reading.answer()))
  // In half an hour one is due, and in an hour it has waited for half an hour.
  const ages = answers.map(({ body }) => Math.round((valueIn(String(body), 'bahi_outbox_age_seconds') ?? 0) / 60))
  expect(new Set(ages)).toEqual(new Set([30]))
  expect(observed.toSorted()).toEqual(['count waiting', 'queues seen', 'read operations'])
})

test('a reading is repeated when it is old enough, and kept where the next one fails', async () => {
  const readings: (() => Promise<number>)[] = [async () => 1, () => Promise.reject(new Error('away')), async () => 3]
  const read = () => readings.shift()!()
  const rarely = atMostEvery(Number.POSITIVE_INFINITY, read)
  expect([await rarely(), await rarely(), readings.length]).toEqual([1, 1, 2])
  const often = atMostEvery(0, read)
  expect([await often(), await often()]).toEqual([null, 3])
})

test('a reading that takes long holds nobody up, and is shown when it is there', async () => {
  let answer: (value: number) => void = () => undefined
  const slowly = atMostEvery(Number.POSITIVE_INFINITY, () => new Promise<number>((resolve) => (answer = resolve)), 1)
  expect([await slowly(), await slowly()]).toEqual([null, null])
  answer(4)
  expect(await slowly()).toBe(4)
})

test('of a thousand receivers the slowest are shown, by what they took lately; who is no longer called is forgotten', () => {
  let now = 0
  const times = createReceiverTimes(() => new Date(now))
  for (let round = 0; round < 30; round += 1) for (let n = 0; n < 3_000; n += 1) times.note(`e${n}`, round < 10 ? 9 : n / 1000)
  const slowest = times.slowest()
  expect(slowest.map(({ endpointId }) => endpointId)).toEqual(Array.from({ length: SHOWN }, (_, n) => `e${2_999 - n}`))
  for (let n = 0; n < 30; n += 1) times.note('e2500', 0.001)
  times.note('e2999', 0.001)
  const [first] = times.slowest()
  expect([first!.endpointId, times.slowest().some(({ endpointId }) => endpointId === 'e2500')]).toEqual(['e2998', false])
  now = 2 * HOUR_S * 1000
  times.note('late', 1)
  expect(times.slowest()).toEqual([{ endpointId: 'late', seconds: 1 }])
})

test('what waits in a queue that nobody serves, and who serves one without saying so', async () => {
  const suffix = `metrics${randomBytes(4).toString('hex')}`
  const engine = openEngine({ address: setup.env.TEMPORAL_ADDRESS!, namespace: 'default', queueSuffix: suffix })
  await engine.client.workflow.start('nothingSuchRuns', { taskQueue: `core-${suffix}`, workflowId: suffix, workflowExecutionTimeout: '1 minute' })
  const core = async () => (await engine.backlogs()).find(({ queue, kind }) => queue === 'core' && kind === 'workflow')!
  await until(async () => (await core()).tasks === 1 && (await core()).ageSeconds > 0, 30_000, () => 'no backlog')
  expect((await engine.backlogs()).filter(({ tasks }) => tasks > 0)).toHaveLength(1)

  const connection = await NativeConnection.connect({ address: setup.env.TEMPORAL_ADDRESS! })
  const activities = { nothing: async () => undefined }
  const workers = await Promise.all([['bulk', '1@earlier'], ['recurring', workerIdentity()]].map(([queue, identity]) =>
    Worker.create({ connection, taskQueue: `${queue}-${suffix}`, identity, activities })))
  const stopped = Promise.all(workers.map((worker) => worker.run()))
  await until(async () => (await engine.servedByEarlier(QUEUES)).join() === 'bulk', 30_000, () => 'nobody polls')
  expect(await engine.servedByEarlier(['recurring', 'documents'])).toEqual([])
  for (const worker of workers) worker.shutdown()
  await stopped
  await engine.client.workflow.getHandle(suffix).terminate()
  await connection.close()
  await engine.close()
})

describe('files for Prometheus and Grafana', () => {
  const alerts = readFileSync(join(ROOT, 'docs/monitoring/alerts.yml'), 'utf8')
  const dashboard = JSON.parse(readFileSync(join(ROOT, 'docs/monitoring/dashboard.json'), 'utf8')) as { panels: { title: string; targets: { expr: string }[] }[] }
  const expressions = [
    ...[...alerts.matchAll(/^ +expr: (.*)$/gm)].map(([, expr]) => expr!),
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ]
  // Of the SDK's own metrics these appear with the first failure only.
  const AFTER_A_FAILURE = new Set(['temporal_workflow_task_execution_failed_total'])

  test('ask only for metrics that a process serves', async () => {
    const { registry } = createAccessLog(pino({ level: 'silent' }), { roundTrips: () => 0, connections: () => 0, droppedLines: () => 0, rowMemoryBytes: () => 0, limits: () => 'up' })
    addWaitingMetrics(registry, setup.database, '')
    createDatabaseWaits().addTo(registry)
    addBacklogs(registry, setup.engine)
    addNamespaceMetric(registry, { isRefused: async () => true })
    const served = [...`${await registry.metrics()}\n${await metrics()}`.matchAll(/^# TYPE (\S+) (\S+)/gm)]
    const names = new Set(served.flatMap(([, name, type]) => (type === 'histogram' ? ['_bucket', '_count', '_sum'].map((end) => name + end) : [name])))
    const asked = new Set(expressions.flatMap((expr) => expr.match(/\b(?:bahi|temporal)_\w+/g) ?? []))
    expect(asked.size).toBeGreaterThan(15)
    expect([...asked].filter((name) => !names.has(name) && !AFTER_A_FAILURE.has(name))).toEqual([])
  })

  const MONITORING = join(ROOT, 'docs/monitoring')
  const promtool = onPath('promtool', (process.env.PATH ?? '').split(':'))
  const ask = (...args: string[]) => execFileSync(promtool!, args, { encoding: 'utf8', cwd: MONITORING, stdio: ['ignore', 'pipe', 'pipe'] })
  // `.ci/run` installs it; elsewhere these are shown as skipped where it is not.
  const withPromtool = promtool || process.env.CI === 'true' ? test : test.skip

  withPromtool('Prometheus accepts the rules, and each fires when it should and not before', () => {
    expect(ask('check', 'rules', 'alerts.yml')).toContain('SUCCESS')
    expect(ask('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS')
  })

  withPromtool('a rule that waits too long is noticed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'bahi-alerts-'))
    writeFileSync(join(folder, 'alerts.yml'), alerts.replace('bahi_outbox_age_seconds) > 300', 'bahi_outbox_age_seconds) > 3000'))
    copyFileSync(join(MONITORING, 'alerts.test.yml'), join(folder, 'alerts.test.yml'))
    expect(() => ask('test', 'rules', join(folder, 'alerts.test.yml'))).toThrow(/BahiOutboxOld/)
    rmSync(folder, { recursive: true })
  })

  test('every alert is tested, and names a runbook', () => {
    const names = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!)
    const tested = readFileSync(join(MONITORING, 'alerts.test.yml'), 'utf8')
    for (const name of names) expect(tested).toMatch(new RegExp(`alertname: ${name}\\n +eval_time: \\S+\\n +exp_alerts:\\n`))
    const runbooks = [...alerts.matchAll(/runbook: (docs\/\S+)#(\S+)/g)]
    expect(runbooks.length).toBe(alerts.match(/- alert:/g)?.length)
    for (const [, file, anchor] of runbooks) {
      const headings = [...readFileSync(join(ROOT, file!), 'utf8').matchAll(/^#+ (.*)$/gm)]
      expect(headings.map(([, heading]) => heading!.toLowerCase().replaceAll(/[^\w -]/g, '').replaceAll(' ', '-'))).toContain(anchor)
    }
  })
})
