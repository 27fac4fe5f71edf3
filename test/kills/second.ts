// A second worker, with its relay, and a second API beside those of a local run, on the same PostgreSQL and Temporal.
import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../bin/services/port.ts'
import { ROOT } from '../fixtures/root.ts'
import { kill } from '../fixtures/worker.ts'
import { demoCard, statusOf, until } from '../start/local-run.ts'

export interface SecondProcesses {
  baseUrl: string
  /** Kills both at once, and starts them again. */
  replace(): Promise<void>
  stop(): Promise<void>
}

export async function startSecondProcesses(dataDir: string, settings: Record<string, string>): Promise<SecondProcesses> {
  const card = demoCard(dataDir)
  const port = await freePort(undefined)
  const env = {
    ...process.env, ...settings,
    DATABASE_URL: card.database_url, TEMPORAL_ADDRESS: card.temporal_address, PORT: String(port), LOG_LEVEL: 'silent',
    ENCRYPTION_KEY: readFileSync(join(dataDir, 'encryption.key'), 'utf8').trim(),
  }
  let children: Record<'api/server.ts' | 'worker/worker.ts', ChildProcess>
  let stopped = false
  // Each comes back by itself, as in production: a worker ends where Temporal is away for long.
  const start = (file: keyof typeof children): ChildProcess => {
    const child = spawn(process.execPath, [file], { cwd: ROOT, env, stdio: 'ignore' })
    child.once('exit', () => void setTimeout(() => !stopped && (children[file] = start(file)), 500))
    return child
  }
  const isReady = () => until(async () => (await statusOf(`http://127.0.0.1:${port}/health/ready`)) === 200, 90_000, () => 'the second API is not ready')
  children = { 'api/server.ts': start('api/server.ts'), 'worker/worker.ts': start('worker/worker.ts') }
  await isReady()
  return {
    baseUrl: card.base_url.replace(/:\d+\//, `:${port}/`),
    async replace() {
      await Promise.all(Object.values(children).map(kill))
      await isReady()
    },
    async stop() {
      stopped = true
      await Promise.all(Object.values(children).map(kill))
    },
  }
}
