// Temporal behind TLS with client certificates and an API key: the API, the worker and the operators' programs reach it by settings alone.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readSettings, temporalOf } from '../../settings.ts'
import { openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { ROOT } from '../fixtures/root.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { kill, spawnWorker } from '../fixtures/worker.ts'
import { removeSchedules } from './schedules.ts'
import { openSecuredProxy, WRONG_KEY, type SecuredProxy } from './secured-proxy.ts'

const address = process.env.TEST_TEMPORAL_ADDRESS ?? '127.0.0.1:7233'
let proxy: SecuredProxy
let service: Service
let org: TestOrganization
let worker: ChildProcess
const secured = () => ({
  TEMPORAL_ADDRESS: proxy.address, TEMPORAL_API_KEY: 'key-of-the-namespace', TEMPORAL_TLS_SERVER_NAME: 'temporal.bahi.test',
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: proxy.ca, TEMPORAL_TLS_CLIENT_CERT_PATH: proxy.clientCert, TEMPORAL_TLS_CLIENT_KEY_PATH: proxy.clientKey,
})

beforeAll(async () => {
  proxy = await openSecuredProxy(address)
  service = await startService(secured())
  org = await openOrganization(service)
  worker = await spawnWorker(service.env)
})
afterAll(async () => {
  await kill(worker)
  await removeSchedules(service.database, address, service.env.TEMPORAL_QUEUE_SUFFIX!)
  await service.close()
  proxy.close()
})

const run = (...args: string[]) => new Promise<{ code: number; said: string }>((resolve) => {
  execFile(process.execPath, args, { cwd: ROOT, env: { ...process.env, ...service.env } }, (error, stdout, stderr) =>
    resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }))
})

test('a conversion is carried out, and every call carries the key', async () => {
  const { estimate_id } = await org.acceptedEstimate()
  expect((await org.client.post(`/estimates/${estimate_id}/convert`, {}, randomUUID())).status).toBe(200)
  expect([...proxy.authorizations]).toEqual(['Bearer key-of-the-namespace'])
})

test('the programs of operators reach it', async () => {
  expect(await run('bin/reconcile.ts')).toEqual({ code: 0, said: '0 active schedules signalled.\n' })
  expect((await run('bin/doctor.ts')).said).not.toContain('Temporal does not answer')
  expect(await run('bin/temporal.ts', 'workflow', 'list', '--query', `TaskQueue = 'core-${service.env.TEMPORAL_QUEUE_SUFFIX}'`)).toMatchObject({ code: 0, said: expect.stringContaining('convertDocument') })
  expect((await run('bin/after-restore.ts', '--nothing-lost', '--take-namespace')).said).toContain('serves this database from now on')
  expect([...proxy.authorizations]).toEqual(['Bearer key-of-the-namespace'])
})

test('a worker without the client certificate says that it is not let in', async () => {
  const env = { ...process.env, ...service.env, TEMPORAL_TLS_CLIENT_CERT_PATH: '', TEMPORAL_TLS_CLIENT_KEY_PATH: '', LOG_LEVEL: 'info' }
  const child = spawn(process.execPath, ['worker/worker.ts'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (chunk) => { said += chunk })
  while (!said.includes(`the worker waits for ${proxy.address}`)) {
    if (child.exitCode !== null) throw new Error(`the worker has ended: ${said}`)
    await delay(50)
  }
  expect(said).not.toContain('worker started')
  child.kill('SIGTERM')
  await once(child, 'exit')
})

test('a worker with a key that Temporal refuses ends at once, with its words', async () => {
  const env = { ...process.env, ...service.env, TEMPORAL_API_KEY: WRONG_KEY, LOG_LEVEL: 'info' }
  const child = spawn(process.execPath, ['worker/worker.ts'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect(code).toBe(1)
  expect(said).toContain(`"msg":"Temporal at ${proxy.address} refuses the namespace default: Request unauthorized."`)
})

const REQUIRED = { DATABASE_URL: 'postgres://x', ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') }
const problem = (env: Record<string, string>) => {
  try {
    return temporalOf(readSettings({ ...REQUIRED, ...env }))
  } catch (error) {
    return (error as Error).message
  }
}

test('settings that do not fit together, or whose files cannot be used, are named', () => {
  const { ca, clientCert, clientKey, otherKey } = proxy
  const cases: [Record<string, string>, string | RegExp][] = [
    [{ TEMPORAL_TLS: 'false', TEMPORAL_API_KEY: 'k' }, 'TEMPORAL_TLS: must not be false, because TEMPORAL_API_KEY is set, which is for TLS alone'],
    [{ TEMPORAL_TLS: 'false', TEMPORAL_TLS_SERVER_NAME: 'n' }, 'TEMPORAL_TLS: must not be false, because TEMPORAL_TLS_SERVER_NAME is set, which is for TLS alone'],
    [{ TEMPORAL_TLS: 'yes' }, 'TEMPORAL_TLS: must be boolean'],
    [{ TEMPORAL_TLS_CLIENT_CERT_PATH: clientCert }, 'TEMPORAL_TLS_CLIENT_KEY_PATH: must be set, because TEMPORAL_TLS_CLIENT_CERT_PATH is'],
    [{ TEMPORAL_TLS_CLIENT_KEY_PATH: clientKey }, 'TEMPORAL_TLS_CLIENT_CERT_PATH: must be set, because TEMPORAL_TLS_CLIENT_KEY_PATH is'],
    [{ TEMPORAL_TLS_CLIENT_CERT_PATH: clientCert, TEMPORAL_TLS_CLIENT_KEY_PATH: otherKey }, 'TEMPORAL_TLS_CLIENT_KEY_PATH: is not the key of the certificate in TEMPORAL_TLS_CLIENT_CERT_PATH'],
    [{ TEMPORAL_TLS_CLIENT_CERT_PATH: clientCert, TEMPORAL_TLS_CLIENT_KEY_PATH: ca }, /^TEMPORAL_TLS_CLIENT_KEY_PATH: is no private key in PEM \(/],
    [{ TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/nowhere/ca.pem' }, /^TEMPORAL_TLS_SERVER_CA_CERT_PATH: cannot be read \(ENOENT/],
    [{ TEMPORAL_TLS_SERVER_CA_CERT_PATH: clientKey }, /^TEMPORAL_TLS_SERVER_CA_CERT_PATH: is no certificate in PEM \(/],
    [{ TEMPORAL_API_KEY: 'two words' }, /^TEMPORAL_API_KEY: /],
  ]
  for (const [env, expected] of cases) {
    const said = String(problem(env)).replace('Invalid settings:\n  ', '')
    if (typeof expected === 'string') expect(said).toBe(expected)
    else expect(said).toMatch(expected)
  }
})

test('TLS is on where anything is set that needs it, or where it is asked for', () => {
  const tls = (env: Record<string, string>) => (problem(env) as ReturnType<typeof temporalOf>).tls
  const none = { serverCa: null, client: null, serverName: null }
  expect([tls({}), tls({ TEMPORAL_TLS: 'false' }), tls({ TEMPORAL_TLS: 'true' }), tls({ TEMPORAL_API_KEY: 'k' })]).toEqual([null, null, none, none])
  expect(tls(secured())?.client?.cert).toContain('BEGIN CERTIFICATE')
})
