// What an address may still ask for once it has used up its limit: made-up cookies, clients and dead tokens cost no query without end.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { mintSecret, PREFIXES } from '../../models/token.ts'
import { OWN_PAGE, personWith } from '../fixtures/persons.ts'
import { asApp, connect, postForm, registerApp, send, type App } from '../fixtures/oauth.ts'
import { callAt, type CallOptions } from '../fixtures/client.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const LIMIT = 5
/** So many calls, and what a process sends meanwhile of itself at most: at its start, and for its logs. */
const [MANY, FEW] = [20, 10]
const { orgId } = await service.organization()
let app: App
let mobile: App
// Each test has a process of its own, because the addresses that are spent share a budget; and an address behind a trusted proxy.
let narrow: { origin: string; close(): Promise<void> }
const open = async () => {
  narrow = await service.another({ RATE_LIMIT_DEFAULT: String(LIMIT), RATE_LIMIT_PARTNER: '1000', TRUSTED_PROXIES: '127.0.0.0/8,::1' })
}
let lastAddress = 0
const newAddress = () => `2001:db8:${(lastAddress += 1).toString(16)}::1`
const from = (address: string) => ({ 'x-forwarded-for': address })
const call = (path: string, address: string, options: CallOptions = {}, method = 'GET') =>
  callAt(narrow.origin)(method, path, { ...options, headers: { ...from(address), ...options.headers } })
const clientCall = (address: string, form: Record<string, string>) =>
  postForm(`${narrow.origin}/oauth/token`, { grant_type: 'refresh_token', refresh_token: 'x', ...form }, from(address))

/** How many statements the process has sent meanwhile. */
async function statements(work: () => Promise<unknown>): Promise<number> {
  const sent = async () => Number(/^bahi_database_round_trips_total (\d+)/m.exec((await send(`${narrow.origin}/metrics`)).text)![1])
  const before = await sent()
  await work()
  return (await sent()) - before
}
/** The statuses of so many calls. */
async function statuses(times: number, one: () => Promise<{ status: number }>): Promise<number[]> {
  const seen: number[] = []
  for (let time = 0; time < times; time += 1) seen.push((await one()).status)
  return seen
}
const times = (count: number, status: number) => Array<number>(count).fill(status)
/** Uses up the limit of the address, and what the spent ones share; returns the address. */
async function spend(): Promise<string> {
  const address = newAddress()
  await statuses(LIMIT + 1, () => call('/api/public/v1/whoami', address))
  await statuses(LIMIT + 1, () => clientCall(address, { ...asApp(app), client_secret: 'wrong' }))
  return address
}

beforeAll(async () => {
  app = await registerApp(service)
  mobile = await registerApp(service, { isPublic: true, redirectUris: ['http://127.0.0.1/cb'] })
})

describe('cookies', () => {
  beforeAll(open)
  afterAll(() => narrow.close())
  const madeUp = () => ({ ...OWN_PAGE, cookie: Array.from({ length: 4 }, () => `bahi_session=${mintSecret(PREFIXES.pat).slice(-43)}`).join('; ') })

  test.each(['/api/public/v1/contacts', '/internal/v1/session'])('that are made up are 429 without a query: %s', async (path) => {
    const address = await spend()
    const sent = await statements(async () => expect(await statuses(MANY, () => call(path, address, { headers: madeUp() }))).toEqual(times(MANY, 429)))
    expect(sent).toBeLessThanOrEqual(FEW)
  })

  test('of a session that was valid lately pass from there; one that has ended is looked up once', async () => {
    const person = await personWith(service, orgId, 'OWNER')
    const read = (address: string) => call('/internal/v1/session', address, { headers: { ...OWN_PAGE, cookie: person.cookie } })
    expect((await read(newAddress())).status).toBe(200)
    const address = await spend()
    expect((await read(address)).status).toBe(200)
    await person.call('DELETE', '/session')
    expect((await read(address)).status).toBe(429)
    expect(await statements(async () => expect(await statuses(MANY, () => read(address))).toEqual(times(MANY, 429)))).toBeLessThanOrEqual(FEW)
  })
})

describe('a session that this process has not seen', () => {
  beforeAll(open)
  afterAll(() => narrow.close())

  test('passes within what the spent addresses share', async () => {
    const person = await personWith(service, orgId, 'OWNER')
    const address = newAddress()
    expect(await statuses(LIMIT + 1, () => call('/api/public/v1/whoami', address))).toEqual([...times(LIMIT, 401), 429])
    expect((await call('/internal/v1/session', address, { headers: { ...OWN_PAGE, cookie: person.cookie } })).status).toBe(200)
  })
})

describe('clients of OAuth', () => {
  beforeAll(open)
  afterAll(() => narrow.close())

  test('that are made up, public or have a wrong secret are 429 without a query; one that was valid lately passes', async () => {
    expect((await clientCall(newAddress(), asApp(app))).status).toBe(400)
    const address = await spend()
    const sent = await statements(async () => {
      for (const form of [{ ...asApp(app), client_secret: 'wrong' }, { client_id: orgId }, { client_id: orgId, client_secret: 'x' }, asApp(mobile)])
        expect(await statuses(MANY, () => clientCall(address, form))).toEqual(times(MANY, 429))
    })
    expect(sent).toBeLessThanOrEqual(FEW)
    expect((await clientCall(address, asApp(app))).status).toBe(400)
  })

  test.each<[string, number, (headers: Record<string, string>) => Promise<{ status: number }>]>([
    ['another type of body', 400, (headers) => send(`${narrow.origin}/oauth/token`, { method: 'POST', headers: { ...headers, 'content-type': 'text/plain' }, body: 'x' })],
    ['a parameter twice', 400, (headers) => postForm(`${narrow.origin}/oauth/introspect`, [['a', '1'], ['a', '1']], headers)],
    ['two credentials', 400, (headers) => postForm(`${narrow.origin}/oauth/token`, asApp(app), { ...headers, authorization: `Basic ${btoa('a:b')}` })],
    ['another method', 405, (headers) => send(`${narrow.origin}/oauth/revoke`, { headers })],
    ['a body that is too large', 413, (headers) => postForm(`${narrow.origin}/oauth/token`, { a: 'a'.repeat(40_000) }, headers)],
    ['no client', 401, (headers) => postForm(`${narrow.origin}/oauth/token`, { a: 'a' }, headers)],
  ])('calls with %s are counted by address', async (_name, status, one) => {
    const address = newAddress()
    expect(await statuses(LIMIT + 1, () => one(from(address)))).toEqual([...times(LIMIT, status), 429])
  })
})

test('an access token that was revoked is known to be dead, whatever organisation is named', async () => {
  const { tokens } = await connect(service, app, [orgId])
  await open()
  try {
    const read = (named: string) => call(`/api/public/v1/invoices?organization_id=${named}`, newAddress(), { token: tokens.access_token })
    expect((await read(orgId)).status).toBe(200)
    expect((await postForm(`${narrow.origin}/oauth/revoke`, { ...asApp(app), token: tokens.access_token }, from(newAddress()))).status).toBe(200)
    // It remembers as soon as it has loaded which secrets there are.
    for (let sent = 1; sent > 0; ) sent = await statements(async () => expect((await read(orgId)).status).toBe(401))
    const sent = await statements(async () => expect(await statuses(MANY, () => read(randomUUID()))).toEqual(times(MANY, 401)))
    expect(sent).toBeLessThanOrEqual(FEW)
  } finally {
    await narrow.close()
  }
})
