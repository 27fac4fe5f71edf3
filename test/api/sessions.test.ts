// Sessions: how they are recognised, from where they change something, what ends them, and for which organisation they are.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Answered, Json } from '../fixtures/client.ts'
import { addPerson, cookieOf, givePassword, OWN_PAGE, pageOf, PASSWORD, personWith, signIn } from '../fixtures/persons.ts'
import { codeOf, UNKNOWN, useSignIns } from '../fixtures/sign-ins.ts'

const { service, orgId, email, page, plain, elsewhere } = await useSignIns()

describe('a session', () => {
  test('is no token, and a token is no session', async () => {
    const { cookie } = await signIn(service, email)
    const client = await service.organization()
    expect(codeOf(await plain('GET', '/session', { token: client.token }))).toEqual(UNKNOWN)
    expect(codeOf(await plain('GET', '/session', { token: client.token, headers: { cookie } }))).toEqual(UNKNOWN)
    expect(codeOf(await service.call('GET', '/whoami', { token: cookie.slice(13) }))).toEqual(UNKNOWN)
    for (const wrong of ['', 'bahi_session=', 'bahi_session=x', `${cookie}x`, `bahi_session=${'B'.repeat(43)}`, cookie.toUpperCase(), `other=${cookie.slice(13)}`]) {
      expect(codeOf(await plain('GET', '/session', { headers: { cookie: wrong } }))).toEqual(UNKNOWN)
    }
    const dead = ['x', 'B'.repeat(43), 'C'.repeat(43)].map((secret) => `bahi_session=${secret}`)
    const rights = [cookie, `theme=dark; ${cookie}`, `${cookie}; ${cookie}`, `${dead.join('; ')}; ${cookie}`, `${cookie}; ${dead[1]}`]
    for (const right of rights) expect((await plain('GET', '/session', { headers: { cookie: right } })).status).toBe(200)
    // Two that live: one may be the attacker's.
    const { cookie: another } = await signIn(service, email)
    expect(codeOf(await plain('GET', '/session', { headers: { cookie: `${cookie}; ${another}` } }))).toEqual(UNKNOWN)
  })

  test('changes something only for a page of ours', async () => {
    const { cookie } = await signIn(service, email)
    for (const headers of [{}, { 'sec-fetch-site': 'none' }, { 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' },
      { origin: 'http://books.example' }, { origin: 'null' },
      { referer: 'https://books.example/' }] as Record<string, string>[]) {
      expect(codeOf(await plain('DELETE', '/session', { headers: { cookie, ...headers } }))).toEqual(UNKNOWN)
      expect(codeOf(await plain('PUT', '/preferences', { body: {}, headers: { cookie, ...headers } }))).toEqual(UNKNOWN)
    }
    expect((await plain('PUT', '/preferences', { body: {}, headers: { cookie, origin: 'https://books.example' } })).status).toBe(200)
    expect((await plain('GET', '/session', { headers: { cookie, 'sec-fetch-site': 'cross-site' } })).status).toBe(200)
  })

  test('ends by signing out', async () => {
    const { call } = await signIn(service, email)
    const { status, body, headers } = await call('DELETE', '/session')
    expect([status, body, headers['set-cookie']]).toEqual([200, { code: 0, message: 'Signed out.' }, 'bahi_session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure'])
    expect(codeOf(await call('GET', '/session'))).toEqual(UNKNOWN)
    expect(codeOf(await call('DELETE', '/session'))).toEqual(UNKNOWN)
  })

  test.each([['twelve hours without use', `last_used_time = now() - interval '12 hours 1 second'`], ['seven days',
    `created_time = now() - interval '7 days 1 second'`]])('ends after %s', async (_what, change) => {
    const person = await personWith(service, orgId, 'VIEWER')
    const [{ id } = { id: '' }] = (await person.call('GET', '/sessions')).body.sessions.map(({ session_id }: Json) => ({ id: session_id }))
    await service.sql(`UPDATE sessions SET ${change} WHERE id = $1`, id)
    expect(codeOf(await person.call('GET', '/session'))).toEqual(UNKNOWN)
    expect(codeOf(await person.call('PUT', '/preferences', { body: {} }))).toEqual(UNKNOWN)
    await signIn(service, person.email)
    expect(await service.sql('SELECT FROM sessions WHERE id = $1', id)).toEqual([])
  })

  test('keeps its last use some minutes apart, not with every call', async () => {
    const { call } = await personWith(service, orgId, 'VIEWER')
    const read = async () => (await call('GET', '/sessions')).body.sessions[0]
    const { session_id, last_used_time } = await read()
    expect((await read()).last_used_time).toBe(last_used_time)
    await service.sql(`UPDATE sessions SET last_used_time = now() - interval '6 minutes' WHERE id = $1`, session_id)
    expect(Date.parse((await read()).last_used_time)).toBeGreaterThan(Date.parse(last_used_time))
  })

  test('is listed and ended by its person alone', async () => {
    const owner = await personWith(service, orgId, 'OWNER')
    const elsewhere = await signIn(service, owner.email)
    const stranger = await personWith(service, orgId, 'OWNER')
    const { sessions } = (await owner.call('GET', '/sessions', { headers: { 'user-agent': 'Console' } })).body
    expect(sessions).toEqual([
      { session_id: expect.any(String), current: false, created_time: expect.any(String), last_used_time: expect.any(String), ip: '127.0.0.1', user_agent: expect.any(String) },
      expect.objectContaining({ current: true }),
    ])
    const [other, own] = sessions.map(({ session_id }: Json) => session_id)
    for (const id of [own, randomUUID(), 'x']) expect(codeOf(await stranger.call('DELETE', `/sessions/${id}`))).toEqual([404, 'not_found.resource'])
    expect((await owner.call('DELETE', `/sessions/${other.toUpperCase()}`)).headers['set-cookie']).toBeUndefined()
    expect(codeOf(await elsewhere.call('GET', '/session'))).toEqual(UNKNOWN)
    expect((await owner.call('DELETE', `/sessions/${own}`)).headers['set-cookie']).toContain('Max-Age=0')
    expect(codeOf(await owner.call('GET', '/session'))).toEqual(UNKNOWN)
  })

  test('ends with a new password, and one that begins meanwhile does not begin', async () => {
    const person = await personWith(service, orgId, 'OWNER')
    const settled = await Promise.all([
      givePassword(service, orgId, person.email, 'another river'), ...Array.from({ length: 3 }, () => page('POST', '/session', { body: { email: person.email, password: PASSWORD }, headers: elsewhere() })),
    ])
    expect(codeOf(await person.call('GET', '/session'))).toEqual(UNKNOWN)
    for (const answer of settled.slice(1) as Answered[]) {
      if (answer.status === 201) expect(codeOf(await pageOf(service.origin, cookieOf(answer))('GET', '/session'))).toEqual(UNKNOWN)
    }
    expect(await service.sql('SELECT FROM sessions AS s JOIN people AS p ON p.id = s.person_id WHERE p.email = $1', person.email)).toEqual([])
    await signIn(service, person.email, 'another river')
  })

  test('of a person are fifty at most: the oldest ends', async () => {
    const person = await personWith(service, orgId, 'VIEWER')
    await service.sql(
      `INSERT INTO sessions SELECT gen_random_uuid(), person_id, decode(md5(n::text), 'hex'), NULL, NULL, now() + n * interval '1 second', now() FROM sessions AS s
         JOIN people AS p ON p.id = s.person_id AND p.email = $1, generate_series(1, 49) AS n`, person.email)
    await signIn(service, person.email)
    expect(codeOf(await person.call('GET', '/session'))).toEqual(UNKNOWN)
    expect((await service.sql('SELECT FROM sessions AS s JOIN people AS p ON p.id = s.person_id WHERE p.email = $1', person.email)).length).toBe(50)
  })
})

describe('organisations', () => {
  let second: string
  let both: string
  const named = (id: string) => ({ headers: { 'x-svc-org': id } })

  beforeAll(async () => {
    second = (await service.organization({ name: 'Bela Silks' })).orgId
    both = await addPerson(service, orgId, 'OWNER')
    await addPerson(service, second, 'VIEWER', both)
    await givePassword(service, second, both)
  })

  test('are named by X-Svc-Org where a person has several', async () => {
    const { call } = await signIn(service, both)
    const { body } = await call('GET', '/session')
    expect([body.organizations.map(({ name, role }: Json) => [name, role]), body.organization, body.user.user_id]).toEqual([[['Asha Traders', 'OWNER'], ['Bela Silks', 'VIEWER']], null, null])
    expect((await call('GET', '/session', named(second))).body.organization).toEqual({ org_id: second, name: 'Bela Silks', role: 'VIEWER' })
    const missing = await call('GET', '/preferences')
    expect([...codeOf(missing), missing.body.field]).toEqual([400, 'validation.required_field', 'X-Svc-Org'])
    expect((await call('PUT', '/preferences', { body: {}, ...named(orgId.toUpperCase()) })).status).toBe(200)
    expect(codeOf(await call('PUT', '/preferences', { body: {}, ...named(second) }))).toEqual([403, 'auth.insufficient_scope'])
    const stranger = (await service.organization()).orgId
    for (const id of [stranger, randomUUID(), 'x', `${orgId}, ${second}`, '']) expect(codeOf(await call('GET', '/preferences', named(id)))).toEqual([404, 'not_found.resource'])
  })

  test('that are suspended let nobody in but to sign out', async () => {
    const { orgId: third } = await service.organization()
    const { call } = await personWith(service, third, 'OWNER')
    await service.call('POST', `/partner/organizations/${third}/suspend`, { partnerKey: service.partnerKey, key: randomUUID() })
    expect(codeOf(await call('GET', '/preferences'))).toEqual([403, 'authz.organization_suspended'])
    expect(codeOf(await call('PUT', '/preferences', { body: {} }))).toEqual([403, 'authz.organization_suspended'])
    expect([(await call('GET', '/session')).status, (await call('DELETE', '/session')).status]).toEqual([200, 200])
  })
})

describe('outside of the public API', () => {
  let other: Awaited<ReturnType<typeof service.another>>
  beforeAll(async () => { other = await service.another({ PUBLIC_URL: 'http://127.0.0.1:8080' }) })
  afterAll(() => other.close())

  test('its document has no call of these, and its calls take the cookie of its own pages alone', async () => {
    const { cookie } = await signIn(service, email)
    expect((await service.call('GET', '/whoami', { headers: { cookie, ...OWN_PAGE } })).status).toBe(200)
    expect(codeOf(await service.call('GET', '/whoami', { headers: { cookie } }))).toEqual(UNKNOWN)
    expect((await service.call('GET', '/openapi.json')).text).not.toContain('/session')
    expect(codeOf(await service.call('GET', '/session', { headers: { cookie } }))).toEqual([404, 'not_found.route'])
    expect(codeOf(await page('GET', '/nothing'))).toEqual([404, 'not_found.route'])
  })

  test('on loopback the cookie needs no https', async () => {
    const answer = await pageOf(other.origin)('POST', '/session', { body: { email, password: PASSWORD } })
    expect(answer.headers['set-cookie']).toMatch(/Max-Age=604800$/)
  })
})
