// Members who were removed, or got another role, after a backup: the security log has it, and after-restore does it again.
import { execFile } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, jest, test } from '@jest/globals'
import { operator, operatorContext } from '../../bin/operator.ts'
import { accessChangesOf } from '../../commands/books/access-changes.ts'
import { afterRestore } from '../../commands/restores/after-restore.ts'
import { accessChangesIn, changesToRepeat, type AccessChange } from '../../domain/restoration.ts'
import type { Role } from '../../domain/roles.ts'
import { reportText } from '../../bin/restores/report.ts'
import { installationOf } from '../../models/installation.ts'
import { connect, registerApp } from '../fixtures/oauth.ts'
import { addPerson, personWith, type Person } from '../fixtures/persons.ts'
import { ROOT } from '../fixtures/root.ts'
import { useService } from '../fixtures/use-service.ts'
import { until } from '../start/local-run.ts'

jest.setTimeout(60_000)

const service = await useService()
const kept = async () => {
  const changes: AccessChange[] = []
  for await (const { key } of service.blobs.list('security-log/')) changes.push(...accessChangesIn(await text((await service.blobs.read(key))!.body)))
  return changes.filter(({ change }) => change === 'MEMBER')
}
const members = (orgId: string) => service.sql<{ email: string; role: Role; removed: boolean }>(
  'SELECT email, role, removed_time IS NOT NULL AND person_id IS NULL AS removed FROM users WHERE org_id = $1', orgId)

async function idOf(owner: Person, email: string): Promise<string> {
  return (await owner.call('GET', '/members')).body.members.find((member: { email: string }) => member.email === email).user_id
}

test('what owners do with members is kept, and done again', async () => {
  const { orgId } = await service.organization()
  const owner = await personWith(service, orgId, 'OWNER')
  const [leaves, changes] = [await addPerson(service, orgId, 'ACCOUNTANT'), await addPerson(service, orgId, 'ACCOUNTANT')]
  const ids = { owner: await idOf(owner, owner.email), leaves: await idOf(owner, leaves), changes: await idOf(owner, changes) }
  expect((await owner.call('DELETE', `/members/${ids.leaves}`)).status).toBe(200)
  expect((await owner.call('PUT', `/members/${ids.changes}`, { body: { role: 'VIEWER' } })).status).toBe(200)
  await until(async () => (await kept()).length === 2, 20_000, () => 'the security log has not both changes')
  const since = await kept()
  const time = expect.any(String)
  expect(changesToRepeat(since)).toEqual([
    { change: 'MEMBER', org_id: orgId, id: ids.leaves, role: null, time },
    { change: 'MEMBER', org_id: orgId, id: ids.changes, role: 'VIEWER', time },
  ])

  // As they were in the backup.
  await service.sql(
    `UPDATE users AS u SET role = CASE WHEN u.id = $3 THEN 'OWNER' ELSE 'ACCOUNTANT' END, removed_time = NULL, person_id = p.id FROM people AS p WHERE u.org_id = $1 AND p.email = u.email AND u.id IN ($2, $3)`,
    orgId, ids.leaves, ids.changes)
  const tokens = [await service.token(orgId, { userId: ids.leaves }), await service.token(orgId, { userId: ids.changes })]
  await installationOf(service.database)
  const now = new Date()
  // The last owner stays, whatever the log says: who became one after the backup is lost.
  const last: AccessChange = { change: 'MEMBER', org_id: orgId, id: ids.owner, role: null, time: now.toISOString() }
  const done = await afterRestore(operatorContext(service.database), operator(), { lost: { from: now, to: now }, skip: 0, changes: [...since, last] })
  expect([done.repeated, done.unknown]).toEqual([changesToRepeat(since), [last]])
  expect((await members(orgId)).filter(({ email }) => [leaves, changes, owner.email].includes(email)).toSorted((a, b) => a.role.localeCompare(b.role))).toEqual([
    { email: leaves, role: 'ACCOUNTANT', removed: true }, { email: owner.email, role: 'OWNER', removed: false }, { email: changes, role: 'VIEWER', removed: false },
  ])
  for (const token of tokens) expect((await service.call('GET', '/whoami', { token })).status).toBe(401)
})

test('of a member the last change is made again, and the others in their order', () => {
  const at = (second: number) => new Date(second * 1_000).toISOString()
  const member = (role: Role | null, second: number): AccessChange => ({ change: 'MEMBER', org_id: 'o', id: 'm', role, time: at(second) })
  const status = (now: 'ACTIVE' | 'SUSPENDED', second: number): AccessChange => ({ change: 'ORGANIZATION_STATUS', org_id: 'o', status: now, time: at(second) })
  expect(changesToRepeat([member('VIEWER', 3), status('ACTIVE', 4), member(null, 1), status('SUSPENDED', 2)]))
    .toEqual([status('SUSPENDED', 2), member('VIEWER', 3), status('ACTIVE', 4)])
})

test('a run that follows one that was broken off reports what both have done, of every organisation and in words', async () => {
  const orgs = await Promise.all(Array.from({ length: 3 }, () => service.organization()))
  const { body: { contact: { contact_id: customer_id } } } = await orgs[0]!.post('/contacts', { contact_name: 'Meena', contact_type: 'CUSTOMER' })
  await orgs[0]!.post('/invoices', { customer_id, line_items: [{ name: 'Silk', rate: 100, quantity: 1 }] })
  await service.sql(
    `INSERT INTO emails (org_id, id, purpose, entity_type, entity_id, state, sender_name, subject, body_html, attach_pdf, tries, origin, created_time, last_modified_time)
     VALUES ($1, gen_random_uuid(), 'DOCUMENT', 'INVOICE', gen_random_uuid(), 'READY', 'Asha', 'Invoice', '', false, 0, '{}', now(), now())`, orgs[0]!.orgId)
  await service.sql(`INSERT INTO email_recipients (org_id, email_id, place, kind, address) SELECT org_id, id, 0, 'TO', 'meena@example.com' FROM emails WHERE org_id = $1`, orgs[0]!.orgId)
  const now = new Date()
  const change: AccessChange = { change: 'ORGANIZATION_STATUS', org_id: orgs[2]!.orgId, status: 'SUSPENDED', time: now.toISOString() }
  const input = { lost: { from: now, to: now }, skip: 3, changes: [change] }
  const first = await afterRestore(operatorContext(service.database), operator(), input)
  // As it was in the middle.
  await service.sql('UPDATE installation SET restore_begun_time = $1, restored_time = NULL', first.begun)
  const second = await afterRestore(operatorContext(service.database), operator(), input)
  expect(second.organizations).toEqual(first.organizations.map((one) => ({ ...one, skipped: expect.arrayContaining(one.skipped) })))
  expect(second.organizations.find(({ org_id }) => org_id === orgs[0]!.orgId)!.skipped).toContainEqual({ document: 'payment', numbers: 3, last: expect.stringMatching(/\d+$/) })
  expect([second.mails, second.mails.length]).toEqual([first.mails, 1])

  const many = Array.from({ length: 60 }, () => second.organizations).flat()
  const lines = reportText({ ...second, organizations: many, lost: input.lost, sources: ['a file'] }).split('\n')
  expect(lines.filter((line) => line.startsWith(`  ${orgs[1]!.orgId} `))).toHaveLength(60)
  expect(lines).toContain(`  ${orgs[2]!.orgId} is SUSPENDED since ${change.time}`)
  expect(lines.filter((line) => line.length > 170 && !line.startsWith('  '))).toEqual([])
})

test('OAuth clients and consents that ended since end again, and so does all that apps were allowed', async () => {
  const { orgId } = await service.organization()
  const [app, other] = [await registerApp(service), await registerApp(service, { name: 'Other' })]
  for (const one of [app, other]) await connect(service, one, [orgId])
  const [consent] = await service.sql<{ id: string }>('SELECT id FROM oauth_consents WHERE client_id = $1', other.client_id)
  const env = { ...process.env, ...service.env }
  await promisify(execFile)(process.execPath, ['bin/oauth-client.ts', 'revoke', app.client_id], { cwd: ROOT, env })
  let log = ''
  for await (const { key } of service.blobs.list('security-log/')) log += await text((await service.blobs.read(key))!.body)
  const time = new Date()
  const [row, withdrawn] = [{ id: consent!.id }, { withdrawn_time: time }]
  const changes = [...accessChangesIn(log).filter(({ change }) => change === 'OAUTH_CLIENT_REVOKED'), ...accessChangesOf('oauth_consents', row, withdrawn, time)]
  expect(changes).toEqual([
    { change: 'OAUTH_CLIENT_REVOKED', id: app.client_id, time: expect.any(String) }, { change: 'OAUTH_CONSENT_WITHDRAWN', id: consent!.id, time: time.toISOString() },
  ])
  // As they were in the backup.
  await service.sql('UPDATE oauth_clients SET revoked_time = NULL')
  const unknown = { change: 'OAUTH_CLIENT_REVOKED' as const, id: orgId, time: time.toISOString() }
  const done = await afterRestore(operatorContext(service.database), operator(), { lost: { from: time, to: time }, skip: 0, changes: [...changes, unknown] })
  expect([done.repeated, done.unknown]).toEqual([changesToRepeat(changes), [unknown]])
  expect(await service.sql('SELECT id FROM oauth_clients WHERE revoked_time IS NOT NULL')).toEqual([{ id: app.client_id }])
  expect(await service.sql('SELECT id FROM oauth_consents WHERE withdrawn_time IS NOT NULL')).toEqual([{ id: consent!.id }])
  expect(await service.sql('SELECT FROM oauth_grants WHERE revoked_time IS NULL')).toEqual([])
})
