// The API as a process of its own, as it runs in production: for what must not end, block or outlive it.
import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '../../models/database.ts'
import { mintPartnerKey } from '../../models/partner-key.ts'
import { freePort } from '../../bin/machines/port.ts'
import { ROOT } from '../root.ts'
import { callAt, clientOf, type Call, type Client } from './client.ts'
import { cloneDatabase, dropDatabase } from './template.ts'

export interface ApiProcess {
  port: number
  origin: string
  pid: number
  child: ChildProcess
  call: Call
  organization(): Promise<Client>
  /** Sends SIGTERM and answers how the process ended: its exit code, or the signal. */
  stop(): Promise<number | string>
  ended(): boolean
  /** How many descriptors it has open. */
  descriptors(): number
  /** Kills the process where it still runs, and drops its database. */
  discard(): Promise<void>
}

export async function startApiProcess(overrides: Record<string, string> = {}, stdio: StdioOptions = ['ignore', 'ignore', 'inherit']): Promise<ApiProcess> {
  const databaseUrl = await cloneDatabase()
  const port = await freePort(undefined)
  const env = {
    ...process.env,
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    DATABASE_POOL: '5',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    TEMPORAL_ADDRESS: process.env.TEST_TEMPORAL_ADDRESS ?? '127.0.0.1:7233',
    RATE_LIMIT_DEFAULT: '1000000',
    RATE_LIMIT_PARTNER: '1000000',
    ...overrides,
  }
  const child = spawn(process.execPath, ['api/server.ts'], { cwd: ROOT, env, stdio })
  const origin = `http://127.0.0.1:${port}`
  const call = callAt(`${origin}/api/public/v1`)
  const exited = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
  const ended = () => child.exitCode !== null || child.signalCode !== null
  const started = {
    port, origin, child, call, ended,
    pid: child.pid!,
    async organization() {
      const database = openDatabase({ url: databaseUrl, pool: 1, name: 'bahi test' })
      const partnerKey = await mintPartnerKey(database, 'Partner', new Date()).finally(() => database.close())
      const { body } = await call('POST', '/partner/organizations', { partnerKey, key: 'first', body: { name: 'Chandni Chowk Traders', state_code: 'IN-KA' } })
      return clientOf(call, body.organization.org_id, body.token.token)
    },
    stop() {
      child.kill('SIGTERM')
      return exited
    },
    descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length,
    async discard() {
      if (!ended()) child.kill('SIGKILL')
      await exited
      await dropDatabase(databaseUrl)
    },
  }
  while (!(await fetch(`${origin}/health/live`).then((answer) => answer.ok, () => false))) {
    if (ended()) throw new Error(`the API ended at start: ${await exited}`)
    await delay(50)
  }
  return started
}
