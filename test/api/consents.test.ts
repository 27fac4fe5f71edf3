// What people have allowed OAuth clients: seen, withdrawn, ended with a membership, and never more than their role.
import { describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { useService } from '../fixtures/use-service.ts'
import { authorizeUrl, connect, consent, exchangeCode, newPerson, proofIn, refresh, registerApp, signedInAt } from '../fixtures/oauth.ts'
import { findOrganizationsOf } from '../../models/session.ts'
import { blockedBy } from '../fixtures/blocked.ts'
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

test('consents given at once: 20 hold, and each that ended is in the log', async () => {
  const mobile = await registerApp(service, { isPublic: true })
  const { orgId } = await service.organization({ name: 'Many' })
  const url = authorizeUrl(service, mobile)
  const browser = await signedInAt(service, url, await newPerson(service, [orgId]))
  const proof = proofIn(await browser.get(url))
  const answers = await Promise.all(Array.from({ length: 26 }, () => browser.post(url, { action: 'allow', proof, organization: orgId })))
  expect(answers.filter(({ location }) => location?.searchParams.has('code'))).toHaveLength(26)
  const [counted] = await service.sql<{ held: number; logged: number }>(
    `SELECT (SELECT count(*)::integer FROM oauth_consents WHERE client_id = $1 AND withdrawn_time IS NULL) AS held,
       (SELECT count(*)::integer FROM activity WHERE org_id = $2 AND action = 'OAUTH_CONSENT_WITHDRAWN') AS logged`, mobile.client_id, orgId,
  )
  expect(counted).toEqual({ held: 20, logged: 6 })
})

test('a hundred consents of a person in a day, and a hundred grants of a consent', async () => {
  const { browser, url, tokens, email } = await connect(service, app, [first.orgId])
  const exchanged = async () => exchangeCode(service, app, (await browser.get(url)).location!.searchParams.get('code')!)
  await service.sql(`INSERT INTO oauth_grants SELECT (jsonb_populate_record(g, jsonb_build_object('id', gen_random_uuid(), 'created_time', now(), 'code_hash', '\\x' || md5(n::text)))).*
    FROM oauth_grants AS g JOIN oauth_consents AS c ON c.id = g.consent_id JOIN people AS p ON p.id = c.person_id AND p.email = $1 CROSS JOIN generate_series(1, 98) AS n`, email)
  expect((await exchanged()).status).toBe(200)
  expect((await callIn(first.orgId, tokens.access_token)).status).toBe(200)
  expect((await exchanged()).status).toBe(200)
  expect((await callIn(first.orgId, tokens.access_token)).status).toBe(401)

  const wider = authorizeUrl(service, app, FULL)
  await service.sql(`INSERT INTO oauth_consents SELECT (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(), 'withdrawn_time', now()))).*
    FROM oauth_consents AS c JOIN people AS p ON p.id = c.person_id AND p.email = $1 CROSS JOIN generate_series(1, 98)`, email)
  expect((await consent(browser, wider, [first.orgId])).location?.searchParams.has('code')).toBe(true)
  const refused = await consent(browser, authorizeUrl(service, app, { scope: 'Svc.bills.READ Svc.fullaccess.all' }), [first.orgId])
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('100 times in the last 24 hours')])
})

test('a consent that waits for the removal of its person is none', async () => {
  const email = await newPerson(service, [first.orgId])
  const another = await registerApp(service)
  const url = authorizeUrl(service, another)
  const browser = await signedInAt(service, url, email)
  const removal = new pg.Client({ connectionString: service.databaseUrl })
  await removal.connect()
  try {
    await removal.query('BEGIN')
    await removal.query('SELECT FROM users WHERE org_id = $1 AND email = $2 FOR UPDATE', [first.orgId, email])
    const waiting = consent(browser, url, [first.orgId])
    await blockedBy(removal)
    await removal.query('UPDATE users SET person_id = NULL, removed_time = now() WHERE org_id = $1 AND email = $2', [first.orgId, email])
    await removal.query('COMMIT')
    const answer = await waiting
    expect([answer.location, answer.text]).toEqual([null, expect.stringContaining('You belong to no organisation')])
    expect(await service.sql('SELECT 1 FROM oauth_consents WHERE client_id = $1', another.client_id)).toEqual([])
  } finally {
    await removal.end()
  }
})

test('who is put into more organisations than are shown still sees those of before', async () => {
  const email = await newPerson(service, [second.orgId])
  await service.organization({ name: '!', user: { email } })
  const [person] = await service.sql<{ id: string }>('SELECT id FROM people WHERE email = $1', email)
  expect((await findOrganizationsOf(service.database, person!.id, 2)).map(({ name }) => name)).toEqual(['!', 'Bharat Mills'])
  expect((await findOrganizationsOf(service.database, person!.id, 1)).map(({ name }) => name)).toEqual(['Bharat Mills'])
})

test('who is put into more organisations than a page shows finds each by its name, and keeps what is chosen', async () => {
  const email = await newPerson(service, [second.orgId])
  // As partners would, in one statement: of 205 organisations the last ones are on no page.
  const added = await service.sql<{ id: string; name: string }>(
    `INSERT INTO organizations SELECT (jsonb_populate_record(o, jsonb_build_object('id', uuidv7(), 'name', '!' || n || ' Mills', 'external_ref', null))).*
     FROM organizations AS o, generate_series(1, 205) AS n WHERE o.id = $1 RETURNING id, name`, first.orgId,
  )
  const ids = added.map(({ id }) => id)
  await service.sql(
    `INSERT INTO users SELECT (jsonb_populate_record(u, jsonb_build_object('org_id', o.id, 'id', uuidv7()))).*
     FROM users AS u, (SELECT id FROM organizations WHERE id = ANY($3::uuid[]) ORDER BY id) AS o WHERE u.org_id = $1 AND u.email = $2`, second.orgId, email, ids,
  )
  try {
    const url = authorizeUrl(service, await registerApp(service))
    const browser = await signedInAt(service, url, email)
    const shown = await browser.get(url)
    expect([shown.text.match(/type="checkbox"/g)!.length, shown.text]).toEqual([200, expect.stringContaining('Bharat Mills (you are owner)')])
    expect(shown.text).toContain('These are 200 of 206 organisations.')
    const hidden = added.filter(({ id }) => !shown.text.includes(id))
    expect(hidden).toHaveLength(6)
    const [wanted] = hidden
    const form = [['proof', proofIn(shown)], ['organization', second.orgId], ['named', ` ${wanted!.name.toLowerCase()}\0`]] as [string, string][]
    const found = await browser.post(url, [['action', 'find'], ...form])
    expect([found.status, found.text.match(/type="checkbox"/g)!.length]).toEqual([200, 2])
    expect(found.text).toContain(`value="${second.orgId}" checked>`)
    expect(found.text).toContain(`value="${wanted!.id}">`)
    const none = await browser.post(url, [['action', 'find'], ['proof', proofIn(shown)], ['named', '%']])
    expect([none.status, none.text.includes('type="checkbox"'), none.text.includes('None of your organisations has this in its name.')]).toEqual([200, false, true])
    const allowed = await browser.post(url, [['action', 'allow'], ['proof', proofIn(found)], ['organization', second.orgId], ['organization', wanted!.id]])
    expect(allowed.location?.searchParams.has('code')).toBe(true)
  } finally {
    await service.sql(
      `UPDATE users SET person_id = NULL, removed_time = now() WHERE org_id = ANY($1::uuid[])`, ids,
    )
  }
})

test('a suspended organisation: 403, as for every token, and nobody can choose it', async () => {
  const closed = await service.organization({ name: 'Closed' })
  const { tokens } = await connect(service, app, [closed.orgId])
  await service.call('POST', `/partner/organizations/${closed.orgId}/suspend`, { partnerKey: service.partnerKey })
  expect((await callIn(closed.orgId, tokens.access_token)).body.code).toBe('authz.organization_suspended')
  const url = authorizeUrl(service, app)
  const browser = await signedInAt(service, url, await newPerson(service, [first.orgId, closed.orgId]))
  expect((await browser.get(url)).text).not.toContain('Closed')
  const refused = await consent(browser, url, [closed.orgId])
  expect([refused.status, refused.location]).toEqual([400, null])
})
