// A new token for a partner's organisation: the earlier ones close, now or after a grace, and nothing is gained by it.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { BASE_PATH } from '../../api/server.ts'
import { callAt, type Answered, type Json } from '../fixtures/client.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()

const COLLECTION = '/partner/organizations'
const call = (path: string, body?: unknown, { key = randomUUID() as string } = {}) =>
  service.call('POST', path, { partnerKey: service.partnerKey, key, ...(body === undefined ? {} : { body }) })
const create = async (changes: Record<string, unknown> = {}): Promise<Json> => (await call(COLLECTION, { name: 'Rekha Foods', ...changes })).body
const whoami = (token: string) => service.call('GET', '/whoami', { token })
const refusalOf = ({ status, body: { message: _message, request_id: _id, ...refused } }: Answered) => ({ status, ...refused })
const reissue = (org_id: string, body?: unknown, key?: string) => call(`${COLLECTION}/${org_id}/token`, body, key === undefined ? {} : { key })

test('revokes the earlier token at once, and carries scopes, tier and user over', async () => {
  const { organization: { org_id }, token } = await create({ scopes: ['Svc.contacts.READ', 'Svc.items.READ'], sandbox: true })
  const before = (await whoami(token.token)).body.token
  const { status, body } = await reissue(org_id)
  expect([status, body.message]).toEqual([200, 'Token issued.'])
  expect(body.token).toEqual({ ...token, token_id: expect.any(String), token: expect.stringMatching(/^svc_pat_test_/) })
  expect(body.token.token).not.toBe(token.token)
  expect(refusalOf(await whoami(token.token))).toEqual({ status: 401, code: 'auth.invalid_token' })
  expect((await whoami(body.token.token)).body.token).toEqual({ ...before, token_id: body.token.token_id })
})

test('with a grace both open, until it has passed', async () => {
  const { organization: { org_id }, token } = await create()
  const { token: second } = (await reissue(org_id, { grace_seconds: 86_400 })).body
  expect([(await whoami(token.token)).status, (await whoami(second.token)).status]).toEqual([200, 200])
  await service.sql(`UPDATE tokens SET revoked_time = revoked_time - interval '86400 seconds' WHERE id = $1`, token.token_id)
  // A read learns of it by PostgreSQL's notification, a moment after the commit.
  for (let tries = 0; (await whoami(token.token)).status === 200 && tries < 1_000; tries += 1);
  expect([(await whoami(token.token)).status, (await whoami(second.token)).status]).toEqual([401, 200])
  const { token: third } = (await reissue(org_id, { grace_seconds: 0 })).body
  expect([(await whoami(second.token)).status, (await whoami(third.token)).status]).toEqual([401, 200])
})

test('never gives more than the last token had, be it revoked or expired', async () => {
  const scopes = ['Svc.contacts.READ']
  const { organization: { org_id }, token } = await create({ scopes })
  await service.sql('UPDATE tokens SET revoked_time = now() - make_interval(days => 1) WHERE id = $1', token.token_id)
  const { token: second } = (await reissue(org_id)).body
  expect(second.scopes).toEqual(scopes)
  await service.sql(`UPDATE tokens SET expires_time = now() - interval '1 day', revoked_time = now() - interval '1 hour', tier = 'DEFAULT' WHERE id = $1`, second.token_id)
  // Another token of the organisation is not the partner's, and its scopes are none of it.
  await service.token(org_id)
  const { token: third } = (await reissue(org_id, { grace_seconds: 60 })).body
  expect([third.scopes, third.tier]).toEqual([scopes, 'DEFAULT'])
  const before = (await whoami(token.token)).status
  expect([before, (await whoami(third.token)).status, (await service.call('GET', '/items', { token: third.token })).status]).toEqual([401, 200, 403])
})

test('makes no second budget: the tokens of one organisation and partner are counted together', async () => {
  const limited = await service.another({ RATE_LIMIT_PARTNER: '3' })
  const whoamiThere = async (token: string) => {
    const { status, headers } = await callAt(`${limited.origin}${BASE_PATH}`)('GET', '/whoami', { token })
    return [status, headers['x-ratelimit-remaining']]
  }
  const { organization: { org_id }, token: first } = await create()
  const { token: second } = (await reissue(org_id, { grace_seconds: 600 })).body
  const own = await service.token(org_id, { tier: 'PARTNER' })
  const { token: other } = await create()
  expect([await whoamiThere(first.token), await whoamiThere(second.token), await whoamiThere(first.token)]).toEqual([[200, '2'], [200, '1'], [200, '0']])
  for (const { token } of [first, second]) expect((await whoamiThere(token))[0]).toBe(429)
  for (const token of [own, other.token]) expect(await whoamiThere(token)).toEqual([200, '2'])
  await limited.close()
})

test('a repeated key answers the same token; other tokens of the organisation stay', async () => {
  const { organization: { org_id } } = await create()
  const minted = await service.token(org_id)
  const [first, again] = [await reissue(org_id, {}, 'again'), await reissue(org_id, {}, 'again')]
  expect(again.text).toBe(first.text)
  expect([(await whoami(first.body.token.token)).status, (await whoami(minted)).status]).toEqual([200, 200])
})

test('of two at once, the later one alone opens', async () => {
  const { organization: { org_id } } = await create()
  const issued = (await Promise.all([reissue(org_id), reissue(org_id), reissue(org_id)])).map(({ body }) => body.token.token)
  const statuses = await Promise.all(issued.map(async (token) => (await whoami(token)).status))
  expect(statuses.toSorted()).toEqual([200, 401, 401])
})

test.each([-1, 86_401, 1.5, '60'])('a grace of %j has the wrong shape', async (grace_seconds) => {
  const { organization: { org_id }, token } = await create()
  expect(refusalOf(await reissue(org_id, { grace_seconds }))).toMatchObject({ status: 422, code: 'validation.failed' })
  expect((await whoami(token.token)).status).toBe(200)
})
