// Webhooks from the outbox to the customer, by a real worker on a real Temporal server.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { CAPS } from '../../domain/webhook-caps.ts'
import { openWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts'
import { SECRET, openWorkflowSetup, type WorkflowSetup } from './setup.ts'
import { timersOf, untilTimer } from './history.ts'

let setup: WorkflowSetup
let customer: WebhookServer

beforeAll(async () => {
  // The first steps are short enough to wait for; the last is run step by step.
  setup = await openWorkflowSetup({ WEBHOOK_LADDER_SECONDS: '1,2,3600', WEBHOOK_TIMEOUT_SECONDS: '1', WEBHOOK_CIRCUIT_FAILURES: '1000' })
  await setup.startWorker()
})
afterAll(() => setup.close())

beforeEach(async () => {
  customer = await openWebhookServer(SECRET)
})
afterEach(async () => {
  await customer.close()
  // The next test has its own deliveries: what is still under way here is given up.
  await setup.sql('DELETE FROM webhook_attempts')
  await setup.sql('DELETE FROM webhook_deliveries')
  await setup.sql('DELETE FROM webhook_events')
  await setup.sql('DELETE FROM webhook_circuits')
  await setup.sql('DELETE FROM webhook_endpoints')
  await setup.sql(`UPDATE organizations SET status = 'ACTIVE'`)
})

const signal = (deliveryId: string, name: 'retryNow' | 'abort') =>
  setup.engine.client.workflow.getHandle(`webhook/${deliveryId}`).signal(name)
const isFinal = ({ status }: { status: string }) => !['PENDING', 'RETRYING'].includes(status)
const resultOf = (deliveryId: string) => setup.engine.client.workflow.getHandle(`webhook/${deliveryId}`).result()

test('an event arrives at every endpoint that has subscribed to it, signed over the stored bytes', async () => {
  const other = await openWebhookServer(SECRET)
  await setup.addEndpoint(customer.url)
  await setup.addEndpoint(other.url)
  await setup.announce()
  const deliveries = await setup.until(isFinal)
  expect(deliveries.map(({ status, attempts_made }) => [status, attempts_made])).toEqual([['DELIVERED', 1], ['DELIVERED', 1]])
  for (const [arrival] of [customer.arrivals, other.arrivals]) {
    expect(arrival).toMatchObject({ genuine: true, eventType: 'INVOICE_CREATED' })
    const delivery = deliveries.find(({ id }) => id === arrival!.deliveryId)!
    expect(arrival!.body.toString()).toBe(delivery.payload)
    expect(JSON.parse(delivery.payload)).toMatchObject({ delivery_id: delivery.id })
    expect(delivery.delivered_at).not.toBeNull()
  }
  await other.close()
})

test('the dispatch of one entity is found by it', async () => {
  await setup.addEndpoint(customer.url)
  const [entityId] = await setup.announce()
  await setup.until(isFinal)
  const last = Date.now() + 40_000
  for (let found: string[] = []; found.length === 0;) {
    expect(Date.now()).toBeLessThan(last)
    const query = `SvcEntityType = 'INVOICE' AND SvcEntityId = '${entityId}' AND SvcOrgId = '${setup.orgId}' AND SvcState = 'DELIVERED'`
    for await (const { type } of setup.engine.client.workflow.list({ query })) found.push(type)
    if (found.length > 0) expect(found).toEqual(['webhookDispatch'])
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
})

test('a refused one is tried again, never early, with the same bytes and a fresh signature', async () => {
  customer.answer = () => (customer.arrivals.length < 3 ? 503 : 200)
  await setup.addEndpoint(customer.url)
  await setup.announce()
  const [delivery] = await setup.until(isFinal)
  expect(delivery).toMatchObject({ status: 'DELIVERED', attempts_made: 3, next_attempt_at: null })
  const [first, second, third] = customer.arrivals
  expect(second!.at - first!.at).toBeGreaterThanOrEqual(1_000)
  expect(third!.at - second!.at).toBeGreaterThanOrEqual(2_000)
  for (const [step, { ms }] of (await timersOf(setup.engine, `webhook/${delivery!.id}`)).entries()) expect(ms).toBeLessThanOrEqual(1_100 * (step + 1))
  for (const arrival of [second!, third!]) {
    expect(arrival).toMatchObject({ genuine: true, deliveryId: first!.deliveryId })
    expect(arrival.body.equals(first!.body)).toBe(true)
    expect(arrival.timestamp).toBeGreaterThan(first!.timestamp)
  }
  const attempts = await setup.attempts(delivery!.id)
  expect(attempts.map(({ attempt, status_code }) => [attempt, status_code])).toEqual([[1, 503], [2, 503], [3, 200]])
  expect(await resultOf(delivery!.id)).toBe('DELIVERED')
})

test('redirects and silence are failures, and the log says so', async () => {
  customer.answer = () => (customer.arrivals.length === 1 ? { status: 302, headers: { Location: customer.url } } : 'silence')
  await setup.addEndpoint(customer.url)
  await setup.announce()
  const [delivery] = await setup.until(({ attempts_made }) => attempts_made === 2)
  expect(delivery!.status).toBe('RETRYING')
  const attempts = await setup.attempts(delivery!.id)
  expect(attempts.map(({ status_code, error }) => [status_code, error])).toEqual([
    [302, 'Status 302: redirects are not followed.'],
    [null, 'No response within 1000 ms.'],
  ])
  expect(attempts[0]!.next_attempt_at!.getTime() - attempts[0]!.started_at.getTime()).toBeGreaterThanOrEqual(1_000)
  await signal(delivery!.id, 'abort')
  expect(await resultOf(delivery!.id)).toBe('FAILED')
})

test('an operator retries now, and gives up', async () => {
  customer.answer = () => 500
  await setup.addEndpoint(customer.url)
  await setup.announce(2)
  await setup.until(({ attempts_made }) => attempts_made === 3)
  const [one, other] = await setup.deliveries()
  await untilTimer(setup.engine, `webhook/${one!.id}`, 'retry 3 of 3')
  customer.answer = () => 204
  await signal(one!.id, 'retryNow')
  expect(await resultOf(one!.id)).toBe('DELIVERED')
  await signal(other!.id, 'abort')
  expect(await resultOf(other!.id)).toBe('FAILED')
  const after = await setup.until(isFinal)
  expect(after.map(({ id, status, attempts_made }) => [id === one!.id, status, attempts_made]).sort()).toEqual([
    [false, 'FAILED', 3], [true, 'DELIVERED', 4],
  ])
})

test('cancelling the process gives the delivery up too', async () => {
  customer.answer = () => 500
  await setup.addEndpoint(customer.url)
  await setup.announce()
  const [delivery] = await setup.until(({ attempts_made }) => attempts_made === 3)
  await untilTimer(setup.engine, `webhook/${delivery!.id}`, 'retry 3 of 3')
  await setup.engine.client.workflow.getHandle(`webhook/${delivery!.id}`).cancel()
  expect(await resultOf(delivery!.id)).toBe('FAILED')
  expect(await setup.deliveries()).toMatchObject([{ status: 'FAILED', attempts_made: 3 }])
})

test('an exhausted ladder is FAILED, and its process has completed', async () => {
  customer.answer = () => 500
  await setup.addEndpoint(customer.url)
  await setup.announce()
  const [delivery] = await setup.until(({ attempts_made }) => attempts_made === 3)
  await untilTimer(setup.engine, `webhook/${delivery!.id}`, 'retry 3 of 3')
  await signal(delivery!.id, 'retryNow')
  expect(await resultOf(delivery!.id)).toBe('FAILED')
  expect(await setup.deliveries()).toMatchObject([{ status: 'FAILED', attempts_made: 4, next_attempt_at: null }])
  expect((await setup.attempts(delivery!.id)).at(-1)).toMatchObject({ attempt: 4, next_attempt_at: null })
})

test.each(['DISABLED', 'DELETED'])('a delivery to an endpoint that is %s meanwhile is SKIPPED', async (status) => {
  customer.answer = () => 500
  const endpointId = await setup.addEndpoint(customer.url)
  await setup.announce()
  await setup.until(({ attempts_made }) => attempts_made === 1)
  await setup.sql('UPDATE webhook_endpoints SET status = $2 WHERE id = $1', endpointId, status)
  const [delivery] = await setup.until(isFinal)
  expect(delivery).toMatchObject({ status: 'SKIPPED', attempts_made: 1 })
  expect(customer.arrivals).toHaveLength(1)
  expect(await resultOf(delivery!.id)).toBe('SKIPPED')
})

test('deliveries of a suspended organisation wait for it, before the first attempt', async () => {
  await setup.addEndpoint(customer.url)
  await setup.sql(`UPDATE organizations SET status = 'SUSPENDED'`)
  await setup.announce()
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(await setup.deliveries()).toMatchObject([{ status: 'PENDING', attempts_made: 0 }])
  await setup.sql(`UPDATE organizations SET status = 'ACTIVE'`)
  await setup.until(({ status }) => status === 'DELIVERED')
  expect(customer.arrivals).toHaveLength(1)
})

test('deliveries of a suspended organisation wait for it, on the ladder, and no attempt is counted', async () => {
  customer.answer = () => 500
  await setup.addEndpoint(customer.url)
  await setup.announce()
  const [delivery] = await setup.until(({ attempts_made }) => attempts_made === 3)
  await untilTimer(setup.engine, `webhook/${delivery!.id}`, 'retry 3 of 3')
  await setup.sql(`UPDATE organizations SET status = 'SUSPENDED'`)
  await signal(delivery!.id, 'retryNow')
  await untilTimer(setup.engine, `webhook/${delivery!.id}`, 'organisation suspended')
  expect(customer.arrivals).toHaveLength(3)
  expect((await timersOf(setup.engine, `webhook/${delivery!.id}`)).at(-1)!.ms).toBeLessThan(60_000)
  await setup.sql(`UPDATE organizations SET status = 'ACTIVE'`)
  customer.answer = () => 200
  await signal(delivery!.id, 'retryNow')
  expect(await resultOf(delivery!.id)).toBe('DELIVERED')
  expect(await setup.attempts(delivery!.id)).toMatchObject([{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }, { attempt: 4 }])
})

test('an endpoint with nothing but failures for five days is disabled; the activity log and a mail to the owners say so', async () => {
  await setup.sql(`INSERT INTO users (org_id, id, email, role, created_time) SELECT id, gen_random_uuid(), 'Asha@example.com', 'OWNER', now() FROM organizations`)
  customer.answer = () => 500
  const long = new Date(Date.now() - 5 * 24 * 3_600_000 - 1_000)
  const short = new Date(Date.now() - 5 * 24 * 3_600_000 + 60_000)
  const gone = await setup.addEndpoint(customer.url, { failing_since: long })
  const there = await setup.addEndpoint(customer.url, { failing_since: short })
  const fresh = await setup.addEndpoint(customer.url)
  await setup.announce()
  await setup.until(({ attempts_made }) => attempts_made >= 1)
  const endpoints = await setup.sql<{ id: string; status: string; failing_since: Date }>('SELECT * FROM webhook_endpoints')
  const byId = new Map(endpoints.map((row) => [row.id, row]))
  expect(byId.get(gone)).toMatchObject({ status: 'DISABLED', failing_since: long })
  expect(byId.get(there)).toMatchObject({ status: 'ENABLED', failing_since: short })
  expect(byId.get(fresh)!.failing_since).toBeInstanceOf(Date)
  const entries = await setup.sql(`SELECT entity_id, changes, metadata ->> 'failing_since' AS since FROM activity WHERE action = 'WEBHOOK_ENDPOINT_STATUS_CHANGED'`)
  expect(entries).toEqual([{ entity_id: gone, changes: { status: { old: 'ENABLED', new: 'DISABLED' } }, since: long.toISOString() }])
  expect(await setup.sql(`SELECT entity_id, subject, state, body_html LIKE '%' || entity_ref || '%' AS names, address
    FROM emails JOIN email_recipients ON email_id = id`)).toEqual([
    { entity_id: gone, subject: 'A webhook endpoint is disabled', state: 'READY', names: true, address: 'asha@example.com' },
  ])
})

test('one success ends the count of failures', async () => {
  const id = await setup.addEndpoint(customer.url, { failing_since: new Date(0) })
  await setup.announce()
  await setup.until(isFinal)
  expect(await setup.sql('SELECT status, failing_since FROM webhook_endpoints WHERE id = $1', id)).toEqual([
    { status: 'ENABLED', failing_since: null },
  ])
})

test('an endpoint that hangs holds up nobody else, and gets no more than its own places', async () => {
  const hanging = await openWebhookServer(SECRET)
  hanging.answer = () => 'silence'
  const hangs = await setup.addEndpoint(hanging.url)
  await setup.addEndpoint(customer.url)
  await setup.announce(45)
  await hanging.received(CAPS.attemptsOfEndpoint)
  await customer.received(45)
  const waiting = (await setup.deliveries()).filter(({ endpoint_id, attempts_made }) => endpoint_id === hangs && attempts_made === 0)
  expect(waiting.length).toBeGreaterThan(20)
  hanging.answer = () => 200
  await setup.until(isFinal)
  await hanging.close()
})
