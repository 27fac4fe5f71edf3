// What clients do with tokens that they have: revoke and introspect their own; and the metadata by which they find these calls.
import { describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { blockedBy } from '../fixtures/blocked.ts'
import { useService } from '../fixtures/use-service.ts'
import { asApp, authorizeUrl, connect, postForm, refresh, registerApp, send, type Answer } from '../fixtures/oauth.ts'

const service = await useService()
const { orgId } = await service.organization({ name: 'Asha Traders' })
const app = await registerApp(service)
const other = await registerApp(service, { name: 'Other' })
const mobile = await registerApp(service, { isPublic: true, redirectUris: ['http://127.0.0.1/cb'] })
const errorOf = ({ status, body }: Answer) => [status, body.error]

describe('revocation (RFC 7009) and introspection (RFC 7662)', () => {
  const at = (path: string, form: Record<string, string>) => postForm(`${service.origin}/oauth/${path}`, form)

  test('an access token ends alone; an unknown one is as good as revoked, whatever the hint', async () => {
    const { tokens } = await connect(service, app, [orgId])
    for (const token of [tokens.access_token, tokens.access_token, 'svc_oat_unknown', 'x'.repeat(5_000)]) {
      const answer = await at('revoke', { token, token_type_hint: 'nonsense', ...asApp(app) })
      expect([answer.status, answer.body]).toEqual([200, {}])
    }
    expect((await service.call('GET', `/invoices?organization_id=${orgId}`, { token: tokens.access_token })).status).toBe(401)
    expect((await refresh(service, app, tokens.refresh_token)).status).toBe(200)
  })

  test("another client's token is not revoked, and not seen", async () => {
    const { tokens } = await connect(service, app, [orgId])
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect(errorOf(await at('revoke', { token, ...asApp(other) }))).toEqual([400, 'invalid_grant'])
      expect((await at('introspect', { token, ...asApp(other) })).body).toEqual({ active: false })
      expect((await at('introspect', { token, ...asApp(app) })).body.active).toBe(true)
    }
  })

  test('what introspection says', async () => {
    const { tokens } = await connect(service, app, [orgId])
    const { body } = await at('introspect', { token: tokens.access_token, ...asApp(app) })
    expect(body).toEqual({
      active: true, client_id: app.client_id, scope: 'Svc.invoices.READ Svc.contacts.READ', token_type: 'Bearer', sub: expect.any(String), iss: service.origin,
      iat: expect.any(Number), exp: body.iat + 3_600, organization_ids: [orgId],
    })
    const ofRefresh = (await at('introspect', { token: tokens.refresh_token, ...asApp(app) })).body
    expect([ofRefresh.active, ofRefresh.token_type, ofRefresh.exp - ofRefresh.iat]).toEqual([true, undefined, 90 * 86_400])
    await refresh(service, app, tokens.refresh_token)
    expect((await at('introspect', { token: tokens.refresh_token, ...asApp(app) })).body).toEqual({ active: false })
  })

  test.each(['revoke', 'introspect'])('%s without a token, and without a client', async (path) => {
    expect(errorOf(await at(path, asApp(app)))).toEqual([400, 'invalid_request'])
    expect(errorOf(await at(path, { token: 'svc_oat_x' }))).toEqual([401, 'invalid_client'])
    expect(errorOf(await at(path, { token: 'svc_oat_x', client_id: app.client_id }))).toEqual([401, 'invalid_client'])
  })

  test('a public client sees no token', async () => {
    expect(errorOf(await at('introspect', { token: 'svc_oat_x', ...asApp(mobile) }))).toEqual([401, 'invalid_client'])
  })
})

test('the metadata (RFC 8414) name paths that answer; three of them are below the API too', async () => {
  const { status, headers, body } = await send(`${service.origin}/.well-known/oauth-authorization-server`)
  expect([status, headers.get('content-type'), body.issuer]).toEqual([200, 'application/json', service.origin])
  expect(body).toMatchObject({
    response_types_supported: ['code'], grant_types_supported: ['authorization_code', 'refresh_token'], code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'], authorization_response_iss_parameter_supported: true,
  })
  expect(body.scopes_supported).toContain('Svc.invoices.READ')
  expect((await send(body.authorization_endpoint)).status).toBe(400)
  for (const endpoint of [body.token_endpoint, body.revocation_endpoint, body.introspection_endpoint]) expect(errorOf(await postForm(endpoint, {}))).toEqual([401, 'invalid_client'])
  const below = `${service.origin}/api/public/v1/oauth`
  for (const path of ['token', 'revoke']) expect(errorOf(await postForm(`${below}/${path}`, {}))).toEqual([401, 'invalid_client'])
  const { browser } = await connect(service, app, [orgId])
  const asked = await browser.get(authorizeUrl(service, mobile).replace(`${service.origin}/oauth`, below))
  expect([asked.status, asked.text]).toEqual([200, expect.stringContaining('action="/api/public/v1/oauth/authorize?')])
})

test('refreshes that wait for each other leave connections to others', async () => {
  const { tokens } = await connect(service, app, [orgId])
  const other = await service.organization({ name: 'Beside' })
  const holder = new pg.Client({ connectionString: service.databaseUrl })
  await holder.connect()
  try {
    await holder.query('BEGIN')
    await holder.query("SELECT FROM oauth_tokens WHERE kind = 'REFRESH' AND grant_id = (SELECT grant_id FROM oauth_tokens ORDER BY id DESC LIMIT 1) FOR UPDATE")
    const waiting = Promise.all(Array.from({ length: 30 }, () => refresh(service, app, tokens.refresh_token)))
    await blockedBy(holder, 2)
    expect((await other.get('/contacts')).status).toBe(200)
    await holder.query('ROLLBACK')
    expect(new Set((await waiting).map(({ body }) => body.refresh_token)).size).toBe(1)
  } finally {
    await holder.end()
  }
})
