// Clocks that jump by an hour, and workers whose clocks differ: every occurrence is generated once, and nobody asks again and again.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { addDays } from '../../domain/dates.ts'
import { scheduleProcessId, type ScheduleTick } from '../../domain/schedule.ts'
import { openEngine, type Engine } from '../../gateways/temporal/engine.ts'
import { scheduleBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, TODAY, type TestOrganization } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { startTestWorker, type TestWorker } from '../fixtures/worker.ts'
import { until } from '../start/local-run.ts'
import { timersOf } from './history.ts'

const HOUR_MS = 3_600_000
const LIMIT_MS = 60_000
const MINUTE_MS = 60_000

let service: Service
let org: TestOrganization
let engine: Engine
let worker: TestWorker
// How far the clock of the worker is ahead of that of the Temporal server.
let aheadMs = 0

beforeAll(async () => {
  service = await startService()
  org = await openOrganization(service)
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_QUEUE_SUFFIX: queueSuffix = '', ENCRYPTION_KEY: encryptionKey = '' } = service.env
  engine = openEngine({ address, namespace: 'default', queueSuffix, encryptionKey })
  worker = await startTestWorker(service.env, { clock: () => new Date(Date.now() + aheadMs) })
})
afterEach(() => void (aheadMs = 0))
afterAll(async () => {
  await worker.stop()
  await engine.close()
  await service.close()
})

/** A daily schedule whose next occurrence, the first, is due in so many milliseconds by the right clock. */
async function dueIn(ms: number): Promise<string> {
  const { recurring_id: id } = (await org.send('POST', '/recurring', scheduleBody(org, { frequency: 'DAILY', start_date: addDays(TODAY, 1) }))).recurring
  await service.sql('UPDATE recurring_schedules SET next_run_at = $2 WHERE id = $1', id, new Date(Date.now() + ms))
  return id
}
/** Tells the workflow to read its row, and answers its state once it has. */
async function look(id: string): Promise<ScheduleTick> {
  const handle = engine.client.workflow.getHandle(scheduleProcessId(id))
  const ticks = async () => (await handle.fetchHistory().catch(() => null))?.events?.filter(({ activityTaskCompletedEventAttributes: done }) => done).length ?? 0
  const before = await ticks()
  await engine.signalSchedule({ orgId: org.orgId, scheduleId: id, entityType: 'INVOICE' }, 'configChanged')
  await until(async () => (await ticks()) > before, LIMIT_MS, () => `schedule ${id} is not looked at`)
  return (await handle.query<ScheduleTick | null>('state'))!
}
const runsOf = async (id: string): Promise<number[]> =>
  (await service.sql<Json>('SELECT occurrence FROM recurring_runs WHERE schedule_id = $1 ORDER BY occurrence', id)).map(({ occurrence }) => occurrence)
const lastTimer = async (id: string) => (await timersOf(engine, scheduleProcessId(id))).at(-1)!

test('a worker whose clock is behind waits until its own clock has come so far, and does not ask again and again', async () => {
  const id = await dueIn(-2 * MINUTE_MS)
  aheadMs = -HOUR_MS
  expect(await look(id)).toMatchObject({ generated: 0, runCount: 0 })
  await until(async () => (await timersOf(engine, scheduleProcessId(id))).length > 0, LIMIT_MS, () => 'it does not wait')
  expect((await lastTimer(id)).ms).toBeGreaterThan(HOUR_MS - 3 * MINUTE_MS)
  expect(await runsOf(id)).toEqual([])
  aheadMs = 0
  expect(await look(id)).toMatchObject({ generated: 1, runCount: 1 })
  expect(await runsOf(id)).toEqual([1])
})

test('ticks do not take the slots of the queue in which conversions wait', async () => {
  const id = await dueIn(-MINUTE_MS)
  await look(id)
  const { events } = await engine.client.workflow.getHandle(scheduleProcessId(id)).fetchHistory()
  const queues = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: tick }) => (tick ? [tick.taskQueue?.name] : []))
  expect(new Set(queues)).toEqual(new Set([`recurring-${service.env.TEMPORAL_QUEUE_SUFFIX}`]))
})

test('an hour forward and back again: what was due in between is generated once', async () => {
  const id = await dueIn(30 * MINUTE_MS)
  expect(await look(id)).toMatchObject({ generated: 0 })
  aheadMs = HOUR_MS
  expect(await look(id)).toMatchObject({ generated: 1, runCount: 1 })
  aheadMs = 0
  expect(await look(id)).toMatchObject({ generated: 0, runCount: 1 })
  await service.sql(`UPDATE recurring_schedules SET not_before = NULL WHERE id = $1`, id)
  expect(await look(id)).toMatchObject({ generated: 0, runCount: 1 })
  expect(await runsOf(id)).toEqual([1])
})

test('an hour back and forward again: nothing is left out, and nothing comes twice', async () => {
  const id = await dueIn(-MINUTE_MS)
  expect(await look(id)).toMatchObject({ generated: 1 })
  aheadMs = -HOUR_MS
  expect(await look(id)).toMatchObject({ generated: 0, runCount: 1 })
  aheadMs = 0
  expect(await look(id)).toMatchObject({ generated: 0, runCount: 1 })
  expect(await runsOf(id)).toEqual([1])
})

test('a schedule that is due in thousands of years waits', async () => {
  const { recurring_id: id } = (await org.send('POST', '/recurring', scheduleBody(org, { start_date: '9998-12-31' }))).recurring
  expect(await look(id)).toMatchObject({ state: 'ACTIVE', generated: 0 })
  await until(async () => (await timersOf(engine, scheduleProcessId(id))).length > 0, LIMIT_MS, () => 'it does not wait')
  expect((await lastTimer(id)).ms).toBe(30 * 24 * HOUR_MS)
})
