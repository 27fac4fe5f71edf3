// Persons and their passwords: one person of an address in every organisation, and the operator's command.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import { isPassword } from '../../commands/people/passwords.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()

const personOf = (email: string) => service.sql<{ id: string; password: string | null }>('SELECT id, password FROM people WHERE lower(email) = lower($1)', email)

/** Runs the command with this standard input; answers its exit code and what it printed. */
async function password(orgId: string, email: string, input: string) {
  const child = spawn(process.execPath, ['bin/password.ts', '--org', orgId, '--user', email], { env: { ...process.env, DATABASE_URL: service.databaseUrl } })
  child.stdin.end(input)
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), new Promise((done) => child.on('close', done))])
  return { code, out: out.trim(), err: err.trim() }
}

test('organisations provisioned at once for one address have one person', async () => {
  const emails = Array.from({ length: 8 }, (_, place) => (place % 2 ? 'Lata@Silks.example' : 'lata@silks.example'))
  const clients = await Promise.all(emails.map((email) => service.organization({ user: { email, name: 'Lata' } })))
  expect((await personOf('lata@silks.example')).length).toBe(1)
  expect((await service.sql(
    'SELECT FROM users AS u JOIN people AS p ON p.id = u.person_id AND p.email = u.email WHERE u.org_id = ANY ($1)', clients.map(({ orgId }) => orgId))).length).toBe(8)
})

test('an owner without an address is no person', async () => {
  for (const body of [{}, { user: { email: 'owner@organization.invalid' } }]) {
    const { orgId } = await service.organization(body)
    expect(await service.sql('SELECT person_id FROM users WHERE org_id = $1', orgId)).toEqual([{ person_id: null }])
    expect(await password(orgId, 'owner@organization.invalid', '')).toMatchObject({ code: 1, err: expect.stringContaining('has no user') })
  }
})

test('npm run password makes one or takes it, and refuses what is no user or no password', async () => {
  const { orgId } = await service.organization({ user: { email: 'usha@silks.example' } })
  const made = await password(orgId, 'Usha@silks.example', '')
  expect(made).toEqual({ code: 0, out: expect.stringMatching(/^[\w-]{20}$/), err: '' })
  expect(await isPassword(made.out, (await personOf('usha@silks.example'))[0]!.password)).toBe(true)
  expect(await password(orgId, 'usha@silks.example', 'tamarind river\r\n')).toMatchObject({ code: 0, out: expect.stringContaining('is set') })
  expect(await isPassword('tamarind river', (await personOf('usha@silks.example'))[0]!.password)).toBe(true)
  expect(await password(orgId, 'usha@silks.example', 'password123')).toMatchObject({ code: 1, err: 'The password is one of the commonest passwords.' })
  expect(await password(orgId, 'nobody@silks.example', '')).toMatchObject({ code: 1, err: expect.stringContaining('has no user nobody@silks.example') })
  expect((await service.sql<{ entity_ref: string; changes: unknown }>(`SELECT entity_ref, changes FROM activity WHERE org_id = $1 AND action = 'PASSWORD_SET'`, orgId))).toEqual(
    [{ entity_ref: 'usha@silks.example', changes: null }, { entity_ref: 'usha@silks.example', changes: null }])
})
