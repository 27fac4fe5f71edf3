// Who is let in: kinds of tokens, their end, the organisation that a call names, scopes; and the calls about the service.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { FAULTS } from '../../domain/faults.ts'
import type { Answered, CallOptions, Json } from '../fixtures/client.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)
const theirs = await openOrganization(service)

const refusalOf = ({ status, body: { message: _message, request_id: _id, ...refused } }: Answered) => ({ status, ...refused })
const get = async (path: string, options: CallOptions) => refusalOf(await service.call('GET', path, options))
const hours = (count: number) => new Date(Date.now() + count * 3_600_000)
const UNKNOWN = { status: 401, code: 'auth.invalid_token' }
const NOT_FOUND = { status: 404, code: 'not_found.resource' }

describe('tokens', () => {
  test('a call without a known token is refused', async () => {
    const { token } = ours.client
    for (const authorization of ['', 'Bearer', 'Bearer ', `Basic ${token}`, token, `Bearer ${token}x`, `Bearer ${token.slice(0, -1)}`, 'Bearer svc_pat_unknown', `Bearer ${token} ${token}`]) {
      expect(await get('/whoami', { headers: authorization === '' ? {} : { authorization } })).toEqual(UNKNOWN)
    }
    expect((await service.call('GET', '/whoami', { headers: { authorization: `bearer ${token}` } })).status).toBe(200)
  })

  test.each([
    ['no end', {}, 200], ['an end to come', { expires: hours(1), revoked: hours(1) }, 200], ['expired', { expires: hours(-1) }, 401], ['revoked', { revoked: hours(-1) }, 401],
    ['expired, revoked later', { expires: hours(-1), revoked: hours(1) }, 401],
  ])('%s', async (_what, dates, status) => {
    const token = await service.token(ours.orgId, dates)
    expect((await service.call('GET', '/whoami', { token })).status).toBe(status)
    expect((await service.call('GET', '/contacts', { token })).status).toBe(status)
    const activity = await service.call('GET', '/activity', { token })
    expect([activity.status, activity.body.code]).toEqual(status === 200 ? [200, 0] : [401, 'authn.token_invalid'])
  })

  test('revoked in between, it closes', async () => {
    const token = await service.token(ours.orgId)
    expect((await service.call('GET', '/contacts', { token })).status).toBe(200)
    await service.sql('UPDATE tokens SET revoked_time = now() WHERE id = $1', (await service.call('GET', '/whoami', { token })).body.token.token_id)
    expect((await service.call('POST', '/echo', { token, body: {} })).status).toBe(401)
    // A read learns of it by PostgreSQL's notification, a moment after the commit.
    const last = Date.now() + 90_000
    while ((await service.call('GET', '/contacts', { token })).status === 200 && Date.now() < last);
    expect(await get('/contacts', { token })).toEqual(UNKNOWN)
  })

  test('whoami answers token and organisation; a token without a user has none', async () => {
    const token = await service.token(ours.orgId, { scopes: ['Svc.items.READ'] })
    expect((await service.call('GET', '/whoami', { token })).body).toEqual({
      code: 0, message: 'success', organization: { org_id: ours.orgId, name: 'Chandni Chowk Traders', status: 'ACTIVE', sandbox: false },
      token: { token_id: expect.any(String), org_id: ours.orgId, user_id: null, scopes: ['Svc.items.READ'], tier: 'DEFAULT' },
    })
  })

  test.each([['DEFAULT', '1000000'], ['PARTNER', '1000000']] as const)('tier %s and its limit', async (tier, limit) => {
    const { body, headers } = await service.call('GET', '/whoami', { token: await service.token(ours.orgId, { tier }) })
    expect([body.token.tier, headers['x-ratelimit-limit']]).toEqual([tier, limit])
    expect(Number(headers['x-ratelimit-remaining'])).toBe(Number(limit) - 1)
    expect(Number(headers['x-ratelimit-reset'])).toBeGreaterThan(Date.now() / 1000 - 60)
  })
})

describe('the organisation that a call names', () => {
  test('a personal token may name its own, in query or header, or none', async () => {
    const { token } = ours.client
    for (const [path, headers] of [['', {}], [`?organization_id=${ours.orgId}`, {}], ['', { 'X-Svc-Org': ours.orgId }], [`?organization_id=${ours.orgId.toUpperCase()}`, { 'X-Svc-Org': ours.orgId }]] as const) {
      for (const list of ['/contacts', '/invoices/series', '/whoami']) expect((await service.call('GET', list + path, { token, headers })).status).toBe(200)
    }
  })

  test('another one is not found, whatever else is wrong', async () => {
    const { token } = ours.client
    const narrow = await service.token(ours.orgId, { scopes: ['Svc.items.READ'] })
    for (const id of [theirs.orgId, randomUUID(), 'mine', '']) {
      expect(await get(`/contacts?organization_id=${id}`, { token })).toEqual(NOT_FOUND)
      expect(await get(`/contacts?organization_id=${id}`, { token: narrow })).toEqual(NOT_FOUND)
      if (id !== '') expect(await get('/contacts', { token, headers: { 'X-Svc-Org': id } })).toEqual(NOT_FOUND)
      expect(refusalOf(await service.call('POST', `/invoices?organization_id=${id}`, { token, body: {} }))).toEqual(NOT_FOUND)
    }
    expect(await get(`/contacts?organization_id=${ours.orgId}`, { token, headers: { 'X-Svc-Org': theirs.orgId } })).toEqual(NOT_FOUND)
    expect(await get(`/contacts?organization_id=${ours.orgId}&organization_id=${theirs.orgId}`, { token })).toEqual(NOT_FOUND)
  })

  test('an OAuth token must name it', async () => {
    const token = await service.token(ours.orgId, { kind: 'OAUTH' })
    expect(await get('/contacts', { token })).toEqual({ status: 400, code: 'validation.required_field', field: 'organization_id' })
    expect((await service.call('GET', `/contacts?organization_id=${ours.orgId}`, { token })).status).toBe(200)
    expect((await service.call('GET', '/contacts', { token, headers: { 'X-Svc-Org': ours.orgId } })).status).toBe(200)
    expect(await get(`/contacts?organization_id=${theirs.orgId}`, { token })).toEqual(NOT_FOUND)
  })
})

describe('scopes', () => {
  const CALLS = [
    ['GET', '/contacts', 'contacts.READ'], ['POST', '/contacts', 'contacts.CREATE'], ['PUT', '/contacts/x', 'contacts.UPDATE'],
    ['POST', '/contacts/x/archive', 'contacts.UPDATE'], ['DELETE', '/contacts/x', 'contacts.DELETE'],
    ['GET', '/invoices', 'invoices.READ'], ['GET', '/invoices/x', 'invoices.READ'], ['POST', '/invoices', 'invoices.CREATE'], ['PUT', '/invoices/x', 'invoices.UPDATE'],
    ['POST', '/invoices/x/approve', 'invoices.UPDATE'], ['POST', '/invoices/x/void', 'invoices.UPDATE'], ['DELETE', '/invoices/x', 'invoices.DELETE'],
    ['GET', '/invoices/series', 'invoices.READ'], ['GET', '/invoices/series/next-number', 'invoices.READ'], ['GET', '/invoices/series/gaps', 'invoices.READ'],
    ['POST', '/invoices/series', 'invoices.CREATE'],
  ] as const

  test.each(CALLS)('%s %s needs %s', async (method, path, scope) => {
    const call = async (scopes: string[]) => service.call(method, path, {
      token: await service.token(ours.orgId, { scopes }), ...(method === 'GET' ? {} : { body: {} }), ...(method === 'POST' ? { key: randomUUID() } : {}),
    })
    const others = ['READ', 'CREATE', 'UPDATE', 'DELETE'].map((operation) => `Svc.${scope.split('.')[0]}.${operation}`).filter((each) => each !== `Svc.${scope}`)
    for (const scopes of [[], others, [`svc.${scope}`]]) {
      expect(refusalOf(await call(scopes))).toEqual({ status: 403, code: 'auth.insufficient_scope', details: { required: `Svc.${scope}` } })
    }
    for (const scopes of [[`Svc.${scope}`], ['Svc.fullaccess.all']]) expect((await call(scopes)).status).not.toBe(403)
  })

  test('the activity of an invoice needs activity.READ, with its own codes', async () => {
    const { invoice_id } = await ours.invoice()
    const path = `/invoices/${invoice_id}/activity`
    expect(await get(path, { token: await service.token(ours.orgId, { scopes: ['Svc.invoices.READ'] }) })).toMatchObject({ status: 403, code: 'authz.scope_missing' })
    expect((await service.call('GET', path, { token: await service.token(ours.orgId, { scopes: ['Svc.activity.READ'] }) })).status).toBe(200)
    expect(await get(path, {})).toEqual({ status: 401, code: 'authn.token_invalid' })
  })
})

describe('the service itself', () => {
  test('ping needs no token, and minds no bad one', async () => {
    for (const options of [{}, { token: 'svc_pat_unknown' }]) {
      const { status, body, headers } = await service.call('GET', '/ping', options)
      expect([status, body]).toEqual([200, { code: 0, message: 'success', ping: { ok: true, server_time: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/), api_version: 'v1' } }])
      expect(Math.abs(Date.parse(body.ping.server_time) - Date.now())).toBeLessThan(60_000)
      expect(headers).toMatchObject({ 'x-request-id': expect.any(String), 'x-ratelimit-limit': expect.any(String), 'x-ratelimit-remaining': expect.any(String), 'x-ratelimit-reset': expect.any(String) })
    }
  })

  test('errors lists every code with its status', async () => {
    const { errors } = (await service.call('GET', '/errors')).body
    expect(Object.fromEntries(errors.map(({ code, status }: Json) => [code, status])))
      .toEqual(Object.fromEntries(Object.entries(FAULTS).map(([code, [status]]) => [code, status])))
  })

  test.each([{}, { a: [1, { b: null }], 'ü': '₹' }, { code: 5, message: 'mine', request_id: 'mine' }])('echo answers %j as it came', async (body) => {
    const token = await service.token(ours.orgId, { scopes: [] })
    const { status, body: answered } = await service.call('POST', '/echo', { token, body })
    expect([status, answered]).toEqual([200, { code: 0, message: 'success', request_id: expect.stringMatching(/^[0-9a-f-]{36}$/), echo: body }])
  })

  test('echo has a fresh request_id a call, and the same one under the same key', async () => {
    const call = (key?: string) => service.call('POST', '/echo', { token: ours.client.token, body: { n: 1 }, ...(key === undefined ? {} : { key }) })
    expect((await call()).body.request_id).not.toBe((await call()).body.request_id)
    const [first, again] = [await call('echo:1'), await call('echo:1')]
    expect([again.text, again.headers['idempotency-replay'], first.headers['idempotency-replay']]).toEqual([first.text, 'true', undefined])
  })

  test.each([
    [[1], 422, 'validation.failed'], ['text', 422, 'validation.failed'], [null, 422, 'validation.failed'],
    [{ text: 'x'.repeat(64 * 1024 - 11) }, 200, 0], [{ text: 'x'.repeat(64 * 1024 - 10) }, 413, 'request.too_large'],
  ])('echo of %# is answered %i', async (body, status, code) => {
    const answered = await service.call('POST', '/echo', { token: ours.client.token, body })
    expect([answered.status, answered.body.code]).toEqual([status, code])
  })

  test('echo needs a token', async () => {
    expect(refusalOf(await service.call('POST', '/echo', { body: {} }))).toEqual(UNKNOWN)
  })
})

describe('what is remembered of a caller', () => {
  /** Changes rows of tokens and organisations without a notification, as when the notification is late. */
  async function untold(text: string, ...values: unknown[]): Promise<void> {
    for (const table of ['tokens', 'organizations']) await service.sql(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
    await service.sql(text, ...values)
    for (const table of ['tokens', 'organizations']) await service.sql(`ALTER TABLE ${table} ENABLE TRIGGER USER`)
  }
  const remembered = async () => {
    const { client, orgId } = await openOrganization(service)
    const { token } = client
    const { body } = await service.call('GET', '/whoami', { token })
    return { token, orgId, tokenId: body.token.token_id as string }
  }
  const contact = (token: string) => service.call('POST', '/contacts', { token, body: { contact_name: 'Late', contact_type: 'CUSTOMER' }, headers: { 'Idempotency-Key': randomUUID() } })
  const contactsOf = async (orgId: string) => (await service.sql<{ count: bigint }>('SELECT count(*) FROM contacts WHERE org_id = $1', orgId))[0]!.count

  test('lets nobody write with a token that was revoked a moment ago', async () => {
    const { token, orgId, tokenId } = await remembered()
    const before = await contactsOf(orgId)
    await untold('UPDATE tokens SET revoked_time = now() WHERE id = $1', tokenId)
    expect(refusalOf(await contact(token))).toEqual(UNKNOWN)
    expect(await contactsOf(orgId)).toBe(before)
  })

  test('lets nobody write with a scope that was taken away, or into an organisation that was suspended', async () => {
    const [{ token, orgId, tokenId }, other] = [await remembered(), await remembered()]
    const before = [await contactsOf(orgId), await contactsOf(other.orgId)]
    await untold(`UPDATE tokens SET scopes = '{Svc.items.READ}' WHERE id = $1`, tokenId)
    expect(await contact(token)).toMatchObject({ status: 403, body: { code: 'auth.insufficient_scope' } })
    await untold(`UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1`, other.orgId)
    expect(await contact(other.token)).toMatchObject({ status: 403, body: { code: 'authz.organization_suspended' } })
    expect([await contactsOf(orgId), await contactsOf(other.orgId)]).toEqual(before)
  })

  test('what the organisation has become is what a write goes by, and the body is read once', async () => {
    const { token, orgId } = await remembered()
    await untold(`UPDATE organizations SET name = name || ' and Sons' WHERE id = $1`, orgId)
    expect((await contact(token)).status).toBe(201)
    expect((await service.call('GET', '/whoami', { token })).body.organization.name).toMatch(/ and Sons$/)
  })
})
