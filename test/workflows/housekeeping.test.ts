// The nightly housekeeping on a real Temporal server: scheduled in every zone, started by hand, and outliving its worker.
import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { ScheduleNotFoundError, type ScheduleDescription } from '@temporalio/client'
import pg from 'pg'
import { pino } from 'pino'
import { createScheduling } from '../../worker/scheduling.ts'
import { startWorker, type RunningWorker } from '../../worker/worker.ts'
import { housekeepingId, type Swept } from '../../domain/housekeeping.ts'
import { openEngine, type Engine } from '../../gateways/temporal/engine.ts'
import { EngineUnavailable } from '../../gateways/temporal/engine-unavailable.ts'
import { readSettings } from '../../settings.ts'
import { invoiceBody } from '../fixtures/bodies.ts'
import { openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { kill, spawnWorker } from '../fixtures/worker.ts'
import { blockedBy } from '../fixtures/blocked.ts'
import { workflowBundle } from './bundle.ts'
import { failureText } from './history.ts'
import { pauseSchedules, removeSchedules } from './schedules.ts'

const DUE = { auto_approve: true, date: '2026-01-10', due_date: '2026-02-10' }
const quiet = pino({ level: 'silent' })

let service: Service
let engine: Engine
let worker: RunningWorker
let address: string
let suffix: string
const scheduleOf = (zone: string) => engine.client.schedule.getHandle(housekeepingId(zone, suffix))

beforeAll(async () => {
  service = await startService()
  suffix = service.env.TEMPORAL_QUEUE_SUFFIX!
  address = service.env.TEMPORAL_ADDRESS!
  engine = openEngine({ address, namespace: 'default', queueSuffix: suffix, encryptionKey: service.env.ENCRYPTION_KEY! })
  await openOrganization(service)
  await openOrganization(service, { time_zone: 'Pacific/Kiritimati' })
  worker = await startWorker(readSettings({ ...service.env, WORKFLOW_BUNDLE: await workflowBundle() }), quiet)
})
afterAll(async () => {
  worker?.stop()
  await worker?.ended
  await removeSchedules(service.database, address, suffix)
  await engine.close()
  await service.close()
})

async function until<T>(ask: () => Promise<T | undefined | false>, withinMs = 60_000): Promise<T> {
  const last = Date.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (Date.now() > last) throw new Error(`not so within ${withinMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const scheduled = (zone: string): Promise<ScheduleDescription> => until(() => scheduleOf(zone).describe().catch(() => undefined))

/** Starts the process as an operator does by hand, and waits for its end. */
async function sweepByHand(id: string, ...args: unknown[]): Promise<Swept> {
  const { workflow } = engine.client
  await workflow.start('housekeeping', { workflowId: `by-hand/${suffix}/${id}`, taskQueue: `core-${suffix}`, args })
  return workflow.getHandle(`by-hand/${suffix}/${id}`).result()
}

const statusOf = async (org: TestOrganization, id: string): Promise<string> => (await org.get(`/invoices/${id}`)).invoice.status

describe('the schedules', () => {
  test.each([['Asia/Kolkata', 'T19:00:00.000Z'], ['Pacific/Kiritimati', 'T10:30:00.000Z']])('%s: the next run is at %s', async (zone, time) => {
    const { spec, policies, action, info } = await scheduled(zone)
    expect(info.nextActionTimes[0]!.toISOString().slice(10)).toBe(time)
    expect(info.nextActionTimes[0]!.getTime() - Date.now()).toBeLessThanOrEqual(24 * 60 * 60 * 1_000)
    expect([spec.timezone, policies.overlap, policies.catchupWindow]).toEqual([zone, 'SKIP', 24 * 60 * 60 * 1_000])
    expect(action).toMatchObject({ workflowType: 'housekeeping', taskQueue: `core-${suffix}`, args: [{ timeZone: zone }] })
  })

  test('an organisation in a new zone brings its schedule; what is there is left as an operator has put it', async () => {
    const ensure = createScheduling({ connection: service.database, engine, log: quiet })
    await scheduled('Asia/Kolkata')
    await scheduleOf('Asia/Kolkata').pause('while the books are moved')
    await ensure()
    await service.organization({ time_zone: 'America/Los_Angeles' })
    await ensure()
    const { info, spec } = await scheduled('America/Los_Angeles')
    expect([spec.timezone, ['T07:30:00.000Z', 'T08:30:00.000Z'].includes(info.nextActionTimes[0]!.toISOString().slice(10))]).toEqual(['America/Los_Angeles', true])
    expect((await scheduled('Asia/Kolkata')).state).toMatchObject({ paused: true, note: 'while the books are moved' })
    await scheduleOf('Asia/Kolkata').unpause()
  })

  test('a zone has one schedule, by whichever of its names; one that is refused holds up no other, and is logged once', async () => {
    await service.organization({ time_zone: 'asia/tokyo' })
    await service.organization({ time_zone: 'Japan' })
    const lines: string[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
    const refusing = { ensureSchedule: async (zone: string) => {
      if (zone === 'Asia/Kolkata') throw new TypeError('no')
      return engine.ensureSchedule(zone)
    } }
    const ensure = createScheduling({ connection: service.database, engine: refusing, log })
    await ensure()
    await ensure()
    expect((await scheduled('Asia/Tokyo')).info.nextActionTimes[0]!.toISOString().slice(10)).toBe('T15:30:00.000Z')
    expect(lines.map((line) => JSON.parse(line)).map(({ msg, time_zone }) => [msg, time_zone])).toEqual([
      ['nightly housekeeping could not be scheduled', 'Asia/Kolkata'], ['nightly housekeeping scheduled', 'Asia/Tokyo'],
    ])
  })

  test('the schedule of a name from before sweeps the zone once more, and ends', async () => {
    await engine.ensureSchedule('asia/calcutta')
    const org = await openOrganization(service)
    const due = (await org.invoice(DUE)).invoice_id
    await scheduleOf('asia/calcutta').trigger()
    await until(async () => (await statusOf(org, due)) === 'OVERDUE')
    await until(() => scheduleOf('asia/calcutta').describe().then(() => false, (error) => error instanceof ScheduleNotFoundError))
    expect((await scheduled('Asia/Kolkata')).state.paused).toBe(false)
    // Where there is none, there is nothing to end.
    await engine.removeSchedule('asia/calcutta')
    await expect(sweepByHand('by-another-name', { timeZone: 'asia/calcutta' })).resolves.toMatchObject({ invoices: 0 })
  })

  test('while Temporal is away that is what is said of it', async () => {
    const away = openEngine({ address: '127.0.0.1:9', namespace: 'default', queueSuffix: suffix })
    await expect(away.ensureSchedule('Asia/Kolkata')).rejects.toThrow(EngineUnavailable)
    await away.close()
  })

  test('triggered, it sweeps the organisations of its zone and of no other', async () => {
    await pauseSchedules(engine, suffix, ['Asia/Kolkata', 'Pacific/Kiritimati', 'Asia/Dubai', 'Asia/Karachi', 'Asia/Colombo'])
    const [here, there] = [await openOrganization(service), await openOrganization(service, { time_zone: 'Pacific/Kiritimati' })]
    const [ours, theirs] = [(await here.invoice(DUE)).invoice_id, (await there.invoice(DUE)).invoice_id]
    await scheduleOf('Asia/Kolkata').trigger()
    await until(async () => (await statusOf(here, ours)) === 'OVERDUE')
    expect(await statusOf(there, theirs)).toBe('SENT')
    const { info } = await until(async () => {
      const description = await scheduleOf('Asia/Kolkata').describe()
      return description.info.recentActions.length > 0 && description
    })
    const started = info.recentActions.at(-1)!.action
    expect(started.workflow.workflowId).toMatch(new RegExp(`^${housekeepingId('Asia/Kolkata', suffix)}-20`))
    const handle = engine.client.workflow.getHandle(started.workflow.workflowId)
    expect(await handle.result()).toMatchObject({ organizations: 1, invoices: 1, bills: 0 })
    const { typedSearchAttributes, staticSummary } = Object.assign(await handle.describe(), { staticSummary: await (await handle.describe()).staticSummary() })
    expect(typedSearchAttributes.getAll().map(({ value }) => value)).toEqual(expect.arrayContaining(['HOUSEKEEPING', 'SWEPT']))
    expect(staticSummary).toBe('nightly housekeeping of Asia/Kolkata')
    expect(await sweepByHand('afterwards')).toEqual({ organizations: 1, invoices: 1, bills: 0 })
    expect(await statusOf(there, theirs)).toBe('OVERDUE')
  })
})

describe('by hand', () => {
  test('without a zone every organisation is swept but the suspended ones; the second time there is nothing to do', async () => {
    const [one, two, closed] = [await openOrganization(service), await openOrganization(service, { time_zone: 'Pacific/Kiritimati' }), await openOrganization(service)]
    await Promise.all([one.invoice(DUE), one.bill(DUE), two.invoice(DUE), two.bill({ ...DUE, due_date: '2099-01-01' }), closed.invoice(DUE)])
    await service.sql(`UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1`, closed.orgId)
    expect(await sweepByHand('all')).toEqual({ organizations: 2, invoices: 2, bills: 1 })
    expect(await sweepByHand('again', {})).toEqual({ organizations: 0, invoices: 0, bills: 0 })
    await service.sql(`UPDATE organizations SET status = 'ACTIVE' WHERE id = $1`, closed.orgId)
    expect(await sweepByHand('reopened', { timeZone: 'Asia/Kolkata' })).toEqual({ organizations: 1, invoices: 1, bills: 0 })
  })

  test('more than a page of organisations', async () => {
    for (let made = 0; made < 105; made += 15) await Promise.all(Array.from({ length: 15 }, async () => {
      const client = await service.organization({ time_zone: 'Asia/Dubai' })
      const { body: { contact } } = await client.post('/contacts', { contact_name: 'Meena Sarees' })
      expect((await client.post('/invoices', invoiceBody({ customerId: contact.contact_id }, DUE))).status).toBe(201)
    }))
    expect(await sweepByHand('dubai', { timeZone: 'Asia/Dubai' })).toEqual({ organizations: 105, invoices: 105, bills: 0 })
  })

  test('the financial years that are missing are opened, of suspended organisations too', async () => {
    const [one, closed] = [await openOrganization(service, { time_zone: 'Asia/Karachi' }), await openOrganization(service, { time_zone: 'Asia/Karachi' })]
    await service.sql(`UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1`, closed.orgId)
    for (const orgId of [one.orgId, closed.orgId]) {
      await service.sql(`DELETE FROM number_series WHERE org_id = $1 AND period_id = (SELECT id FROM accounting_periods WHERE org_id = $1 ORDER BY start_date DESC LIMIT 1)`, orgId)
      await service.sql('DELETE FROM accounting_periods AS p WHERE org_id = $1 AND NOT EXISTS (SELECT FROM number_series AS s WHERE s.period_id = p.id)', orgId)
    }
    await sweepByHand('years', { timeZone: 'Asia/Karachi' })
    await sweepByHand('years-again', { timeZone: 'Asia/Karachi' })
    for (const orgId of [one.orgId, closed.orgId]) {
      expect(await service.sql('SELECT FROM accounting_periods AS p JOIN number_series AS s ON s.org_id = p.org_id AND s.period_id = p.id WHERE p.org_id = $1', orgId)).toHaveLength(2)
    }
  })

  test('a zone that does not exist is refused', async () => {
    await expect(sweepByHand('atlantis', { timeZone: 'Asia/Atlantis' })).rejects.toMatchObject({ cause: { cause: { message: 'there is no time zone Asia/Atlantis', type: 'UnknownZone' } } })
  })

  test('an organisation that cannot be swept holds up no other, and is swept as soon as it can be', async () => {
    const [broken, sound] = [await openOrganization(service, { time_zone: 'Asia/Colombo' }), await openOrganization(service, { time_zone: 'Asia/Colombo' })]
    const [first, second] = [(await broken.invoice(DUE)).invoice_id, (await sound.invoice(DUE)).invoice_id]
    await service.sql(`ALTER TABLE invoices ADD CONSTRAINT broken CHECK (org_id <> '${broken.orgId}' OR status <> 'OVERDUE')`)
    const swept = sweepByHand('colombo', { timeZone: 'Asia/Colombo' })
    await until(async () => (await statusOf(sound, second)) === 'OVERDUE')
    const handle = engine.client.workflow.getHandle(`by-hand/${suffix}/colombo`)
    await until(async () => {
      const [activity] = (await handle.describe()).raw.pendingActivities ?? []
      return activity?.lastFailure && (await failureText(engine, activity.lastFailure)).includes(broken.orgId)
    })
    expect(await statusOf(broken, first)).toBe('SENT')
    await service.sql('ALTER TABLE invoices DROP CONSTRAINT broken')
    expect(await swept).toEqual({ organizations: 2, invoices: 2, bills: 0 })
    expect(await statusOf(broken, first)).toBe('OVERDUE')
  })
})

describe('a worker killed in mid-sweep', () => {
  let dying: ChildProcess | undefined
  let next: ChildProcess | undefined
  let holder: pg.Client | undefined
  // Any of them may be missing after a test that failed.
  afterAll(async () => {
    await holder?.end()
    for (const child of [dying, next]) if (child) await kill(child)
  })

  test('of a thousand documents each is moved once, by it or by the next', async () => {
    worker.stop()
    await worker.ended
    const org = await openOrganization(service)
    await org.send('POST', '/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook', events: ['INVOICE_UPDATED'] })
    for (let hundred = 0; hundred < 10; hundred += 1) {
      await Promise.all(Array.from({ length: hundred < 9 ? 100 : 99 }, () => org.client.post('/invoices', invoiceBody(org, DUE))))
    }
    const moved = async () => Number((await service.sql<{ count: bigint }>(`SELECT count(*) FROM invoices WHERE org_id = $1 AND status = 'OVERDUE'`, org.orgId))[0]!.count)
    // One is held, so that the sweep stands still at its page until the worker is dead; pages come in any order.
    const held = (await org.invoice({ ...DUE, due_date: '2026-03-10' })).invoice_id
    holder = new pg.Client({ connectionString: service.databaseUrl })
    await holder.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM invoices WHERE id = $1 FOR UPDATE', [held])
    dying = await spawnWorker(service.env)
    const swept = sweepByHand('killed', { timeZone: 'Asia/Kolkata' })
    await blockedBy(holder)
    const before = await moved()
    await kill(dying)
    await holder.query('ROLLBACK')
    expect([before % 100, before < 1_000]).toEqual([0, true])

    next = await spawnWorker(service.env)
    await swept
    expect(await moved()).toBe(1_000)
    const [counted] = await service.sql(
      `SELECT (SELECT count(*)::integer FROM invoices WHERE org_id = $1 AND version = 2) AS once,
         (SELECT count(*)::integer FROM activity WHERE org_id = $1 AND action = 'INVOICE_OVERDUE') AS entries,
         (SELECT count(DISTINCT entity_id)::integer FROM activity WHERE org_id = $1 AND action = 'INVOICE_OVERDUE') AS documents,
         (SELECT count(*)::integer FROM webhook_deliveries WHERE org_id = $1) AS deliveries`, org.orgId)
    expect(counted).toEqual({ once: 1_000, entries: 1_000, documents: 1_000, deliveries: 1_000 })
  })
})
