// The attacks of RFC 9700 on OAuth, each as the attacker would try it.
import { beforeAll, describe, expect, test } from '@jest/globals'
import * as client from 'openid-client'
import { useService } from '../fixtures/use-service.ts'
import {
  asApp, authorizeUrl, Browser, connect, consent, exchangeCode, newPerson, pkce, postForm, proofIn, refresh, registerApp, send, signedInAt, tokenUrl, type Answer,
} from '../fixtures/oauth.ts'
import { PASSWORD } from '../fixtures/persons.ts'

const service = await useService()
const { orgId } = await service.organization({ name: 'Asha <script>alert(1)</script>' })
const app = await registerApp(service, { name: 'Sync"><img src=x onerror=alert(1)>' })
const mobile = await registerApp(service, { isPublic: true, redirectUris: ['http://127.0.0.1/cb', 'http://[::1]:7000/cb', 'com.example.app:/cb'] })
const url = authorizeUrl(service, mobile)
let email = ''
let browser: Browser
beforeAll(async () => {
  email = await newPerson(service, [orgId])
  browser = await signedInAt(service, url, email)
})

const called = (token: string) => service.call('GET', `/invoices?organization_id=${orgId}`, { token })
const errorOf = ({ status, body }: Answer) => [status, body.error]

describe('open redirects and variants of a redirect URI (§4.1, §4.11): a page of ours, never a redirect', () => {
  const registered = app.redirectUri
  test.each([
    'https://evil.example/', `${registered}/`, `${registered}/../evil`, `${registered}?x=1`, `${registered}#x`, `${registered}%00`, `${registered}%2F`,
    registered.replace('https', 'http'), registered.toUpperCase(), registered.replace('app.example', 'app.example.evil.example'),
    registered.replace('app.example', 'app.example:444'), registered.replace('app.example', 'evil.example\\@app.example'),
    registered.replace('app.example', 'app.example@evil.example'), '//app.example/callback', 'javascript:alert(1)', '', `${registered} `, ` ${registered}`,
  ])('%s', async (redirect_uri) => {
    const answer = await browser.get(authorizeUrl(service, app, { redirect_uri }))
    expect([answer.status, answer.location]).toEqual([400, null])
    expect(answer.text).not.toContain('evil.example')
  })

  test('two redirect URIs, two clients, an unknown one', async () => {
    const twice = [`${authorizeUrl(service, app)}&redirect_uri=https%3A%2F%2Fevil.example`, `${authorizeUrl(service, app)}&client_id=${mobile.client_id}`]
    for (const one of [...twice, authorizeUrl(service, { ...app, client_id: 'x' }), `${service.origin}/oauth/authorize`]) {
      const answer = await browser.get(one)
      expect([answer.status, answer.location]).toEqual([400, null])
    }
  })

  test.each([
    ['http://127.0.0.1:5123/cb', 200], ['http://127.0.0.1/cb', 200], ['http://[::1]:1/cb', 200], ['http://[::1]/cb', 200], ['com.example.app:/cb', 200],
    ['http://127.0.0.1:5123/other', 400], ['http://127.0.0.1:5123/cb?x', 400], ['http://127.0.0.2/cb', 400], ['http://localhost/cb', 400], ['http://127.0.0.1:99999/cb', 400],
    ['http://127.0.0.1:80@evil.example/cb', 400], ['http://127.0.0.1.evil.example/cb', 400], ['com.example.app:/cb2', 400], ['http://127.0.0.1:/cb', 400],
  ])('on loopback any port, and nothing else: %s', async (redirect_uri, status) => {
    expect((await browser.get(authorizeUrl(service, mobile, { redirect_uri }))).status).toBe(status)
  })

  test('a redirect URI that has a query keeps it', async () => {
    const withQuery = await registerApp(service, { redirectUris: ['https://app.example/cb?tenant=a%26b'] })
    const back = (await consent(browser, authorizeUrl(service, withQuery), [orgId])).headers.get('location')!
    expect(back.startsWith('https://app.example/cb?tenant=a%26b&code=svc_oac_')).toBe(true)
    const refused = await browser.get(authorizeUrl(service, withQuery, { scope: null }))
    expect(refused.headers.get('location')).toMatch(/^https:\/\/app\.example\/cb\?tenant=a%26b&error=invalid_scope&/)
  })
})

describe('a code that is stolen or injected (§4.5)', () => {
  const newCode = async () => (await consent(browser, url, [orgId])).location!.searchParams.get('code')!

  test('is nothing without its verifier, and nothing to another client', async () => {
    const attacker = await registerApp(service, { isPublic: true, redirectUris: mobile.redirectUri.split(' ') })
    expect(errorOf(await exchangeCode(service, mobile, await newCode(), { code_verifier: pkce().verifier }))).toEqual([400, 'invalid_grant'])
    expect(errorOf(await exchangeCode(service, attacker, await newCode()))).toEqual([400, 'invalid_grant'])
    expect(errorOf(await exchangeCode(service, app, await newCode(), { redirect_uri: mobile.redirectUri }))).toEqual([400, 'invalid_grant'])
  })

  test('used a second time ends what it gave, whoever was first', async () => {
    const code = await newCode()
    const { body } = await exchangeCode(service, mobile, code)
    expect((await called(body.access_token)).status).toBe(200)
    expect(errorOf(await exchangeCode(service, mobile, code))).toEqual([400, 'invalid_grant'])
    expect((await called(body.access_token)).status).toBe(401)
    expect(errorOf(await refresh(service, mobile, body.refresh_token))).toEqual([400, 'invalid_grant'])
  })

  test('used twice at the same moment gives tokens at most once, which then end', async () => {
    const code = await newCode()
    const answers = await Promise.all(Array.from({ length: 6 }, () => exchangeCode(service, mobile, code)))
    const given = answers.filter(({ status }) => status === 200)
    expect(given).toHaveLength(1)
    expect((await called(given[0]!.body.access_token)).status).toBe(401)
  })
})

describe('a refresh token that is stolen (§4.14)', () => {
  test('used after half a minute ends the family, and what the thief got', async () => {
    const { tokens } = await connect(service, app, [orgId])
    const next = (await refresh(service, app, tokens.refresh_token)).body
    await service.sql("UPDATE oauth_tokens SET used_time = used_time - interval '31 seconds' WHERE used_time IS NOT NULL")
    expect((await called(next.access_token)).status).toBe(200)
    expect(errorOf(await refresh(service, app, tokens.refresh_token))).toEqual([400, 'invalid_grant'])
    for (const token of [tokens.access_token, next.access_token]) expect((await called(token)).status).toBe(401)
    expect(errorOf(await refresh(service, app, next.refresh_token))).toEqual([400, 'invalid_grant'])
  })

  test('nothing of codes, tokens and secrets is kept readable', async () => {
    const { tokens, code } = await connect(service, app, [orgId])
    const next = (await refresh(service, app, tokens.refresh_token)).body
    const rows = await service.sql<{ text: string }>('SELECT t::text AS text FROM oauth_tokens AS t UNION ALL SELECT g::text FROM oauth_grants AS g UNION ALL SELECT c::text FROM oauth_clients AS c')
    const kept = rows.map(({ text }) => text).join('\n')
    for (const secret of [code, tokens.access_token, tokens.refresh_token, next.access_token, next.refresh_token, app.client_secret!]) expect(kept).not.toContain(secret.slice(8))
  })
})

describe('mix-up (§4.4)', () => {
  test('a client refuses an answer of another issuer, and one without an issuer', async () => {
    const metadata = (await send(`${service.origin}/.well-known/oauth-authorization-server`)).body
    const config = new client.Configuration(metadata, mobile.client_id, undefined, client.None())
    client.allowInsecureRequests(config)
    const back = (await consent(browser, url, [orgId])).location!
    expect(back.searchParams.get('iss')).toBe(service.origin)
    const checks = { pkceCodeVerifier: 'v'.repeat(43), expectedState: 'st&te=1' }
    for (const change of [(sent: URL) => sent.searchParams.set('iss', 'https://evil.example'), (sent: URL) => sent.searchParams.delete('iss'), (sent: URL) => sent.searchParams.set('state', 'x')]) {
      const changed = new URL(back)
      change(changed)
      await expect(client.authorizationCodeGrant(config, changed, checks)).rejects.toThrow()
    }
    expect((await client.authorizationCodeGrant(config, back, checks)).access_token).toMatch(/^svc_oat_/)
  })
})

describe('forged forms (§4.7): no consent without the page that was shown to the person', () => {
  const allow = (proof: string, headers: Record<string, string> = {}, from = browser, at = url) =>
    from.post(at, [['action', 'allow'], ['proof', proof], ['organization', orgId]], headers)
  const isCode = ({ location }: Answer) => location?.searchParams.has('code') ?? false

  test('by a page of another site, with and without the proof', async () => {
    const proof = proofIn(await browser.get(url))
    const elsewhere = [['https://evil.example', 'cross-site'], ['null', 'cross-site'], [service.origin.replace('127', '128'), 'same-site']] as const
    for (const [origin, site] of elsewhere) {
      const answer = await allow(proof, { origin, 'sec-fetch-site': site })
      expect([answer.status, isCode(answer)]).toEqual([403, false])
    }
  })

  test('without a proof, with one of another session, of another request, changed or old', async () => {
    const another = await signedInAt(service, url, await newPerson(service, [orgId]))
    const proof = proofIn(await browser.get(url))
    const ofAnother = proofIn(await another.get(url))
    const ofMore = proofIn(await browser.get(authorizeUrl(service, mobile, { scope: 'Svc.fullaccess.all' })))
    for (const forged of ['', 'x', ofAnother, ofMore, `${proof}x`, proof.slice(0, -4)]) expect(isCode(await allow(forged))).toBe(false)
    expect(isCode(await allow(proof, {}, browser, authorizeUrl(service, mobile, { scope: 'Svc.fullaccess.all' })))).toBe(false)
    expect(isCode(await allow(proof, {}, new Browser(service.origin)))).toBe(false)
    expect(isCode(await allow(proof))).toBe(true)
  })

  test('a sign-in by a page of another site signs nobody in', async () => {
    const victim = new Browser(service.origin)
    const answer = await victim.post(url, { action: 'sign_in', email, password: PASSWORD }, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })
    expect([answer.status, victim.cookie]).toEqual([403, ''])
  })

  test('a browser that sends an Origin and nothing else, as over plain http, signs in', async () => {
    const answer = await postForm(url, { action: 'sign_in', email, password: PASSWORD }, { origin: service.origin })
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([303, expect.stringMatching(/^bahi_session=/)])
  })

  test('two sessions in one request are none', async () => {
    const attacker = await signedInAt(service, url, await newPerson(service, [orgId]))
    const answer = await send(url, { headers: { cookie: `${browser.cookie}; ${attacker.cookie}` } })
    expect(answer.text).toContain('Sign in to continue')
  })

  test('a session that has ended meanwhile consents to nothing', async () => {
    const visitor = await signedInAt(service, url, await newPerson(service, [orgId]))
    const proof = proofIn(await visitor.get(url))
    const { cookie } = visitor
    expect((await visitor.post(url, { action: 'sign_out', proof })).status).toBe(303)
    visitor.cookie = cookie
    const answer = await allow(proof, {}, visitor)
    expect([isCode(answer), answer.text]).toEqual([false, expect.stringContaining('Sign in to continue')])
  })
})

describe('the pages', () => {
  test('cannot be framed or scripted, are kept nowhere, and lead to the client alone (§4.16)', async () => {
    for (const from of [browser, new Browser(service.origin)]) {
      const { headers, text } = await from.get(authorizeUrl(service, app))
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('referrer-policy')).toBe('strict-origin')
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self' https:\/\/app\.example; base-uri 'none'; frame-ancestors 'none'$/,
      )
      expect(text).not.toMatch(/<script|<img|onerror=alert\(1\)>/)
    }
  })

  test('show names as they are, and what was typed', async () => {
    const { text } = await browser.get(authorizeUrl(service, app))
    expect(text).toContain('Allow Sync&quot;&gt;&lt;img src=x onerror=alert(1)&gt; to act for you?')
    expect(text).toContain('Asha &lt;script&gt;')
    expect(text).toContain('<li>See invoices</li>')
    const typed = await new Browser(service.origin).post(authorizeUrl(service, app), { action: 'sign_in', email: '"><script>', password: 'wrong' })
    expect([typed.status, typed.text]).toEqual([401, expect.stringContaining('value="&quot;&gt;&lt;script&gt;"')])
    expect(typed.text).not.toContain('wrong"')
  })

  test('say the same of a wrong password and an unknown address, and limit both', async () => {
    const visitor = new Browser(service.origin)
    const victim = await newPerson(service, [orgId])
    const signIn = (address: string) => visitor.post(url, { action: 'sign_in', email: address, password: 'wrong password' })
    const [known, unknown] = [await signIn(victim), await signIn('nobody@silks.example')]
    expect(known.text.replaceAll(victim, '')).toBe(unknown.text.replaceAll('nobody@silks.example', ''))
    for (let tries = 0; tries < 9; tries += 1) await signIn(victim)
    const limited = await signIn(victim)
    const seconds = Number(limited.headers.get('retry-after'))
    expect([limited.status, seconds > 800 && seconds <= 900]).toEqual([429, true])
    expect(limited.text).toContain('Too many sign-ins have failed; try again in 15 minutes.')
  })
})

test('requests that nobody has to answer for are limited by address, those of a client by the client', async () => {
  const narrow = await service.another({ RATE_LIMIT_DEFAULT: '3', RATE_LIMIT_PARTNER: '5' })
  try {
    const at = (form: Record<string, string>) => postForm(`${narrow.origin}/oauth/token`, { grant_type: 'refresh_token', refresh_token: 'x', ...form })
    const statuses = async (form: Record<string, string>, times: number) => {
      const seen: number[] = []
      for (let time = 0; time < times; time += 1) seen.push((await at(form)).status)
      return seen
    }
    expect(await statuses({ ...asApp(app), client_secret: 'wrong' }, 4)).toEqual([401, 401, 401, 429])
    expect(await statuses(asApp(mobile), 1)).toEqual([429])
    expect(await statuses(asApp(app), 6)).toEqual([400, 400, 400, 400, 400, 429])
    const refused = await at(asApp(app))
    expect([refused.body.error, Number(refused.headers.get('retry-after')) > 0]).toEqual(['temporarily_unavailable', true])
    expect((await send(`${narrow.origin}/oauth/authorize`)).status).toBe(429)
  } finally {
    await narrow.close()
  }
  expect((await postForm(tokenUrl(service), asApp(app))).status).toBe(400)
})
