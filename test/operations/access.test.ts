// An operator's commands for tokens and partner keys: they are listed with their last use and without their secrets, and revoked.
import { execFile } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, jest, test } from '@jest/globals'
import { accessChangesIn } from '../../domain/restoration.ts'
import { createLastUses } from '../../models/last-use.ts'
import type { Json } from '../fixtures/client.ts'
import { ROOT } from '../fixtures/root.ts'
import { useService } from '../fixtures/use-service.ts'

jest.setTimeout(120_000)

const service = await useService()

function run(program: string, ...args: string[]): Promise<{ code: number; said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [`bin/${program}.ts`, ...args], { cwd: ROOT, env: { ...process.env, ...service.env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }))
  })
}
async function listed(program: string, ...args: string[]): Promise<Json[]> {
  const { code, said } = await run(program, 'list', '--json', ...args)
  if (code !== 0) throw new Error(said)
  return said.trim().split('\n').map((line) => JSON.parse(line) as Json)
}
const kept = async () => {
  const changes: string[] = []
  for await (const { key } of service.blobs.list('security-log/')) {
    for (const { change } of accessChangesIn(await text((await service.blobs.read(key))!.body))) changes.push(change)
  }
  return changes.sort()
}
const until = async (condition: () => Promise<boolean>) => {
  while (!(await condition()));
}

test('tokens are listed with their last use, and revoked', async () => {
  const org = await service.organization()
  const { body: { token: { token_id } } } = await org.get('/whoami')
  const uses = createLastUses(service.database, 10)
  const first = new Date('2026-04-01T10:00:00Z')
  uses.note(token_id, first)
  uses.note(token_id, new Date('2026-04-01T10:59:00Z'))
  const lastUse = async () => (await listed('token', '--org', org.orgId))[0]!.last_used_time as string | null
  await until(async () => (await lastUse()) !== null)
  expect(await lastUse()).toBe(first.toISOString())
  uses.note(token_id, new Date('2026-04-01T11:00:00Z'))
  await until(async () => (await lastUse()) === '2026-04-01T11:00:00.000Z')
  uses.close()

  expect(await listed('token', '--org', org.orgId)).toEqual([expect.objectContaining({ token_id, org_id: org.orgId, tier: 'PARTNER', revoked_time: null })])
  expect((await run('token', 'list')).said).not.toContain(org.token)
  expect(await run('token', 'revoke', token_id)).toEqual({ code: 0, said: expect.stringMatching(new RegExp(`^${token_id} is revoked since `)) })
  await until(async () => (await org.get('/whoami')).status === 401)
  expect(await run('token', 'list', '--org', org.orgId, '--valid')).toEqual({ code: 0, said: '' })
  expect(await run('token', 'revoke', org.orgId)).toEqual({ code: 1, said: `There is no token ${org.orgId}.\n` })
  expect(await run('token', 'revoke', 'nonsense')).toMatchObject({ code: 2, said: expect.stringMatching(/^Usage/) })
  expect(await run('token', 'lose')).toMatchObject({ code: 2 })
  expect(await kept()).toEqual(['TOKEN_REVOKED'])
})

test('partner keys too', async () => {
  const secret = await service.newPartnerKey()
  const call = () => service.call('GET', '/partner/organizations', { partnerKey: secret })
  expect((await call()).status).toBe(200)
  const keys = await listed('partner-key')
  expect(keys).toHaveLength(2)
  const { key_id } = keys.toSorted((a, b) => a.created_time.localeCompare(b.created_time))[1]!
  expect((await run('partner-key', 'list')).said).not.toContain(secret)
  expect(await run('partner-key', 'revoke', key_id)).toMatchObject({ code: 0 })
  await until(async () => (await call()).status === 401)
  expect((await listed('partner-key')).find((key) => key.key_id === key_id)!.revoked_time).not.toBe(null)
  expect(await run('partner-key', 'revoke', service.env.ENCRYPTION_KEY!)).toMatchObject({ code: 2 })
  expect(await kept()).toEqual(['PARTNER_KEY_REVOKED', 'TOKEN_REVOKED'])
})
