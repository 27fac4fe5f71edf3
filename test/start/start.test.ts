// npm start for real: what it prints, what it keeps alive, what it survives, what it leaves behind.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, isFree } from '../../bin/services/port.ts'
import { end, isAlive, onPath } from '../../bin/services/process.ts'
import { servicesOf } from '../../bin/services/run-record.ts'
import { openBlobStore } from '../../gateways/storage/azure-blobs.ts'
import { readLocalRun } from '../../settings.ts'
import type { Json } from '../fixtures/client.ts'
import { ROOT } from '../fixtures/root.ts'
import { childrenOf, demoCard, type LocalRun, startLocalRun, statusOf, until } from './local-run.ts'

const READY = /Bahi is ready after/
// A blank in the path, as in "My Documents", breaks what forgets to quote.
const dataDir = join(mkdtempSync(join(tmpdir(), 'bahi-start-')), 'data folder')
const parts = ['API', 'Worker', 'PostgreSQL', 'Temporal', 'Azurite', 'Mailbox', ...(onPath('redis-server', readLocalRun().path) ? ['Redis'] : [])]
let port: number
let run: LocalRun
let origin: string

beforeAll(async () => {
  port = await freePort(undefined)
  origin = `http://127.0.0.1:${port}`
  run = startLocalRun(dataDir, port)
  await run.says(READY, 90_000)
}, 120_000)

afterAll(async () => {
  run.kill('SIGKILL')
  await run.ended
  for (const child of childrenOf(dataDir).toReversed()) await end(child, { patienceMs: 5000 })
  rmSync(join(dataDir, '..'), { recursive: true, force: true })
}, 120_000)

const part = (name: string) => childrenOf(dataDir).find((child) => child.name === name)

describe('a first start', () => {
  test('writes demo.json with its keys in their order, for its owner alone', () => {
    const card = demoCard(dataDir)
    expect(Object.keys(card)).toEqual([
      'base_url', 'docs_url', 'console_url', 'temporal_ui_url', 'temporal_address', 'mailbox_url', 'database_url',
      'partner_key', 'organization', 'token', 'user',
    ])
    expect(Object.keys(card.organization)).toEqual(['org_id', 'name'])
    expect(card.base_url).toBe(`${origin}/api/public/v1`)
    expect(statSync(join(dataDir, 'demo.json')).mode & 0o777).toBe(0o600)
  })

  test('answers at every address of demo.json', async () => {
    const card = demoCard(dataDir)
    expect(await statusOf(`${origin}/health/ready`)).toBe(200)
    expect(await statusOf(card.docs_url)).toBe(200)
    expect(await statusOf(card.temporal_ui_url ?? '')).toBe(200)
    expect(await statusOf(`${card.mailbox_url}/messages`)).toBe(200)
    expect(await statusOf(`${card.base_url}/whoami`, card.token)).toBe(200)
    expect(await statusOf(`${card.base_url}/whoami`, `${card.token}x`)).toBe(401)
  })

  test('has an invoice to show: a tax invoice with its IRN, of an organisation with a GSTIN', async () => {
    const { base_url, token } = demoCard(dataDir)
    const get = async (path: string) => (await (await fetch(base_url + path, { headers: { authorization: `Bearer ${token}` } })).json()) as Json
    const newest = async () => (await get('/invoices?per_page=1')).invoices[0]
    await until(async () => (await newest()).e_invoice?.status === 'GENERATED', 90_000, () => `no IRN:\n${run.output()}`)
    expect(await newest()).toMatchObject({ customer_name: 'Marina Books', status: 'SENT', e_invoice: { irn: expect.stringMatching(/^[0-9a-f]{64}$/), errors: [] } })
  })

  test('lets the owner of demo.json sign in', async () => {
    const { user } = demoCard(dataDir)
    const answer = await fetch(`${origin}/internal/v1/session`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(user),
    })
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([201, expect.stringMatching(/^bahi_session=[\w-]{43};.*Max-Age=604800$/)])
  })

  test("decrypts for Temporal's UI, which knows where", async () => {
    const ui = demoCard(dataDir).temporal_ui_url!
    const settings = (await (await fetch(`${ui}/api/v1/settings`)).json()) as { Codec: { Endpoint: string } }
    const asked = (path: string, body: string) => fetch(settings.Codec.Endpoint + path, { method: 'POST', headers: { origin: ui }, body })
    const plain = JSON.stringify({ payloads: [{ metadata: { encoding: 'anNvbi9wbGFpbg==' }, data: 'MQ==' }] })
    const encoded = await (await asked('/encode', plain)).text()
    expect(encoded).not.toBe(plain)
    const decoded = await asked('/decode', encoded)
    expect([decoded.headers.get('access-control-allow-origin'), await decoded.text()]).toEqual([ui, plain])
  })

  test('runs as a role that owns nothing, and npm run migrate finds the owner', async () => {
    expect(new URL(demoCard(dataDir).database_url).username).toBe('bahi_service')
    const env: NodeJS.ProcessEnv = { ...process.env, DATA_DIR: dataDir }
    delete env.DATABASE_URL
    const { stdout } = await promisify(execFile)(process.execPath, ['bin/migrate.ts'], { cwd: ROOT, env })
    expect(stdout).toBe('The schema is up to date.\nbahi_service may do what the service does.\n')
  })

  test('leaves to operators where its services are, the blob store too', async () => {
    const { DATABASE_URL, REDIS_URL, AZURE_STORAGE_CONNECTION_STRING: connectionString, AZURE_STORAGE_CONTAINER: container } = servicesOf(dataDir)!
    expect([DATABASE_URL, REDIS_URL !== undefined]).toEqual([demoCard(dataDir).database_url, parts.includes('Redis')])
    expect(await openBlobStore({ connectionString: connectionString!, container: container ?? 'bahi', publicUrl: null }).isReachable()).toBe(true)
    expect(statSync(join(dataDir, 'run.json')).mode & 0o777).toBe(0o600)
  })

  test('refuses a second run on the same folder, naming the first', async () => {
    const second = startLocalRun(dataDir, await freePort(undefined))
    expect(await second.ended).toBe(1)
    expect(second.output()).toContain(`in use by another run (process ${run.pid})`)
  })

  test('refuses a port that is taken, naming it and the remedy, and leaves nothing running', async () => {
    const other = join(dataDir, '..', 'other')
    const second = startLocalRun(other, port)
    expect(await second.ended).toBe(1)
    expect(second.output()).toContain(`Port ${port} of 127.0.0.1 is taken`)
    expect(second.output()).toContain('PORT=')
    expect(childrenOf(other)).toEqual([])
  })
})

describe('a part that dies', () => {
  test.each(parts)('%s comes back by itself', async (name) => {
    const before = part(name)
    expect(before).toBeDefined()
    process.kill(before?.pid ?? 0, 'SIGKILL')
    await until(() => (part(name)?.pid ?? before?.pid) !== before?.pid, 90_000, () => `${name} stays away:\n${run.output()}`)
    await until(async () => (await statusOf(`${origin}/health/ready`)) === 200, 90_000, () => `not ready:\n${run.output()}`)
    expect(run.output()).toMatch(new RegExp(`${name} +ended \\(signal SIGKILL\\)`))
  }, 120_000)
})

describe('a run that is killed', () => {
  test('is followed by one that ends its leftovers and has its data', async () => {
    const { token, organization } = demoCard(dataDir)
    const left = childrenOf(dataDir)
    run.kill('SIGKILL')
    await run.ended
    expect(left.map((child) => child.name).sort()).toEqual([...parts].sort())
    expect(left.every(isAlive)).toBe(true)

    run = startLocalRun(dataDir, port)
    await run.says(READY)
    expect(run.output()).toContain('Leftovers')
    expect(left.filter(isAlive)).toEqual([])
    expect(demoCard(dataDir)).toMatchObject({ token, organization })
    expect(await statusOf(`${origin}/api/public/v1/whoami`, token)).toBe(200)
  }, 120_000)
})

describe('a run that is stopped', () => {
  test('puts everything away and ends with 0', async () => {
    const running = childrenOf(dataDir)
    expect(running).toHaveLength(parts.length)
    run.kill('SIGTERM')
    expect(await run.ended).toBe(0)
    expect(running.filter(isAlive)).toEqual([])
    expect(childrenOf(dataDir)).toEqual([])
    expect(await isFree(port)).toBe(true)
  }, 120_000)

  test('leaves no leftovers for the next, which has the same token', async () => {
    const { token, temporal_address: TEMPORAL_ADDRESS, database_url: DATABASE_URL } = demoCard(dataDir)
    // As in a folder of a version that had the owner alone.
    rmSync(join(dataDir, 'postgres.service-password'))
    // As the shell of an operator has exported them, for Temporal's CLI and for psql.
    run = startLocalRun(dataDir, port, { TEMPORAL_ADDRESS, DATABASE_URL })
    await run.says(READY)
    expect(childrenOf(dataDir).map(({ name }) => name).sort()).toEqual([...parts].sort())
    expect(run.output()).not.toContain('Leftovers')
    expect(demoCard(dataDir).token).toBe(token)
    run.kill('SIGINT')
    expect(await run.ended).toBe(0)
  }, 120_000)
})
