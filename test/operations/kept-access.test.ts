// A change of who may do what is in the security log before it is in the database: a crash between the two loses none.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { afterAll, expect, jest, test } from '@jest/globals'
import { pino } from 'pino'
import { operator, operatorContext } from '../../bin/operator.ts'
import { openBooks } from '../../commands/books/open-books.ts'
import type { Books } from '../../commands/books/books.ts'
import { revokeToken } from '../../commands/organizations/access.ts'
import { accessChangesIn } from '../../domain/restoration.ts'
import { openBlobStore } from '../../gateways/storage/azure-blobs.ts'
import { createSecurityLog } from '../../gateways/storage/security-log.ts'
import { installationOf } from '../../models/installation.ts'
import { partners } from '../../models/organization.ts'
import { ROOT } from '../fixtures/root.ts'
import { useService } from '../fixtures/use-service.ts'
import { until } from '../start/local-run.ts'

jest.setTimeout(60_000)

const service = await useService()
const lines: string[] = []
const log = pino({}, { write: (line: string) => void lines.push(line) })
const options = { clock: () => new Date(), installation: () => installationOf(service.database) }
const securityLog = createSecurityLog(service.blobs, log, options)
afterAll(() => securityLog.close())

const stored = async () => {
  let all = ''
  for await (const { key } of service.blobs.list('security-log/')) all += await text((await service.blobs.read(key))!.body)
  return all
}
const keptOf = async (id: string) => accessChangesIn(await stored()).filter((change) => 'id' in change && change.id === id).length
const isRevoked = async (id: string) => (await service.sql('SELECT FROM tokens WHERE id = $1 AND revoked_time IS NOT NULL', id)).length === 1
async function newToken() {
  const { orgId } = await service.organization()
  const { body: { token: { token_id: id } } } = await service.call('GET', '/whoami', { token: await service.token(orgId) })
  return { orgId, id }
}
const revoke = (token: { orgId: string; id: string }, keep = securityLog.keep, more: (books: Books) => void = () => undefined) =>
  openBooks({ ...operatorContext(service.database), keepAccess: keep }, operator(), async (books) => {
    await revokeToken(books, token, books.now)
    more(books)
  })

test('it is kept first, and then made', async () => {
  const token = await newToken()
  const seen: unknown[] = []
  await revoke(token, async (changes) => {
    const takeBack = await securityLog.keep(changes)
    seen.push(await keptOf(token.id), await isRevoked(token.id))
    return takeBack
  })
  expect([seen, await isRevoked(token.id)]).toEqual([[1, false], true])
})

test('what was not made after all is taken back', async () => {
  const token = await newToken()
  const row = { id: token.id, name: 'Asha', created_time: new Date() }
  const twice = (books: Books) => {
    for (const _ of [1, 2]) books.insertAbove(partners, row)
  }
  await expect(revoke(token, securityLog.keep, twice)).rejects.toThrow()
  await until(async () => (await keptOf(token.id)) === 0, 20_000, () => 'it is not taken back')
  expect([await isRevoked(token.id), (await stored()).split(token.id).length]).toEqual([false, 3])
  expect(accessChangesIn(lines.join('')).filter((change) => 'id' in change && change.id === token.id)).toEqual([])

  const before = await stored()
  await revoke(token, securityLog.keep, (books) => books.discard())
  expect([await isRevoked(token.id), await stored()]).toEqual([false, before])
})

test('a store that is away stops nobody, and the log of the process has it', async () => {
  const AWAY = 'DefaultEndpointsProtocol=http;AccountName=bahi;AccountKey=c2VjcmV0;BlobEndpoint=http://127.0.0.1:9/bahi;'
  const away = createSecurityLog(openBlobStore({ connectionString: AWAY, container: 'away', publicUrl: null }), log, options)
  for (const token of [await newToken(), await newToken()]) {
    await revoke(token, away.keep)
    expect([await isRevoked(token.id), await keptOf(token.id)]).toEqual([true, 0])
    expect(accessChangesIn(lines.join(''))).toContainEqual({ change: 'TOKEN_REVOKED', org_id: token.orgId, id: token.id, time: expect.any(String) })
  }
  await away.close()
})

test('a store that does not answer is waited for once, and gets later what came meanwhile', async () => {
  let answer: () => void = () => undefined
  const written: string[] = []
  const hanging = createSecurityLog({
    async write(_key, body) {
      await new Promise<void>((resolve) => { answer = resolve })
      written.push(String(body))
      return { bytes: 0, sha256: '' }
    },
  }, log, options)
  const changeOf = (id: string) => ({ change: 'PARTNER_KEY_REVOKED' as const, id, time: new Date().toISOString() })
  await hanging.keep([changeOf('first')])
  const second = hanging.keep([changeOf('second')]).then(() => 'at once')
  expect(await Promise.race([second, setImmediate('after a wait')])).toBe('at once')
  for (const id of ['first', 'second']) {
    answer()
    await until(async () => written.join('').includes(id), 5_000, () => `${id} is not written`)
  }
  await hanging.close()
})

test('a command of an operator revokes while a store that does not answer still has its call', async () => {
  const open = new Set<unknown>()
  const silent = createServer((request) => {
    open.add(request)
    request.socket.on('close', () => open.delete(request))
  })
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const { port } = silent.address() as AddressInfo
  const storage = `DefaultEndpointsProtocol=http;AccountName=bahi;AccountKey=c2VjcmV0;BlobEndpoint=http://127.0.0.1:${port}/bahi;`
  const token = await newToken()
  const env = { ...process.env, ...service.env, AZURE_STORAGE_CONNECTION_STRING: storage }
  const command = execFile(process.execPath, ['bin/token.ts', 'revoke', token.id], { cwd: ROOT, env })
  const printed = text(command.stderr!)
  await until(() => isRevoked(token.id), 30_000, () => 'it is not revoked')
  expect(open.size).toBe(1)
  silent.closeAllConnections()
  silent.close()
  expect(await printed).toContain(`Keep these lines for npm run after-restore -- --security-log FILE:\n{"change":"TOKEN_REVOKED"`)
})

test('a call of the API is kept when it is answered, and an operator who repeats a command keeps what it does again', async () => {
  const { orgId } = await service.organization()
  const { body: { token: { token_id: id } } } = await service.call('GET', '/whoami', { token: await service.token(orgId) })
  expect((await service.call('POST', `/partner/organizations/${orgId}/suspend`, { partnerKey: service.partnerKey })).status).toBe(200)
  expect(accessChangesIn(await stored())).toContainEqual({ change: 'ORGANIZATION_STATUS', org_id: orgId, status: 'SUSPENDED', time: expect.any(String) })
  const run = (...args: string[]) => new Promise<string>((resolve) => {
    execFile(process.execPath, args, { cwd: ROOT, env: { ...process.env, ...service.env } }, (_error, stdout, stderr) => resolve(stdout + stderr))
  })
  for (const times of [1, 2]) {
    expect(await run('bin/token.ts', 'revoke', id)).toContain(`${id} is revoked since`)
    expect(await keptOf(id)).toBe(times)
  }
  const suspended = await service.organization()
  expect(await run('bin/after-restore.ts', '--suspend', suspended.orgId, '--again', '--beside-running', '--skip', '0')).toContain(suspended.orgId)
  expect(accessChangesIn(await stored())).toContainEqual({ change: 'ORGANIZATION_STATUS', org_id: suspended.orgId, status: 'SUSPENDED', time: expect.any(String) })
  expect((await suspended.get('/invoices')).status).toBe(403)
})
