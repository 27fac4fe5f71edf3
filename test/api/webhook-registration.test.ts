// Registering an endpoint whose name server takes its time: nobody else waits, and each refusal keeps its place.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { openNameServer, type NameServer } from '../fixtures/name-server.ts'
import type { Client } from '../fixtures/client.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let names: NameServer
let client: Client
beforeAll(async () => {
  names = await openNameServer({ 'inside.example.com': ['10.20.30.40'], 'hooks.example.com': ['93.184.216.34'] })
  service = await startService({ WEBHOOK_DNS_SERVERS: names.address, WEBHOOK_ALLOW_CIDRS: '', WEBHOOK_ALLOW_HTTP: 'false', DATABASE_POOL: '2' })
})
// Each test has its own look-ups: those of the first hang on for seconds.
beforeEach(async () => {
  client = await service.organization()
})
afterAll(async () => {
  await service.close()
  await names.close()
})

const hook = (host: string) => ({ url: `https://${host}/hook`, events: ['INVOICE_CREATED'] })

test('a name server that says nothing holds no connection to the database', async () => {
  const hosts = Array.from({ length: 4 }, () => `${randomUUID()}.example.com`)
  for (const host of hosts) names.names[host] = null
  const registered = Promise.all(hosts.map((host) => client.post('/webhooks/endpoints', hook(host))))
  await Promise.all(hosts.map((host) => names.asked(host)))
  const busy = await service.sql(
    `SELECT state FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'bahi api' AND state <> 'idle'`)
  expect(busy).toEqual([])
  // More are waiting than the pool has connections.
  expect((await client.get('/webhooks/endpoints')).status).toBe(200)
  // A name that is not known in time is let through, since it is checked whenever it is called.
  expect((await registered).map(({ status }) => status)).toEqual([201, 201, 201, 201])
})

test('a refusal by address keeps its place among the checks, and does not reveal the address', async () => {
  const wrong = hook('inside.example.com')
  const refused = await client.post('/webhooks/endpoints', wrong)
  expect([refused.status, refused.body.code, refused.body.field]).toEqual([400, 'validation.invalid_value', 'url'])
  expect(refused.body.message).toBe('inside.example.com resolves to an address that is not allowed.')
  expect(JSON.stringify(refused.body)).not.toContain('10.20')
  // The shape comes before it, and what does not exist; so does an event that is unknown.
  expect((await client.post('/webhooks/endpoints', { ...wrong, events: 7 })).status).toBe(422)
  expect((await client.put(`/webhooks/endpoints/${randomUUID()}`, { url: wrong.url })).status).toBe(404)
  expect((await client.post('/webhooks/endpoints', { ...wrong, events: ['EATEN'] })).body.field).toBe('events')
  const { body: { endpoint } } = await client.post('/webhooks/endpoints', hook('hooks.example.com'))
  expect((await client.put(`/webhooks/endpoints/${endpoint.endpoint_id}`, { url: wrong.url })).body.field).toBe('url')
  expect((await client.get(`/webhooks/endpoints/${endpoint.endpoint_id}`)).body.endpoint.url).toBe('https://hooks.example.com/hook')
})

test('a refusal is remembered under its key, whatever the name leads to later', async () => {
  const key = randomUUID()
  names.names['turns.example.com'] = ['10.0.0.1']
  const first = await client.post('/webhooks/endpoints', hook('turns.example.com'), key)
  names.names['turns.example.com'] = ['93.184.216.34']
  const again = await client.post('/webhooks/endpoints', hook('turns.example.com'), key)
  expect([first.status, again.status]).toEqual([400, 400])
  expect(again.headers['idempotency-replay']).toBe('true')
})

test.each(['intranet', 'intranet.', 'shop.localhost', 'printer.local.', 'db.internal', 'nas.home.arpa'])(
  '%s cannot be public', async (host) => {
    const { status, body } = await client.post('/webhooks/endpoints', hook(host))
    expect([status, body.field, body.message]).toEqual([400, 'url', `The name ${host} cannot be public; use a name of the public internet.`])
    expect(names.questions.map(({ name }) => name)).not.toContain(host)
  })

test('the refusal of an event that only the change feed has says so', async () => {
  const { status, body } = await client.post('/webhooks/endpoints', { ...hook('hooks.example.com'), events: ['INVOICE_DELETED'] })
  expect([status, body.message]).toEqual([400, 'INVOICE_DELETED is in the change feed only; an endpoint cannot subscribe to it.'])
})
