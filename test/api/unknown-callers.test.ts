// Calls without a valid token: counted by address, refused without a query, and never at the expense of a valid one.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { boundKeys } from '../../api/http/rate-limit.ts'
import { freePort } from '../../bin/services/port.ts'
import { onPath } from '../../bin/services/process.ts'
import { startRedis } from '../../bin/services/redis.ts'
import { mintSecret, PREFIXES } from '../../models/token.ts'
import { readLocalRun } from '../../settings.ts'
import type { Answered, CallOptions } from '../fixtures/client.ts'
import { startService, type Service } from '../fixtures/service.ts'

const local = readLocalRun()
const redisServer = onPath('redis-server', local.path)
const LIMIT = 5
const rates = ({ headers }: Answered) => [Number(headers['x-ratelimit-limit']), Number(headers['x-ratelimit-remaining'])]
const madeUp = () => mintSecret(PREFIXES.pat)

// The tests stand on a trusted proxy's socket, so that each has addresses of its own.
let lastAddress = 0
const newAddress = () => `198.51.100.${(lastAddress += 1)}`

/** Statements that the API has sent to PostgreSQL since its start. */
async function statements(service: Service): Promise<number> {
  const text = await (await fetch(`${service.origin}/metrics`)).text()
  return Number(/^bahi_database_round_trips_total (\d+)/m.exec(text)![1])
}

function tests(settings: () => Record<string, string>): void {
  let service: Service
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_DEFAULT: String(LIMIT), TRUSTED_PROXIES: '127.0.0.0/8,::1', ...settings() })
    // By now the process has loaded which secrets there are.
    await until(async () => {
      const before = await statements(service)
      for (let call = 0; call < LIMIT + 1; call += 1) await from('203.0.113.1', { token: madeUp() })
      return (await statements(service)) - before <= LIMIT
    })
  })
  afterAll(() => service.close())

  async function until(holds: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; !(await holds()); tries += 1) {
      if (tries > 1_000) throw new Error('it never came to hold')
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }
  const from = (address: string, options: CallOptions, path = '/whoami', method = 'GET') =>
    service.call(method, path, { ...options, headers: { 'x-forwarded-for': address, ...options.headers } })
  async function exhaust(address: string): Promise<void> {
    for (let call = 0; call < LIMIT; call += 1) await from(address, { token: madeUp() })
    expect((await from(address, { token: madeUp() })).status).toBe(429)
  }

  test('as many as the default limit, then 429 with the usual headers and without a query', async () => {
    const address = newAddress()
    const dead = await service.token((await service.organization()).orgId, { revoked: new Date(Date.now() - 1000) })
    const sent: [CallOptions, string?, string?][] = [
      [{}], [{ token: madeUp() }], [{ token: dead }], [{ headers: { authorization: 'Basic x' } }, '/activity'],
      [{ partnerKey: `${service.partnerKey}x` }, '/partner/organizations', 'POST'],
    ]
    for (const [place, [options, path, method]] of sent.entries()) {
      const refused = await from(address, options, path, method)
      expect([refused.status, rates(refused)]).toEqual([401, [LIMIT, LIMIT - 1 - place]])
    }
    const before = await statements(service)
    for (const [options, path, method] of sent) {
      const refused = await from(address, options, path, method)
      const retryAfter = Number(refused.headers['retry-after'])
      expect([refused.status, refused.body.code, rates(refused)]).toEqual([429, 'rate_limit.exceeded', [LIMIT, 0]])
      expect(refused.body.details).toEqual({ limit: LIMIT, retry_after: retryAfter })
      // Whole seconds both: the moment of the reset is the wait after now, within the second that is rounded.
      expect(retryAfter).toBeGreaterThan(0)
      expect(Number(refused.headers['x-ratelimit-reset']) - retryAfter - Date.now() / 1000).toBeLessThanOrEqual(1)
    }
    // One at the most: the notification of the new organisation makes the process forget once that the token is revoked.
    expect((await statements(service)) - before).toBeLessThanOrEqual(1)
  })

  test('a valid token is not refused for its address, be it used before, new, or a partner key', async () => {
    const address = newAddress()
    const { orgId, token: used } = await service.organization()
    expect((await from(address, { token: used })).status).toBe(200)
    const unused = await service.token(orgId)
    await exhaust(address)
    const after = await service.token(orgId)
    // Another process gave it out; this one hears of it a moment later.
    await until(async () => (await from(address, { token: after })).status === 200)
    // What changes a token or organisation makes the process forget whom it knows.
    await service.sql('UPDATE organizations SET name = name WHERE id = $1', orgId)
    for (const token of [used, unused]) {
      expect((await from(address, { token })).status).toBe(200)
      expect((await from(address, { token, body: {} }, '/echo', 'POST')).status).toBe(200)
    }
    expect((await from(address, { partnerKey: service.partnerKey }, '/partner/organizations')).status).toBe(200)
    expect((await from(address, { token: madeUp() })).status).toBe(429)
  })

  test('a token is counted as itself, whatever its address sends', async () => {
    const address = newAddress()
    const token = await service.token((await service.organization()).orgId)
    // With its first call the process knows the token, whether or not it has heard of it by then.
    expect(rates(await from(newAddress(), { token }))).toEqual([LIMIT, LIMIT - 1])
    expect(rates(await from(address, { token }))).toEqual([LIMIT, LIMIT - 2])
    expect(rates(await from(address, {}))).toEqual([LIMIT, LIMIT - 1])
    expect(rates(await from(newAddress(), { token }))).toEqual([LIMIT, LIMIT - 3])
  })

  test('another address has a budget of its own; IPv6 has one for 64 bits', async () => {
    await exhaust('2001:db8:1:1::1')
    expect((await from('2001:DB8:1:1:ffff::2', {})).status).toBe(429)
    expect((await from('2001:db8:1:2::1', {})).status).toBe(401)
    await exhaust('203.0.113.7')
    expect((await from('::ffff:203.0.113.7', {})).status).toBe(429)
    expect((await from('203.0.113.8', {})).status).toBe(401)
  })

  test('an expired token is known to be dead until it is changed', async () => {
    const token = await service.token((await service.organization()).orgId, { expires: new Date(Date.now() - 1000) })
    // The notification of the new token may come after the first call, and makes the process forget once.
    await until(async () => {
      const before = await statements(service)
      expect((await from(newAddress(), { token })).status).toBe(401)
      return (await statements(service)) === before
    })
    await service.sql('UPDATE tokens SET expires_time = NULL WHERE expires_time < now()')
    await until(async () => (await from(newAddress(), { token })).status === 200)
  })

  test('many calls at once get exactly as many 401 as the limit', async () => {
    const address = newAddress()
    const answers = await Promise.all(Array.from({ length: 40 }, () => from(address, { token: madeUp() })))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(LIMIT)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40 - LIMIT)
  })
}

describe('in the process alone', () => tests(() => ({})))

if (redisServer || local.ci) describe('with Redis', () => {
  let folder: string
  let redis: Awaited<ReturnType<typeof startRedis>>
  let url: string
  beforeAll(async () => {
    expect(redisServer).toBeTruthy()
    folder = mkdtempSync(join(tmpdir(), 'bahi-redis-'))
    const port = await freePort(undefined)
    redis = await startRedis({ binary: redisServer!, dataDir: folder, port, log: join(folder, 'log'), inherited: local.inherited })
    url = `redis://127.0.0.1:${port}`
  })
  afterAll(async () => {
    await redis.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  tests(() => ({ REDIS_URL: url }))
})

describe('while Redis is away', () => tests(() => ({ REDIS_URL: 'redis://127.0.0.1:9' })))

test('without TRUSTED_PROXIES the header is not read, and the log and the activity name the socket', async () => {
  const service = await startService({ RATE_LIMIT_DEFAULT: '2' })
  const statuses = []
  for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
    statuses.push((await service.call('GET', '/whoami', { headers: { 'x-forwarded-for': address } })).status)
  }
  expect(statuses).toEqual([401, 401, 429])
  await service.organization()
  expect(await service.sql(`SELECT DISTINCT metadata ->> 'ip' AS ip FROM activity`)).toEqual([{ ip: '127.0.0.1' }])
  await service.close()
})

test('with it, the activity names the address that the proxy forwarded', async () => {
  const service = await startService({ TRUSTED_PROXIES: '127.0.0.1' })
  const created = await service.call('POST', '/partner/organizations', {
    partnerKey: service.partnerKey, key: 'one', body: { name: 'Zaveri' }, headers: { 'x-forwarded-for': '10.9.9.9, 203.0.113.4' },
  })
  expect(created.status).toBe(201)
  expect(await service.sql(`SELECT DISTINCT metadata ->> 'ip' AS ip FROM activity`)).toEqual([{ ip: '203.0.113.4' }])
  await service.close()
})

test('more addresses than are counted share one budget, until a window has passed', () => {
  const bound = boundKeys(2)
  const at = (second: number) => new Date(second * 1000)
  expect(['a', 'b', 'c', 'd', 'a'].map((key) => bound(key, at(0)))).toEqual(['a', 'b', 'others', 'others', 'a'])
  expect(['c', 'a'].map((key) => bound(key, at(59)))).toEqual(['others', 'a'])
  expect(['c', 'd', 'a'].map((key) => bound(key, at(60)))).toEqual(['c', 'd', 'others'])
})
