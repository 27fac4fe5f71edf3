// Every refusal of OAuth in the words of its RFC: of authorization requests, and of tokens.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { forgetUsedTokens } from '../../worker/retention.ts'
import { useService } from '../fixtures/use-service.ts'
import {
  asApp, authorizeUrl, type Browser, connect, consent, exchangeCode, newPerson, pkce, postForm, proofIn, refresh, registerApp, send, signedInAt, tokenUrl, type Answer,
} from '../fixtures/oauth.ts'

const service = await useService()
const { orgId } = await service.organization({ name: 'Asha Traders' })
const app = await registerApp(service)
const other = await registerApp(service, { name: 'Other' })
const mobile = await registerApp(service, { isPublic: true, redirectUris: ['http://127.0.0.1/cb'] })
let browser: Browser
beforeAll(async () => {
  browser = await signedInAt(service, authorizeUrl(service, app), await newPerson(service, [orgId]))
})

const newCode = async (): Promise<string> => (await consentTo(authorizeUrl(service, mobile))).searchParams.get('code')!
const consentTo = async (url: string) => (await consent(browser, url, [orgId])).location!
const errorOf = ({ status, body }: Answer) => [status, body.error]
/** What RFC 6749 asks of every answer of the token endpoint. */
const expectUnkept = ({ headers }: Answer) => expect([headers.get('cache-control'), headers.get('pragma')]).toEqual(['no-store', 'no-cache'])

describe('an authorization request (RFC 6749 §4.1.2.1, RFC 7636 §4.4.1)', () => {
  test.each<[string, Record<string, string | null>, string]>([
    ['without response_type', { response_type: null }, 'invalid_request'],
    ['for a token', { response_type: 'token' }, 'unsupported_response_type'],
    ['for more than a code', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['with another response mode', { response_mode: 'fragment' }, 'invalid_request'],
    ['without a challenge', { code_challenge: null }, 'invalid_request'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with a challenge of no method', { code_challenge_method: null }, 'invalid_request'],
    ['with a challenge that is none', { code_challenge: 'short' }, 'invalid_request'],
    ['without a scope', { scope: null }, 'invalid_scope'],
    ['with an unknown scope', { scope: 'Svc.invoices.READ Svc.secrets.READ' }, 'invalid_scope'],
    ['with a scope of persons', { scope: 'Svc.members.UPDATE' }, 'invalid_scope'],
  ])('%s', async (_name, more, error) => {
    const { status, location } = await browser.get(authorizeUrl(service, app, more))
    expect([status, location!.origin + location!.pathname]).toEqual([302, app.redirectUri])
    expect(Object.fromEntries(location!.searchParams)).toEqual({ error, error_description: expect.stringMatching(/^[\x20-\x7e]+$/), state: 'st&te=1', iss: service.origin })
  })

  test('with a state that is too long, or cannot be sent back', async () => {
    for (const state of ['s'.repeat(1_025), 'zeile\n', 'größe']) {
      const { location } = await browser.get(authorizeUrl(service, app, { state }))
      expect([location!.searchParams.get('error'), location!.searchParams.get('state')]).toEqual(['invalid_request', null])
    }
  })

  test('without a state: none is sent back', async () => {
    const { location } = await browser.get(authorizeUrl(service, app, { state: null, scope: null }))
    expect([...location!.searchParams.keys()]).toEqual(['error', 'error_description', 'iss'])
  })

  test('with a parameter twice', async () => {
    const { location } = await browser.get(`${authorizeUrl(service, app)}&scope=Svc.bills.READ`)
    expect(location!.searchParams.get('error')).toBe('invalid_request')
  })

  test('that the person does not allow', async () => {
    const url = authorizeUrl(service, mobile)
    const asked = await browser.get(url)
    const { status, location } = await browser.post(url, { action: 'deny', proof: proofIn(asked) })
    expect([status, location!.searchParams.get('error'), location!.searchParams.get('state')]).toEqual([303, 'access_denied', 'st&te=1'])
  })

  test('allowed for no organisation, or one that is not theirs: asked again', async () => {
    const url = authorizeUrl(service, mobile)
    const stranger = await service.organization({ name: 'Not theirs' })
    for (const chosen of [[], [stranger.orgId], [orgId, stranger.orgId], ['nonsense']]) {
      const { status, text } = await consent(browser, url, chosen)
      expect([status, text]).toEqual([400, expect.stringContaining('role="alert"')])
    }
  })
})

describe('a request for tokens (RFC 6749 §5.2)', () => {
  test.each<[string, Record<string, string>, [number, string]]>([
    ['without a grant type', { grant_type: '' }, [400, 'invalid_request']],
    ['of another grant type', { grant_type: 'password', username: 'a', password: 'b' }, [400, 'unsupported_grant_type']],
    ['of clients themselves', { grant_type: 'client_credentials' }, [400, 'unsupported_grant_type']],
    ['without a code', { code: '' }, [400, 'invalid_request']],
    ['with an unknown code', { code: 'svc_oac_unknown' }, [400, 'invalid_grant']],
    ['of an unknown client', { client_id: 'nonsense' }, [401, 'invalid_client']],
    ['of a client that is gone', { client_id: '00000000-0000-7000-8000-000000000000' }, [401, 'invalid_client']],
    ['with a wrong secret', { client_secret: 'wrong' }, [401, 'invalid_client']],
    ['without a secret', { client_secret: '' }, [401, 'invalid_client']],
    ["with another client's secret", { client_secret: other.client_secret! }, [401, 'invalid_client']],
  ])('%s', async (_name, more, expected) => {
    const answer = await exchangeCode(service, app, 'svc_oac_x', more)
    expect(errorOf(answer)).toEqual(expected)
    expect(answer.body.error_description).toMatch(/^[\x20-\x7e]+$/)
    expectUnkept(answer)
    if (expected[0] === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /)
  })

  test('of a public client with a secret', async () => {
    expect(errorOf(await exchangeCode(service, mobile, 'svc_oac_x', { client_secret: 'any' }))).toEqual([401, 'invalid_client'])
  })

  test.each<[string, (code: string) => Promise<Answer>, string]>([
    ['another verifier', (code) => exchangeCode(service, mobile, code, { code_verifier: 'w'.repeat(43) }), 'invalid_grant'],
    ['no verifier', (code) => exchangeCode(service, mobile, code, { code_verifier: '' }), 'invalid_grant'],
    ['another redirect URI', (code) => exchangeCode(service, mobile, code, { redirect_uri: 'http://127.0.0.1/other' }), 'invalid_grant'],
    ['another port', (code) => exchangeCode(service, mobile, code, { redirect_uri: 'http://127.0.0.1:81/cb' }), 'invalid_grant'],
    ['no redirect URI', (code) => exchangeCode(service, mobile, code, { redirect_uri: '' }), 'invalid_request'],
    ['another client', (code) => exchangeCode(service, app, code, { redirect_uri: mobile.redirectUri }), 'invalid_grant'],
  ])('a code with %s', async (_name, exchange, error) => {
    expect(errorOf(await exchange(await newCode()))).toEqual([400, error])
  })

  test('a wrong verifier uses the code up', async () => {
    const code = await newCode()
    await exchangeCode(service, mobile, code, { code_verifier: 'w'.repeat(43) })
    expect(errorOf(await exchangeCode(service, mobile, code))).toEqual([400, 'invalid_grant'])
  })

  test('a code after two minutes', async () => {
    const code = await newCode()
    await service.sql("UPDATE oauth_grants SET code_expires_time = code_expires_time - interval '2 minutes' WHERE code_used_time IS NULL")
    expect(errorOf(await exchangeCode(service, mobile, code))).toEqual([400, 'invalid_grant'])
  })

  test('of another form, another method or another size', async () => {
    const url = tokenUrl(service)
    const json = await send(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    expect(errorOf(json)).toEqual([400, 'invalid_request'])
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await send(url, { method })
      expect([...errorOf(answer), answer.headers.get('allow')]).toEqual([405, 'invalid_request', 'POST'])
    }
    expect(errorOf(await postForm(url, { grant_type: 'x'.repeat(40_000) }))).toEqual([413, 'invalid_request'])
    expect(errorOf(await postForm(url, [['grant_type', 'refresh_token'], ['grant_type', 'refresh_token']]))).toEqual([400, 'invalid_request'])
    expect(errorOf(await postForm(url, { grant_type: 'authorization_code', code: '\0', ...asApp(app) }))).toEqual([400, 'invalid_request'])
  })

  test('by Basic: encoded, with a wrong secret, in two ways, malformed', async () => {
    const form = { grant_type: 'refresh_token', refresh_token: 'svc_ort_x' }
    const basic = (id: string, secret: string) => ({ authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` })
    const encoded = (text: string) => encodeURIComponent(text).replaceAll('-', '%2D').replaceAll('_', '%5F')
    const url = tokenUrl(service)
    expect(errorOf(await postForm(url, form, basic(encoded(app.client_id), encoded(app.client_secret!))))).toEqual([400, 'invalid_grant'])
    expect(errorOf(await postForm(url, form, basic(app.client_id, app.client_secret!)))).toEqual([400, 'invalid_grant'])
    for (const headers of [basic(app.client_id, 'wrong'), basic(app.client_id, '%zz'), basic(app.client_id, ''), { authorization: 'Basic ???' }, { authorization: 'Bearer svc_oat_x' }]) {
      const answer = await postForm(url, form, headers)
      expect([...errorOf(answer), answer.headers.get('www-authenticate')?.slice(0, 5)]).toEqual([401, 'invalid_client', 'Basic'])
    }
    expect(errorOf(await postForm(url, { ...form, ...asApp(app) }, basic(app.client_id, app.client_secret!)))).toEqual([400, 'invalid_request'])
    expect(errorOf(await postForm(url, { ...form, client_id: other.client_id }, basic(app.client_id, app.client_secret!)))).toEqual([400, 'invalid_request'])
  })
})

describe('refreshing', () => {
  test('narrows an access token, and never widens it; the next refresh has all scopes again', async () => {
    const { tokens } = await connect(service, app, [orgId])
    const narrowed = await refresh(service, app, tokens.refresh_token, { scope: 'Svc.invoices.READ' })
    expect(narrowed.body.scope).toBe('Svc.invoices.READ')
    expect((await service.call('GET', `/contacts?organization_id=${orgId}`, { token: narrowed.body.access_token })).status).toBe(403)
    expect(errorOf(await refresh(service, app, narrowed.body.refresh_token, { scope: 'Svc.invoices.READ Svc.bills.READ' }))).toEqual([400, 'invalid_scope'])
    const full = await refresh(service, app, narrowed.body.refresh_token)
    expect(full.body.scope).toBe('Svc.invoices.READ Svc.contacts.READ')
  })

  test('has each scope once, however often it is asked for', async () => {
    const { tokens } = await connect(service, app, [orgId])
    const { status, body } = await refresh(service, app, tokens.refresh_token, { scope: 'Svc.invoices.READ '.repeat(1_000) })
    expect([status, body.scope]).toEqual([200, 'Svc.invoices.READ'])
    const [longest] = await service.sql<{ scopes: number }>('SELECT max(cardinality(scopes)) AS scopes FROM oauth_tokens')
    expect(longest!.scopes).toBe(2)
  })

  test.each<[string, (token: string, access: string) => Promise<Answer>, [number, string]]>([
    ['without a token', () => refresh(service, app, ''), [400, 'invalid_request']],
    ['with an unknown token', () => refresh(service, app, 'svc_ort_x'), [400, 'invalid_grant']],
    ['with an access token', (_token, access) => refresh(service, app, access), [400, 'invalid_grant']],
    ['by another client', (token) => refresh(service, other, token), [400, 'invalid_grant']],
  ])('%s', async (_name, ask, expected) => {
    const { tokens } = await connect(service, app, [orgId])
    expect(errorOf(await ask(tokens.refresh_token, tokens.access_token))).toEqual(expected)
    // And it has harmed nobody.
    expect((await refresh(service, app, tokens.refresh_token)).status).toBe(200)
  })

  test('a hundred times in an hour, and no more until it is over', async () => {
    const { tokens } = await connect(service, app, [orgId])
    const [grant] = await service.sql<{ id: string }>('SELECT grant_id AS id FROM oauth_tokens ORDER BY id DESC LIMIT 1')
    await service.sql(`INSERT INTO oauth_tokens (id, grant_id, kind, token_hash, scopes, created_time, expires_time)
      SELECT gen_random_uuid(), '${grant!.id}', 'ACCESS', sha256(n::text::bytea), '{}', now() - interval '10 minutes', now() FROM generate_series(1, 99) AS n`)
    const refused = await refresh(service, app, tokens.refresh_token)
    expect([...errorOf(refused), refused.headers.has('retry-after')]).toEqual([429, 'temporarily_unavailable', true])
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(3_000)
    await service.sql("UPDATE oauth_tokens SET created_time = created_time - interval '51 minutes' WHERE scopes = '{}'")
    expect((await refresh(service, app, tokens.refresh_token)).status).toBe(200)
  })

  test('with a used token whose row is gone ends the grant, and so does giving it back; another token of the same look ends nothing', async () => {
    const forget = () => forgetUsedTokens({ connection: service.database, clock: () => new Date(Date.now() + 120_000), isStopping: () => false })
    const invoices = (token: string) => service.call('GET', `/invoices?organization_id=${orgId}`, { token })
    const uses = [(used: string) => refresh(service, app, used), (used: string) => postForm(`${service.origin}/oauth/revoke`, { token: used, ...asApp(app) })]
    for (const use of uses) {
      const { tokens } = await connect(service, app, [orgId])
      const next = (await refresh(service, app, tokens.refresh_token)).body
      const last = (await refresh(service, app, next.refresh_token)).body
      await forget()
      expect(await service.sql('SELECT FROM oauth_tokens WHERE used_time IS NOT NULL')).toEqual([])
      const strangers = `svc_ort_${'x'.repeat(43)}${tokens.refresh_token.slice(51)}`
      expect(errorOf(await refresh(service, app, strangers))).toEqual([400, 'invalid_grant'])
      expect((await refresh(service, other, tokens.refresh_token)).status).toBe(400)
      expect((await invoices(last.access_token)).status).toBe(200)
      await use(tokens.refresh_token)
      expect((await invoices(last.access_token)).status).toBe(401)
      expect(errorOf(await refresh(service, app, last.refresh_token))).toEqual([400, 'invalid_grant'])
    }
  })

  test('after 90 days', async () => {
    const { tokens } = await connect(service, app, [orgId])
    await service.sql("UPDATE oauth_tokens SET expires_time = expires_time - interval '90 days' WHERE kind = 'REFRESH' AND used_time IS NULL")
    expect(errorOf(await refresh(service, app, tokens.refresh_token))).toEqual([400, 'invalid_grant'])
  })

  test('many at once: each gets the same successor', async () => {
    const { tokens } = await connect(service, app, [orgId])
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(service, app, tokens.refresh_token)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(new Set(answers.map(({ body }) => `${body.access_token} ${body.refresh_token}`)).size).toBe(1)
  })

  test('an access token after an hour: 401', async () => {
    const { tokens } = await connect(service, app, [orgId])
    await service.sql("UPDATE oauth_tokens SET expires_time = expires_time - interval '1 hour' WHERE kind = 'ACCESS'")
    expect((await service.call('GET', `/invoices?organization_id=${orgId}`, { token: tokens.access_token })).body.code).toBe('auth.invalid_token')
  })
})

test('every answer has its headers, and every code its length', async () => {
  const { headers } = await exchangeCode(service, app, 'svc_oac_x')
  for (const name of ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) expect(headers.get(name)).not.toBeNull()
  expect(await newCode()).toMatch(/^svc_oac_[\w-]{43}$/)
  expect(pkce().verifier).toHaveLength(43)
})
