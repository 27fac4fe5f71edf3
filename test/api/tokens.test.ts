// Tokens that owners make: shown once, with their scopes and expiry, listed without the secret, and revoked at once.
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import type { Client, Json } from '../fixtures/client.ts'
import { personWith, type Person } from '../fixtures/persons.ts'
import { codeOf } from '../fixtures/sign-ins.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
let client: Client
let owner: Person
beforeAll(async () => {
  client = await service.organization({ name: 'Asha Traders' })
  owner = await personWith(service, client.orgId, 'OWNER')
})

const create = (body: Json, key?: string) => owner.call('POST', '/tokens', { body, ...(key === undefined ? {} : { key }) })
const listed = async (): Promise<Json[]> => (await owner.call('GET', '/tokens')).body.tokens

test('a token is shown once, does what its scopes say, and is listed without its secret', async () => {
  const expires = new Date(Date.now() + 86_400_000).toISOString()
  const { status, body: { token } } = await create({ name: ' Till ', scopes: ['Svc.invoices.READ', 'Svc.invoices.READ'], expires_at: expires })
  expect(status).toBe(201)
  expect(token).toMatchObject({ name: 'Till', scopes: ['Svc.invoices.READ'], expires_at: expires, tier: 'DEFAULT', token: expect.stringMatching(/^svc_pat_[\w-]{43}$/) })
  expect((await service.call('GET', '/invoices', { token: token.token })).status).toBe(200)
  expect(codeOf(await service.call('GET', '/items', { token: token.token }))).toEqual([403, 'auth.insufficient_scope'])
  const { token: secret, ...shown } = token
  const tokens = await listed()
  expect(tokens.find(({ token_id }) => token_id === token.token_id)).toEqual({ ...shown, partner: null, last_used_time: null })
  expect(tokens.find(({ name }) => name === null)).toMatchObject({ partner: expect.any(String), tier: 'PARTNER' })
  expect(JSON.stringify(tokens)).not.toContain(secret)
  const { activity } = (await client.get('/activity')).body
  const [user] = await service.sql<Json>('SELECT id FROM users WHERE email = $1', owner.email)
  const entry = activity.find(({ action }: Json) => action === 'TOKEN_CREATED')
  expect(JSON.stringify(entry)).toContain(user.id)
  expect(entry.metadata).toMatchObject({ token_id: token.token_id, name: 'Till', scopes: ['Svc.invoices.READ'], source: 'CONSOLE' })
  expect(JSON.stringify(activity)).not.toContain(secret)
})

test('a repeat of the key shows the same token, and keeps it sealed', async () => {
  const key = randomUUID()
  const body = { name: 'Twice', scopes: ['Svc.fullaccess.all'] }
  const [first, second] = [await create(body, key), await create(body, key)]
  expect([second.text, second.headers['idempotency-replay']]).toEqual([first.text, 'true'])
  expect((await listed()).filter(({ name }) => name === 'Twice').length).toBe(1)
  const [kept] = await service.sql<Json>('SELECT sealed, body FROM idempotent_answers WHERE key = $1', key)
  expect([kept.sealed, kept.body.includes(first.body.token.token)]).toEqual([true, false])
})

test('a revoked token is refused at once, in every process, and found no more', async () => {
  const { token, token_id: id } = (await create({ name: 'Short', scopes: ['Svc.fullaccess.all'] })).body.token
  const other = await service.another()
  try {
    const whoami = () => fetch(`${other.origin}/api/public/v1/contacts`, { headers: { authorization: `Bearer ${token}` } })
    expect((await whoami()).status).toBe(200)
    expect((await owner.call('DELETE', `/tokens/${id}`)).status).toBe(200)
    expect(codeOf(await service.call('POST', '/contacts', { token, key: randomUUID(), body: { contact_name: 'Late' } }))).toEqual([401, 'auth.invalid_token'])
  } finally {
    await other.close()
  }
  expect((await listed()).some(({ token_id }) => token_id === id)).toBe(false)
  expect(codeOf(await owner.call('DELETE', `/tokens/${id}`))).toEqual([404, 'not_found.resource'])
  const [revoked] = await service.sql<Json>(`SELECT a.metadata, u.email FROM activity AS a JOIN users AS u ON u.org_id = a.org_id AND u.id = a.actor_user_id WHERE a.action = 'TOKEN_REVOKED'`)
  expect([revoked.metadata.token_id, revoked.email]).toEqual([id, owner.email])
})

test.each<[Json, number, string]>([
  [{ name: 'x', scopes: ['Svc.invoices.EAT'] }, 400, 'scopes'],
  [{ name: 'x', scopes: ['Svc.preferences.UPDATE'] }, 400, 'scopes'],
  [{ name: 'x', scopes: ['Svc.invoices.READ'], expires_at: '2020-01-01' }, 400, 'expires_at'],
  [{ name: 'x', scopes: ['Svc.invoices.READ'], expires_at: 'soon' }, 422, 'expires_at'],
  [{ name: ' ', scopes: ['Svc.invoices.READ'] }, 422, 'name'],
  [{ name: 'x', scopes: [] }, 422, 'scopes'],
  [{ name: 'x' }, 422, 'scopes'],
])('%j is refused', async (body, status, field) => {
  const answer = await create(body)
  expect([answer.status, answer.body.field ?? answer.body.errors[0].field]).toEqual([status, field])
})

test("another organisation's owner finds no token of this one, and a sandbox has its own kind", async () => {
  const sandbox = await service.organization({ sandbox: true })
  const stranger = await personWith(service, sandbox.orgId, 'OWNER')
  const { token_id: id } = (await create({ name: 'Ours', scopes: ['Svc.invoices.READ'] })).body.token
  expect(codeOf(await stranger.call('DELETE', `/tokens/${id}`))).toEqual([404, 'not_found.resource'])
  expect((await stranger.call('GET', '/tokens')).body.tokens.length).toBe(1)
  const made = await stranger.call('POST', '/tokens', { body: { name: 'Test', scopes: ['Svc.invoices.READ'] } })
  expect(made.body.token.token).toMatch(/^svc_pat_test_/)
  expect((await listed()).some(({ token_id }) => token_id === id)).toBe(true)
})

test('an organisation makes a hundred tokens a day, revoked ones included, however many calls come at once', async () => {
  const { orgId } = await service.organization()
  const person = await personWith(service, orgId, 'OWNER')
  const body = { name: 'Again', scopes: ['Svc.invoices.READ'] }
  const add = (count: number, age: string, revoked: boolean) => service.sql(
    `INSERT INTO tokens (org_id, id, kind, token_hash, scopes, tier, revoked_time, created_time)
     SELECT $1, gen_random_uuid(), 'PAT', decode(md5(random()::text || n), 'hex'), '{}', 'DEFAULT', CASE WHEN $4 THEN now() END, now() - $3::interval
     FROM generate_series(1, $2::integer) AS n`, orgId, count, age, revoked)
  await add(98, '23 hours', true)
  const made = await Promise.all(Array.from({ length: 5 }, () => person.call('POST', '/tokens', { body })))
  expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409])
  expect(made.find(({ status }) => status === 409)!.body).toMatchObject({ code: 'conflict.limit_reached', details: { limit: 100 } })
  await service.sql(`UPDATE tokens SET created_time = now() - interval '25 hours' WHERE org_id = $1`, orgId)
  await add(197, '2 days', false)
  // With the partner's and the two of above.
  expect((await person.call('POST', '/tokens', { body })).body).toMatchObject({ code: 'conflict.limit_reached', details: { limit: 200 } })
})
