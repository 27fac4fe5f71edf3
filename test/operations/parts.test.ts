// Each part of an installation is upgraded, drained, killed, started again, filled up in turn under load, while the others carry on.
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { onPath } from '../../bin/services/process.ts'
import { readLocalRun } from '../../settings.ts'
import type { Answered } from '../fixtures/client.ts'
import { ROOT } from '../fixtures/root.ts'
import { until } from '../start/local-run.ts'
import { CAN_FILL_DISK, fillDisk } from './full-disk.ts'
import { startFullLoad, type FullLoad } from './full-load.ts'
import { openInstallation, PROCESSES, type Installation, type ProcessName } from './installation.ts'
import { unreadWith } from './key-change.ts'

// How many times the small size of every day. UPGRADE_FROM names the folder of another checkout, with its packages: the
// installation begins with its schema and its processes, and is upgraded to this checkout.
const SCALE = Number(process.env.KILLS_SCALE ?? 1)
const OLD = process.env.UPGRADE_FROM ?? ROOT
jest.setTimeout(900_000 * SCALE)

// Every day each round of the load waits for a tick, so the ticks are as rare as the rounds.
const SETTINGS = { WEBHOOK_LADDER_SECONDS: `1,2${',3'.repeat(200)}`, WEBHOOK_CIRCUIT_FAILURES: '1000000', RECURRING_TICK_SECONDS: SCALE === 1 ? '2' : '1' }

let installation: Installation
let load: FullLoad
beforeAll(async () => {
  installation = await openInstallation(SETTINGS, OLD)
  load = await startFullLoad(installation, { scale: SCALE, rendersPdfs: SCALE > 1 })
})
afterAll(async () => {
  await load?.stop().catch(() => undefined)
  await installation?.close()
})

const TAKEN_UP = { name: 'marks taken up', text: 'SELECT count(*)::integer AS count FROM temporal_marks WHERE taken_up_time IS NOT NULL' }

/** One of each kind goes on, at least. */
const GROUPS: ProcessName[][] = SCALE === 1 ? [['Worker 1', 'API 1'], ['Worker 2', 'API 2']] : PROCESSES.map((name) => [name])

async function replaced(what: string, names: ProcessName[], end: (name: ProcessName) => Promise<unknown>): Promise<void> {
  await load.during(`${names.join(' and ')}: ${what}`, async () => {
    await Promise.all(names.map(async (name) => {
      await end(name)
      await installation.start(name, ROOT)
    }))
  })
}
const drained = async (name: ProcessName) => expect(await installation.drain(name)).toBe(0)

test('an upgrade from another version: migrated, then processes are drained and replaced in turn', async () => {
  await load.goOn()
  await load.during('migrated', installation.migrate)
  // Where it is the same checkout, its processes are replaced in the steps of the key, which are next.
  if (OLD !== ROOT) for (const names of GROUPS) await replaced('upgraded', names, drained)
})

test('the key is changed in its four steps, while processes are killed for the first and drained for the others', async () => {
  const { env } = installation
  const old = env.ENCRYPTION_KEY!
  const added = randomBytes(32).toString('base64')
  env.ENCRYPTION_KEY = `${old},${added}`
  for (const names of GROUPS) await replaced('killed, then old key and new key', names, installation.kill)
  env.ENCRYPTION_KEY = `${added},${old}`
  for (const names of GROUPS) await replaced('new key and old key', names, drained)
  await load.during('encrypted anew', async () => {
    await installation.operate('reseal')
    await load.takeAll()
    await installation.operate('reconcile --anew')
  })
  await until(async () => (await unreadWith(added, installation)).length === 0, 90_000, () => 'the new key alone does not read everything')
  env.ENCRYPTION_KEY = added
  for (const names of GROUPS) await replaced('new key alone', names, drained)
  load.refuseMore()
})

const withRedis = onPath('redis-server', readLocalRun().path) === null ? test.skip : test
withRedis('Redis is killed', () =>
  load.during('Redis killed', async () => {
    await installation.redis!.kill()
    await load.goOn()
    await installation.redis!.start()
  }))

test('PostgreSQL is restarted', () => load.during('PostgreSQL restarted', installation.postgres.restart))

test('Temporal loses all its data, and a worker that goes on takes up what it remembered', () =>
  load.during('Temporal emptied', async () => {
    const takenUp = async () => (await installation.database.run<{ count: number }>(TAKEN_UP, []))[0]!.count
    const before = await takenUp()
    await installation.temporal.stop()
    await installation.temporal.startEmpty('bare')
    const begunAt = Date.now()
    await until(async () => (await takenUp()) > before, 120_000, () => `it is not taken up:\n${installation.output()}`)
    process.stdout.write(`Taken up ${Math.round((Date.now() - begunAt) / 100) / 10} s after an empty Temporal had started\n`)
  }))

const withLimits = CAN_FILL_DISK ? test : test.skip
withLimits('the disk of PostgreSQL is full: calls are refused, and go on when there is room', () =>
  load.during('disk full', async () => {
    const { makeRoom } = await fillDisk(installation.database, installation.postgres.pid(), load.orgIds[1])
    let key = ''
    const ask = () => load.once('POST', '/contacts', { key, body: { contact_name: 'Erode Dyers' } })
    try {
      const before = load.failures()
      await until(() => load.failures() > before + 20, 90_000, () => 'no call is refused')
      let answer: Answered | null = null
      const isRefused = async () => {
        key = randomUUID()
        answer = await ask()
        return answer?.status !== 201
      }
      await until(isRefused, 90_000, () => 'this call is not refused')
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': expect.any(String) }, body: { code: 'service.unavailable' } })
    } finally {
      makeRoom()
    }
    expect((await ask())?.status).toBe(201)
  }))

test('nothing that was acknowledged is lost, and nothing is there twice', () => load.judge())
