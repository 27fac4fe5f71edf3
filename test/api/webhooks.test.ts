// The webhooks' routes: endpoints that are registered, changed and deleted, and the log of deliveries.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { pino } from 'pino'
import type { Api } from '../../api/process.ts'
import { createApi } from '../../api/server.ts'
import { abandonDelivery } from '../../commands/webhooks/deliveries.ts'
import { DELETION_EVENTS, EVENT_TYPES } from '../../domain/events.ts'
import { unseal } from '../../models/sealed.ts'
import { hashOf, mintSecret, PREFIXES } from '../../models/token.ts'
import { readSettings } from '../../settings.ts'
import { openWorkflowSetup, type WorkflowSetup } from '../workflows/setup.ts'
import type { Json } from '../fixtures/client.ts'


let setup: WorkflowSetup
let api: Api
let base: string
const tokens: Record<string, string> = {}

async function mintToken(orgId: string, ...scopes: string[]): Promise<string> {
  const token = mintSecret(PREFIXES.pat)
  await setup.sql(
    `INSERT INTO tokens (org_id, id, kind, token_hash, scopes, tier, created_time) VALUES ($1, $2, 'PAT', $3, $4, 'PARTNER', now())`,
    orgId, randomUUID(), hashOf(token), scopes,
  )
  return token
}

beforeAll(async () => {
  setup = await openWorkflowSetup()
  const other = randomUUID()
  await setup.sql(
    `INSERT INTO organizations SELECT (jsonb_populate_record(o, jsonb_build_object('id', $1::text))).* FROM organizations AS o LIMIT 1`, other)
  tokens.full = await mintToken(setup.orgId, 'Svc.fullaccess.all')
  tokens.reader = await mintToken(setup.orgId, 'Svc.webhooks.READ')
  tokens.other = await mintToken(other, 'Svc.fullaccess.all')
  api = createApi(readSettings({ ...setup.env, PORT: '0' }), pino({ level: 'silent' }))
  base = `http://127.0.0.1:${await api.listen()}/api/public/v1`
})
afterAll(async () => {
  await api.close()
  await setup.close()
})
beforeEach(async () => {
  await setup.sql('DELETE FROM webhook_attempts')
  await setup.sql('DELETE FROM webhook_deliveries')
  await setup.sql('DELETE FROM webhook_circuits')
  await setup.sql('DELETE FROM webhook_endpoints')
})

interface Reply {
  status: number
  headers: Headers
  body: Json
}

async function call(method: string, path: string, body?: unknown, { as = 'full', key }: { as?: string; key?: string } = {}): Promise<Reply> {
  const headers = {
    Authorization: `Bearer ${tokens[as]}`, 'Content-Type': 'application/json', ...(key && { 'Idempotency-Key': key }),
  }
  const response = await fetch(base + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const HOOK = { url: 'https://1.1.1.1/hook', events: ['INVOICE_CREATED'] }
const register = async (changes = {}) => (await call('POST', '/webhooks/endpoints', { ...HOOK, ...changes })).body.endpoint

describe('endpoints', () => {
  test('the secret is answered once, and kept sealed', async () => {
    const { status, body } = await call('POST', '/webhooks/endpoints', { ...HOOK, events: ['INVOICE_PAID', 'invoice.sent', 'INVOICE_PAID'] })
    expect(status).toBe(201)
    expect(body).toMatchObject({ code: 0, endpoint: { url: HOOK.url, events: ['INVOICE_PAID', 'invoice.sent'], status: 'ENABLED' } })
    const { endpoint_id, secret } = body.endpoint
    expect(secret).toMatch(/^svc_whsec_[A-Za-z0-9_-]{43}$/)
    const read = await call('GET', `/webhooks/endpoints/${endpoint_id}`)
    expect(read.body.endpoint).toEqual({ ...body.endpoint, secret: undefined, standard_secret: undefined })
    expect(JSON.stringify((await call('GET', '/webhooks/endpoints')).body)).not.toContain('whsec_')
    const [row] = await setup.sql<{ secret_sealed: string }>('SELECT secret_sealed FROM webhook_endpoints')
    expect(row!.secret_sealed).not.toContain(secret)
    expect(unseal(setup.env.ENCRYPTION_KEY!, row!.secret_sealed)).toBe(secret)
  })

  test('a repeated registration answers the same secret, which is not stored in clear', async () => {
    const [first, second] = [await call('POST', '/webhooks/endpoints', HOOK, { key: 'k-1' }), await call('POST', '/webhooks/endpoints', HOOK, { key: 'k-1' })]
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('Idempotency-Replay')).toBe('true')
    const stored = await setup.sql<{ body: string }>('SELECT body FROM idempotent_answers')
    expect(JSON.stringify(stored)).not.toContain(first.body.endpoint.secret)
  })

  test.each([
    [{ ...HOOK, url: 'http://1.1.1.1/' }, 'url'],
    [{ ...HOOK, url: 'https://10.0.0.1/' }, 'url'],
    [{ ...HOOK, url: 'https://user:secret@1.1.1.1/' }, 'url'],
    [{ ...HOOK, url: 'not a url' }, 'url'],
    [{ ...HOOK, events: ['INVOICE_CREATED', 'INVOICE_EATEN'] }, 'events'],
    [{ ...HOOK, events: ['webhook.test'] }, 'events'],
    [{ ...HOOK, events: ['INVOICE_DELETED'] }, 'events'],
  ])('%j is refused for its %s', async (body, field) => {
    const reply = await call('POST', '/webhooks/endpoints', body)
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({ code: 'validation.invalid_value', field })
    if (field === 'events') expect(reply.body.details.valid).toEqual([...EVENT_TYPES])
    expect((await call('GET', '/webhooks/endpoints')).body.endpoints).toEqual([])
  })

  test.each([
    [{}, ['events', 'url']],
    [{ url: 5, events: 'INVOICE_CREATED' }, ['events', 'url']],
    [{ url: HOOK.url, events: [] }, ['events']],
    [{ url: HOOK.url, events: [7] }, ['events.0']],
  ])('%j has the wrong shape, all of it told at once', async (body, fields) => {
    const reply = await call('POST', '/webhooks/endpoints', body)
    expect(reply.status).toBe(422)
    expect(reply.body.errors.map(({ field }: { field: string }) => field).sort()).toEqual(fields)
  })

  test('PUT changes what was sent, and DELETE ends it', async () => {
    const { endpoint_id: id, secret, ...before } = await register()
    expect(secret).toBeDefined()
    const changed = await call('PUT', `/webhooks/endpoints/${id}`, { events: ['BILL_PAID'], description: 'books to shop' })
    expect(changed.body.endpoint).toMatchObject({ url: before.url, events: ['BILL_PAID'], description: 'books to shop' })
    expect(await call('PUT', `/webhooks/endpoints/${id}`, { url: 'https://127.0.0.2:1/' })).toMatchObject({ status: 200 })
    expect(await call('PUT', `/webhooks/endpoints/${id}`, { url: 'https://192.168.0.1/' })).toMatchObject({ status: 400, body: { field: 'url' } })
    expect(await call('DELETE', `/webhooks/endpoints/${id}`)).toMatchObject({ status: 200, body: { code: 0 } })
    for (const [method, path] of [['GET', ''], ['PUT', ''], ['DELETE', ''], ['POST', '/enable'], ['POST', '/disable']]) {
      expect(await call(method!, `/webhooks/endpoints/${id}${path}`, method === 'GET' ? undefined : {})).toMatchObject({
        status: 404, body: { code: 'not_found.resource' },
      })
    }
    const actions = await setup.sql<{ action: string }>(`SELECT action FROM activity WHERE entity_id = $1 ORDER BY occurred_at`, id)
    expect(actions.map(({ action }) => action)).toEqual([
      'WEBHOOK_ENDPOINT_CREATED', 'WEBHOOK_ENDPOINT_UPDATED', 'WEBHOOK_ENDPOINT_UPDATED', 'WEBHOOK_ENDPOINT_DELETED',
    ])
  })

  test('enabling forgets the failures that had disabled it', async () => {
    const { endpoint_id: id } = await register()
    await setup.sql(`UPDATE webhook_endpoints SET status = 'DISABLED', failing_since = now() - interval '6 days'`)
    expect((await call('GET', `/webhooks/endpoints/${id}`)).body.endpoint).toMatchObject({ status: 'DISABLED' })
    expect((await call('POST', `/webhooks/endpoints/${id}/enable`)).body.endpoint).toMatchObject({ status: 'ENABLED', failing_since: null })
    expect((await call('POST', `/webhooks/endpoints/${id}/disable`)).body.endpoint).toMatchObject({ status: 'DISABLED' })
  })

  test('twenty endpoints, and not one more, also at once; a deleted one makes room', async () => {
    const replies = await Promise.all(Array.from({ length: 25 }, () => call('POST', '/webhooks/endpoints', HOOK)))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(20)
    const refused = replies.filter(({ status }) => status !== 201)
    for (const { status, body } of refused) expect([status, body.code, body.details]).toEqual([409, 'conflict.limit_reached', { limit: 20 }])
    const { endpoint_id } = replies.find(({ status }) => status === 201)!.body.endpoint
    await call('DELETE', `/webhooks/endpoints/${endpoint_id}`)
    expect((await call('POST', '/webhooks/endpoints', HOOK)).status).toBe(201)
  })

  test('pages by cursor', async () => {
    for (let n = 0; n < 5; n += 1) await register()
    const seen: string[] = []
    for (let cursor = ''; ;) {
      const { body } = await call('GET', `/webhooks/endpoints?per_page=2${cursor && `&cursor=${cursor}`}`)
      seen.push(...body.endpoints.map(({ endpoint_id }: { endpoint_id: string }) => endpoint_id))
      if (!body.page_context.has_more_page) break
      cursor = body.page_context.next_cursor
    }
    expect(new Set(seen).size).toBe(5)
  })

  test('of another organisation, or by a token that may only read', async () => {
    const { endpoint_id: id } = await register()
    for (const [method, path] of [['GET', ''], ['PUT', ''], ['DELETE', ''], ['POST', '/enable'], ['POST', '/disable']]) {
      const body = method === 'GET' ? undefined : {}
      expect(await call(method!, `/webhooks/endpoints/${id}${path}`, body, { as: 'other' })).toMatchObject({ status: 404 })
      const reply = await call(method!, `/webhooks/endpoints/${id}${path}`, body, { as: 'reader' })
      expect(reply.status).toBe(method === 'GET' ? 200 : 403)
    }
    expect((await call('GET', '/webhooks/endpoints', undefined, { as: 'other' })).body.endpoints).toEqual([])
  })
})

test('every event type is listed with the schema of its data', async () => {
  const { body } = await call('GET', '/webhooks/event_types', undefined, { as: 'reader' })
  expect(body.event_types.map(({ event_type }: { event_type: string }) => event_type)).toEqual([...EVENT_TYPES, ...DELETION_EVENTS, 'webhook.test'])
  expect(body.event_types.map(({ subscribable }: { subscribable: boolean }) => subscribable)).toEqual([...EVENT_TYPES.map(() => true), ...DELETION_EVENTS.map(() => false), false])
  expect(body.event_types[0].schema).toMatchObject({ type: 'object', additionalProperties: false })
  expect(body.event_types[0].schema.required.sort()).toEqual(['customer_id', 'id', 'number', 'sequence', 'status', 'total'])
})

describe('the delivery log', () => {
  const list = async (query = '', as = 'full') => (await call('GET', `/webhooks/deliveries${query}`, undefined, { as })).body

  test('lists what was queued, by each filter', async () => {
    const { endpoint_id: one } = await register()
    const { endpoint_id: two } = await register({ url: 'https://8.8.8.8/' })
    await setup.announce(3)
    await setup.sql(`UPDATE webhook_deliveries SET status = 'FAILED', held_by = NULL, attempts_made = 7 WHERE endpoint_id = $1`, two)
    const all = await list()
    expect(all.deliveries).toHaveLength(6)
    const [delivery] = all.deliveries
    expect(Object.keys(delivery).sort()).toEqual([
      'attempts_made', 'created_time', 'delivered_at', 'delivery_id', 'endpoint_id', 'event_type', 'last_modified_time', 'next_attempt_at', 'payload',
      'status', 'url',
    ])
    expect(delivery.payload.delivery_id).toBe(delivery.delivery_id)
    const count = async (query: string) => (await list(query)).deliveries.length
    expect(await count(`?endpoint_id=${one}`)).toBe(3)
    expect(await count('?status=FAILED')).toBe(3)
    expect(await count(`?status=PENDING&endpoint_id=${two}`)).toBe(0)
    expect(await count('?event_type=INVOICE_CREATED')).toBe(6)
    expect(await count('?event_type=INVOICE_PAID')).toBe(0)
    expect(await count(`?since=${delivery.created_time}&until=${delivery.created_time}`)).toBeGreaterThan(0)
    expect(await count('?until=2020-01-01')).toBe(0)
    expect(await count('?endpoint_id=nobody')).toBe(0)
    expect(await count(`?endpoint_id=${randomUUID()}`)).toBe(0)
    expect((await list('', 'other')).deliveries).toEqual([])
  })

  test('lists what has changed since a time, and the metrics count what waits', async () => {
    await register()
    await setup.announce(2)
    await setup.sql(`UPDATE webhook_deliveries SET created_time = now() - interval '2 days', last_modified_time = now() - interval '1 day'`)
    const since = new Date(Date.now() - 60_000).toISOString()
    expect((await list(`?modified_since=${since}`)).deliveries).toEqual([])
    const [{ delivery_id: id }] = (await list()).deliveries
    expect(await abandonDelivery(setup.database, setup.orgId, id, new Date())).toBe('FAILED')
    expect((await list(`?modified_since=${since}`)).deliveries).toMatchObject([{ delivery_id: id, status: 'FAILED' }])
    const metrics = await (await fetch(new URL('/metrics', base))).text()
    expect(metrics).toMatch(/^bahi_webhook_deliveries\{held_by="queue"\} 1$/m)
    expect(metrics).toMatch(/^bahi_webhook_circuits_open 0$/m)
  })

  test.each(['status=LOST', 'event_type=NOPE', 'since=yesterday', 'per_page=0', 'per_page=201', 'cursor=x'])('?%s is refused', async (query) => {
    const reply = await call('GET', `/webhooks/deliveries?${query}`)
    expect(reply).toMatchObject({ status: 400, body: { code: 'validation.invalid_value', field: query.split('=')[0] } })
  })

  test('one delivery is read with its attempts', async () => {
    await register()
    await setup.announce()
    const [{ delivery_id: id }] = (await list()).deliveries
    await setup.sql(
      `INSERT INTO webhook_attempts SELECT org_id, id, 0, 1, now(), 12, 503, 'Status 503.', 'busy', now() FROM webhook_deliveries`)
    const { body } = await call('GET', `/webhooks/deliveries/${id}`, undefined, { as: 'reader' })
    expect(body.delivery.attempts).toMatchObject([{ attempt: 1, duration_ms: 12, status_code: 503, error: 'Status 503.', response_body: 'busy' }])
    expect(body.delivery.url).toBe(HOOK.url)
    expect(await call('GET', `/webhooks/deliveries/${id}`, undefined, { as: 'other' })).toMatchObject({ status: 404 })
    expect(await call('GET', '/webhooks/deliveries/nothing')).toMatchObject({ status: 404 })
  })
})
