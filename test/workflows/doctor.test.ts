// The doctor of a service in trouble: it names what is stuck and a command, and says nothing of one that is well.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import type { Finding } from '../../audit/stuck/check.ts'
import { examine } from '../../bin/doctor/examine.ts'
import { searchPairs } from '../../domain/search-attributes.ts'
import { readSettings } from '../../settings.ts'
import { ROOT } from '../fixtures/root.ts'
import { openWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts'
import { until } from '../start/local-run.ts'
import { SECRET, openWorkflowSetup, type WorkflowSetup } from './setup.ts'

jest.setTimeout(180_000)

let setup: WorkflowSetup
let customer: WebhookServer
let endpointId: string
beforeAll(async () => {
  setup = await openWorkflowSetup({ WEBHOOK_LADDER_SECONDS: '3600' })
  customer = await openWebhookServer(SECRET)
  customer.answer = () => 500
  endpointId = await setup.addEndpoint(customer.url)
  await setup.startWorker()
  await until(async () => (await setup.sql(`SELECT FROM process_heartbeats WHERE name = 'worker'`)).length > 0, 90_000, () => 'no heartbeat')
  await settle()
  await until(async () => (await setup.sql(`SELECT WHERE pg_postmaster_start_time() < now() - interval '1 minute'`)).length > 0, 90_000, () => 'the server has just started')
})
// As if the worker had been at work for a while.
const settle = () => setup.sql(`/* settled */ UPDATE process_heartbeats SET seen_at = now() - interval '1 hour' WHERE name = 'queue/since'`)
afterAll(async () => {
  await setup.close()
  await customer.close()
})

const doctor = (changes: Record<string, string> = {}, now = new Date()) => examine(readSettings({ ...setup.env, ...changes }), now)
const checksOf = (findings: Finding[]) => findings.map(({ check, severity }) => `${severity} ${check}`)
const by = (findings: Finding[], check: string) => findings.find((finding) => finding.check === check)

/** The program itself. */
function run(env: Record<string, string>, ...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['bin/doctor.ts', ...args], { cwd: ROOT, env: { ...env, DATA_DIR: '/nowhere' } }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }))
  })
}

test('a service that is well', async () => {
  await until(async () => (await doctor()).length === 0, 120_000, () => 'something is stuck')
  expect(await run(setup.env)).toEqual({ code: 0, output: 'Nothing is stuck.\n' })
})

test('a service that has just come back: what waited meanwhile is not stuck yet, and what lasts is', async () => {
  const since = async () => (await setup.sql<{ ago: number }>(`SELECT extract(epoch FROM now() - seen_at)::integer AS ago FROM process_heartbeats WHERE name = 'queue/since'`))[0]!.ago
  const id = await addSchedule({ next_run_at: new Date(Date.now() - 3_600_000) })
  expect(checksOf(await doctor())).toContain('stuck overdue schedules')
  expect(await since()).toBeGreaterThan(3_000)
  // The beats of a worker after half a minute without any.
  await setup.sql(`/* back */ UPDATE process_heartbeats SET seen_at = now() - interval '1 minute' WHERE name = 'worker' OR name LIKE 'queue/core%'`)
  await until(async () => (await since()) < 60, 30_000, () => 'the time is not noted')
  const found = await doctor({ ENCRYPTION_KEY: randomBytes(32).toString('base64') })
  expect(checksOf(found)).toEqual(expect.arrayContaining(['starting overdue schedules', 'stuck encryption key']))
  expect(by(found, 'overdue schedules')!.problem).toContain(id)
  const { code, output } = await run(setup.env)
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^starting {2}overdue schedules: [\s\S]*\n\nThe service has just started\. What is `starting` goes on by itself/) })
  expect(checksOf(await doctor({}, new Date(Date.now() + 6 * 60_000)))).toContain('stuck overdue schedules')
  await settle()
  await setup.sql('DELETE FROM recurring_schedules')
})

describe('PostgreSQL', () => {
  test('deliveries, circuits, trials, batches and claims that should have gone on, and those that wait on purpose', async () => {
    await setup.announce(3)
    const [first, second, third] = await setup.until(({ held_by: holder }) => holder === 'PROCESS')
    await setup.stopWorker()
    await setup.sql(`UPDATE process_heartbeats SET seen_at = now() - interval '1 minute'`)
    await setup.sql(`UPDATE webhook_deliveries SET next_attempt_at = now() - interval '20 minutes' WHERE id = $1`, first!.id)
    await setup.sql(`UPDATE webhook_deliveries SET held_by = 'QUEUE', next_attempt_at = now() - interval '20 minutes' WHERE id = $1`, second!.id)
    await setup.sql(
      `INSERT INTO webhook_circuits (org_id, id, state, failures, opened, next_try_at, slow, releasing)
       VALUES ($1, $2, 'OPEN', 20, 1, now() - interval '20 minutes', false, false)
       ON CONFLICT (org_id, id) DO UPDATE SET state = 'OPEN', next_try_at = excluded.next_try_at, failures = 20`, setup.orgId, endpointId)
    await setup.sql(
      `INSERT INTO idempotent_answers (subject, method, path, key, body_hash, sealed, created_time, claimed_until)
       VALUES ($1, 'POST', '/y', 'z', '', false, now() - interval '2 days', now() - interval '2 days')`, uuidv7())
    const found = await doctor()
    expect(checksOf(found)).toEqual(['stuck worker', 'stuck queue', 'stuck overdue deliveries', 'stuck trials', 'stuck old idempotency claims', 'notice open circuits'])
    expect(by(found, 'overdue deliveries')!.mend).toBe(`npm run temporal -- workflow describe --workflow-id webhook/${first!.id}`)
    expect(by(found, 'queue')!.problem).toContain(endpointId)
    expect(by(found, 'open circuits')!.mend).toContain(`WHERE id = '${endpointId}'`)

    // A batch that was claimed an hour ago: its id begins with the time.
    const hour = (Date.now() - 3_600_000).toString(16).padStart(12, '0')
    const batchId = `${hour.slice(0, 8)}-${hour.slice(8)}-7000-8000-${uuidv7().slice(24)}`
    await setup.sql(`UPDATE webhook_deliveries SET held_by = 'BATCH', batch_id = $2 WHERE id = $1`, third!.id, batchId)
    expect(by(await doctor(), 'unfinished batches')!.mend).toContain(`--workflow-id dispatch/${batchId}`)

    await setup.sql(`UPDATE organizations SET status = 'SUSPENDED'`)
    const suspended = checksOf(await doctor())
    expect(suspended).toContain('notice suspended organisations')
    for (const waits of ['queue', 'overdue deliveries', 'trials']) expect(suspended).not.toContain(`stuck ${waits}`)

    const { code, output } = await run(setup.env, '--json')
    const answer = JSON.parse(output) as { stuck: boolean; findings: Finding[] }
    expect([code, answer.stuck, checksOf(answer.findings)]).toEqual([1, true, suspended])
    expect((await run(setup.env)).output).toMatch(/^STUCK {3}worker: no worker has taken work from Temporal since .*Z\n {8}> start a worker/)
  })

  test('invoices that no night has made OVERDUE', async () => {
    await setup.sql(`UPDATE organizations SET status = 'ACTIVE'`)
    expect(checksOf(await doctor())).not.toContain('stuck housekeeping')
  })

  test('a key that does not fit, and a schema that is behind', async () => {
    const found = (await doctor({ ENCRYPTION_KEY: randomBytes(32).toString('base64') })).filter(({ check }) => check === 'encryption key' || check === 'Temporal')
    expect(found.map(({ problem }) => problem)).toEqual([
      'the secrets of 1 of 1 enabled endpoints cannot be read with this ENCRYPTION_KEY',
      expect.stringMatching(/^workflows and schedules of Temporal were encrypted with the key \w+, and ENCRYPTION_KEY has only \w+$/),
    ])
    expect(by(await doctor({ ENCRYPTION_KEY: `${randomBytes(32).toString('base64')},${setup.env.ENCRYPTION_KEY}` }), 'encryption key')).toBeUndefined()
    const [row] = await setup.sql<{ name: string; sha256: string }>(`DELETE FROM schema_migrations WHERE name LIKE '0018%' RETURNING name, sha256`)
    const pending = await doctor()
    expect(pending).toEqual([{ check: 'migrations', severity: 'stuck', problem: `1 migrations are pending: ${row!.name}; nothing else was examined`, mend: 'npm run migrate' }])
    await setup.sql('INSERT INTO schema_migrations (name, sha256) VALUES ($1, $2)', row!.name, row!.sha256)
  })
})

/** A schedule as a call would have written it, with columns of its own. */
async function addSchedule(changes: Record<string, unknown> = {}): Promise<string> {
  const id = uuidv7()
  const row = {
    org_id: setup.orgId, id, entity_type: 'JOURNAL', name: 'Depreciation', frequency: 'MONTHLY', interval_count: 1, month_anchor: 'START_DAY',
    start_date: '2030-01-31', template_payload: '{}', auto_approve: false, auto_charge: false, status: 'ACTIVE', run_count: 0, failures: 0, last_error: null,
    anchor_date: '2030-01-31', anchor_occurrence: 1, next_occurrence: 1, next_run_at: '2030-01-31T03:30:00Z', version: 1,
    created_time: '2026-01-01T00:00:00Z', last_modified_time: '2026-01-01T00:00:00Z', ...changes,
  }
  const columns = Object.keys(row)
  await setup.sql(`INSERT INTO recurring_schedules (${columns.join()}) VALUES (${columns.map((_, place) => `$${place + 1}`).join()})`, ...Object.values(row))
  return id
}

describe('schedules and bulks', () => {
  test('schedules that should have run, changes that nobody was told of, bulks that stand still, and what is paused by failures', async () => {
    const overdue = await addSchedule({ next_run_at: new Date(Date.now() - 3_600_000) })
    const paused = await addSchedule({ status: 'PAUSED', failures: 3, last_error: 'The contact does not exist.' })
    await setup.sql(
      `INSERT INTO recurring_signals (org_id, id, schedule_id, entity_type, signal, created_time) VALUES ($1, $2, $3, 'JOURNAL', 'pause', now() - interval '1 hour')`,
      setup.orgId, uuidv7(), paused)
    const bulkId = uuidv7()
    await setup.sql(
      `INSERT INTO bulks (org_id, id, entity_type, total, status, succeeded, failed, origin, created_time) VALUES ($1, $2, 'BILL', 1, 'RUNNING', 0, 0, '{}', now() - interval '1 hour')`,
      setup.orgId, bulkId)
    const found = await doctor()
    expect(by(found, 'overdue schedules')).toMatchObject({ severity: 'stuck', problem: expect.stringContaining(overdue), mend: expect.stringContaining('npm run reconcile') })
    expect(by(found, 'signals of schedules')).toMatchObject({ severity: 'stuck', problem: expect.stringMatching(/^1 changes/) })
    expect(by(found, 'bulks')).toMatchObject({ severity: 'stuck', mend: expect.stringContaining(`--workflow-id bulk/${bulkId}`) })
    expect(by(found, 'schedules paused by failures')).toMatchObject({
      severity: 'notice', problem: expect.stringMatching(/after 3 failures: The contact does not exist\.$/), mend: expect.stringContaining(`POST /recurring/${paused}/resume`),
    })
    await setup.sql('DELETE FROM recurring_signals')
    await setup.sql('DELETE FROM recurring_schedules')
    await setup.sql('DELETE FROM bulks')
  })

  test('a schedule without a workflow, and the command that starts it; a workflow without a schedule', async () => {
    const id = await addSchedule()
    expect(by(await doctor(), 'schedules without a process')).toMatchObject({ problem: expect.stringContaining(id), mend: 'npm run reconcile' })
    expect(await run(setup.env)).toMatchObject({ code: 1 })
    await new Promise<void>((resolve, reject) => {
      execFile(process.execPath, ['bin/reconcile.ts'], { cwd: ROOT, env: { ...setup.env, DATA_DIR: '/nowhere' } }, (error) => (error ? reject(error) : resolve()))
    })
    await until(async () => by(await doctor(), 'schedules without a process') === undefined, 90_000, () => 'still without a workflow')

    const { workflow } = setup.engine.client
    await workflow.getHandle(`recurring/${id}`).terminate()
    const nextAt = new Date('2030-01-31T03:31:00Z')
    await workflow.start('recurringSchedule', { workflowId: `recurring/${id}`, taskQueue: `core-${setup.env.TEMPORAL_QUEUE_SUFFIX}`, typedSearchAttributes: searchPairs({ orgId: setup.orgId, nextAt }) })
    const seen = async () => (await doctor()).filter(({ check }) => check.startsWith('schedules '))
    await until(async () => (await seen()).length === 0, 90_000, () => 'the later minute is a finding')
    await setup.sql(`UPDATE recurring_schedules SET next_run_at = next_run_at - interval '6 hours' WHERE id = $1`, id)
    expect(await seen()).toMatchObject([{ check: 'schedules that wait too long', severity: 'stuck', problem: expect.stringContaining(id), mend: 'npm run reconcile' }])
    await setup.sql('DELETE FROM recurring_schedules')
    const later = new Date(Date.now() + 10 * 60_000)
    const without = (await doctor({}, later)).filter(({ check }) => check === 'processes without a row').map(({ mend }) => mend)
    expect(without).toContain(`npm run temporal -- workflow terminate --workflow-id recurring/${id} --reason "its schedule is finished"`)
    await setup.engine.client.workflow.getHandle(`recurring/${id}`).terminate()
  })
})

describe('Temporal', () => {
  test('a delivery whose workflow was ended by hand, and the command that starts it again', async () => {
    const [delivery] = await setup.sql<{ id: string }>(`SELECT id FROM webhook_deliveries WHERE held_by = 'PROCESS' ORDER BY id LIMIT 1`)
    await setup.sql(`UPDATE webhook_deliveries SET next_attempt_at = now() + interval '1 hour' WHERE id = $1`, delivery!.id)
    const later = () => new Date(Date.now() + 6 * 60_000)
    expect(by(await doctor({}, later()), 'deliveries without a process')).toBeUndefined()
    await setup.engine.client.workflow.getHandle(`webhook/${delivery!.id}`).terminate('by hand')
    await until(async () => Boolean(by(await doctor({}, later()), 'deliveries without a process')), 90_000, () => 'not missed')
    const { mend, problem } = by(await doctor({}, later()), 'deliveries without a process')!
    expect(problem).toContain(delivery!.id)
    const [, workflowId, input] = /--workflow-id (\S+) .*--input '(.*)'$/.exec(mend)!
    await setup.engine.client.workflow.start('webhookDelivery', { workflowId: workflowId!, args: [JSON.parse(input!)], taskQueue: /--task-queue (\S+)/.exec(mend)![1]! })
    await until(async () => by(await doctor({}, later()), 'deliveries without a process') === undefined, 90_000, () => 'still missed')
  })

  test('workflows of deliveries that are finished, conversions that never began, schedules that are paused or missing', async () => {
    const { client } = setup.engine
    const later = () => new Date(Date.now() + 10 * 60_000)
    const [delivery] = await setup.deliveries()
    await setup.sql(`UPDATE webhook_deliveries SET held_by = NULL, batch_id = NULL, next_attempt_at = NULL, status = 'FAILED'`)
    await until(async () => Boolean(by(await doctor({}, later()), 'processes without a row')), 90_000, () => 'no process without a row')
    expect(by(await doctor({}, later()), 'processes without a row')!.mend).toContain('npm run temporal -- workflow terminate --workflow-id webhook/')
    expect(by(await doctor(), 'processes without a row')).toBeUndefined()

    const conversionId = uuidv7()
    const sourceId = delivery!.id
    await setup.sql(
      `INSERT INTO conversions (org_id, id, source_type, source_id, auto_approve, origin, hops, created_time, last_modified_time)
       VALUES ($1, $2, 'SALES_ORDER', $3, false, '{"source": "PUBLIC_API"}', 0, now() - interval '1 hour', now())`, setup.orgId, conversionId, sourceId)
    const conversion = by(await doctor(), 'conversions')!
    expect([conversion.severity, conversion.mend]).toEqual(['notice', expect.stringContaining(`--workflow-id convert/SALES_ORDER/${sourceId}`)])

    const schedule = client.schedule.getHandle(`housekeeping-${setup.env.TEMPORAL_QUEUE_SUFFIX}/Asia/Kolkata`)
    await schedule.pause()
    expect(by(await doctor(), 'schedules')).toMatchObject({ severity: 'notice', mend: expect.stringContaining('--unpause') })
    await schedule.delete()
    // Of an organisation that has just come to its zone, it is about to be made.
    await setup.sql(`UPDATE organizations SET last_modified_time = now()`)
    await until(async () => by(await doctor({}, later()), 'schedules')?.severity === 'stuck', 90_000, () => 'no missing schedule')
    expect(by(await doctor(), 'schedules')).toBeUndefined()
  })

  test('parts that do not answer', async () => {
    const found = await doctor({ TEMPORAL_ADDRESS: '127.0.0.1:9', REDIS_URL: 'redis://127.0.0.1:9' })
    expect(checksOf(found.filter(({ problem }) => problem.includes('does not answer')))).toEqual(['stuck Temporal', 'notice Redis'])
    const without = await doctor({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' })
    expect(checksOf(without)).toEqual(['stuck PostgreSQL'])
    expect((await run({})).code).toBe(2)
  })
})
