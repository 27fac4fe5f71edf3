// What people have allowed OAuth clients: seen, withdrawn, ended with a membership, and never more than their role.
import { describe, expect, test } from '@jest/globals'
import { useService } from '../fixtures/use-service.ts'
import { authorizeUrl, connect, consent, refresh, registerApp } from '../fixtures/oauth.ts'
import { pageOf, personWith } from '../fixtures/persons.ts'

const service = await useService()
const first = await service.organization({ name: 'Asha Traders' })
const second = await service.organization({ name: 'Bharat Mills' })
const app = await registerApp(service)
const FULL = { scope: 'Svc.fullaccess.all' }
const callIn = (orgId: string, token: string, path = '/invoices') => service.call('GET', `${path}?organization_id=${orgId}`, { token })

test('a person sees what they have allowed, and withdraws it: tokens end at once', async () => {
  const { browser, tokens } = await connect(service, app, [first.orgId, second.orgId])
  const page = pageOf(service.origin, browser.cookie)
  const { body: { consents: [given, ...others] } } = await page('GET', '/consents')
  expect(others).toEqual([])
  expect(given).toEqual({
    consent_id: expect.any(String), client: { client_id: app.client_id, name: 'Ledger Sync' }, scopes: ['Svc.invoices.READ', 'Svc.contacts.READ'],
    organizations: [{ org_id: first.orgId, name: 'Asha Traders' }, { org_id: second.orgId, name: 'Bharat Mills' }], created_time: expect.any(String), last_used_time: null,
  })
  const stranger = await personWith(service, first.orgId, 'OWNER')
  expect((await stranger.call('GET', '/consents')).body.consents).toEqual([])
  expect((await stranger.call('DELETE', `/consents/${given.consent_id}`)).status).toBe(404)
  expect((await callIn(first.orgId, tokens.access_token)).status).toBe(200)
  expect((await page('DELETE', `/consents/${given.consent_id}`)).status).toBe(200)
  expect((await callIn(first.orgId, tokens.access_token)).body.code).toBe('auth.invalid_token')
  expect((await refresh(service, app, tokens.refresh_token)).body.error).toBe('invalid_grant')
  expect((await page('DELETE', `/consents/${given.consent_id}`)).status).toBe(404)
  expect((await page('GET', '/consents')).body.consents).toEqual([])
  for (const { orgId } of [first, second]) {
    const [entry] = await service.sql<{ actor: string }>(
      `SELECT u.email AS actor FROM activity AS a JOIN users AS u ON u.org_id = a.org_id AND u.id = a.actor_user_id
       WHERE a.org_id = $1 AND action = 'OAUTH_CONSENT_WITHDRAWN'`, orgId,
    )
    expect(entry!.actor).toContain('@silks.example')
  }
})

describe('a consent is remembered', () => {
  test('for a client with a secret, until it is withdrawn, for the scopes that it has', async () => {
    const { browser, url } = await connect(service, app, [first.orgId])
    const again = await browser.get(url)
    expect([again.status, again.location?.searchParams.get('code')]).toEqual([302, expect.stringMatching(/^svc_oac_/)])
    const less = await browser.get(authorizeUrl(service, app, { scope: 'Svc.invoices.READ' }))
    expect(less.status).toBe(302)
    const more = await browser.get(authorizeUrl(service, app, { scope: 'Svc.invoices.READ Svc.bills.READ' }))
    expect([more.status, more.text]).toEqual([200, expect.stringContaining('See bills')])
    const page = pageOf(service.origin, browser.cookie)
    const [{ consent_id }] = (await page('GET', '/consents')).body.consents
    await page('DELETE', `/consents/${consent_id}`)
    expect((await browser.get(url)).status).toBe(200)
  })

  test('for no public client, which anybody can pretend to be', async () => {
    const { browser, url } = await connect(service, await registerApp(service, { isPublic: true }), [first.orgId])
    const again = await browser.get(url)
    expect([again.status, again.text]).toEqual([200, expect.stringContaining('You are asked again each time')])
  })

  test('20 times for one app; a further one ends the oldest', async () => {
    const publicApp = await registerApp(service, { isPublic: true })
    const { browser, url, tokens } = await connect(service, publicApp, [first.orgId])
    for (let more = 0; more < 20; more += 1) expect((await consent(browser, url, [first.orgId])).status).toBe(303)
    expect((await pageOf(service.origin, browser.cookie)('GET', '/consents')).body.consents).toHaveLength(20)
    expect((await callIn(first.orgId, tokens.access_token)).status).toBe(401)
  })
})

describe('a token does no more than the person may', () => {
  test.each([
    ['VIEWER', [200, 403, 403]], ['ACCOUNTANT', [200, 422, 422]], ['OWNER', [200, 422, 422]],
  ] as const)('%s', async (role, expected) => {
    const { tokens } = await connect(service, app, [first.orgId], { ...FULL, role })
    const token = tokens.access_token
    const statuses = [
      (await callIn(first.orgId, token)).status,
      (await service.call('POST', `/contacts?organization_id=${first.orgId}`, { token, body: {} })).status,
      (await service.call('POST', `/webhooks/endpoints?organization_id=${first.orgId}`, { token, body: {} })).status,
    ]
    expect(statuses).toEqual(expected)
  })

  test('from the next call on, when the role changes', async () => {
    const { tokens, email } = await connect(service, app, [first.orgId], FULL)
    const create = () => service.call('POST', `/contacts?organization_id=${first.orgId}`, { token: tokens.access_token, body: {} })
    expect((await create()).status).toBe(422)
    const owner = await personWith(service, first.orgId, 'OWNER')
    const member = (await owner.call('GET', '/members')).body.members.find((one: { email: string }) => one.email === email)
    expect((await owner.call('PUT', `/members/${member.user_id}`, { body: { role: 'VIEWER' } })).status).toBe(200)
    expect((await create()).body.code).toBe('auth.insufficient_scope')
    expect((await callIn(first.orgId, tokens.access_token)).status).toBe(200)
  })

  test('neither as a session, nor in the settings', async () => {
    const { tokens } = await connect(service, app, [first.orgId], FULL)
    const { status, body } = await pageOf(service.origin)('GET', '/preferences', { token: tokens.access_token, headers: { 'x-svc-org': first.orgId } })
    expect([status, body.code]).toEqual([401, 'auth.invalid_token'])
  })
})

test('a removed member: 401 at once in that organisation, and for good', async () => {
  const { tokens, email } = await connect(service, app, [first.orgId, second.orgId], FULL)
  const only = await connect(service, app, [first.orgId])
  const owner = await personWith(service, first.orgId, 'OWNER')
  const { body: { members } } = await owner.call('GET', '/members')
  for (const gone of [email, only.email]) {
    const { user_id } = members.find((one: { email: string }) => one.email === gone)
    expect((await owner.call('DELETE', `/members/${user_id}`)).status).toBe(200)
  }
  expect((await callIn(first.orgId, tokens.access_token)).status).toBe(401)
  expect((await callIn(second.orgId, tokens.access_token)).status).toBe(200)
  expect((await callIn(first.orgId, only.tokens.access_token)).status).toBe(401)
  expect((await callIn(second.orgId, only.tokens.access_token)).status).toBe(401)
  expect((await refresh(service, app, only.tokens.refresh_token)).body.error).toBe('invalid_grant')
  const next = await refresh(service, app, tokens.refresh_token)
  expect([next.status, next.body.organization_ids]).toEqual([200, [second.orgId]])
  // Who joins again allows it again.
  await service.sql('UPDATE users SET person_id = (SELECT id FROM people WHERE email = $1), removed_time = NULL WHERE org_id = $2 AND email = $1', email, first.orgId)
  expect((await callIn(first.orgId, next.body.access_token)).status).toBe(401)
})

test('a suspended organisation: 403, as for every token', async () => {
  const closed = await service.organization({ name: 'Closed' })
  const { tokens } = await connect(service, app, [closed.orgId])
  await service.call('POST', `/partner/organizations/${closed.orgId}/suspend`, { partnerKey: service.partnerKey })
  expect((await callIn(closed.orgId, tokens.access_token)).body.code).toBe('authz.organization_suspended')
})
