// Rotating an endpoint's secret and sending it a test event, with the worker that signs and a receiver that verifies.
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { openWebhookApi, type WebhookApi } from '../fixtures/webhook-api.ts'
import { openSignedServer, type SignedServer } from '../fixtures/signed-server.ts'
import { seal } from '../../models/sealed.ts'
import type { Json } from '../fixtures/client.ts'

let api: WebhookApi
let receiver: SignedServer
beforeAll(async () => {
  api = await openWebhookApi({ WEBHOOK_LADDER_SECONDS: '1,1,1' })
  await api.setup.startWorker()
  receiver = await openSignedServer()
})
afterAll(async () => {
  await receiver.close()
  await api.close()
})
beforeEach(async () => {
  await api.setup.sql(`UPDATE webhook_endpoints SET status = 'DELETED'`)
  receiver.reset()
})

const endpoint = async (fields = {}): Promise<Json> =>
  (await api.post('/webhooks/endpoints', { url: receiver.url, events: ['INVOICE_CREATED'], ...fields })).body.endpoint
const rotate = (id: string, body?: unknown, options = {}) => api.post(`/webhooks/endpoints/${id}/rotate_secret`, body, options)
/** The places of the secrets whose signatures the request carries. */
const signedBy = (secrets: string[], { signature, body }: { signature: string; body: Buffer }) => {
  const t = /t=(\d+)/.exec(signature)![1]!
  const given = [...signature.matchAll(/v1=([0-9a-f]{64})/g)].map(([, hex]) => hex)
  const places = given.map((hex) => secrets.findIndex((secret) => createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex') === hex))
  return places
}

describe('rotate_secret', () => {
  test('deliveries are signed with both secrets during the overlap, the new one first', async () => {
    const { endpoint_id: id, secret: first } = await endpoint()
    const { status, body } = await rotate(id, { overlap_seconds: 600 })
    expect(status).toBe(200)
    const { secret: second, standard_secret: _standard, ...rest } = body.endpoint
    expect(second).toMatch(/^svc_whsec_[A-Za-z0-9_-]{43}$/)
    expect(second).not.toBe(first)
    expect(Date.parse(rest.former_secret_until) - Date.parse(rest.last_modified_time)).toBe(600_000)
    expect((await api.get(`/webhooks/endpoints/${id}`)).body.endpoint).toEqual(rest)
    await api.post(`/webhooks/endpoints/${id}/test`)
    const [request] = await receiver.received(1)
    expect(signedBy([first, second], request!)).toEqual([1, 0])
  })

  test('an overlap is a day unless sent, and 0 ends the former secrets at once', async () => {
    const { endpoint_id: id, secret: first } = await endpoint()
    const { body } = await rotate(id)
    expect(Date.parse(body.endpoint.former_secret_until) - Date.parse(body.endpoint.last_modified_time)).toBe(86_400_000)
    const last = await rotate(id, { overlap_seconds: 0 })
    expect(last.body.endpoint.former_secret_until).toBeNull()
    await api.post(`/webhooks/endpoints/${id}/test`)
    const [request] = await receiver.received(1)
    expect(signedBy([first, body.endpoint.secret, last.body.endpoint.secret], request!)).toEqual([2])
  })

  test('a former secret that has ended signs nothing, and neither does one that cannot be read', async () => {
    const { endpoint_id: id, secret: first } = await endpoint()
    const { body } = await rotate(id, { overlap_seconds: 600 })
    const former = [
      { sealed: seal(api.setup.env.ENCRYPTION_KEY!, 'unknown'), until: new Date(Date.now() - 1_000).toISOString() },
      { sealed: 'v1.damaged', until: new Date(Date.now() + 600_000).toISOString() },
    ]
    await api.setup.sql('UPDATE webhook_endpoints SET former_secrets = $2::jsonb WHERE id = $1', id, JSON.stringify(former))
    await api.post(`/webhooks/endpoints/${id}/test`)
    const [request] = await receiver.received(1)
    expect(signedBy([first, body.endpoint.secret], request!)).toEqual([1])
  })

  test('rotated during an attempt: the attempt under way has the secret of before, and the next one both', async () => {
    const { endpoint_id: id, secret: first } = await endpoint()
    receiver.answer = 'hold'
    await api.post(`/webhooks/endpoints/${id}/test`)
    await receiver.received(1)
    const { body } = await rotate(id, { overlap_seconds: 600 })
    receiver.release(500)
    receiver.answer = 200
    const [before, after] = await receiver.received(2)
    expect(signedBy([first, body.endpoint.secret], before!)).toEqual([0])
    expect(signedBy([first, body.endpoint.secret], after!)).toEqual([1, 0])
  })

  test('five secrets at most are good at once, also when they are rotated at once; 0 still ends them', async () => {
    const { endpoint_id: id } = await endpoint()
    const replies = await Promise.all(Array.from({ length: 8 }, () => rotate(id)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(4)
    for (const { body } of replies.filter(({ status }) => status !== 200)) {
      expect(body).toMatchObject({ code: 'conflict.limit_reached', details: { limit: 5 } })
    }
    const [row] = await api.setup.sql<{ former_secrets: Json[] }>('SELECT former_secrets FROM webhook_endpoints WHERE id = $1', id)
    expect(row!.former_secrets).toHaveLength(4)
    expect(await rotate(id, { overlap_seconds: 0 })).toMatchObject({ status: 200, body: { endpoint: { former_secret_until: null } } })
  })

  test('a repeated key answers the same secret and rotates once; nothing is kept in clear', async () => {
    const { endpoint_id: id } = await endpoint()
    const replies = await Promise.all(Array.from({ length: 4 }, () => rotate(id, {}, { key: 'rotate-1' })))
    const done = replies.filter(({ status }) => status === 200)
    for (const { status, body } of replies.filter((reply) => !done.includes(reply))) {
      expect([status, body.code]).toEqual([409, 'idempotency.in_progress'])
    }
    const replay = await rotate(id, {}, { key: 'rotate-1' })
    expect(replay.headers.get('Idempotency-Replay')).toBe('true')
    for (const { body } of done) expect(body).toEqual(replay.body)
    const entries = await api.setup.sql<{ action: string; metadata: Json }>(
      `SELECT action, changes, metadata FROM activity WHERE entity_id = $1 AND action = 'WEBHOOK_ENDPOINT_SECRET_ROTATED'`, id)
    expect(entries).toMatchObject([{ changes: null, metadata: { overlap_seconds: 86_400, source: 'PUBLIC_API' } }])
    const stored = await api.setup.sql(`SELECT row_to_json(e) FROM webhook_endpoints AS e UNION ALL SELECT row_to_json(a) FROM activity AS a
      UNION ALL SELECT row_to_json(i) FROM idempotent_answers AS i`)
    expect(JSON.stringify(stored)).not.toContain(replay.body.endpoint.secret)
  })

  test.each([-1, 604_801, 1.5, '60', true])('an overlap of %j is refused', async (overlap_seconds) => {
    const { endpoint_id: id } = await endpoint()
    expect(await rotate(id, { overlap_seconds })).toMatchObject({ status: 422, body: { errors: [{ field: 'overlap_seconds' }] } })
    expect(await rotate(id, { overlap_seconds: 604_800 })).toMatchObject({ status: 200 })
  })

  test('is not for others, and not for a deleted endpoint', async () => {
    const { endpoint_id: id } = await endpoint()
    expect(await rotate(id, {}, { as: 'reader' })).toMatchObject({ status: 403 })
    expect(await rotate(id, {}, { as: 'other' })).toMatchObject({ status: 404 })
    await api.call('DELETE', `/webhooks/endpoints/${id}`)
    expect(await rotate(id)).toMatchObject({ status: 404 })
    const [row] = await api.setup.sql('SELECT secret_sealed, former_secrets FROM webhook_endpoints WHERE id = $1', id)
    expect(row).toEqual({ secret_sealed: '', former_secrets: [] })
  })
})

describe('test', () => {
  test('sends webhook.test to this endpoint alone, whatever it subscribes to, and logs it', async () => {
    const { endpoint_id: id, secret } = await endpoint()
    await endpoint({ url: receiver.url.replace('/hook', '/other') })
    const { status, body } = await api.post(`/webhooks/endpoints/${id}/test`, undefined, { key: `test-${id}` })
    expect(status).toBe(200)
    expect(body.delivery).toMatchObject({ endpoint_id: id, event_type: 'webhook.test', status: 'PENDING', attempts_made: 0 })
    const [request] = await receiver.received(1)
    expect(request).toMatchObject({ path: '/hook', eventType: 'webhook.test', deliveryId: body.delivery.delivery_id })
    expect(JSON.parse(request!.body.toString())).toEqual(body.delivery.payload)
    expect(body.delivery.payload).toEqual({
      event_type: 'webhook.test', delivery_id: body.delivery.delivery_id, occurred_at: body.delivery.created_time,
      org_id: api.setup.orgId, data: { id },
    })
    expect(signedBy([secret], request!)).toEqual([0])
    expect((await api.post(`/webhooks/endpoints/${id}/test`, undefined, { key: `test-${id}` })).body).toEqual(body)
    const { body: log } = await api.get(`/webhooks/deliveries?event_type=webhook.test&entity_type=WEBHOOK_ENDPOINT&entity_id=${id}`)
    expect(log.deliveries.map(({ delivery_id }: Json) => delivery_id)).toEqual([body.delivery.delivery_id])
    const entries = await api.setup.sql(`SELECT 1 FROM activity WHERE entity_id = $1 AND action = 'WEBHOOK_ENDPOINT_TESTED'`, id)
    expect(entries).toHaveLength(1)
    expect(receiver.requests).toHaveLength(1)
  })

  test('a disabled endpoint gets none', async () => {
    const { endpoint_id: id } = await endpoint()
    await api.post(`/webhooks/endpoints/${id}/disable`)
    expect(await api.post(`/webhooks/endpoints/${id}/test`)).toMatchObject({
      status: 409, body: { code: 'conflict.invalid_state', details: { status: 'DISABLED', allowed: ['ENABLED'] } },
    })
    expect(await api.post(`/webhooks/endpoints/${id}/test`, {}, { as: 'reader' })).toMatchObject({ status: 403 })
    expect(await api.post(`/webhooks/endpoints/${id}/test`, {}, { as: 'other' })).toMatchObject({ status: 404 })
  })
})

test('disabled during an attempt: the attempt counts, and no other is made', async () => {
  const { endpoint_id: id } = await endpoint()
  receiver.answer = 'hold'
  const { delivery_id } = (await api.post(`/webhooks/endpoints/${id}/test`)).body.delivery
  await receiver.received(1)
  await api.post(`/webhooks/endpoints/${id}/disable`)
  receiver.release(500)
  const read = async () => (await api.get(`/webhooks/deliveries/${delivery_id}`)).body.delivery
  while ((await read()).status !== 'SKIPPED') await new Promise((resolve) => setTimeout(resolve, 50))
  expect(await read()).toMatchObject({ attempts_made: 1, next_attempt_at: null, attempts: [{ status_code: 500 }] })
  expect(receiver.requests).toHaveLength(1)
})
