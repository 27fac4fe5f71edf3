// The circuit of an endpoint with a real receiver: it opens, tries one at a time, closes, and nothing is lost meanwhile.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { pino } from 'pino'
import type { Api } from '../../api/process.ts'
import { createApi } from '../../api/server.ts'
import { hashOf, mintSecret, PREFIXES } from '../../models/token.ts'
import { readSettings } from '../../settings.ts'
import type { Json } from '../fixtures/client.ts'
import { openWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts'
import { untilTimer } from './history.ts'
import { SECRET, openWorkflowSetup, type WorkflowSetup } from './setup.ts'

let setup: WorkflowSetup
let customer: WebhookServer
let api: Api
let call: (method: string, path: string, body?: unknown) => Promise<Json>

async function open(settings: Record<string, string>): Promise<string> {
  setup = await openWorkflowSetup({ WEBHOOK_LADDER_SECONDS: '3600,3600', WEBHOOK_CIRCUIT_FAILURES: '5', ...settings })
  const token = mintSecret(PREFIXES.pat)
  await setup.sql(
    `INSERT INTO tokens (org_id, id, kind, token_hash, scopes, tier, created_time) VALUES ($1, $2, 'PAT', $3, '{Svc.fullaccess.all}', 'PARTNER', now())`,
    setup.orgId, randomUUID(), hashOf(token))
  api = createApi(readSettings({ ...setup.env, PORT: '0' }), pino({ level: 'silent' }))
  const base = `http://127.0.0.1:${await api.listen()}/api/public/v1`
  call = async (method, path, body) => (await fetch(base + path, {
    method, headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }, ...(body !== undefined && { body: JSON.stringify(body) }),
  })).json()
  await setup.startWorker()
  return setup.addEndpoint(customer.url)
}

beforeEach(async () => {
  customer = await openWebhookServer(SECRET)
  customer.answer = () => 500
})
afterEach(async () => {
  await api.close()
  await customer.close()
  await setup.close()
})

const shown = async (id: string) => (await call('GET', `/webhooks/endpoints/${id}`)).endpoint
const made = (count: number) => ({ attempts_made }: { attempts_made: number }) => attempts_made >= count

async function untilCircuit(id: string, wanted: (endpoint: { circuit: string; next_try_at: string | null }) => boolean) {
  const last = Date.now() + 90_000
  for (;;) {
    const endpoint = await shown(id)
    if (wanted(endpoint)) return endpoint
    if (Date.now() > last) throw new Error(`the circuit is ${endpoint.circuit}, ${endpoint.next_try_at}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
/** Resolves when no attempt is under way. */
async function untilQuiet() {
  const last = Date.now() + 90_000
  while ((await setup.deliveries()).some(({ held_by }) => held_by === 'BATCH')) {
    if (Date.now() > last) throw new Error('attempts are still under way')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
const isOpen = ({ circuit }: { circuit: string }) => circuit === 'OPEN'
const isClosed = ({ circuit }: { circuit: string }) => circuit === 'CLOSED'

test('it opens after failures in a row, fails a trial, and a trial that arrives lets everything go on', async () => {
  const id = await open({ WEBHOOK_CIRCUIT_FIRST_SECONDS: '3600', WEBHOOK_CIRCUIT_LONGEST_SECONDS: '86400' })
  const tryNow = () => setup.sql('UPDATE webhook_circuits SET next_try_at = now()')
  expect(await shown(id)).toMatchObject({ circuit: 'CLOSED', next_try_at: null })
  await setup.announce(30)
  await untilCircuit(id, isOpen)
  await untilQuiet()
  const before = customer.arrivals.length
  expect(before).toBeLessThan(30)
  // What is booked meanwhile waits for it as well.
  await setup.announce(3)
  await tryNow()
  const tried = Date.now()
  // It failed, and the next trial is twice as far away.
  await untilCircuit(id, (endpoint) => isOpen(endpoint) && Date.parse(endpoint.next_try_at!) > tried + 7_000_000)
  // One delivery was tried, and that was its attempt.
  expect(customer.arrivals.length).toBe(before + 1)
  expect((await setup.deliveries()).filter(made(1))).toHaveLength(before + 1)
  expect((await setup.deliveries()).filter(({ held_by }) => held_by === 'CIRCUIT').length).toBeGreaterThan(0)

  customer.answer = () => 200
  await tryNow()
  await untilCircuit(id, isClosed)
  const deliveries = await setup.until(made(1), 90_000)
  // Those that were refused wait for their ladder, as they would have without a circuit.
  expect(deliveries.map(({ status }) => status).sort()).toEqual([
    ...Array<string>(33 - before - 1).fill('DELIVERED'), ...Array<string>(before + 1).fill('RETRYING'),
  ])
  for (const { status, attempts_made } of deliveries) expect([status, attempts_made]).toEqual([status, 1])
})

test('enabling an endpoint closes its circuit, and so does another URL', async () => {
  const id = await open({})
  await setup.announce(20)
  await untilCircuit(id, isOpen)
  customer.answer = () => 200
  expect((await call('POST', `/webhooks/endpoints/${id}/enable`)).endpoint).toMatchObject({ circuit: 'CLOSED', next_try_at: null })
  await setup.until(made(1), 90_000)

  customer.answer = () => 500
  await setup.announce(20)
  await untilCircuit(id, isOpen)
  customer.answer = () => 200
  expect((await call('PUT', `/webhooks/endpoints/${id}`, { description: 'the same machine' })).endpoint)
    .toMatchObject({ circuit: 'OPEN', failing_since: expect.any(String) })
  expect((await call('PUT', `/webhooks/endpoints/${id}`, { url: `${customer.url}/anew` })).endpoint).toMatchObject({ circuit: 'CLOSED', failing_since: null })
  await setup.until(made(1), 90_000)
})

test('disabling an endpoint skips what has waited for its circuit', async () => {
  const id = await open({})
  await setup.announce(20)
  await untilCircuit(id, isOpen)
  await untilQuiet()
  const before = customer.arrivals.length
  expect((await call('POST', `/webhooks/endpoints/${id}/disable`)).endpoint).toMatchObject({ status: 'DISABLED', circuit: 'CLOSED' })
  await setup.until(({ status, attempts_made }) => attempts_made === 1 || status === 'SKIPPED', 90_000)
  expect(customer.arrivals).toHaveLength(before)
})

test('attempts under way when their endpoint is deleted do not open its circuit', async () => {
  const id = await open({ WEBHOOK_TIMEOUT_SECONDS: '2' })
  customer.answer = () => 'silence'
  await setup.announce(12)
  await customer.received(8)
  await call('DELETE', `/webhooks/endpoints/${id}`)
  await setup.until(({ attempts_made, status }) => attempts_made === 1 || status === 'SKIPPED', 90_000)
  expect(await setup.sql('SELECT state FROM webhook_circuits')).not.toContainEqual({ state: 'OPEN' })
})

test('the first trial of an endpoint that is gone lets all that has waited be skipped', async () => {
  const id = await open({})
  await setup.sql(`INSERT INTO webhook_circuits VALUES ($1, $2, 'OPEN', 5, 1, now() + interval '1 hour', false, false)`, setup.orgId, id)
  await setup.announce(5)
  // The circuit was opened by an attempt that ended at the very moment of this.
  await setup.sql(`UPDATE webhook_endpoints SET status = 'DELETED'`)
  await setup.sql('UPDATE webhook_circuits SET next_try_at = now()')
  await setup.until(({ status }) => status === 'SKIPPED', 90_000)
  expect(await setup.sql('SELECT state FROM webhook_circuits')).toEqual([{ state: 'CLOSED' }])
  expect(customer.arrivals).toHaveLength(0)
})

test('a process that wakes while it is open gives its delivery back; an operator may try it all the same', async () => {
  const id = await open({ WEBHOOK_LADDER_SECONDS: '4,3600' })
  await setup.announce(1)
  const [first] = await setup.until(({ held_by }) => held_by === 'PROCESS')
  await setup.sql('UPDATE webhook_circuits SET failures = 4')
  await setup.announce(2)
  await untilCircuit(id, isOpen)
  const { workflow } = setup.engine.client
  expect(await workflow.getHandle(`webhook/${first!.id}`).result()).toBe('WAITING')
  expect(customer.arrivals).toHaveLength(3)
  const [given] = (await setup.deliveries()).filter((delivery) => delivery.id === first!.id)
  expect(given).toMatchObject({ status: 'RETRYING', held_by: 'CIRCUIT', attempts_made: 1 })

  // Closed by its owner, and still refused: the second attempt of the ladder, and a new process.
  await call('POST', `/webhooks/endpoints/${id}/enable`)
  await untilTimer(setup.engine, `webhook/${first!.id}`, 'retry 2 of 2', 30_000)
  await setup.sql(`UPDATE webhook_circuits SET state = 'OPEN', opened = 1, next_try_at = now() + interval '1 hour'`)
  customer.answer = () => 200
  await workflow.getHandle(`webhook/${first!.id}`).signal('retryNow')
  expect(await workflow.getHandle(`webhook/${first!.id}`).result()).toBe('DELIVERED')
  await untilCircuit(id, isClosed)
  expect((await setup.attempts(first!.id)).map(({ attempt, status_code }) => [attempt, status_code])).toEqual([[1, 500], [2, 500], [3, 200]])
})

test('an event that was committed after the circuit had closed is found and sent', async () => {
  const id = await open({})
  customer.answer = () => 200
  await setup.sql(`INSERT INTO webhook_circuits VALUES ($1, $2, 'OPEN', 5, 1, now() + interval '1 hour', false, false)`, setup.orgId, id)
  await setup.announce(1)
  expect(await setup.deliveries()).toMatchObject([{ held_by: 'CIRCUIT' }])
  await setup.sql(`UPDATE webhook_circuits SET state = 'CLOSED', failures = 0, opened = 0, next_try_at = NULL`)
  const { createRelay } = await import('../../worker/relay.ts')
  const relay = createRelay({
    connection: setup.database, engine: setup.engine, ladderSeconds: [3600], log: pino({ level: 'silent' }), clock: () => new Date(),
  })
  await relay.takeUpOverdue()
  await setup.until(({ status }) => status === 'DELIVERED')
})
