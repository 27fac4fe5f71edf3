// The limits of requests: counted per token and minute, sent with every answer, shared through Redis, and never in the way when Redis is not there.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { freePort } from '../../bin/services/port.ts'
import { onPath } from '../../bin/services/process.ts'
import { startRedis } from '../../bin/services/redis.ts'
import { readLocalRun } from '../../settings.ts'
import { BASE_PATH } from '../../api/server.ts'
import { callAt, type Answered } from '../fixtures/client.ts'
import { startService, type Service } from '../fixtures/service.ts'

const local = readLocalRun()
const redisServer = onPath('redis-server', local.path)
const rates = ({ headers }: Answered) => [Number(headers['x-ratelimit-limit']), Number(headers['x-ratelimit-remaining'])]

describe('by default', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_DEFAULT: '', RATE_LIMIT_PARTNER: '' })
  })
  afterAll(() => service.close())

  // First: a token that PostgreSQL has not told this process of yet costs the address too.
  test('without a token, or with one that opens nothing, it is the budget of the address', async () => {
    expect(rates(await service.call('GET', '/whoami'))).toEqual([600, 599])
    expect(rates(await service.call('GET', '/whoami', { token: 'svc_pat_unknown' }))).toEqual([600, 598])
    expect(rates(await service.call('GET', '/partner/organizations', { partnerKey: 'svc_prt_unknown' }))).toEqual([600, 597])
  })

  test('600 a minute for a token, 3,000 for one of the partner tier and for a partner key', async () => {
    const { orgId } = await service.organization()
    const [own, partner] = [await service.token(orgId), await service.token(orgId, { tier: 'PARTNER' })]
    const before = Date.now() / 1000
    const answer = await service.call('GET', '/whoami', { token: own })
    expect(rates(answer)).toEqual([600, 599])
    expect(Number(answer.headers['x-ratelimit-reset'])).toBeGreaterThan(before + 55)
    expect(Number(answer.headers['x-ratelimit-reset'])).toBeLessThanOrEqual(Date.now() / 1000 + 61)
    expect(rates(await service.call('GET', '/whoami', { token: own }))).toEqual([600, 598])
    expect(rates(await service.call('GET', '/whoami', { token: partner }))).toEqual([3000, 2999])
    expect(rates(await service.call('GET', '/partner/organizations', { partnerKey: await service.newPartnerKey() }))).toEqual([3000, 2999])
  })

  test('calls that need no token, and unmatched routes, are not counted and answer the default limit', async () => {
    for (const path of ['/ping', '/no/such', '/errors']) expect(rates(await service.call('GET', path))).toEqual([600, 600])
  })
})

describe('an overrun', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_DEFAULT: '5' })
  })
  afterAll(() => service.close())

  test('is refused with 429, Retry-After and details; other tokens go on', async () => {
    const { orgId } = await service.organization()
    const [hasty, calm] = [await service.token(orgId), await service.token(orgId)]
    // Refusals count too: what is not there, what is not allowed, what has the wrong shape.
    for (const path of ['/whoami', '/no_such', '/contacts/x', '/whoami?organization_id=x', '/contacts?per_page=0', '/contacts', '/contacts']) {
      await service.call('GET', path, { token: hasty })
    }
    const refused = await service.call('GET', '/whoami', { token: hasty })
    const retryAfter = Number(refused.headers['retry-after'])
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limit.exceeded'])
    expect(retryAfter).toBeGreaterThan(0)
    expect(retryAfter).toBeLessThanOrEqual(60)
    expect(refused.body.details).toEqual({ limit: 5, retry_after: retryAfter })
    expect(rates(refused)).toEqual([5, 0])
    expect((await service.call('GET', '/whoami', { token: calm })).status).toBe(200)
  })

  test('counts the calls of a suspended organisation, and those that name another one', async () => {
    const { orgId } = await service.organization()
    const [open, closed] = [await service.token(orgId), await service.token((await service.organization()).orgId)]
    await service.sql(`UPDATE organizations SET status = 'SUSPENDED' WHERE id <> $1`, orgId)
    const sent: [string, object][] = [[closed, {}], [open, { 'x-svc-org': 'other' }]]
    for (const [token, headers] of sent) {
      const statuses = []
      for (let n = 0; n < 7; n += 1) {
        // A read may be served from memory until PostgreSQL's notification of the change arrives.
        const { status, headers: { 'x-ratelimit-remaining': left } } = await service.call('POST', '/echo', { token, body: {}, headers: { ...headers } })
        statuses.push([status, left])
      }
      const refused = token === closed ? 403 : 404
      expect(statuses).toEqual([...['4', '3', '2', '1', '0'].map((left) => [refused, left]), [429, '0'], [429, '0']])
    }
  })

  test('comes before scope, key and body, and takes no key', async () => {
    const { orgId } = await service.organization()
    const token = await service.token(orgId)
    for (let n = 0; n < 5; n += 1) await service.call('GET', '/whoami', { token })
    const refused = await service.call('POST', '/invoices', { token, key: 'k', raw: '{' })
    expect(refused.status).toBe(429)
    expect(await service.sql('SELECT FROM idempotent_answers AS a JOIN tokens AS t ON t.id = a.subject WHERE t.org_id = $1', orgId)).toEqual([])
    const reader = await service.token(orgId, { scopes: [] })
    for (let n = 0; n < 5; n += 1) expect((await service.call('GET', '/contacts', { token: reader })).status).toBe(403)
    expect((await service.call('GET', '/contacts', { token: reader })).status).toBe(429)
  })

  test('of many calls at once exactly as many as the limit succeed', async () => {
    const token = await service.token((await service.organization()).orgId)
    const answers = await Promise.all(Array.from({ length: 40 }, () => service.call('GET', '/whoami', { token })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(35)
  })
})

if (redisServer || local.ci) describe('with Redis', () => {
  let folder: string
  let port: number
  let redis: Awaited<ReturnType<typeof startRedis>>
  const start = () => startRedis({ binary: redisServer!, dataDir: folder, port, log: join(folder, 'log'), inherited: local.inherited })
  beforeAll(async () => {
    // With CI=true a missing redis-server is a failure, not a reason to pass.
    expect(redisServer).toBeTruthy()
    folder = mkdtempSync(join(tmpdir(), 'bahi-redis-'))
    port = await freePort(undefined)
    redis = await start()
  })
  afterAll(async () => {
    await redis.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const readyState = async (origin: string) =>
    ((await (await fetch(`${origin}/health/ready`)).json()) as { parts: Record<string, string> }).parts.redis

  async function until(holds: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; !(await holds()); tries += 1) {
      if (tries > 1_000) throw new Error('it never came to hold')
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }

  test('two API processes count together; without it each goes on by itself, and they meet again', async () => {
    const service = await startService({ RATE_LIMIT_DEFAULT: '10', REDIS_URL: `redis://127.0.0.1:${port}` })
    const second = await service.another()
    const { orgId } = await service.organization()
    const callSecond = callAt(`${second.origin}${BASE_PATH}`)
    await until(async () => (await readyState(service.origin)) === 'up' && (await readyState(second.origin)) === 'up')
    const token = await service.token(orgId)
    for (let n = 1; n <= 5; n += 1) {
      expect(rates(await service.call('GET', '/whoami', { token }))).toEqual([10, 11 - 2 * n])
      expect(rates(await callSecond('GET', '/whoami', { token }))).toEqual([10, 10 - 2 * n])
    }
    expect((await service.call('GET', '/whoami', { token })).status).toBe(429)
    expect((await callSecond('GET', '/whoami', { token })).status).toBe(429)

    // Killed in the middle of a stream of requests: not one of them fails, and none waits for Redis, which comes back only later.
    const steady = await service.token(orgId, { tier: 'PARTNER' })
    const statuses = new Set<number>()
    let going = true
    const stream = Promise.all(Array.from({ length: 4 }, async () => {
      while (going) {
        statuses.add((await service.call('GET', '/whoami', { token: steady })).status)
      }
    }))
    await new Promise((resolve) => setTimeout(resolve, 100))
    process.kill(redis.process!.pid, 'SIGKILL')
    await until(async () => (await readyState(service.origin)) === 'away')
    await new Promise((resolve) => setTimeout(resolve, 300))
    const ready = (await (await fetch(`${service.origin}/health/live`)).json()) as object
    expect(ready).toEqual({ status: 'live' })
    going = false
    await stream
    expect([...statuses]).toEqual([200])
    const alone = await service.token(orgId)
    for (let n = 0; n < 10; n += 1) expect((await service.call('GET', '/whoami', { token: alone })).status).toBe(200)
    expect((await service.call('GET', '/whoami', { token: alone })).status).toBe(429)

    redis = await start()
    await until(async () => (await readyState(service.origin)) === 'up' && (await readyState(second.origin)) === 'up')
    const again = await service.token(orgId)
    await service.call('GET', '/whoami', { token: again })
    expect(rates(await callSecond('GET', '/whoami', { token: again }))).toEqual([10, 8])
    await second.close()
    await service.close()
  }, 120_000)

  test('a Redis that accepts and never answers holds no request up', async () => {
    const sockets: Socket[] = []
    const silent: Server = createServer((socket) => void sockets.push(socket))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port: silentPort } = silent.address() as { port: number }
    const service = await startService({ REDIS_URL: `redis://127.0.0.1:${silentPort}` })
    const { token } = await service.organization()
    // Each is answered although Redis has answered nothing.
    for (let n = 0; n < 5; n += 1) expect((await service.call('GET', '/whoami', { token })).status).toBe(200)
    expect(sockets.length).toBeGreaterThan(0)
    await service.close()
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => silent.close(resolve))
  })
})
