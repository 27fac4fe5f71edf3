// Each part is killed in the middle of the work: what was acknowledged is there once, and its event is delivered.
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../bin/services/port.ts'
import { end } from '../../bin/services/process.ts'
import { openDatabase, type Database } from '../../models/database.ts'
import { audit } from '../../audit/audit.ts'
import { childrenOf, demoCard, startLocalRun, statusOf, until, type LocalRun } from '../start/local-run.ts'
import { workflowBundle } from '../workflows/bundle.ts'
import { billing } from './billing.ts'
import { bulking } from './bulking.ts'
import { changing } from './changing.ts'
import { deleting } from './deleting.ts'
import { expectAllAreTold, expectEachOnce, expectSameAgain } from './judging.ts'
import { startLoad, type Load } from './load.ts'
import { killWhole } from './processes.ts'
import { scheduling } from './scheduling.ts'
import { startSecondProcesses, type SecondProcesses } from './second.ts'
import { bodyOf, openLoadedOrganization, type LoadedOrganization } from './organization.ts'
import { checkedCallerOf, startWriters, type RunningWriters, type Writer } from './writers.ts'

// How many times the small size of every day: 8 are more than 500 ticks of schedules, 20 bulks and 5,000 deliveries in all, with
// two workers, two APIs and two relays.
const SCALE = Number(process.env.KILLS_SCALE ?? 1)
jest.setTimeout(600_000 * SCALE)

const SETTINGS = { RATE_LIMIT_PARTNER: '1000000', WEBHOOK_LADDER_SECONDS: '1,2,4,8,16,32', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', WEBHOOK_ALLOW_HTTP: 'true' }

const dataDir = mkdtempSync(join(tmpdir(), 'bahi-kills-'))
let run: LocalRun
let origin: string
let database: Database
const orgs: LoadedOrganization[] = []
const loads: Load[] = []
const writers: RunningWriters[] = []
let second: SecondProcesses | null = null

beforeAll(async () => {
  const port = await freePort(undefined)
  origin = `http://127.0.0.1:${port}`
  // Bundling the workflows is of the start, which test/start has; here every worker that comes back would repeat it.
  run = startLocalRun(dataDir, port, { ...SETTINGS, WORKFLOW_BUNDLE: await workflowBundle() })
  await run.says(/Bahi is ready after/, 120_000)
  if (SCALE > 1) second = await startSecondProcesses(dataDir, SETTINGS)
  database = openDatabase({ url: demoCard(dataDir).database_url, pool: 2, name: 'bahi kills' })
})

// A test that fails must not leave its callers to the next one.
afterEach(async () => {
  for (const { stop } of [...loads.splice(0), ...writers.splice(0)]) await stop().catch(() => undefined)
})

afterAll(async () => {
  for (const org of orgs) await org.customer.close()
  await second?.stop()
  await database?.close()
  run.kill('SIGTERM')
  await Promise.race([run.ended, new Promise((resolve) => setTimeout(resolve, 40_000).unref())])
  run.kill('SIGKILL')
  for (const child of childrenOf(dataDir).toReversed()) await end(child, { patienceMs: 5_000 })
  rmSync(dataDir, { recursive: true, force: true })
})

// Callers notice when the API or its database is away; the rest may die behind their backs.
test.each([
  { name: 'API', isNoticed: true },
  { name: 'Worker', isNoticed: false },
  { name: 'PostgreSQL', isNoticed: true },
  { name: 'Temporal', isNoticed: false },
])('$name is killed in the middle of the writes: nothing is lost, nothing is there twice', async ({ name, isNoticed }) => {
  const card = demoCard(dataDir)
  const org = await openLoadedOrganization(card.base_url, card.partner_key)
  orgs.push(org)
  const others = await startOthers(org)
  const load = startLoad(card.base_url, org.token, (key) => bodyOf(org, key), { ahead: INVOICES, ...listeners })
  loads.push(load)
  // First attempts and retries are both under way when it happens, and every caller is at its full pace.
  await load.acknowledges(INVOICES / 2, 90_000 * SCALE)
  await until(() => org.bodiesByDelivery().size < org.customer.arrivals.length, 90_000, () => 'nothing is delivered again')
  await Promise.all([load.acknowledges(INVOICES / 2, 90_000 * SCALE), others.goOn(ROUNDS, 90_000 * SCALE)])
  await killAndWait(name)
  await load.acknowledges(INVOICES, 60_000 * SCALE)
  await load.stop()
  // The engine carries what those callers left behind before it comes to the next conversion.
  await others.goOn(ROUNDS, 120_000 * SCALE)
  await others.stop()

  expect(load.surprises).toEqual([])
  if (isNoticed) expect(load.unheard).toBeGreaterThan(0)
  else expect(load.unheard).toBe(0)
  await expectEachOnce(org, load.acknowledged)
  await expectSameAgain(org, load.acknowledged, card.base_url)
  await expectAllAreTold(org, load.acknowledged, database, run.output)
  await others.check()
  expect(await audit(database)).toEqual([])
  if (SCALE > 1) process.stdout.write(`${name} killed; so far, of all: ${JSON.stringify((await database.run(SO_FAR, []))[0])}\n`)
})

const SO_FAR = {
  name: 'work so far',
  text: `SELECT (SELECT count(*) FROM recurring_schedules)::integer AS schedules,
      (SELECT count(*) FROM recurring_runs WHERE status = 'SUCCEEDED')::integer AS occurrences, (SELECT count(*) FROM bulks)::integer AS bulks,
      (SELECT count(*) FROM webhook_deliveries)::integer AS deliveries, (SELECT count(*) FROM webhook_attempts)::integer AS attempts`,
}

// As if the minute had passed for which a call that waits for a workflow keeps its key, where its process was killed.
const FREED = { name: 'free a key', text: 'UPDATE idempotent_answers SET claimed_until = now() WHERE key = $1 AND claimed_until IS NOT NULL' }
const keptBy = async (key: string) => void (await database.run(FREED, [key]).catch(() => undefined))
const listeners = SCALE === 1 ? { keptBy } : {}

// Rounds of every writer before the kill, and after it.
const ROUNDS = SCALE
const INVOICES = 80 * SCALE
/** Rounds that a writer goes on at its full pace after what is waited for: more than it gets through while a part is away and comes back. */
const AHEAD = 15 * SCALE

// At the second API, where there is one.
function recent(org: LoadedOrganization): Writer[] {
  const caller = checkedCallerOf(second?.baseUrl ?? demoCard(dataDir).base_url, org, listeners)
  return [scheduling(org, caller), bulking(org, caller)]
}

async function startOthers(org: LoadedOrganization): Promise<RunningWriters> {
  const caller = checkedCallerOf(demoCard(dataDir).base_url, org, listeners)
  const others = startWriters([await changing(org, caller), deleting(caller), billing(org, caller), ...recent(org)], AHEAD)
  writers.push(others)
  return others
}

async function killAndWait(name: string): Promise<void> {
  const part = () => childrenOf(dataDir).find((child) => child.name === name)!
  const before = part()
  expect(killWhole(before)).toBeGreaterThan(name === 'PostgreSQL' ? 5 : 0)
  await until(() => part() && part().pid !== before.pid, 90_000, () => `${name} stays away:\n${run.output()}`)
  if (name === 'API' || name === 'Worker') await second?.replace()
  await until(async () => (await statusOf(`${origin}/health/ready`)) === 200, 90_000, () => `not ready:\n${run.output()}`)
}
