// Sending one delivery again that was given up or waits, also while an attempt is under way.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { WorkflowNotFoundError } from '@temporalio/client'
import type { Json } from '../fixtures/client.ts'
import { openSignedServer, type SignedServer } from '../fixtures/signed-server.ts'
import { openWebhookApi, type WebhookApi } from '../fixtures/webhook-api.ts'
import { untilTimer } from '../workflows/history.ts'

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
const delivery = async (id: string): Promise<Json> => (await api.get(`/webhooks/deliveries/${id}`)).body.delivery
const progressOf = (processId: string) => api.setup.engine.client.workflow.getHandle(processId).query<Json>('progress')

async function restartWorker(ladder: string): Promise<void> {
  await api.setup.stopWorker()
  api.setup.env.WEBHOOK_LADDER_SECONDS = ladder
  await api.setup.startWorker()
}

/** Resolves with the delivery as soon as `is` is true of it. */
async function until(id: string, is: (delivery: Json) => boolean): Promise<Json> {
  const last = Date.now() + 90_000
  for (;;) {
    const found = await delivery(id)
    if (is(found)) return found
    if (Date.now() > last) throw new Error(`not so in time: ${JSON.stringify(found)}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

/** The id of a delivery with one failed attempt, which waits in its process for the next. */
async function waiting(retries = 1): Promise<string> {
  receiver.answer = 500
  await api.setup.announce()
  const [found] = await api.setup.until(({ held_by }) => held_by === 'PROCESS')
  await untilTimer(api.setup.engine, `webhook/${found!.id}`, `retry 1 of ${retries}`)
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
    // It is told at once, before or after the delivery has arrived.
    expect(['WAITING', 'DELIVERED']).toContain(await api.setup.engine.client.workflow.getHandle(`webhook/${id}`).result())
    expect(receiver.requests).toHaveLength(2)
  })

  test('where the new series waits too, the former process ends by itself without an attempt', async () => {
    const id = await waiting()
    await retry(id)
    await until(id, ({ attempts_made: made }) => made === 2)
    expect(await api.setup.engine.client.workflow.getHandle(`webhook/${id}`).result()).toBe('WAITING')
    expect(receiver.requests).toHaveLength(2)
    expect(await delivery(id)).toMatchObject({ status: 'RETRYING' })
  })

  test('a process whose attempt is under way ends after it, and does not wait for its next one', async () => {
    await restartWorker('600,600')
    const id = await waiting(2)
    const handle = api.setup.engine.client.workflow.getHandle(`webhook/${id}`)
    receiver.answer = 'hold'
    await handle.signal('retryNow')
    await receiver.received(2)
    await retry(id)
    receiver.answer = 500
    receiver.release(500)
    expect(await handle.result()).toBe('WAITING')
    expect(await until(id, ({ attempts_made: made }) => made === 3)).toMatchObject({ status: 'RETRYING' })
    expect((await api.setup.attempts(id)).map(({ series }) => series)).toEqual([0, 0, 1])
    await restartWorker('600')
  })

  test('a skipped delivery is sent once its endpoint is enabled again', async () => {
    const id = await waiting()
    await api.post(`/webhooks/endpoints/${endpointId}/disable`)
    await api.setup.engine.client.workflow.getHandle(`webhook/${id}`).signal('retryNow')
    await until(id, ({ status }) => status === 'SKIPPED')
    expect(await retry(id)).toMatchObject({ status: 409, body: { code: 'conflict.invalid_state', details: { status: 'DISABLED', allowed: ['ENABLED'] } } })
    await api.post(`/webhooks/endpoints/${endpointId}/enable`)
    expect(await delivery(id)).toMatchObject({ status: 'SKIPPED', next_attempt_at: null })
    receiver.answer = 200
    expect(await retry(id)).toMatchObject({ status: 200, body: { delivery: { delivery_id: id, status: 'RETRYING' } } })
    expect(await until(id, ({ status }) => status === 'DELIVERED')).toMatchObject({ attempts_made: 2 })
    expect((await api.setup.attempts(id)).map(({ series, attempt }) => [series, attempt])).toEqual([[0, 1], [1, 1]])
    expect(await api.setup.sql(`SELECT metadata ->> 'status' AS was FROM activity WHERE action = 'WEBHOOK_DELIVERY_RETRIED' AND entity_id = $1`, id)).toEqual([{ was: 'SKIPPED' }])
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
      // One that has ended already cannot be told.
      handle.signal('retryNow').catch((error: unknown) => {
        if (!(error instanceof WorkflowNotFoundError)) throw error
      }),
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
