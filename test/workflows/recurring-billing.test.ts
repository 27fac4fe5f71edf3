// What a schedule does besides generating its documents: the payment links of its invoices, and what others are told of it.
import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { pino } from 'pino'
import { addDays } from '../../domain/dates.ts'
import { deliverySchema } from '../../domain/events.ts'
import { reconcileId, scheduleProcessId } from '../../domain/schedule.ts'
import { openEngine, type Engine } from '../../gateways/temporal/engine.ts'
import { AHEAD, invoiceBody, scheduleBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, TODAY, type TestOrganization } from '../fixtures/organization.ts'
import { payableBy } from '../fixtures/payment-page.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { openWebhookServer } from '../fixtures/webhook-server.ts'
import { kill, spawnWorker } from '../fixtures/worker.ts'
import { createKeeping } from '../../worker/scheduling.ts'
import { removeSchedules } from './schedules.ts'

jest.setTimeout(180_000)

const NOWHERE = '019e0000-0000-7000-8000-000000000000'
const SECRET = 'a secret of page and service'
let service: Service
let org: TestOrganization
let worker: ChildProcess

beforeAll(async () => {
  service = await startService()
  org = await openOrganization(service)
  worker = await spawnWorker({
    ...service.env, RECURRING_TICK_SECONDS: '1', PAYMENT_LINK_BASE_URL: 'https://pay.example.test/i', PAYMENT_LINK_SECRET: SECRET,
  })
})
afterAll(async () => {
  if (worker) await kill(worker)
  await removeSchedules(service.database, service.env.TEMPORAL_ADDRESS!, service.env.TEMPORAL_QUEUE_SUFFIX!)
  await service.close()
})

const add = async (changes: Json = {}): Promise<Json> => (await org.send('POST', '/recurring', scheduleBody(org, changes))).recurring
const run = (id: string): Promise<Json> => org.send('POST', `/recurring/${id}/run`)

const daysAgo = (days: number) => addDays(TODAY, -days)

/** Reads the schedule until it is as wanted; the condition, not a time, ends the wait. */
async function until(id: string, wanted: (schedule: Json) => boolean): Promise<Json> {
  for (;;) {
    const { recurring } = await org.get(`/recurring/${id}`)
    if (wanted(recurring)) return recurring
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('with auto_charge an invoice, a draft too, has a payment link that the page can verify', async () => {
  const linkOf = async (changes: Json): Promise<[Json, string | null]> => {
    const { recurring_id } = await add({ start_date: `${AHEAD}-01-31`, ...changes })
    const { generated_entity_id } = await run(recurring_id)
    const { invoice } = await org.get(`/invoices/${generated_entity_id}`)
    return [invoice, invoice.payment_link_url]
  }
  for (const auto_approve of [true, false]) {
    const [invoice, link] = await linkOf({ auto_charge: true, auto_approve })
    expect(invoice.status).toBe(auto_approve ? 'SENT' : 'DRAFT')
    expect(link).toMatch(/^https:\/\/pay\.example\.test\/i\?organization_id=/)
    expect(payableBy(link!, SECRET)).toEqual({
      organization_id: org.orgId, invoice_id: invoice.invoice_id, amount: invoice.total.toFixed(2), currency: 'INR',
    })
  }
  expect((await linkOf({}))[1]).toBeNull()
  const free = { ...invoiceBody(org), line_items: [{ name: 'Given', quantity: 1, rate: 0 }] }
  expect((await linkOf({ auto_charge: true, template_payload: free }))[1]).toBeNull()
})

test('three failures in a row are told by webhook, in the feed, in the log and by mail, each run with what the call would answer', async () => {
  const receiver = await openWebhookServer('of the endpoint')
  await service.sql(`INSERT INTO users (org_id, id, email, role, created_time) VALUES ($1, $2, 'owner@example.com', 'OWNER', now())`, org.orgId, NOWHERE)
  await org.send('POST', '/webhooks/endpoints', { url: receiver.url, events: ['RECURRING_PAUSED'] })
  const template_payload = { ...invoiceBody(org), line_items: [{ name: 'Rent', quantity: 1, rate: 5 }, { item_id: NOWHERE, quantity: 1 }] }
  const { recurring_id: id } = await add({ name: 'Rent of the mill', start_date: daysAgo(1), template_payload })
  const paused = await until(id, ({ status }) => status === 'PAUSED')
  const error = 'line_items.1.item_id: There is no such item.'
  const data = {
    id, name: 'Rent of the mill', entity_type: 'INVOICE', status: 'PAUSED', failures: 3, error, next_run_at: paused.next_run_at, sequence: expect.any(Number),
  }
  expect(paused.last_error).toBe(error)
  const { events } = await org.get(`/webhooks/events?entity_type=RECURRING&entity_id=${id}`)
  expect(events).toMatchObject([{ event_type: 'RECURRING_PAUSED', entity_type: 'RECURRING', entity_id: id, data }])
  const [arrival] = await receiver.received(1)
  const body = JSON.parse(arrival!.body.toString())
  expect(body).toMatchObject({ event_type: 'RECURRING_PAUSED', data })
  expect(Object.keys(body.data).sort()).toEqual(Object.keys((deliverySchema('RECURRING_PAUSED') as Json).properties.data.properties).sort())
  const { runs } = await org.get(`/recurring/${id}/runs`)
  expect(runs).toHaveLength(3)
  for (const failed of runs) expect(failed).toMatchObject({ status: 'FAILED', error, error_code: 'not_found.resource', error_field: 'line_items.1.item_id', error_details: null })
  const mails = async () => (await (await fetch(`${service.mailboxUrl}/messages`)).json()) as Json[]
  while ((await mails()).length === 0) await new Promise((resolve) => setTimeout(resolve, 50))
  expect(await mails()).toMatchObject([{ to: ['owner@example.com'], subject: 'The recurring schedule Rent of the mill is paused' }])
  expect((await mails())[0].html).toContain(error)
  await receiver.close()
})

describe('the daily reconcile', () => {
  let engine: Engine
  const schedule = () => engine.client.schedule.getHandle(reconcileId(service.env.TEMPORAL_QUEUE_SUFFIX!))
  const keep = (time: string, zone: string) => createKeeping({ engine, tick: { time, zone }, log: pino({ level: 'silent' }) })
  const next = async () => (await schedule().describe()).info.nextActionTimes[0]!.toISOString().slice(10)
  beforeAll(() => {
    const { TEMPORAL_ADDRESS: address = '', TEMPORAL_QUEUE_SUFFIX: queueSuffix = '', ENCRYPTION_KEY: encryptionKey = '' } = service.env
    engine = openEngine({ address, namespace: 'default', queueSuffix, encryptionKey })
  })
  afterAll(() => engine.close())

  test('is a Temporal Schedule ten minutes after the tick, whose workflow signals what has missed it', async () => {
    while (!(await schedule().describe().catch(() => null))) await new Promise((resolve) => setTimeout(resolve, 50))
    const { spec, policies, action } = await schedule().describe()
    expect([await next(), spec.timezone, policies.overlap, action]).toEqual(['T03:40:00.000Z', 'Asia/Kolkata', 'SKIP', expect.objectContaining({ workflowType: 'reconcileSchedules' })])
    const { recurring_id: id } = await add({ start_date: `${AHEAD}-01-31`, max_runs: 2 })
    const process = engine.client.workflow.getHandle(scheduleProcessId(id))
    while (!(await process.query('state').catch(() => null))) await new Promise((resolve) => setTimeout(resolve, 50))
    await process.terminate('lost')
    // Due so recently that the job of every minute leaves it alone.
    await service.sql(`UPDATE recurring_schedules SET anchor_date = $2::date, next_run_at = now() - interval '6 minutes' WHERE id = $1`, id, daysAgo(1))
    await schedule().trigger()
    await until(id, ({ run_count }) => run_count === 1)
    const [started] = (await schedule().describe()).info.recentActions
    expect(await engine.client.workflow.getHandle(started!.action.workflow.workflowId).result()).toBeGreaterThanOrEqual(1)
  })

  test('it gets the time of the settings once, stays paused, and is created again where it is gone', async () => {
    await schedule().pause('books are moved')
    const keeping = keep('23:55', 'America/New_York')
    await keeping()
    const { spec, state } = await schedule().describe()
    expect([spec.timezone, spec.calendars![0], state.paused, state.note]).toEqual([
      'America/New_York', expect.objectContaining({ hour: [expect.objectContaining({ start: 0 })], minute: [expect.objectContaining({ start: 5 })] }), true, 'books are moved',
    ])
    await schedule().delete()
    await keeping()
    expect((await schedule().describe()).state.paused).toBe(false)
    // Later calls leave what an operator has changed.
    await schedule().update((before) => ({ ...before, spec: { calendars: [{ hour: 4 }], timezone: 'Asia/Kolkata' } }))
    await keeping()
    expect((await schedule().describe()).spec.timezone).toBe('Asia/Kolkata')
  })
})
