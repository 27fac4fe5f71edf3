// Members who were removed, or got another role, after a backup: the security log has it, and after-restore does it again.
import { text } from 'node:stream/consumers'
import { expect, jest, test } from '@jest/globals'
import { operator, operatorContext } from '../../bin/operator.ts'
import { afterRestore } from '../../commands/restores/after-restore.ts'
import { accessChangesIn, changesToRepeat, type AccessChange } from '../../domain/restoration.ts'
import type { Role } from '../../domain/roles.ts'
import { installationOf } from '../../models/installation.ts'
import { addPerson, personWith, type Person } from '../fixtures/persons.ts'
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
    `UPDATE users AS u SET role = 'ACCOUNTANT', removed_time = NULL, person_id = p.id FROM people AS p WHERE u.org_id = $1 AND p.email = u.email AND u.id IN ($2, $3)`,
    orgId, ids.leaves, ids.changes)
  const token = await service.token(orgId, { userId: ids.leaves })
  await installationOf(service.database)
  const now = new Date()
  // The last owner stays, whatever the log says: who became one after the backup is lost.
  const last: AccessChange = { change: 'MEMBER', org_id: orgId, id: ids.owner, role: null, time: now.toISOString() }
  const done = await afterRestore(operatorContext(service.database), operator(), { lost: { from: now, to: now }, skip: 0, changes: [...since, last] })
  expect([done.repeated, done.unknown]).toEqual([changesToRepeat(since), [last]])
  expect((await members(orgId)).filter(({ email }) => [leaves, changes, owner.email].includes(email)).toSorted((a, b) => a.role.localeCompare(b.role))).toEqual([
    { email: leaves, role: 'ACCOUNTANT', removed: true }, { email: owner.email, role: 'OWNER', removed: false }, { email: changes, role: 'VIEWER', removed: false },
  ])
  expect((await service.call('GET', '/whoami', { token })).status).toBe(401)
})

test('of a member the last change is made again, and the others in their order', () => {
  const at = (second: number) => new Date(second * 1_000).toISOString()
  const member = (role: Role | null, second: number): AccessChange => ({ change: 'MEMBER', org_id: 'o', id: 'm', role, time: at(second) })
  const status = (now: 'ACTIVE' | 'SUSPENDED', second: number): AccessChange => ({ change: 'ORGANIZATION_STATUS', org_id: 'o', status: now, time: at(second) })
  expect(changesToRepeat([member('VIEWER', 3), status('ACTIVE', 4), member(null, 1), status('SUSPENDED', 2)]))
    .toEqual([status('SUSPENDED', 2), member('VIEWER', 3), status('ACTIVE', 4)])
})
