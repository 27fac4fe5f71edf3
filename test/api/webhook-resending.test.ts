// Sending deliveries again: one that was given up or waits, and what an endpoint has missed; beside attempts under way.
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { recoverDeliveries } from '../../commands/webhooks/resending.ts'
import { openBooks } from '../../commands/books/open-books.ts'
import type { Caller } from '../../commands/books/caller.ts'
import { findOrganizationFacts } from '../../models/token.ts'
import type { Json } from '../fixtures/client.ts'
import { openSignedServer, type SignedServer } from '../fixtures/signed-server.ts'
import { openWebhookApi, type WebhookApi } from '../fixtures/webhook-api.ts'
import { untilTimer } from '../workflows/history.ts'

jest.setTimeout(60_000)

let api: WebhookApi
let receiver: SignedServer
let endpointId: string
beforeAll(async () => {
  // Between an attempt of the ladder and the next is more time than a test takes.
  api = await openWebhookApi({ WEBHOOK_LADDER_SECONDS: '600' })
  await api.setup.startWorker()
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

const retry = (id: string, options = {}) => api.post(`/webhooks/deliveries/${id}/retry`, undefined, options)
const recover = (body: unknown, options = {}) => api.post(`/webhooks/endpoints/${endpointId}/recover`, body, options)
const delivery = async (id: string): Promise<Json> => (await api.get(`/webhooks/deliveries/${id}`)).body.delivery
const progressOf = (processId: string) => api.setup.engine.client.workflow.getHandle(processId).query<Json>('progress')

/** Resolves with the delivery as soon as `is` is true of it. */
async function until(id: string, is: (delivery: Json) => boolean): Promise<Json> {
  const last = Date.now() + 30_000
  for (;;) {
    const found = await delivery(id)
    if (is(found)) return found
    if (Date.now() > last) throw new Error(`not so in time: ${JSON.stringify(found)}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

/** The id of a delivery with one failed attempt, which waits in its process for the next. */
async function waiting(): Promise<string> {
  receiver.answer = 500
  await api.setup.announce()
  const [found] = await api.setup.until(({ held_by }) => held_by === 'PROCESS')
  await untilTimer(api.setup.engine, `webhook/${found!.id}`, 'retry 1 of 1')
  return found!.id
}

/** The id of a delivery that was given up after its two attempts. */
async function failed(): Promise<string> {
  const id = await waiting()
  await api.setup.engine.client.workflow.getHandle(`webhook/${id}`).signal('retryNow')
  await until(id, ({ status }) => status === 'FAILED')
  return id
}

describe('retry', () => {
  test('a failed delivery gets a new series, with the same id and body', async () => {
    const id = await failed()
    receiver.answer = 200
    const { status, body } = await retry(id)
    expect([status, body.delivery]).toEqual([200, expect.objectContaining({ delivery_id: id, status: 'RETRYING', attempts_made: 2 })])
    const after = await until(id, (found) => found.status === 'DELIVERED')
    expect(after.attempts.map(({ attempt, status_code }: Json) => [attempt, status_code])).toEqual([[1, 500], [2, 500], [3, 200]])
    const [first, , third] = await receiver.received(3)
    expect([third!.deliveryId, third!.body.toString()]).toEqual([id, first!.body.toString()])
    expect((await api.setup.attempts(id)).map(({ series, attempt }) => [series, attempt])).toEqual([[0, 1], [0, 2], [1, 1]])
    expect(await api.setup.sql(`SELECT entity_type, metadata ->> 'status' AS was FROM activity WHERE action = 'WEBHOOK_DELIVERY_RETRIED' AND entity_id = $1`, id))
      .toEqual([{ entity_type: 'WEBHOOK_DELIVERY', was: 'FAILED' }])
  })

  test('the new series has the whole ladder, in a process of its own', async () => {
    const id = await failed()
    await retry(id)
    await until(id, ({ attempts_made: made }) => made === 3)
    await api.setup.until(({ held_by }) => held_by === 'PROCESS')
    expect(await progressOf(`webhook/${id}/r1`)).toMatchObject({ state: 'RETRYING', attempt: 2, attempts: 2 })
    await api.setup.engine.client.workflow.getHandle(`webhook/${id}/r1`).signal('retryNow')
    expect(await until(id, ({ status }) => status === 'FAILED')).toMatchObject({ attempts_made: 4 })
  })

  test('one that waits is sent now, and its former process sends nothing more', async () => {
    const id = await waiting()
    receiver.answer = 200
    expect(await retry(id)).toMatchObject({ status: 200 })
    await until(id, ({ status }) => status === 'DELIVERED')
    const handle = api.setup.engine.client.workflow.getHandle(`webhook/${id}`)
    await handle.signal('retryNow')
    expect(await handle.result()).toBe('DELIVERED')
    expect(receiver.requests).toHaveLength(2)
  })

  test('where the new series waits too, the former process ends without an attempt', async () => {
    const id = await waiting()
    await retry(id)
    await until(id, ({ attempts_made: made }) => made === 2)
    const handle = api.setup.engine.client.workflow.getHandle(`webhook/${id}`)
    await handle.signal('retryNow')
    expect(await handle.result()).toBe('WAITING')
    expect(receiver.requests).toHaveLength(2)
    expect(await delivery(id)).toMatchObject({ status: 'RETRYING' })
  })

  test.each([[200, 'DELIVERED', 2], [500, 'RETRYING', 3]])('during an attempt of its process that ends with %d: %s', async (answer, status, requests) => {
    const id = await waiting()
    receiver.answer = 'hold'
    await api.setup.engine.client.workflow.getHandle(`webhook/${id}`).signal('retryNow')
    await receiver.received(2)
    // The attempt under way is the last of its series.
    expect(await retry(id)).toMatchObject({ status: 200, body: { delivery: { status: 'RETRYING' } } })
    receiver.answer = 500
    receiver.release(answer)
    expect(await until(id, ({ attempts_made: made }) => made === requests)).toMatchObject({ status })
    expect(receiver.requests).toHaveLength(requests)
    const series = (await api.setup.attempts(id)).map(({ series: one }) => one)
    expect(series).toEqual(status === 'DELIVERED' ? [0, 0] : [0, 0, 1])
  })

  test('at once by many, and at the same time as its process: each attempt is one of the log', async () => {
    const id = await waiting()
    const handle = api.setup.engine.client.workflow.getHandle(`webhook/${id}`)
    receiver.answer = 200
    const [replies] = await Promise.all([
      Promise.all(Array.from({ length: 5 }, (_, n) => retry(id, { key: `at-once-${n}` }))),
      handle.signal('retryNow'),
    ])
    for (const { status, body } of replies) expect([200, 409]).toContain(body.code === 'conflict.invalid_state' ? 409 : status)
    const after = await until(id, ({ status }) => status === 'DELIVERED')
    await handle.result()
    // At the most the process and the new series have each sent it; whichever came second is in the log as well.
    expect(after.attempts.length).toBe(receiver.requests.length)
    expect(receiver.requests.length).toBeLessThanOrEqual(3)
  })

  test('a repeated key answers the same and sends once', async () => {
    const id = await failed()
    receiver.answer = 200
    const first = await retry(id, { key: 'again-1' })
    await until(id, ({ status }) => status === 'DELIVERED')
    const second = await retry(id, { key: 'again-1' })
    expect([second.body, second.headers.get('Idempotency-Replay')]).toEqual([first.body, 'true'])
    expect(receiver.requests).toHaveLength(3)
  })

  test('is refused for one that arrived or was not tried yet, of a disabled endpoint, a hundredth time, and for others', async () => {
    const id = await failed()
    const refused = async (status: string) => (await retry(id)).body.details?.status === status
    expect(await retry(id, { as: 'reader' })).toMatchObject({ status: 403 })
    expect(await retry(id, { as: 'other' })).toMatchObject({ status: 404 })
    expect(await retry('nothing')).toMatchObject({ status: 404 })
    await api.post(`/webhooks/endpoints/${endpointId}/disable`)
    expect(await refused('DISABLED')).toBe(true)
    await api.post(`/webhooks/endpoints/${endpointId}/enable`)
    await api.setup.sql(`UPDATE webhook_deliveries SET series = 99`)
    expect(await retry(id)).toMatchObject({ status: 409, body: { code: 'conflict.limit_reached', details: { limit: 99 } } })
    for (const status of ['DELIVERED', 'PENDING']) {
      await api.setup.sql(`UPDATE webhook_deliveries SET status = $1, held_by = $2`, status, status === 'PENDING' ? 'CIRCUIT' : null)
      expect(await retry(id)).toMatchObject({
        status: 409, body: { code: 'conflict.invalid_state', details: { status, allowed: ['FAILED', 'SKIPPED', 'RETRYING'] } },
      })
    }
    expect(receiver.requests).toHaveLength(2)
  })
})

describe('recover', () => {
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
})
