// The pages of links in mails: forms that work without scripts, what they refuse in words, and the headers that protect them.
import { createHash, randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createMailLinks } from '../../commands/people/mail-links.ts'
import { answerResetRequests } from '../../worker/password-resets.ts'
import { callAt, type Json } from '../fixtures/client.ts'
import { addPerson, personWith, signIn } from '../fixtures/persons.ts'
import { useSignIns } from '../fixtures/sign-ins.ts'

const { service, orgId, elsewhere } = await useSignIns()
const links = createMailLinks(service.env.ENCRYPTION_KEY!)
const at = callAt(service.origin)
const PASSWORD = 'a quiet harbour'
// As a browser sends a form that keeps where it was shown to itself.
const BROWSER = { 'sec-fetch-site': 'same-origin', origin: 'null' }
const send = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  at('POST', path, { raw: new URLSearchParams(fields).toString(), headers: { 'content-type': 'application/x-www-form-urlencoded', ...BROWSER, ...elsewhere(), ...headers } })
const headingOf = ({ text }: { text: string }) => /<h1>(.*?)<\/h1>/.exec(text)?.[1]
const alertOf = ({ text }: { text: string }) => /<p role="alert"[^>]*>(.*?)<\/p>/.exec(text)?.[1]

async function invited(email = `${randomUUID()}@weavers.example`) {
  const owner = await personWith(service, orgId, 'OWNER')
  const { invitation_id: id } = (await owner.call('POST', '/invitations', { body: { email, role: 'VIEWER' } })).body.invitation
  return { email, token: links.tokenOf('INVITATION', [orgId, id]) }
}

async function linkFor(email: string): Promise<string> {
  await answerResetRequests({ connection: service.database, clock: () => new Date() })
  const [mail] = await service.sql<Json>(
    `SELECT e.entity_id FROM emails AS e JOIN email_recipients AS r ON r.org_id = e.org_id AND r.email_id = e.id WHERE r.address = $1 AND e.entity_type = 'PASSWORD_RESET'`, email)
  return links.tokenOf('PASSWORD_RESET', [mail.entity_id])
}

test.each(['/console/invitation?token=x', '/console/password?token=x', '/console/password', '/console/invitation'])('%s is a page that loads nothing, and that nobody keeps or frames', async (path) => {
  for (const answer of [await at('GET', path), await send(path.split('?')[0]!, { token: 'x' })]) {
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'referrer-policy': 'strict-origin', 'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY', 'x-request-id': expect.any(String),
    })
    const style = createHash('sha256').update(/<style>(.*?)<\/style>/s.exec(answer.text)![1]!).digest('base64')
    expect(answer.headers['content-security-policy']).toBe(`default-src 'none'; style-src 'sha256-${style}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`)
    expect(answer.text).not.toMatch(/<script|\son\w+=|style=|javascript:|src=/i)
    expect(answer.text).toMatch(/<html lang="en">.*<meta name="viewport" content="width=device-width, initial-scale=1">.*<title>.+<\/title>/s)
  }
})

test('an invitation is accepted: what is wrong is said, and what was typed stays', async () => {
  const { email, token } = await invited()
  const shown = await at('GET', `/console/invitation?token=${token}`)
  expect([shown.status, shown.text.includes(`<input type="hidden" name="token" value="${token}">`)]).toEqual([200, true])
  const weak = await send('/console/invitation', { token, name: 'Ravi "Weaver" <b>', password: 'short' })
  expect([weak.status, alertOf(weak)]).toEqual([400, 'The password must have at least 10 characters.'])
  expect(weak.text).toContain('value="Ravi &quot;Weaver&quot; &lt;b&gt;"')
  expect(weak.text).not.toContain('short"')
  const without = await send('/console/invitation', { token, name: 'Ravi', password: '' })
  expect([without.status, alertOf(without)]).toEqual([400, 'Choose a password.'])
  const joined = await send('/console/invitation', { token, name: 'Ravi', password: PASSWORD })
  expect([joined.status, headingOf(joined), joined.text]).toEqual([200, 'Done', expect.stringContaining('You have joined Asha Traders.')])
  expect((await (await signIn(service, email, PASSWORD)).call('GET', '/session')).body.user.name).toBe('Ravi')
  const again = await send('/console/invitation', { token, name: 'Ravi', password: PASSWORD })
  expect([again.status, headingOf(again)]).toEqual([400, 'This link does not work any more'])
})

test('who has a password joins with it', async () => {
  const elsewhereOrg = await service.organization()
  const person = await personWith(service, elsewhereOrg.orgId, 'OWNER')
  const { token } = await invited(person.email)
  expect((await send('/console/invitation', { token, name: '', password: '' })).status).toBe(200)
  expect((await (await signIn(service, person.email)).call('GET', '/session')).body.organizations).toHaveLength(2)
})

test('a new password is asked for and set, the same for every address', async () => {
  const email = await addPerson(service, orgId, 'VIEWER')
  const [known, unknown] = [await send('/console/password', { email }), await send('/console/password', { email: `${randomUUID()}@nobody.example` })]
  expect([known.status, headingOf(known), known.text]).toEqual([200, 'Look into your mail', unknown.text])
  const token = await linkFor(email)
  const weak = await send('/console/password', { token, password: email.toUpperCase() })
  expect([weak.status, alertOf(weak), headingOf(weak)]).toEqual([400, 'The password must not be the e-mail address.', 'Set a new password'])
  expect(headingOf(await send('/console/password', { token, password: PASSWORD }))).toBe('Done')
  await signIn(service, email, PASSWORD)
  const again = await send('/console/password', { token, password: PASSWORD })
  expect([again.status, headingOf(again), again.text]).toEqual([400, 'This link does not work any more', expect.stringContaining('<a href="/console/password">')])
})

test.each<[string, Record<string, string>, Record<string, string>, number]>([
  ['a form of another site', { token: 'x', password: PASSWORD }, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, 401],
  ['a form of a sibling', { token: 'x', password: PASSWORD }, { 'sec-fetch-site': 'same-site', origin: 'https://evil.example' }, 401],
  ['text that no database keeps', { token: 'x\0y', password: PASSWORD }, {}, 422],
  ['a token that is too long', { token: 'x'.repeat(201), password: PASSWORD }, {}, 422],
  ['another media type', { token: 'x' }, { 'content-type': 'application/json' }, 415],
  ['more than a form has', { token: 'x'.repeat(20_000) }, {}, 413],
  ['an e-mail address that is too long', { email: 'x'.repeat(255) }, {}, 422],
])('%s is refused with a page', async (_what, fields, headers, status) => {
  const answer = await send('/console/password', fields, headers)
  expect([answer.status, answer.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8'])
  expect(answer.text).toMatch(/role="alert"/)
})

test('what a link has in its token is shown as text', async () => {
  const { text } = await at('GET', `/console/invitation?token=${encodeURIComponent('"><script>alert(1)</script>')}`)
  expect(text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"')
})

test('too many tries are refused in words', async () => {
  const headers = elsewhere()
  for (let times = 0; times < 10; times += 1) await send('/console/password', { email: `${randomUUID()}@nobody.example` }, headers)
  const eleventh = await send('/console/password', { email: 'x@nobody.example' }, headers)
  expect([eleventh.status, alertOf(eleventh), eleventh.text.includes('value="x@nobody.example"')]).toEqual([429, expect.stringMatching(/^Too many tries\. Wait for 1\d minutes/), true])
})
