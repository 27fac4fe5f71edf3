// Members of an organisation: invited, joined, given another role, removed; and the last owner, who stays.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createMailLinks } from '../../commands/people/mail-links.ts'
import type { Role } from '../../domain/roles.ts'
import type { Answered, Json } from '../fixtures/client.ts'
import { addPerson, givePassword, PASSWORD, personWith, signIn, type Person } from '../fixtures/persons.ts'
import { codeOf, UNKNOWN, useSignIns } from '../fixtures/sign-ins.ts'

const { service, page, elsewhere } = await useSignIns()
const links = createMailLinks(service.env.ENCRYPTION_KEY!)
const NOT_FOUND = [404, 'not_found.resource']
const INVALID = [400, 'validation.invalid_value']
const LAST = [409, 'conflict.invalid_state']

const someone = () => `${randomUUID()}@weavers.example`
async function newOrganization(): Promise<{ orgId: string; owner: Person }> {
  // Its first owner has no address, and cannot sign in.
  const { orgId } = await service.organization({ name: 'Asha & Sons' })
  return { orgId, owner: await personWith(service, orgId, 'OWNER') }
}
const invite = async (owner: Person, email: string, role: Role = 'ACCOUNTANT'): Promise<Json> => {
  const answer = await owner.call('POST', '/invitations', { body: { email, role } })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body.invitation
}
const tokenOf = (orgId: string, { invitation_id: id }: Json) => links.tokenOf('INVITATION', [orgId, id])
const accept = (token: string, more: Json = { name: 'Ravi', password: PASSWORD }): Promise<Answered> =>
  page('POST', '/invitations/accept', { body: { token, ...more }, headers: elsewhere() })
const membersOf = async (owner: Person): Promise<Json[]> => (await owner.call('GET', '/members')).body.members
const idOf = async (owner: Person, email: string): Promise<string> => (await membersOf(owner)).find((member) => member.email === email).user_id
const actions = async (orgId: string) => (await service.sql<Json>(
  `SELECT a.action, u.email AS by, a.entity_ref FROM activity AS a LEFT JOIN users AS u ON u.org_id = a.org_id AND u.id = a.actor_user_id
   WHERE a.org_id = $1 AND (a.action LIKE 'MEMBER%' OR a.action LIKE 'INVITATION%') ORDER BY a.occurred_at, a.id`, orgId))

test('an invitation is mailed, accepted once, and listed until then', async () => {
  const { orgId, owner } = await newOrganization()
  const email = someone()
  const invitation = await invite(owner, email)
  expect(invitation).toMatchObject({ email, role: 'ACCOUNTANT', invited_by: await idOf(owner, owner.email) })
  expect(Date.parse(invitation.expires_time) - Date.parse(invitation.created_time)).toBe(7 * 86_400_000)
  expect((await owner.call('GET', '/invitations')).body.invitations).toEqual([invitation])
  const [mail] = await service.sql<Json>('SELECT subject, body_html, state FROM emails WHERE org_id = $1', orgId)
  expect(mail).toMatchObject({ subject: 'Invitation to Asha & Sons', body_html: expect.stringContaining('https://books.example/console/invitation?token={token}') })

  const token = tokenOf(orgId, invitation)
  const weak = await accept(token, { name: 'Ravi', password: 'short' })
  expect([...codeOf(weak), weak.body.field]).toEqual([...INVALID, 'password'])
  expect([...codeOf(await accept(token, { name: 'Ravi' })), 'password']).toEqual([400, 'validation.required_field', 'password'])
  const joined = await Promise.all([accept(token), accept(token)])
  expect(joined.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(joined.find(({ status }) => status === 200)!.body.organization).toEqual({ org_id: orgId, name: 'Asha & Sons', role: 'ACCOUNTANT' })
  const again = await accept(token)
  expect([...codeOf(again), again.body.field]).toEqual([...INVALID, 'token'])
  expect((await owner.call('GET', '/invitations')).body.invitations).toEqual([])
  const ravi = await signIn(service, email)
  expect((await ravi.call('GET', '/session')).body).toMatchObject({ user: { email, name: 'Ravi' }, organization: { org_id: orgId, role: 'ACCOUNTANT' } })
  expect(await actions(orgId)).toEqual([
    { action: 'MEMBER_INVITED', by: owner.email, entity_ref: email },
    { action: 'MEMBER_JOINED', by: email, entity_ref: email },
  ])
  const member = await owner.call('POST', '/invitations', { body: { email: email.toUpperCase(), role: 'OWNER' } })
  expect([...codeOf(member), member.body.field]).toEqual([409, 'validation.duplicate_resource', 'email'])
})

test('who has a password joins with it, and keeps it', async () => {
  const { orgId, owner } = await newOrganization()
  const person = await personWith(service, (await newOrganization()).orgId, 'VIEWER')
  const token = tokenOf(orgId, await invite(owner, person.email.toUpperCase(), 'OWNER'))
  expect((await accept(token, { password: 'an entirely new one' })).status).toBe(200)
  const { call } = await signIn(service, person.email)
  expect((await call('GET', '/session')).body.organizations.length).toBe(2)
  expect((await person.call('GET', '/members', { headers: { 'x-svc-org': orgId } })).status).toBe(200)
})

test('a link that is withdrawn, replaced, ended, of another kind or of another organisation does not work', async () => {
  const { orgId, owner } = await newOrganization()
  const other = await newOrganization()
  const email = someone()
  const first = await invite(owner, email)
  const soon = await owner.call('POST', '/invitations', { body: { email, role: 'OWNER' } })
  expect([...codeOf(soon), Number(soon.headers['retry-after']) > 0]).toEqual([429, 'rate_limit.exceeded', true])
  await service.sql(`UPDATE invitations SET created_time = now() - interval '1 hour' WHERE id = $1`, first.invitation_id)
  const second = await invite(owner, email)
  const withdrawn = await invite(owner, someone())
  expect(codeOf(await other.owner.call('DELETE', `/invitations/${withdrawn.invitation_id}`))).toEqual(NOT_FOUND)
  expect((await owner.call('DELETE', `/invitations/${withdrawn.invitation_id}`)).status).toBe(200)
  const late = await invite(owner, someone())
  await service.sql(`UPDATE invitations SET expires_time = now() WHERE id = $1`, late.invitation_id)
  const refused = [tokenOf(orgId, first), tokenOf(orgId, withdrawn), tokenOf(orgId, late), tokenOf(other.orgId, second), links.tokenOf('PASSWORD_RESET', [orgId, second.invitation_id]), 'x']
  for (const token of refused) expect((await accept(token)).body).toMatchObject({ code: 'validation.invalid_value', field: 'token' })
  expect((await owner.call('GET', '/invitations')).body.invitations).toEqual([second])
  expect((await accept(tokenOf(orgId, second))).status).toBe(200)
})

test.each(['{token}', '{to{token}ken}', '{{token}token}'])('the secret of a link stands behind its address alone, also for an organisation called %s', async (name) => {
  const { orgId, owner } = await newOrganization()
  await service.sql(`UPDATE organizations SET name = $2 WHERE id = $1`, orgId, `See https://elsewhere.example/?t=${name}`)
  await invite(owner, someone())
  const [mail] = await service.sql<Json>('SELECT subject, body_html FROM emails WHERE org_id = $1', orgId)
  expect(mail!.body_html.match(/\S*\{token\}/g)).toEqual([expect.stringContaining('https://books.example/console/invitation?token={token}')])
})

test('invitations that are withdrawn count towards those of a day, to an address and of the organisation', async () => {
  const { orgId, owner } = await newOrganization()
  const email = someone()
  const limitOf = async (to: string) => (await owner.call('POST', '/invitations', { body: { email: to, role: 'VIEWER' } })).body
  for (let mails = 0; mails < 5; mails += 1) {
    const { invitation_id: id } = await invite(owner, email.toUpperCase())
    expect((await owner.call('DELETE', `/invitations/${id}`)).status).toBe(200)
  }
  expect(await limitOf(email)).toMatchObject({ code: 'conflict.limit_reached', details: { limit: 5 } })
  await invite(owner, someone())
  await service.sql(`INSERT INTO emails SELECT (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid()))).* FROM emails AS e, generate_series(1, 194)
    WHERE e.id = (SELECT id FROM emails WHERE org_id = $1 LIMIT 1)`, orgId)
  expect(await limitOf(someone())).toMatchObject({ code: 'conflict.limit_reached', details: { limit: 200 } })
  await service.sql('DELETE FROM emails AS e WHERE org_id = $1 AND NOT EXISTS (SELECT FROM email_recipients AS r WHERE r.org_id = e.org_id AND r.email_id = e.id)', orgId)
  await service.sql(`UPDATE emails SET created_time = now() - interval '25 hours' WHERE org_id = $1`, orgId)
  await invite(owner, email)
})

test('100 invitations are open at most, also of those made at once', async () => {
  const { orgId } = await service.organization({ name: 'Many' })
  const owner = await personWith(service, orgId, 'OWNER')
  await invite(owner, someone())
  await service.sql(`INSERT INTO invitations SELECT (jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid(), 'email', n || '@silks.example'))).*
    FROM invitations AS i CROSS JOIN generate_series(1, 97) AS n WHERE org_id = $1`, orgId)
  const answers = await Promise.all(Array.from({ length: 8 }, () => owner.call('POST', '/invitations', { body: { email: someone(), role: 'VIEWER' } })))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
})

test.each<[Json, number, string, string]>([
  [{ email: 'x', role: 'OWNER' }, 422, 'validation.failed', 'email'],
  [{ email: 'x@example.com', role: 'ADMIN' }, 422, 'validation.failed', 'role'],
  [{ email: 'owner@organization.invalid', role: 'OWNER' }, 400, 'validation.invalid_value', 'email'],
  [{ role: 'OWNER' }, 422, 'validation.failed', 'email'],
])('the invitation %j is refused', async (body, status, code, field) => {
  const { owner } = await newOrganization()
  const answer = await owner.call('POST', '/invitations', { body })
  expect([...codeOf(answer), answer.body.field ?? answer.body.errors[0].field]).toEqual([status, code, field])
})

test('a role changes at once, also for a session that is open', async () => {
  const { orgId, owner } = await newOrganization()
  const viewer = await personWith(service, orgId, 'VIEWER')
  const id = await idOf(owner, viewer.email)
  expect(codeOf(await viewer.call('GET', '/members'))).toEqual([403, 'auth.insufficient_scope'])
  expect((await owner.call('PUT', `/members/${id.toUpperCase()}`, { body: { role: 'OWNER' } })).body.member).toEqual({ user_id: id, email: viewer.email, name: 'Usha', role: 'OWNER' })
  expect((await viewer.call('GET', '/members')).status).toBe(200)
  expect((await viewer.call('PUT', `/members/${id}`, { body: { role: 'VIEWER' } })).status).toBe(200)
  expect(codeOf(await viewer.call('PUT', `/members/${id}`, { body: { role: 'OWNER' } }))).toEqual([403, 'auth.insufficient_scope'])
  expect((await actions(orgId)).map(({ action, by }) => [action, by])).toEqual([['MEMBER_ROLE_CHANGED', owner.email], ['MEMBER_ROLE_CHANGED', viewer.email]])
})

test('an owner who becomes something else loses the tokens that they could make, at once; another role loses none', async () => {
  const { orgId, owner } = await newOrganization()
  const person = await personWith(service, orgId, 'OWNER')
  const id = await idOf(owner, person.email)
  const { token } = (await person.call('POST', '/tokens', { body: { name: 'Kept aside', scopes: ['Svc.fullaccess.all'] } })).body.token
  const kept = (await owner.call('POST', '/tokens', { body: { name: 'Till', scopes: ['Svc.fullaccess.all'] } })).body.token.token
  const statusOf = async (token: string) => (await service.call('POST', '/contacts', { token, key: randomUUID(), body: { contact_name: randomUUID() } })).status
  const become = async (role: Role) => expect((await owner.call('PUT', `/members/${id}`, { body: { role } })).status).toBe(200)
  expect([await statusOf(token), await statusOf(kept)]).toEqual([201, 201])
  await become('ACCOUNTANT')
  expect([await statusOf(token), await statusOf(kept)]).toEqual([401, 201])
  const byOperator = await service.token(orgId, { userId: id })
  await become('VIEWER')
  await become('OWNER')
  expect(await statusOf(byOperator)).toBe(201)
})

test('a removed member loses the organisation, their tokens and invitations at once, and may be invited again', async () => {
  const { orgId, owner } = await newOrganization()
  const person = await personWith(service, orgId, 'OWNER')
  const elsewhereToo = (await newOrganization()).orgId
  await addPerson(service, elsewhereToo, 'VIEWER', person.email)
  const named = { headers: { 'x-svc-org': orgId } }
  const id = await idOf(owner, person.email)
  const token = await service.token(orgId, { userId: id })
  const invited = await person.call('POST', '/invitations', { body: { email: someone(), role: 'OWNER' }, ...named })
  expect((await service.call('GET', '/whoami', { token })).status).toBe(200)
  expect((await owner.call('DELETE', `/members/${id}`)).status).toBe(200)
  expect(codeOf(await person.call('GET', '/preferences', named))).toEqual(NOT_FOUND)
  expect(codeOf(await person.call('PUT', '/preferences', { body: {}, ...named }))).toEqual(NOT_FOUND)
  expect((await person.call('GET', '/session')).body.organizations.map(({ org_id }: Json) => org_id)).toEqual([elsewhereToo])
  expect(codeOf(await service.call('GET', '/whoami', { token }))).toEqual(UNKNOWN)
  expect(codeOf(await accept(tokenOf(orgId, invited.body.invitation)))).toEqual(INVALID)
  expect(codeOf(await owner.call('DELETE', `/members/${id}`))).toEqual(NOT_FOUND)
  await expect(givePassword(service, orgId, person.email)).rejects.toThrow('no user')
  expect((await accept(tokenOf(orgId, await invite(owner, person.email, 'VIEWER')))).status).toBe(200)
  expect((await membersOf(owner)).find(({ email }) => email === person.email)).toMatchObject({ user_id: id, role: 'VIEWER', name: 'Ravi' })
})

test('the last owner who can sign in stays', async () => {
  const { owner } = await newOrganization()
  const id = await idOf(owner, owner.email)
  for (const answer of [await owner.call('DELETE', `/members/${id}`), await owner.call('PUT', `/members/${id}`, { body: { role: 'VIEWER' } })]) expect(codeOf(answer)).toEqual(LAST)
  for (const unknown of [randomUUID(), 'x']) {
    expect(codeOf(await owner.call('DELETE', `/members/${unknown}`))).toEqual(NOT_FOUND)
    expect(codeOf(await owner.call('PUT', `/members/${unknown}`, { body: { role: 'VIEWER' } }))).toEqual(NOT_FOUND)
  }
})

test.each<[string, (own: string, others: string) => string]>([['each other', (_own, others) => others], ['themselves', (own) => own]])(
  'of two owners who demote %s at once, one stays', async (_whom, choose) => {
    const { orgId, owner } = await newOrganization()
    const second = await personWith(service, orgId, 'OWNER')
    const [first, other] = [await idOf(owner, owner.email), await idOf(owner, second.email)]
    const answers = await Promise.all([
      owner.call('PUT', `/members/${choose(first, other)}`, { body: { role: 'VIEWER' } }),
      second.call('DELETE', `/members/${choose(other, first)}`),
    ])
    expect(answers.filter(({ status }) => status === 200).length).toBe(1)
    // Refused by the role, by the rule of the last owner, or because the person belongs to nobody any more.
    expect([400, 403, 404, 409]).toContain(answers.find(({ status }) => status !== 200)!.status)
    expect(await service.sql(`SELECT FROM users WHERE org_id = $1 AND role = 'OWNER' AND person_id IS NOT NULL`, orgId)).toEqual([{}])
  })

test("another organisation's owner finds nobody here", async () => {
  const { owner } = await newOrganization()
  const stranger = (await newOrganization()).owner
  const id = await idOf(stranger, stranger.email)
  expect(codeOf(await owner.call('DELETE', `/members/${id}`))).toEqual(NOT_FOUND)
  expect(codeOf(await owner.call('PUT', `/members/${id}`, { body: { role: 'VIEWER' } }))).toEqual(NOT_FOUND)
})
