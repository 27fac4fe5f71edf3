// What an endpoint has missed is sent again: once, however often it is asked for, and whatever is killed meanwhile.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { recoverDeliveries } from '../../commands/webhooks/resending.ts'
import { openBooks } from '../../commands/books/open-books.ts'
import type { Caller } from '../../commands/books/caller.ts'
import { findOrganizationFacts } from '../../models/token.ts'
import { startApiProcess } from '../fixtures/api-process.ts'
import { blockedBy } from '../fixtures/blocked.ts'
import { openSignedServer, type SignedServer } from '../fixtures/signed-server.ts'
import { openWebhookApi, type WebhookApi } from '../fixtures/webhook-api.ts'
import { kill } from '../fixtures/worker.ts'

let api: WebhookApi
let receiver: SignedServer
let endpointId: string
beforeAll(async () => {
  api = await openWebhookApi({ WEBHOOK_LADDER_SECONDS: '600' })
  receiver = await openSignedServer()
})
afterAll(async () => {
  await receiver.close()
  await api.close()
})
beforeEach(async () => {
  await api.setup.sql('DELETE FROM webhook_attempts')
  await api.setup.sql('DELETE FROM webhook_deliveries')
  await api.setup.sql(`UPDATE webhook_endpoints SET status = 'DELETED'`)
  endpointId = await api.setup.addEndpoint(receiver.url)
  receiver.reset()
})

const recover = (body: unknown, options = {}) => api.post(`/webhooks/endpoints/${endpointId}/recover`, body, options)

/** So many deliveries of each status, their events an hour before each other. */
async function missed(counts: Record<string, number>): Promise<void> {
  for (const [status, count] of Object.entries(counts)) {
    await api.setup.sql(
      `WITH event AS (
         INSERT INTO webhook_events (org_id, id, event_type, entity_type, entity_id, data, occurred_at)
         SELECT $1, gen_random_uuid(), 'INVOICE_CREATED', 'INVOICE', gen_random_uuid(), '{}', '2026-11-01T00:00:00Z'::timestamptz + n * interval '1 hour'
         FROM generate_series(1, $3::integer) AS n RETURNING *)
       INSERT INTO webhook_deliveries (org_id, id, event_id, endpoint_id, event_type, payload, status, created_time, last_modified_time, held_by)
       SELECT org_id, id, id, $2, event_type, '{}', $4, occurred_at, occurred_at, NULL FROM event`, api.setup.orgId, endpointId, count, status)
  }
}

test('sends what failed or was skipped in the period, once, however often it is called', async () => {
  await missed({ FAILED: 5, SKIPPED: 5, DELIVERED: 5 })
  const body = { since: '2026-11-01T02:00:00Z', until: '2026-11-01T04:00:00Z' }
  await api.setup.startWorker()
  const replies = await Promise.all(Array.from({ length: 4 }, () => recover(body)))
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(replies.reduce((sum, reply) => sum + reply.body.recovered, 0)).toBe(6)
  await receiver.received(6)
  await api.setup.until(({ status, created_time: at }) => status === 'DELIVERED' || at < new Date(body.since) || at > new Date(body.until))
  expect((await recover(body)).body).toMatchObject({ recovered: 0, has_more: false })
  expect(new Set(receiver.requests.map(({ deliveryId }) => deliveryId)).size).toBe(6)
  expect(receiver.requests).toHaveLength(6)
  expect((await api.setup.deliveries()).filter(({ status }) => status !== 'DELIVERED')).toHaveLength(4)
  const entries = await api.setup.sql<{ sum: number }>(
    `SELECT sum((metadata ->> 'recovered')::integer)::integer FROM activity WHERE action = 'WEBHOOK_ENDPOINT_RECOVERED' AND entity_id = $1`, endpointId)
  expect(entries).toEqual([{ sum: 6 }])
})

test('a call sends so many, the oldest first, and says that more are left', async () => {
  await api.setup.stopWorker()
  await missed({ FAILED: 7 })
  const organization = (await findOrganizationFacts(api.setup.database, api.setup.orgId))!
  const caller = { kind: 'SYSTEM', userId: null, organization, origin: { source: 'TEST' } } as unknown as Caller
  const context = { database: api.setup.database, wakeRelay: () => undefined, forgetCallers: () => undefined, clock: () => new Date() }
  const portion = () => openBooks(context, caller, (books) => recoverDeliveries(books, endpointId, { since: '2026-11-01' }, 3))
  expect(await portion()).toEqual({ recovered: 3, more: true })
  expect((await api.setup.deliveries()).map(({ status }) => status)).toEqual([...Array<string>(3).fill('RETRYING'), ...Array<string>(4).fill('FAILED')])
  expect(await portion()).toEqual({ recovered: 3, more: true })
  expect(await portion()).toEqual({ recovered: 1, more: false })
  expect(await portion()).toEqual({ recovered: 0, more: false })
  await api.setup.startWorker()
  await receiver.received(7)
  await api.setup.until(({ status }) => status === 'DELIVERED')
  expect(receiver.requests).toHaveLength(7)
})

test.each([[{}, 422], [{ since: 'yesterday' }, 422], [{ since: '2026-11-02', until: '2026-11-01' }, 400], [{ since: 5 }, 422]])('%j: %d', async (body, status) => {
  expect(await recover(body)).toMatchObject({ status })
})

test('is refused for a disabled endpoint, and for others', async () => {
  const body = { since: '2026-11-01' }
  expect(await recover(body, { as: 'reader' })).toMatchObject({ status: 403 })
  expect(await recover(body, { as: 'other' })).toMatchObject({ status: 404 })
  await api.post(`/webhooks/endpoints/${endpointId}/disable`)
  expect(await recover(body)).toMatchObject({ status: 409, body: { details: { status: 'DISABLED', allowed: ['ENABLED'] } } })
})

test('the API is killed before it has answered, and the worker while it sends: each delivery gets one more series', async () => {
  await api.setup.stopWorker()
  await missed({ FAILED: 20 })
  const body = { since: '2026-11-01' }
  const key = 'killed-1'
  const killed = await startApiProcess(api.setup.env)
  // The call waits in its last statement, which writes the log and commits.
  await api.setup.database.transaction(async (connection) => {
    await connection.run({ name: '', text: 'LOCK TABLE activity IN SHARE MODE' }, [])
    const unheard = killed.call('POST', `/webhooks/endpoints/${endpointId}/recover`, { token: api.token, key, body }).catch(() => 'unheard')
    await blockedBy(connection)
    await killed.discard()
    expect(await unheard).toBe('unheard')
  })
  const answers: unknown[] = []
  for (let status = 0; status !== 200; ) {
    const reply = await recover(body, { key })
    status = reply.status
    if (status === 200) answers.push(reply.body)
    else expect(reply.body.code).toBe('idempotency.in_progress')
  }
  expect(answers).toEqual([expect.objectContaining({ recovered: 20, has_more: false })])
  expect((await recover(body)).body).toMatchObject({ recovered: 0, has_more: false })

  receiver.answer = 'hold'
  const worker = await api.setup.spawnWorker()
  await receiver.received(5)
  await kill(worker)
  receiver.answer = 200
  receiver.release(200)
  await api.setup.spawnWorker()
  const deliveries = await api.setup.until(({ status }) => status === 'DELIVERED', 90_000)
  expect(deliveries.map(({ series, attempts_made: made }) => [series, made])).toEqual(Array(20).fill([1, 1]))
  expect(new Set(receiver.requests.map(({ deliveryId }) => deliveryId)).size).toBe(20)
  const [entries] = await api.setup.sql<{ recovered: number }>(
    `SELECT sum((metadata ->> 'recovered')::integer)::integer AS recovered FROM activity WHERE action = 'WEBHOOK_ENDPOINT_RECOVERED' AND entity_id = $1`, endpointId)
  expect(entries).toEqual({ recovered: 20 })
})
