// Signing in: the cookie, the same answer for every failure, pages of other sites, and passwords that are guessed.
import { createHook } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { addPerson, cookieOf, givePassword, OWN_PAGE, pageOf, PASSWORD } from '../fixtures/persons.ts'
import { codeOf, UNKNOWN, useSignIns } from '../fixtures/sign-ins.ts'

const { service, orgId, email, page, plain, elsewhere } = await useSignIns()

describe('signing in', () => {
  test('answers who it is, and sets the cookie of a new session each time', async () => {
    const answer = await page('POST', '/session', { body: { email: 'usha@SILKS.example', password: PASSWORD } })
    expect([answer.status, answer.body]).toEqual([201, {
      code: 0, message: 'Signed in.', user: { user_id: expect.any(String), email, name: 'Usha' },
      organizations: [{ org_id: orgId, name: 'Asha Traders', role: 'OWNER' }], organization: { org_id: orgId, name: 'Asha Traders', role: 'OWNER' },
    }])
    expect(answer.headers['set-cookie']).toMatch(/^bahi_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800; Secure$/)
    expect(answer.headers['cache-control']).toBe('no-store')
    const [kept] = await service.sql<{ secret_hash: Buffer }>('SELECT secret_hash FROM sessions ORDER BY created_time DESC')
    expect(kept!.secret_hash.toString('latin1')).not.toContain(cookieOf(answer).slice(13))
    const { body } = await pageOf(service.origin, cookieOf(answer))('GET', '/session')
    expect(body).toEqual({ ...answer.body, message: 'success' })
  })

  test('never takes over a secret that the browser sends, and ends the session that it had', async () => {
    const planted = `bahi_session=${'A'.repeat(43)}`
    const first = await page('POST', '/session', { body: { email, password: PASSWORD }, headers: { cookie: planted } })
    expect(cookieOf(first)).not.toBe(planted)
    const second = await pageOf(service.origin, cookieOf(first))('POST', '/session', { body: { email, password: PASSWORD } })
    expect(codeOf(await pageOf(service.origin, cookieOf(first))('GET', '/session'))).toEqual(UNKNOWN)
    expect((await pageOf(service.origin, cookieOf(second))('GET', '/session')).status).toBe(200)
    expect(codeOf(await pageOf(service.origin, planted)('GET', '/session'))).toEqual(UNKNOWN)
  })

  test('is refused with the same answer after the same work, whatever is wrong', async () => {
    const withoutPassword = await addPerson(service, orgId, 'VIEWER')
    let hashes = 0
    const kinds = new Set<string>()
    const hook = createHook({ init: (_id, type) => { kinds.add(type); if (/argon2/i.test(type)) hashes += 1 } }).enable()
    const tried = []
    for (const body of [{ email, password: 'tamarind rivers' }, { email: 'nobody@silks.example', password: PASSWORD }, { email: withoutPassword, password: PASSWORD }, { email: 'x', password: '' }]) {
      const [trips, before] = [service.pool.roundTrips(), hashes]
      const { status, body: { request_id: _id, ...refused }, headers } = await page('POST', '/session', { body, headers: elsewhere() })
      tried.push({ status, refused, cookie: headers['set-cookie'], trips: service.pool.roundTrips() - trips, hashes: hashes - before })
    }
    hook.disable()
    expect(tried[0]).toMatchObject({ status: 401, refused: { code: 'auth.invalid_token', message: 'The e-mail address or the password is wrong.' }, hashes: 1 })
    for (const one of tried) expect(one).toEqual(tried[0])
  })

  test('with a body of another shape says so', async () => {
    expect(codeOf(await page('POST', '/session', { body: { email } }))).toEqual([422, 'validation.failed'])
    expect(codeOf(await page('POST', '/session', { body: { email, password: { $ne: '' } } }))).toEqual([422, 'validation.failed'])
    expect(codeOf(await page('POST', '/session', { body: { email, password: 'x'.repeat(20_000) } }))).toEqual([413, 'request.too_large'])
    expect(codeOf(await page('POST', '/session', { raw: 'email=a', headers: { 'content-type': 'application/x-www-form-urlencoded' } }))).toEqual([415, 'request.unsupported_media_type'])
  })

  test('from a page of another site, or with a token, is refused', async () => {
    const client = await service.organization()
    const body = { email, password: PASSWORD }
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { origin: 'https://books.example.evil.test' }, { origin: 'null' },
      { authorization: `Bearer ${client.token}` }] as Record<string, string>[]) {
      expect(codeOf(await plain('POST', '/session', { body, headers }))).toEqual(UNKNOWN)
    }
    for (const headers of [{}, { origin: 'https://books.example' }, OWN_PAGE] as Record<string, string>[]) expect((await plain('POST', '/session', { body, headers })).status).toBe(201)
  })

  test('with an Idempotency-Key stores no answer', async () => {
    const send = () => page('POST', '/session', { body: { email, password: PASSWORD }, key: 'once' })
    expect(cookieOf(await send())).not.toBe(cookieOf(await send()))
    expect(await service.sql(`SELECT FROM idempotent_answers WHERE key = 'once'`)).toEqual([])
  })
})

describe('guessed passwords', () => {
  const guess = (of: string, headers: Record<string, string>, password = 'guess it now') => page('POST', '/session', { body: { email: of, password }, headers })

  test('of an account: ten fail, from wherever and at once, then nobody gets in', async () => {
    const victim = await addPerson(service, orgId, 'VIEWER')
    await givePassword(service, orgId, victim)
    const tried = await Promise.all(Array.from({ length: 14 }, () => guess(victim, elsewhere())))
    expect(tried.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(401), ...Array(4).fill(429)])
    expect(await service.sql(`SELECT FROM sign_ins AS s JOIN people AS p ON s.key = 'account ' || p.id WHERE p.email = $1 AND cardinality(s.times) = 10`, victim)).toEqual([{}])
    const right = await guess(` ${victim.toUpperCase()}`, elsewhere(), PASSWORD)
    expect(codeOf(right)).toEqual([429, 'rate_limit.exceeded'])
    expect(right.body.details).toEqual({ limit: 10, retry_after: Number(right.headers['retry-after']) })
    expect(Number(right.headers['retry-after'])).toBeLessThanOrEqual(900)
    // In another process too, and until the oldest is fifteen minutes ago.
    const other = await service.another()
    try {
      expect((await pageOf(other.origin)('POST', '/session', { body: { email: victim, password: PASSWORD }, headers: elsewhere() })).status).toBe(429)
      await service.sql(`UPDATE sign_ins SET times = array(SELECT t - interval '15 minutes' FROM unnest(times) AS t) WHERE cardinality(times) = 10`)
      expect((await pageOf(other.origin)('POST', '/session', { body: { email: victim, password: PASSWORD }, headers: elsewhere() })).status).toBe(201)
    } finally {
      await other.close()
    }
  })

  test('from one address: ten fail, for whatever accounts; those of a network of IPv6 are one', async () => {
    const same = { 'x-forwarded-for': '2001:db8:1:2::7' }
    for (let times = 0; times < 10; times += 1) expect((await guess(`${randomUUID()}@silks.example`, same)).status).toBe(401)
    expect((await guess(email, { 'x-forwarded-for': '2001:db8:1:2:ffff::1' }, PASSWORD)).status).toBe(429)
    expect((await guess(email, { 'x-forwarded-for': '2001:db8:1:3::7' }, PASSWORD)).status).toBe(201)
  })

  test('that are right do not count', async () => {
    const same = elsewhere()
    for (let times = 0; times < 12; times += 1) expect((await guess(email, same, PASSWORD)).status).toBe(201)
  })

  test('leave no rows behind', async () => {
    await service.sql(`INSERT INTO sign_ins (key, times, last_time) SELECT 'old ' || n, '{}', now() - interval '16 minutes' FROM generate_series(1, 20) AS n`)
    await guess(email, elsewhere(), PASSWORD)
    expect(await service.sql(`SELECT FROM sign_ins WHERE key LIKE 'old %'`)).toEqual([])
  })
})
