// The doctor of a service in trouble: it names what is stuck and a command, and says nothing of one that is well.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import type { Finding } from '../../audit/stuck.ts'
import { examine } from '../../bin/doctor/examine.ts'
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
  await until(async () => (await setup.sql(`SELECT FROM process_heartbeats WHERE name = 'worker'`)).length > 0, 20_000, () => 'no heartbeat')
})
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
    expect(by(found, 'overdue deliveries')!.mend).toContain(`temporal workflow describe --workflow-id webhook/${first!.id}`)
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

describe('Temporal', () => {
  test('workflows of deliveries that are finished, conversions that never began, schedules that are paused or missing', async () => {
    const { client } = setup.engine
    const later = () => new Date(Date.now() + 10 * 60_000)
    const [delivery] = await setup.deliveries()
    await setup.sql(`UPDATE webhook_deliveries SET held_by = NULL, batch_id = NULL, next_attempt_at = NULL, status = 'FAILED'`)
    await until(async () => Boolean(by(await doctor({}, later()), 'processes without a row')), 20_000, () => 'no process without a row')
    expect(by(await doctor({}, later()), 'processes without a row')!.mend).toContain('temporal workflow terminate --workflow-id webhook/')
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
    await until(async () => by(await doctor(), 'schedules')?.severity === 'stuck', 20_000, () => 'no missing schedule')
  })

  test('parts that do not answer', async () => {
    const found = await doctor({ TEMPORAL_ADDRESS: '127.0.0.1:9', REDIS_URL: 'redis://127.0.0.1:9' })
    expect(checksOf(found.filter(({ problem }) => problem.includes('does not answer')))).toEqual(['stuck Temporal', 'notice Redis'])
    const without = await doctor({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' })
    expect(checksOf(without)).toEqual(['stuck PostgreSQL'])
    expect((await run({})).code).toBe(2)
  })
})
