// An operator's commands for tokens and partner keys: they are listed with their last use and without their secrets, and revoked.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import { areTimes, filterOf, isClear } from '../../bin/access/selection.ts'
import { openRunRecord } from '../../bin/services/run-record.ts'
import { accessChangesIn } from '../../domain/restoration.ts'
import { createLastUses } from '../../models/last-use.ts'
import type { Json } from '../fixtures/client.ts'
import { ROOT } from '../fixtures/root.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()

const run = (program: string, ...args: string[]) => runWith(service.env, program, ...args)
function runWith(env: Record<string, string>, program: string, ...args: string[]): Promise<{ code: number; said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [`bin/${program}.ts`, ...args], { cwd: ROOT, env: { ...process.env, ...env } }, (error, stdout, stderr) =>
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

test('tokens and keys of an organisation, a partner or a time are listed first, and revoked by --yes', async () => {
  const [asha, meena] = [await service.organization(), await service.organization()]
  const second = await service.token(asha.orgId)
  const isValid = async (secret: string) => (await service.call('GET', '/whoami', { token: secret })).status === 200
  const [{ now }] = await service.sql<{ now: Date }>('SELECT clock_timestamp() AS now') as [{ now: Date }]
  const third = await service.token(asha.orgId)

  const listed = await run('token', 'revoke', '--org', asha.orgId, '--created-before', now.toISOString())
  expect(listed.said.match(/^[0-9a-f-]{36} {2}/gm)).toHaveLength(2)
  expect(listed).toMatchObject({ code: 0, said: expect.stringContaining('2 tokens are valid. Nothing was revoked; --yes revokes them.\n') })
  expect(await isValid(second)).toBe(true)
  expect(await run('token', 'revoke', '--org', asha.orgId, '--created-before', now.toISOString(), '--yes')).toMatchObject({ code: 0, said: expect.stringContaining('2 tokens were revoked.') })
  await until(async () => !(await isValid(second)) && !(await isValid(asha.token)))
  expect(await isValid(third) && await isValid(meena.token)).toBe(true)
  expect(await run('token', 'revoke', '--created-since', now.toISOString(), '--yes')).toMatchObject({ code: 0, said: expect.stringContaining('1 tokens were revoked.') })
  await until(async () => !(await isValid(third)))
  expect(await isValid(meena.token)).toBe(true)
  expect(await run('token', 'revoke', '--all')).toMatchObject({ code: 0, said: expect.stringContaining(meena.orgId) })

  const secret = await service.newPartnerKey()
  const [{ name }] = await service.sql<{ name: string }>('SELECT name FROM partners ORDER BY created_time DESC LIMIT 1') as [{ name: string }]
  expect(await run('partner-key', 'revoke', '--name', name)).toMatchObject({ code: 0, said: expect.stringContaining('1 keys are valid. Nothing was revoked; --yes revokes them.') })
  expect(await run('partner-key', 'revoke', '--name', name, '--yes')).toMatchObject({ code: 0, said: expect.stringContaining('1 keys were revoked.') })
  await until(async () => (await service.call('GET', '/partner/organizations', { partnerKey: secret })).status === 401)
  expect((await service.call('GET', '/partner/organizations', { partnerKey: service.partnerKey })).status).toBe(200)
  expect(await kept()).toEqual([...Array<string>(2).fill('PARTNER_KEY_REVOKED'), ...Array<string>(4).fill('TOKEN_REVOKED')])
})

test('beside a local run the services are those of its record, and without a blob store the lines to keep are printed', async () => {
  const org = await service.organization()
  const before = await kept()
  const folder = mkdtempSync(join(tmpdir(), 'bahi-run-'))
  const { DATABASE_URL: _, AZURE_STORAGE_CONNECTION_STRING: __, AZURE_STORAGE_CONTAINER: ___, ...none } = service.env
  const record = await openRunRecord(folder)
  const tokens: string[] = []
  for (const services of [service.env, { DATABASE_URL: service.env.DATABASE_URL! }]) {
    record.noteServices(services)
    const { body: { token: { token_id } } } = await service.call('GET', '/whoami', { token: await service.token(org.orgId) })
    tokens.push(token_id)
    const { code, said } = await runWith({ ...none, DATABASE_URL: '', AZURE_STORAGE_CONNECTION_STRING: '', DATA_DIR: folder }, 'token', 'revoke', token_id)
    expect([code, said.includes('No blob store is configured')]).toEqual([0, services !== service.env])
    const revoked = [{ change: 'TOKEN_REVOKED', org_id: org.orgId, id: token_id, time: expect.any(String) }]
    expect(accessChangesIn(said)).toEqual(services === service.env ? [] : revoked)
  }
  record.close()
  rmSync(folder, { recursive: true })
  expect(await kept()).toEqual([...before, 'TOKEN_REVOKED'].sort())
  expect(await service.sql('SELECT FROM tokens WHERE revoked_time IS NOT NULL AND id = ANY($1)', tokens)).toHaveLength(2)
})

test('what is to be revoked has to be clear', async () => {
  const said = await Promise.all([run('token', 'revoke', '--yes'), run('token', 'revoke', '--created-before', 'yesterday'), run('token', 'list', '--yes'), run('partner-key', 'revoke')])
  expect(said).toEqual(said.map(() => ({ code: 2, said: expect.stringMatching(/^Usage/) })))
  const given = (more: object) => ({ valid: false, all: false, yes: false, ...more })
  const clear = (ids: string[], more: object, whose?: string) => isClear(given(more), { ids, whose })
  expect([clear(['a'], {}), clear([], { all: true }), clear([], { 'created-since': '2026-11-23' }), clear([], { yes: true }, 'of one')]).toEqual([true, true, true, true])
  expect([clear([], {}), clear([], { yes: true }), clear(['a'], { all: true }), clear(['a'], { yes: true }), clear(['a'], {}, 'of one')]).toEqual([false, false, false, false, false])
  const at = (text: string) => areTimes(filterOf(given({ 'created-since': text }), 'revoke'))
  expect(['2026-11-23', '2026-11-23T04:30:00Z', '2026-11-23T04:30:00.5+05:30'].every(at)).toBe(true)
  expect(['2026-11-23 04:30', '2026-11-23T04:30', '2026-13-01', 'now'].some(at)).toBe(false)
})

test('names that hold line ends and escape sequences are printed without harm', async () => {
  const org = await service.organization()
  const name = 'Asha\u001b[2J\r\nTraders\u202e\u009b'
  await service.sql('UPDATE organizations SET name = $2 WHERE id = $1', org.orgId, name)
  await service.sql('UPDATE partners SET name = $1 || id::text', name)
  const shown = 'Asha\\x1b[2J\\r\\nTraders\\u202e\\x9b'
  for (const said of [(await run('token', 'list', '--org', org.orgId)).said, (await run('partner-key', 'list')).said.split('\n')[0]!]) {
    expect(said).toContain(shown)
    expect(said.trim()).not.toMatch(/\p{Cc}|\u202e/u)
  }
})
