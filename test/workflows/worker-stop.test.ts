// A worker process: its probes, and its end in time at SIGTERM, also while PostgreSQL and Temporal say nothing any more.
import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { freePort } from '../../bin/services/port.ts'
import { cloneDatabase, dropDatabase } from '../fixtures/template.ts'
import { ROOT } from '../fixtures/root.ts'

interface Passage {
  port: number
  /** From now on nothing passes, and nothing is closed: the other side is as if its machine hung. */
  freeze(): void
  close(): void
}

async function passageTo(host: string, port: number): Promise<Passage> {
  const sockets: Socket[] = []
  let frozen = false
  const server: Server = createServer((near) => {
    const far = connect(port, host)
    for (const [from, to] of [[near, far], [far, near]] as const) {
      sockets.push(from)
      from.on('data', (chunk) => { if (!frozen) to.write(chunk) })
      from.on('error', () => undefined).on('close', () => { if (!frozen) to.destroy() })
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => { frozen = true },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

let databaseUrl: string
let passages: Passage[]
let worker: ChildProcess
let output: string
let healthPort: number

const probe = async (path: string) => (await fetch(`http://127.0.0.1:${healthPort}${path}`)).status

async function startWorkerProcess(): Promise<void> {
  databaseUrl = await cloneDatabase()
  const [temporalHost = '', temporalPort] = (process.env.TEST_TEMPORAL_ADDRESS ?? '127.0.0.1:7233').split(':')
  const { hostname, port } = new URL(databaseUrl)
  passages = [await passageTo(hostname, Number(port)), await passageTo(temporalHost, Number(temporalPort))]
  const env = {
    ...process.env,
    DATABASE_URL: Object.assign(new URL(databaseUrl), { port: String(passages[0]!.port) }).href,
    TEMPORAL_ADDRESS: `127.0.0.1:${passages[1]!.port}`,
    TEMPORAL_QUEUE_SUFFIX: `stop${randomBytes(4).toString('hex')}`,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    SHUTDOWN_SECONDS: '2',
    HEALTH_PORT: String(healthPort = await freePort(undefined)),
  }
  worker = spawn(process.execPath, ['worker/worker.ts'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] })
  output = ''
  worker.stdout!.on('data', (chunk) => { output += chunk })
  while (!output.includes('worker started')) {
    if (worker.exitCode !== null) throw new Error(`the worker ended at start: ${output}`)
    await once(worker.stdout!, 'data')
  }
}

afterEach(async () => {
  worker.kill('SIGKILL')
  for (const passage of passages) passage.close()
  await dropDatabase(databaseUrl)
})

test('it stops cleanly while PostgreSQL and Temporal answer', async () => {
  await startWorkerProcess()
  worker.kill('SIGTERM')
  // Unlike its exit, the close comes behind the last of its output.
  expect(await once(worker, 'close')).toEqual([0, null])
  expect(output).toContain('worker stopped')
}, 90_000)

test('it answers probes: it is ready while it takes work from Temporal, and lives without it', async () => {
  await startWorkerProcess()
  while ((await probe('/health/ready')) !== 200) await delay(100)
  for (const passage of passages) passage.freeze()
  expect(await probe('/health/live')).toBe(200)
  expect(await probe('/health/ready')).toBe(503)
}, 90_000)

test('it stops although PostgreSQL and Temporal hang', async () => {
  await startWorkerProcess()
  for (const passage of passages) passage.freeze()
  worker.kill('SIGTERM')
  expect(await once(worker, 'exit')).toEqual([0, null])
}, 90_000)
