// Deliveries with the headers of Standard Webhooks, verified by the published library with the secret that the API answers.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { Webhook } from 'standardwebhooks'
import type { Api } from '../../api/process.ts'
import { createApi } from '../../api/server.ts'
import { standardSecret } from '../../domain/standard-secret.ts'
import { deliveryHeaders } from '../../gateways/webhook/signature.ts'
import { hashOf, mintSecret, PREFIXES } from '../../models/token.ts'
import { readSettings } from '../../settings.ts'
import type { Json } from '../fixtures/client.ts'
import { openWebhookServer, type Arrival, type WebhookServer } from '../fixtures/webhook-server.ts'
import { openWorkflowSetup, type WorkflowSetup } from '../workflows/setup.ts'

let setup: WorkflowSetup
let api: Api
let base: string
let receiver: WebhookServer
const token = mintSecret(PREFIXES.pat)

beforeAll(async () => {
  setup = await openWorkflowSetup({ WEBHOOK_LADDER_SECONDS: '0,0' })
  await setup.sql(
    `INSERT INTO tokens (org_id, id, kind, token_hash, scopes, tier, created_time) VALUES ($1, $2, 'PAT', $3, '{Svc.fullaccess.all}', 'PARTNER', now())`,
    setup.orgId, randomUUID(), hashOf(token))
  api = createApi(readSettings({ ...setup.env, PORT: '0' }), pino({ level: 'silent' }))
  base = `http://127.0.0.1:${await api.listen()}/api/public/v1`
  await setup.startWorker()
})
afterAll(async () => {
  await api.close()
  await setup.close()
})
beforeEach(async () => {
  receiver = await openWebhookServer('of no endpoint')
})
afterEach(async () => {
  await setup.sql(`UPDATE webhook_endpoints SET status = 'DELETED'`)
  await receiver.close()
})

async function call(method: string, path: string, body?: unknown): Promise<{ status: number; body: Json }> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const response = await fetch(base + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
  return { status: response.status, body: await response.json() }
}

const ENDPOINTS = '/webhooks/endpoints'
const endpoint = async (fields: Json = { standard_webhooks: true }): Promise<Json> =>
  (await call('POST', ENDPOINTS, { url: receiver.url, events: ['INVOICE_CREATED'], ...fields })).body.endpoint
const STANDARD = ['webhook-id', 'webhook-signature', 'webhook-timestamp']
const standardOf = ({ headers }: Arrival) => Object.keys(headers).filter((name) => name.startsWith('webhook-')).sort()
type Received = Pick<Arrival, 'body' | 'headers'>
const verified = (secret: string, { body, headers }: Received): unknown => new Webhook(secret).verify(body, headers as Record<string, string>)

test('the library accepts what was sent, with the secret as it was answered', async () => {
  const { standard_secret: secret } = await endpoint()
  await setup.announce(2)
  const requests = await receiver.received(2)
  for (const request of requests) {
    expect(standardOf(request)).toEqual(STANDARD)
    expect(verified(secret, request)).toEqual(JSON.parse(request.body.toString()))
    expect(request.headers['webhook-id']).toBe(request.deliveryId)
    expect(request.headers['webhook-timestamp']).toBe(String(request.timestamp))
  }
})

test('the library refuses another secret, body, id and time', async () => {
  const { standard_secret: secret } = await endpoint()
  const { standard_secret: another } = await endpoint()
  await setup.announce()
  const requests = await receiver.received(2)
  const own = requests.filter((request) => {
    try {
      return verified(secret, request) !== undefined
    } catch {
      return false
    }
  })
  expect(own).toHaveLength(1)
  const [request] = own as [Arrival]
  const changed: Received[] = [
    { ...request, body: Buffer.from(`${request.body} `) },
    { ...request, headers: { ...request.headers, 'webhook-id': 'another' } },
    { ...request, headers: { ...request.headers, 'webhook-timestamp': String(Number(request.headers['webhook-timestamp']) - 1) } },
  ]
  for (const each of changed) expect(() => verified(secret, each)).toThrow('No matching signature found')
  expect(() => verified(another, request)).toThrow('No matching signature found')
})

test('a repeated attempt has the same id', async () => {
  const { standard_secret: secret } = await endpoint()
  receiver.answer = () => 500
  await setup.announce()
  const requests = await receiver.received(2)
  expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  for (const request of requests) expect(verified(secret, request)).toBeDefined()
})

test('during the overlap of a rotation, the former and the new secret both verify', async () => {
  const { endpoint_id: id, standard_secret: first } = await endpoint()
  const rotate = async (overlap_seconds: number): Promise<string> =>
    (await call('POST', `${ENDPOINTS}/${id}/rotate_secret`, { overlap_seconds })).body.endpoint.standard_secret
  const second = await rotate(600)
  expect(second).not.toBe(first)
  await setup.announce()
  const both = (await receiver.received(1))[0]!
  for (const secret of [first, second]) expect(verified(secret, both)).toBeDefined()
  const last = await rotate(0)
  await setup.announce()
  const alone = (await receiver.received(2))[1]!
  expect(verified(last, alone)).toBeDefined()
  for (const secret of [first, second]) expect(() => verified(secret, alone)).toThrow('No matching signature found')
})

test('with several secrets, each of them verifies', () => {
  const secrets = [mintSecret(PREFIXES.webhookSecret), mintSecret(PREFIXES.webhookSecret)]
  const body = Buffer.from('{"number":"INV-१"}')
  const signed = { deliveryId: randomUUID(), eventType: 'INVOICE_CREATED', body, standardWebhooks: true }
  for (const secret of secrets) {
    expect(verified(standardSecret(secret), { body, headers: deliveryHeaders({ ...signed, secrets }, new Date()) })).toEqual({ number: 'INV-१' })
  }
  expect(() => verified(standardSecret(secrets[0]!), { body, headers: deliveryHeaders({ ...signed, secrets: [secrets[1]!] }, new Date()) }))
    .toThrow('No matching signature found')
})

describe('the option', () => {
  test('is off unless sent, and can be changed at any time', async () => {
    const created = await endpoint({})
    expect(created).toMatchObject({ standard_webhooks: false, secret: expect.stringMatching(/^svc_whsec_/), standard_secret: expect.stringMatching(/^whsec_/) })
    const path = `${ENDPOINTS}/${created.endpoint_id}`
    await setup.announce()
    expect(standardOf((await receiver.received(1))[0]!)).toEqual([])
    expect((await call('PUT', path, { standard_webhooks: true })).body.endpoint).toMatchObject({ standard_webhooks: true, events: ['INVOICE_CREATED'] })
    const shown = (await call('GET', path)).body.endpoint
    expect([shown.standard_webhooks, 'secret' in shown, 'standard_secret' in shown]).toEqual([true, false, false])
    await setup.announce()
    const request = (await receiver.received(2))[1]!
    expect(verified(created.standard_secret, request)).toBeDefined()
    expect(request.headers['x-svc-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
    expect((await call('PUT', path, { standard_webhooks: false })).body.endpoint.standard_webhooks).toBe(false)
  })

  test.each(['yes', 1, {}])('%p is refused', async (value) => {
    const { status, body } = await call('POST', ENDPOINTS, { url: receiver.url, events: ['INVOICE_CREATED'], standard_webhooks: value })
    expect([status, body.code, body.errors?.[0]?.field]).toEqual([422, 'validation.failed', 'standard_webhooks'])
  })
})
