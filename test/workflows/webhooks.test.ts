// Webhooks from the outbox to the customer, by a real worker on a real Temporal server.
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import { CAPS } from '../../domain/webhook-caps.ts'
import { openCustomer, type Customer } from '../customer.ts'
import { SECRET, openStage, type Stage } from './stage.ts'
import { timersOf, untilTimer } from './history.ts'

jest.setTimeout(60_000)

let stage: Stage
let customer: Customer

beforeAll(async () => {
  // The first steps are short, to be waited for; the last is walked by hand.
  stage = await openStage({ WEBHOOK_LADDER_SECONDS: '1,2,3600', WEBHOOK_TIMEOUT_SECONDS: '1', WEBHOOK_CIRCUIT_FAILURES: '1000' })
  await stage.startWorker()
})
afterAll(() => stage.close())

beforeEach(async () => {
  customer = await openCustomer(SECRET)
})
afterEach(async () => {
  await customer.close()
  // The next test has its own deliveries: what is still under way here is given up.
  await stage.sql('DELETE FROM webhook_attempts')
  await stage.sql('DELETE FROM webhook_deliveries')
  await stage.sql('DELETE FROM webhook_events')
  await stage.sql('DELETE FROM webhook_circuits')
  await stage.sql('DELETE FROM webhook_endpoints')
  await stage.sql(`UPDATE organizations SET status = 'ACTIVE'`)
})

const signal = (deliveryId: string, name: 'retryNow' | 'abort') =>
  stage.engine.client.workflow.getHandle(`webhook/${deliveryId}`).signal(name)
const isFinal = ({ status }: { status: string }) => !['PENDING', 'RETRYING'].includes(status)
const resultOf = (deliveryId: string) => stage.engine.client.workflow.getHandle(`webhook/${deliveryId}`).result()

test('an event arrives at every endpoint that asked for it, signed over the stored bytes', async () => {
  const other = await openCustomer(SECRET)
  await stage.addEndpoint(customer.url)
  await stage.addEndpoint(other.url)
  await stage.announce()
  const deliveries = await stage.until(isFinal)
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
  await stage.addEndpoint(customer.url)
  const [entityId] = await stage.announce()
  await stage.until(isFinal)
  const last = Date.now() + 10_000
  for (let found: string[] = []; found.length === 0;) {
    expect(Date.now()).toBeLessThan(last)
    const query = `SvcEntityType = 'INVOICE' AND SvcEntityId = '${entityId}' AND SvcOrgId = '${stage.orgId}' AND SvcState = 'DELIVERED'`
    for await (const { type } of stage.engine.client.workflow.list({ query })) found.push(type)
    if (found.length > 0) expect(found).toEqual(['webhookDispatch'])
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
})

test('a refused one is tried again, never early, with the same bytes and a fresh signature', async () => {
  customer.answer = () => (customer.arrivals.length < 3 ? 503 : 200)
  await stage.addEndpoint(customer.url)
  await stage.announce()
  const [delivery] = await stage.until(isFinal)
  expect(delivery).toMatchObject({ status: 'DELIVERED', attempts_made: 3, next_attempt_at: null })
  const [first, second, third] = customer.arrivals
  expect(second!.at - first!.at).toBeGreaterThanOrEqual(1_000)
  expect(third!.at - second!.at).toBeGreaterThanOrEqual(2_000)
  expect(third!.at - first!.at).toBeLessThan(20_000)
  for (const arrival of [second!, third!]) {
    expect(arrival).toMatchObject({ genuine: true, deliveryId: first!.deliveryId })
    expect(arrival.body.equals(first!.body)).toBe(true)
    expect(arrival.timestamp).toBeGreaterThan(first!.timestamp)
  }
  const attempts = await stage.attempts(delivery!.id)
  expect(attempts.map(({ attempt, status_code }) => [attempt, status_code])).toEqual([[1, 503], [2, 503], [3, 200]])
  expect(await resultOf(delivery!.id)).toBe('DELIVERED')
})

test('redirects and silence are failures, and the log says so', async () => {
  customer.answer = () => (customer.arrivals.length === 1 ? { status: 302, headers: { Location: customer.url } } : 'silence')
  await stage.addEndpoint(customer.url)
  await stage.announce()
  const [delivery] = await stage.until(({ attempts_made }) => attempts_made === 2)
  expect(delivery!.status).toBe('RETRYING')
  const attempts = await stage.attempts(delivery!.id)
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
  await stage.addEndpoint(customer.url)
  await stage.announce(2)
  await stage.until(({ attempts_made }) => attempts_made === 3)
  const [one, other] = await stage.deliveries()
  await untilTimer(stage.engine, `webhook/${one!.id}`, 'retry 3 of 3')
  customer.answer = () => 204
  await signal(one!.id, 'retryNow')
  expect(await resultOf(one!.id)).toBe('DELIVERED')
  await signal(other!.id, 'abort')
  expect(await resultOf(other!.id)).toBe('FAILED')
  const after = await stage.until(isFinal)
  expect(after.map(({ id, status, attempts_made }) => [id === one!.id, status, attempts_made]).sort()).toEqual([
    [false, 'FAILED', 3], [true, 'DELIVERED', 4],
  ])
})

test('cancelling the process gives the delivery up too', async () => {
  customer.answer = () => 500
  await stage.addEndpoint(customer.url)
  await stage.announce()
  const [delivery] = await stage.until(({ attempts_made }) => attempts_made === 3)
  await untilTimer(stage.engine, `webhook/${delivery!.id}`, 'retry 3 of 3')
  await stage.engine.client.workflow.getHandle(`webhook/${delivery!.id}`).cancel()
  expect(await resultOf(delivery!.id)).toBe('FAILED')
  expect(await stage.deliveries()).toMatchObject([{ status: 'FAILED', attempts_made: 3 }])
})

test('an exhausted ladder is FAILED, and its process has completed', async () => {
  customer.answer = () => 500
  await stage.addEndpoint(customer.url)
  await stage.announce()
  const [delivery] = await stage.until(({ attempts_made }) => attempts_made === 3)
  await untilTimer(stage.engine, `webhook/${delivery!.id}`, 'retry 3 of 3')
  await signal(delivery!.id, 'retryNow')
  expect(await resultOf(delivery!.id)).toBe('FAILED')
  expect(await stage.deliveries()).toMatchObject([{ status: 'FAILED', attempts_made: 4, next_attempt_at: null }])
  expect((await stage.attempts(delivery!.id)).at(-1)).toMatchObject({ attempt: 4, next_attempt_at: null })
})

test.each(['DISABLED', 'DELETED'])('a delivery to an endpoint that is %s meanwhile is SKIPPED', async (status) => {
  customer.answer = () => 500
  const endpointId = await stage.addEndpoint(customer.url)
  await stage.announce()
  await stage.until(({ attempts_made }) => attempts_made === 1)
  await stage.sql('UPDATE webhook_endpoints SET status = $2 WHERE id = $1', endpointId, status)
  const [delivery] = await stage.until(isFinal)
  expect(delivery).toMatchObject({ status: 'SKIPPED', attempts_made: 1 })
  expect(customer.arrivals).toHaveLength(1)
  expect(await resultOf(delivery!.id)).toBe('SKIPPED')
})

test('deliveries of a suspended organisation wait for it, before the first attempt', async () => {
  await stage.addEndpoint(customer.url)
  await stage.sql(`UPDATE organizations SET status = 'SUSPENDED'`)
  await stage.announce()
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(await stage.deliveries()).toMatchObject([{ status: 'PENDING', attempts_made: 0 }])
  await stage.sql(`UPDATE organizations SET status = 'ACTIVE'`)
  await stage.until(({ status }) => status === 'DELIVERED')
  expect(customer.arrivals).toHaveLength(1)
})

test('deliveries of a suspended organisation wait for it, on the ladder, and no attempt is counted', async () => {
  customer.answer = () => 500
  await stage.addEndpoint(customer.url)
  await stage.announce()
  const [delivery] = await stage.until(({ attempts_made }) => attempts_made === 3)
  await untilTimer(stage.engine, `webhook/${delivery!.id}`, 'retry 3 of 3')
  await stage.sql(`UPDATE organizations SET status = 'SUSPENDED'`)
  await signal(delivery!.id, 'retryNow')
  await untilTimer(stage.engine, `webhook/${delivery!.id}`, 'organisation suspended')
  expect(customer.arrivals).toHaveLength(3)
  expect((await timersOf(stage.engine, `webhook/${delivery!.id}`)).at(-1)!.ms).toBeLessThan(60_000)
  await stage.sql(`UPDATE organizations SET status = 'ACTIVE'`)
  customer.answer = () => 200
  await signal(delivery!.id, 'retryNow')
  expect(await resultOf(delivery!.id)).toBe('DELIVERED')
  expect(await stage.attempts(delivery!.id)).toMatchObject([{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }, { attempt: 4 }])
})

test('an endpoint with nothing but failures for five days is disabled, and the activity log tells it', async () => {
  customer.answer = () => 500
  const long = new Date(Date.now() - 5 * 24 * 3_600_000 - 1_000)
  const short = new Date(Date.now() - 5 * 24 * 3_600_000 + 60_000)
  const gone = await stage.addEndpoint(customer.url, { failing_since: long })
  const there = await stage.addEndpoint(customer.url, { failing_since: short })
  const fresh = await stage.addEndpoint(customer.url)
  await stage.announce()
  await stage.until(({ attempts_made }) => attempts_made >= 1)
  const endpoints = await stage.sql<{ id: string; status: string; failing_since: Date }>('SELECT * FROM webhook_endpoints')
  const byId = new Map(endpoints.map((row) => [row.id, row]))
  expect(byId.get(gone)).toMatchObject({ status: 'DISABLED', failing_since: long })
  expect(byId.get(there)).toMatchObject({ status: 'ENABLED', failing_since: short })
  expect(byId.get(fresh)!.failing_since).toBeInstanceOf(Date)
  const entries = await stage.sql(`SELECT entity_id, changes FROM activity WHERE action = 'WEBHOOK_ENDPOINT_STATUS_CHANGED'`)
  expect(entries).toEqual([{ entity_id: gone, changes: { status: { old: 'ENABLED', new: 'DISABLED' } } }])
})

test('one success ends the count of failures', async () => {
  const id = await stage.addEndpoint(customer.url, { failing_since: new Date(0) })
  await stage.announce()
  await stage.until(isFinal)
  expect(await stage.sql('SELECT status, failing_since FROM webhook_endpoints WHERE id = $1', id)).toEqual([
    { status: 'ENABLED', failing_since: null },
  ])
})

test('an endpoint that hangs holds up nobody else, and gets no more than its own places', async () => {
  const hanging = await openCustomer(SECRET)
  hanging.answer = () => 'silence'
  const hangs = await stage.addEndpoint(hanging.url)
  await stage.addEndpoint(customer.url)
  await stage.announce(45)
  await hanging.received(CAPS.attemptsOfEndpoint)
  await customer.received(45)
  const waiting = (await stage.deliveries()).filter(({ endpoint_id, attempts_made }) => endpoint_id === hangs && attempts_made === 0)
  expect(waiting.length).toBeGreaterThan(20)
  hanging.answer = () => 200
  await stage.until(isFinal)
  await hanging.close()
})
