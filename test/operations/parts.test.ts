// Each part of an installation is upgraded, drained, killed, started again, filled up in turn under load, while the others carry on.
import { afterAll, beforeAll, jest, expect, test } from '@jest/globals'
import { ROOT } from '../fixtures/root.ts'
import { startFullLoad, type FullLoad } from './full-load.ts'
import { openInstallation, PROCESSES, type Installation } from './installation.ts'

// How many times the small size of every day. UPGRADE_FROM names the folder of another checkout, with its packages: the
// installation begins with its schema and its processes, and is upgraded to this checkout.
const SCALE = Number(process.env.KILLS_SCALE ?? 1)
const OLD = process.env.UPGRADE_FROM ?? ROOT
jest.setTimeout(600_000 * SCALE)

const SETTINGS = { WEBHOOK_LADDER_SECONDS: `1,2,4${',8'.repeat(100)}`, WEBHOOK_CIRCUIT_FAILURES: '1000000', RECURRING_TICK_SECONDS: '3' }

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

// One of each kind is much like the other.
const KILLED = SCALE === 1 ? PROCESSES.filter((name) => name.endsWith('1')) : PROCESSES

test('upgraded from another version: migrated, then every process is drained and replaced', async () => {
  await load.goOn()
  await load.during('migrated', async () => void (await installation.operate('migrate')))
  for (const name of PROCESSES) {
    await load.during(`${name} replaced`, async () => {
      expect(await installation.drain(name)).toBe(0)
      await installation.start(name, ROOT)
    })
  }
})

test('processes are killed and started again', async () => {
  for (const name of KILLED) {
    await load.during(`${name} killed`, async () => {
      await installation.kill(name)
      await installation.start(name, ROOT)
    })
  }
})

test('nothing that was acknowledged is lost, and nothing is there twice', () => load.judge())
