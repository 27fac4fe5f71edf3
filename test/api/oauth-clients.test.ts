// OAuth clients: registered and revoked by owners at /internal/v1/oauth_clients, and by operators; which redirect URIs they may have.
import { expect, test } from '@jest/globals'
import { redirectUriProblem } from '../../domain/oauth/redirect-uri.ts'
import { useService } from '../fixtures/use-service.ts'
import { asApp, connect, postForm, registerApp, tokenUrl, type App } from '../fixtures/oauth.ts'
import { personWith } from '../fixtures/persons.ts'

const service = await useService()
const { orgId } = await service.organization({ name: 'Asha Traders' })
const owner = await personWith(service, orgId, 'OWNER')
const uri = 'https://app.example/cb'
const register = (body: Record<string, unknown>) => owner.call('POST', '/oauth_clients', { body: { name: 'Till', redirect_uris: [uri], ...body } })

test('an owner registers a client, sees it without its secret, and revokes it', async () => {
  const { status, body: { oauth_client: made } } = await register({})
  expect([status, made]).toEqual([201, {
    client_id: expect.any(String), client_secret: expect.stringMatching(/^svc_ocs_[\w-]{43}$/), name: 'Till', redirect_uris: [uri], public: false, created_time: expect.any(String),
  }])
  const { client_secret: _, ...seen } = made
  expect((await owner.call('GET', '/oauth_clients')).body.oauth_clients).toContainEqual(seen)
  const [stored] = await service.sql<{ text: string }>('SELECT c::text AS text FROM oauth_clients AS c WHERE id = $1', made.client_id)
  expect(stored!.text).not.toContain(made.client_secret)

  const app: App = { client_id: made.client_id, client_secret: made.client_secret, redirectUri: uri }
  const { tokens } = await connect(service, app, [orgId])
  expect((await service.call('GET', `/invoices?organization_id=${orgId}`, { token: tokens.access_token })).status).toBe(200)
  expect((await owner.call('DELETE', `/oauth_clients/${made.client_id}`)).status).toBe(200)
  expect((await owner.call('DELETE', `/oauth_clients/${made.client_id}`)).status).toBe(404)
  expect((await owner.call('GET', '/oauth_clients')).body.oauth_clients).toEqual([])
  expect((await service.call('GET', `/invoices?organization_id=${orgId}`, { token: tokens.access_token })).status).toBe(401)
  const refused = await postForm(tokenUrl(service), { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, ...asApp(app) })
  expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client'])
  const actions = await service.sql<{ action: string }>("SELECT action FROM activity WHERE org_id = $1 AND action LIKE 'OAUTH%' ORDER BY id", orgId)
  expect(actions.map(({ action }) => action)).toEqual(['OAUTH_CLIENT_CREATED', 'OAUTH_CONSENT_GIVEN', 'OAUTH_CLIENT_REVOKED'])
})

test('a public client has no secret', async () => {
  const { body: { oauth_client: { client_id, ...made } } } = await register({ public: true, redirect_uris: ['http://127.0.0.1/cb', 'com.example.till:/cb'] })
  expect(made).toMatchObject({ client_secret: null, public: true })
  await owner.call('DELETE', `/oauth_clients/${client_id}`)
})

test('clients of another organisation, and of the operator, are not theirs to revoke; others than owners may not', async () => {
  const { client_id } = await registerApp(service)
  expect((await owner.call('DELETE', `/oauth_clients/${client_id}`)).status).toBe(404)
  expect((await owner.call('DELETE', '/oauth_clients/nonsense')).status).toBe(404)
  for (const role of ['ACCOUNTANT', 'VIEWER'] as const) {
    const person = await personWith(service, orgId, role)
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? { body: { name: 'Till', redirect_uris: [uri] } } : {}
      expect((await person.call(method, '/oauth_clients', body)).body.code).toBe('auth.insufficient_scope')
    }
  }
})

test('an organisation has 20 clients at most, also of those registered at once, and registers 100 in a day', async () => {
  const answers = await Promise.all(Array.from({ length: 26 }, () => register({})))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
  expect((await register({})).body).toMatchObject({ code: 'conflict.limit_reached', details: { limit: 20 } })
  await service.sql('UPDATE oauth_clients SET revoked_time = now() WHERE owner_id = $1', orgId)
  await service.sql(`INSERT INTO oauth_clients (id, owner_id, name, redirect_uris, created_time, revoked_time)
    SELECT gen_random_uuid(), $1, 'x', '{}', now(), now() FROM generate_series(1, 80)`, orgId)
  expect((await register({})).body).toMatchObject({ code: 'conflict.limit_reached', details: { limit: 100 } })
  await service.sql("UPDATE oauth_clients SET created_time = created_time - interval '1 day' WHERE owner_id = $1", orgId)
  expect((await register({})).status).toBe(201)
})

// Which may be registered, by a public client and by one with a secret.
test.each([
  ['https://app.example/cb', true, true],
  ['https://app.example:8443/cb?tenant=1', true, true],
  ['https://xn--bcher-kva.example/cb', true, true],
  ['http://127.0.0.1/cb', true, true],
  ['http://127.0.0.1:9000', true, true],
  ['http://[::1]:9000/cb', true, true],
  ['http://localhost/cb', true, true],
  ['com.example.app:/cb', true, false],
  ['https://app.example?decode=1&statement=2', true, true],
  ['https://app.example/code=1/state', true, true],
  ['https://app.example/cb?code=1', false, false],
  ['https://app.example/cb?a=b&st%61te=2', false, false],
  ['https://app.example/cb?ISS=http://evil.example', false, false],
  ['https://app.example/cb?x?&error', false, false],
  ['com.example.app:/cb?code=1', false, false],
  ['http://127.0.0.1/cb?error_description=x', false, false],
  ['https://./', false, false],
  ['https://a..b/', false, false],
  ['https://xn--/', false, false],
  ['https://-app.example/', false, false],
  ['https://2130706433/cb', false, false],
  [`https://${'a'.repeat(64)}.example/`, false, false],
  [`https://${'a.'.repeat(130)}example/`, false, false],
  ['http://app.example/cb', false, false],
  ['http://127.0.0.1.evil.example/cb', false, false],
  ['http://localhost@evil.example/cb', false, false],
  ['https://user:secret@app.example/cb', false, false],
  ['https://app.example/cb#part', false, false],
  ['https://app.example/c b', false, false],
  ['https://*.example/cb', false, false],
  ['https://app.example\\@evil.example/cb', false, false],
  ['https:app.example/cb', false, false],
  ['https:///app.example/cb', false, false],
  ['HTTPS://app.example/cb', false, false],
  ['//app.example/cb', false, false],
  ['javascript:alert(1)', false, false],
  ['data:text/html,x', false, false],
  ['file:///etc/passwd', false, false],
  ['com.example.app://host/cb', false, false],
  [`https://app.example/${'a'.repeat(1_000)}`, false, false],
  ['', false, false],
])('%s', async (redirectUri, ofPublic, ofConfidential) => {
  expect([redirectUriProblem(redirectUri, true) === null, redirectUriProblem(redirectUri, false) === null]).toEqual([ofPublic, ofConfidential])
  if (ofConfidential) return
  const { status } = await register({ redirect_uris: [redirectUri] })
  expect([400, 422]).toContain(status)
})

test('a name with signs that nobody sees is refused, and so are more than ten redirect URIs', async () => {
  for (const name of ['Till\u202efake', 'a\nb', ' ', '\u2800', '\u3164', '\u115f\uffa0', '\u0301']) expect([400, 422]).toContain((await register({ name })).status)
  expect((await register({ redirect_uris: Array.from({ length: 11 }, (_, place) => `${uri}/${place}`) })).status).toBe(422)
  expect((await register({ redirect_uris: [] })).status).toBe(422)
})
