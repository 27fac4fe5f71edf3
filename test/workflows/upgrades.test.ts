// An upgrade while work is open: schedules, retries of webhooks and bulks that the old version began are finished by the new one, and the other way round.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { Worker } from '@temporalio/worker'
import { addDays } from '../../domain/dates.ts'
import { scheduleProcessId } from '../../domain/schedule.ts'
import { dataConverterOf } from '../../gateways/temporal/payload-codec.ts'
import { AHEAD, scheduleBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, TODAY, type OrganizationWithItem, type TestOrganization } from '../fixtures/organization.ts'
import { openWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts'
import { spawnWorker } from '../fixtures/worker.ts'
import { postingsOf, whileLocked } from '../hammer/two-servers.ts'
import { until } from '../start/local-run.ts'
import { openBulkSetup, rowsOf, type BulkSetup } from './bulk-setup.ts'
import { workflowBundle } from './bundle.ts'
import { changedBundle, type Changes } from './changed-bundle.ts'
import { timersOf, untilTimer } from './history.ts'

jest.setTimeout(240_000)

const LIMIT_MS = 120_000
const NEW_TIMER = 'of the new version'

/** The new version waits once more in each pass: a timer that histories of the old one do not have. */
const before = (text: string): { text: string; becomes: string } => ({
  text,
  becomes: `if (temporal.patched('a-change')) await temporal.sleep(1, { summary: '${NEW_TIMER}' })\n${text}`,
})
const CHANGES: Changes = {
  'recurring-schedule.ts': before('last = await runSchedule.executeWithOptions('),
  'webhook-delivery.ts': before('if (waitMs > 0) await condition('),
  'bulk-create.ts': before('progress = await createRows.executeWithOptions('),
}

let setup: BulkSetup
let receiver: WebhookServer
let newBundle: string
let worker: ChildProcess | null = null
beforeAll(async () => {
  setup = await openBulkSetup()
  receiver = await openWebhookServer('of the endpoint')
  newBundle = await changedBundle(CHANGES)
})
afterAll(async () => {
  await stop()
  rmSync(newBundle, { force: true })
  await receiver.close()
  await setup.close()
})

async function work(version: 'old' | 'new'): Promise<void> {
  await stop()
  const bundle = version === 'old' ? (process.env.UPGRADE_FROM ?? (await workflowBundle())) : newBundle
  const ladder = { WEBHOOK_LADDER_SECONDS: '3600,3600', RECURRING_TICK_SECONDS: '1' }
  worker = await spawnWorker({ ...setup.service.env, ...ladder, WORKFLOW_BUNDLE: bundle })
}

/** Ends the worker as an upgrade does: killed, it would keep the tasks of its workflows for another ten seconds. */
async function stop(): Promise<void> {
  const ended = worker && once(worker, 'exit')
  worker?.kill('SIGTERM')
  await ended
  worker = null
}

// More than the two batches that are under way when the organisation is suspended.
const ROWS = 60

/** A schedule that waits for its date, a delivery that waits for its retry, a bulk that waits for its organisation. */
interface OpenWork {
  org: TestOrganization
  bulkOrg: OrganizationWithItem
  scheduleId: string
  bulkId: string
  schedule: string
  delivery: string
  bulk: string
}

async function openWork(): Promise<OpenWork> {
  const { engine, service } = setup
  const org = await openOrganization(service)
  const { recurring } = await org.send('POST', '/recurring', scheduleBody(org, { start_date: `${AHEAD}-01-31`, max_runs: 1 }))
  const schedule = scheduleProcessId(recurring.recurring_id)
  await until(() => engine.client.workflow.getHandle(schedule).query<Json | null>('state').then((state) => state?.state === 'ACTIVE', () => false), LIMIT_MS, () => 'the schedule does not wait')

  receiver.answer = () => 500
  await org.send('POST', '/webhooks/endpoints', { url: receiver.url, events: ['INVOICE_CREATED'] })
  await org.invoice()
  const [row] = await service.sql<Json>('SELECT id FROM webhook_deliveries WHERE org_id = $1', org.orgId)
  const delivery = `webhook/${row.id}`
  await untilTimer(engine, delivery, 'retry 1 of 2', LIMIT_MS)

  const bulkOrg = await setup.openPosting()
  let bulkId = ''
  await whileLocked(service.database, postingsOf(bulkOrg), async (waiting) => {
    bulkId = await setup.accepted(bulkOrg, rowsOf(bulkOrg, ROWS))
    await waiting(1)
    await service.sql(`UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1`, bulkOrg.orgId)
    return []
  })
  await untilTimer(engine, `bulk/${bulkId}`, 'organisation suspended', LIMIT_MS)
  return { org, bulkOrg, scheduleId: recurring.recurring_id, bulkId, schedule, delivery, bulk: `bulk/${bulkId}` }
}

/** Makes all of it due: its workflows get their next task. */
async function makeDue({ org, bulkOrg, scheduleId, delivery, bulk }: OpenWork): Promise<void> {
  const { workflow } = setup.engine.client
  receiver.answer = () => 200
  await org.send('PUT', `/recurring/${scheduleId}`, { next_run_at: addDays(TODAY, -1) })
  await setup.service.sql(`UPDATE organizations SET status = 'ACTIVE' WHERE id = $1`, bulkOrg.orgId)
  await workflow.getHandle(delivery).signal('retryNow')
  await workflow.getHandle(bulk).signal('lookAgain')
}

/** All of it ends as it should, once. */
async function expectFinished({ org, bulkOrg, bulkId, scheduleId, schedule, delivery, bulk }: OpenWork): Promise<void> {
  const { workflow } = setup.engine.client
  expect(await workflow.getHandle(schedule).result()).toBe('COMPLETED')
  expect(await workflow.getHandle(delivery).result()).toBe('DELIVERED')
  expect(await workflow.getHandle(bulk).result()).toMatchObject({ state: 'COMPLETED', succeeded: ROWS })
  const { runs } = await org.get(`/recurring/${scheduleId}/runs`)
  expect(runs).toMatchObject([{ status: 'SUCCEEDED', occurrence: 1 }])
  await setup.expectEachOnce(bulkOrg, bulkId, ROWS)
}

/** Whether each of its workflows has passed what is new. */
async function changesIn({ schedule, delivery, bulk }: OpenWork): Promise<Record<string, boolean>> {
  const isIn = async (id: string) => (await timersOf(setup.engine, id)).some(({ summary }) => summary === NEW_TIMER)
  return { schedule: await isIn(schedule), delivery: await isIn(delivery), bulk: await isIn(bulk) }
}

/** Its histories as a worker of this bundle reads them that has not run them. */
async function replayed({ schedule, delivery, bulk }: OpenWork, codePath: string): Promise<void> {
  const dataConverter = dataConverterOf(setup.service.env.ENCRYPTION_KEY!)
  for (const id of [schedule, delivery, bulk]) {
    await Worker.runReplayHistory({ workflowBundle: { codePath }, dataConverter }, await setup.engine.client.workflow.getHandle(id).fetchHistory())
  }
}

const failuresOf = async (id: string): Promise<string[]> => {
  const { events } = await setup.engine.client.workflow.getHandle(id).fetchHistory()
  return (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) => (failed ? [String(failed.cause)] : []))
}
const NON_DETERMINISTIC = '24'

test('what the old version began the new one finishes; after the way back, what only the new one can continue waits for it', async () => {
  await work('old')
  const [begunByOld, leftToOld] = await Promise.all([openWork(), openWork()])
  await stop()

  await work('new')
  await makeDue(begunByOld)
  await expectFinished(begunByOld)
  // A run goes the new way from its next pass on; the delivery has none.
  expect(await changesIn(begunByOld)).toEqual({ schedule: true, delivery: false, bulk: true })
  const begunByNew = await openWork()
  await stop()

  await work('old')
  await makeDue(leftToOld)
  await expectFinished(leftToOld)
  expect(await changesIn(leftToOld)).toEqual({ schedule: false, delivery: false, bulk: false })
  await makeDue(begunByNew)
  for (const id of [begunByNew.schedule, begunByNew.delivery, begunByNew.bulk]) {
    await until(async () => (await failuresOf(id)).includes(NON_DETERMINISTIC), LIMIT_MS, () => `${id} is continued by the old version`)
  }
  await stop()

  await work('new')
  await expectFinished(begunByNew)
  expect(await changesIn(begunByNew)).toEqual({ schedule: true, delivery: true, bulk: true })
  for (const finished of [begunByOld, leftToOld, begunByNew]) await replayed(finished, newBundle)
})
