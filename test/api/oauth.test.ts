// OAuth as an app of a partner uses it, by the client library openid-client: sign-in, consent, code, tokens, calls, refresh, revocation.
import { beforeAll, describe, expect, test } from '@jest/globals'
import * as client from 'openid-client'
import { useService } from '../fixtures/use-service.ts'
import { Browser, newPerson, proofIn, registerApp, type App } from '../fixtures/oauth.ts'
import { PASSWORD } from '../fixtures/persons.ts'

const service = await useService()
const first = await service.organization({ name: 'Asha Traders' })
const second = await service.organization({ name: 'Bharat <b>Mills</b>' })
let email = ''
beforeAll(async () => {
  email = await newPerson(service, [first.orgId, second.orgId])
})

// The service of a test has no https.
async function discovered(app: App): Promise<client.Configuration> {
  const authentication = app.client_secret === null ? client.None() : client.ClientSecretBasic(app.client_secret)
  return client.discovery(new URL(service.origin), app.client_id, undefined, authentication, { execute: [client.allowInsecureRequests], algorithm: 'oauth2' })
}

/** Signs in and consents as the person does, form by form; returns where the browser is sent. */
async function allowed(url: string, orgIds: string[], browser = new Browser(service.origin)): Promise<URL> {
  let asked = await browser.get(url)
  if (asked.text.includes('Sign in to continue')) {
    const signedIn = await browser.post(url, { action: 'sign_in', email, password: PASSWORD })
    expect([signedIn.status, signedIn.location!.href]).toEqual([303, url])
    asked = await browser.get(url)
  }
  if (asked.location) return asked.location
  const answer = await browser.post(url, [['action', 'allow'], ['proof', proofIn(asked)], ...orgIds.map((id): [string, string] => ['organization', id])])
  expect(answer.status).toBe(303)
  return answer.location!
}

async function connected(app: App, orgIds: string[], scope = 'Svc.contacts.READ Svc.contacts.CREATE', browser = new Browser(service.origin)) {
  const config = await discovered(app)
  const code_verifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: app.redirectUri, scope, state, code_challenge: await client.calculatePKCECodeChallenge(code_verifier), code_challenge_method: 'S256',
  })
  const back = await allowed(url.href, orgIds, browser)
  const tokens = await client.authorizationCodeGrant(config, back, { pkceCodeVerifier: code_verifier, expectedState: state })
  return { config, tokens, back, browser }
}

describe.each([['confidential', false], ['public', true]])('a %s client', (_name, isPublic) => {
  test('signs a person in, gets tokens, calls, refreshes and revokes', async () => {
    const app = await registerApp(service, { isPublic })
    const { config, tokens, back } = await connected(app, [first.orgId])
    expect([back.origin + back.pathname, back.searchParams.get('iss')]).toEqual([app.redirectUri, service.origin])
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'Svc.contacts.READ Svc.contacts.CREATE', organization_ids: [first.orgId] })
    expect(tokens.expires_in).toBeGreaterThan(3_500)
    expect(tokens.access_token).toMatch(/^svc_oat_/)

    const made = await service.call('POST', `/contacts?organization_id=${first.orgId}`, { token: tokens.access_token, body: { contact_name: 'Meera', contact_type: 'CUSTOMER' } })
    expect(made.status).toBe(201)
    expect((await service.call('GET', '/contacts', { token: tokens.access_token, headers: { 'X-Svc-Org': first.orgId } })).body.contacts).toHaveLength(isPublic ? 2 : 1)
    expect((await service.call('GET', '/invoices', { token: tokens.access_token, headers: { 'X-Svc-Org': first.orgId } })).body.code).toBe('auth.insufficient_scope')

    const next = await client.refreshTokenGrant(config, tokens.refresh_token!)
    expect(next.access_token).not.toBe(tokens.access_token)
    expect(next.refresh_token).not.toBe(tokens.refresh_token)
    // A client that has not heard the answer asks again at once.
    const again = await client.refreshTokenGrant(config, tokens.refresh_token!)
    expect([again.access_token, again.refresh_token]).toEqual([next.access_token, next.refresh_token])

    if (!isPublic) {
      expect(await client.tokenIntrospection(config, next.access_token)).toMatchObject({ active: true, client_id: app.client_id, scope: 'Svc.contacts.READ Svc.contacts.CREATE', iss: service.origin })
    }
    await client.tokenRevocation(config, next.refresh_token!)
    if (!isPublic) expect(await client.tokenIntrospection(config, next.access_token)).toEqual({ active: false })
    expect((await service.call('GET', `/contacts?organization_id=${first.orgId}`, { token: next.access_token })).status).toBe(401)
  })
})

describe('an app for two organisations of one person', () => {
  test('acts in the one that each call names, and in no other', async () => {
    const app = await registerApp(service)
    const { tokens: { access_token: token, organization_ids } } = await connected(app, [first.orgId, second.orgId])
    expect(organization_ids).toEqual([first.orgId, second.orgId].sort())
    const key = 'same-key-in-both'
    for (const { orgId } of [first, second]) {
      const { status, headers } = await service.call('POST', '/contacts', { token, key, headers: { 'X-Svc-Org': orgId }, body: { contact_name: 'Of both', contact_type: 'CUSTOMER' } })
      expect([status, headers['idempotency-replay']]).toEqual([201, undefined])
    }
    const who = await service.call('GET', `/whoami?organization_id=${second.orgId}`, { token })
    expect(who.body).toMatchObject({ token: { org_id: second.orgId, scopes: ['Svc.contacts.READ', 'Svc.contacts.CREATE'], tier: 'DEFAULT' }, organization: { name: 'Bharat <b>Mills</b>' } })
    const third = await service.organization({ name: 'Not chosen' })
    expect((await service.call('GET', `/whoami?organization_id=${third.orgId}`, { token })).body.code).toBe('not_found.resource')
    expect((await service.call('GET', `/whoami?organization_id=${first.orgId}&organization_id=${second.orgId}`, { token })).body.code).toBe('not_found.resource')
    const none = await service.call('GET', '/whoami', { token })
    expect([none.status, none.body.code, none.body.field]).toEqual([400, 'validation.required_field', 'organization_id'])
  })
})

test('an Idempotency-Key goes on when the token is refreshed', async () => {
  const app = await registerApp(service)
  const { config, tokens } = await connected(app, [first.orgId])
  const create = (token: string) => service.call('POST', `/contacts?organization_id=${first.orgId}`, { token, key: 'across-a-refresh', body: { contact_name: 'Once', contact_type: 'CUSTOMER' } })
  const made = await create(tokens.access_token)
  const next = await client.refreshTokenGrant(config, tokens.refresh_token!)
  const again = await create(next.access_token)
  expect([made.status, again.text, again.headers['idempotency-replay']]).toEqual([201, made.text, 'true'])
})

test('however many grants a person makes, they have one limit and the same idempotency keys in an organisation', async () => {
  const app = await registerApp(service)
  const { tokens: { access_token: one }, browser } = await connected(app, [first.orgId, second.orgId])
  const { tokens: { access_token: two } } = await connected(app, [first.orgId, second.orgId], undefined, browser)
  const { tokens: { access_token: ofOther } } = await connected(await registerApp(service), [first.orgId], undefined, browser)
  const create = (token: string) =>
    service.call('POST', `/contacts?organization_id=${first.orgId}`, { token, key: 'across-grants', body: { contact_name: 'Once of an app', contact_type: 'CUSTOMER' } })
  const made = await create(one)
  const again = await create(two)
  expect([made.status, again.text, again.headers['idempotency-replay']]).toEqual([201, made.text, 'true'])
  expect((await create(ofOther)).headers['idempotency-replay']).toBeUndefined()

  const narrow = await service.another({ RATE_LIMIT_DEFAULT: '4' })
  try {
    const read = async (token: string, orgId: string) => {
      const { status } = await fetch(`${narrow.origin}/api/public/v1/contacts?organization_id=${orgId}`, { headers: { authorization: `Bearer ${token}` } })
      return status
    }
    const statuses: number[] = []
    for (const token of [one, two, one, two, one, two]) statuses.push(await read(token, first.orgId))
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429])
    expect([await read(ofOther, first.orgId), await read(two, second.orgId)]).toEqual([200, 200])
  } finally {
    await narrow.close()
  }
})

test('a call costs one round trip more than with a token that is remembered', async () => {
  const app = await registerApp(service)
  const { tokens } = await connected(app, [first.orgId])
  const token = await service.token(first.orgId)
  const tripsOf = async (secret: string) => {
    const read = () => service.call('GET', `/contacts?organization_id=${first.orgId}`, { token: secret })
    await read()
    const before = service.pool.roundTrips()
    expect((await read()).status).toBe(200)
    return service.pool.roundTrips() - before
  }
  const remembered = await tripsOf(token)
  expect(await tripsOf(tokens.access_token)).toBe(remembered + 1)
})
