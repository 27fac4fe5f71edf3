// Bulks whose worker, API, database or engine dies on the way: each row makes one document all the same.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, expect, jest, test } from '@jest/globals'
import { freePort } from '../../bin/services/port.ts'
import type { Json } from '../fixtures/client.ts'
import type { OrganizationWithItem } from '../fixtures/organization.ts'
import { kill } from '../fixtures/worker.ts'
import { postingsOf, whileLocked } from '../hammer/two-servers.ts'
import { statusOf, until } from '../start/local-run.ts'
import { clientAt, openBulkSetup, rowsOf } from './bulk-setup.ts'
import { openTcpProxy } from './tcp-proxy.ts'

jest.setTimeout(240_000)

const setup = await openBulkSetup()
const { service, engine, children, openPosting, spawned, accepted, read, expectEachOnce, decided, cutWorkers, startLeft } = setup
afterEach(() => setup.afterEach())
afterAll(() => setup.close())

test('a worker is killed in the middle of twenty bulks of two organisations: nothing is lost, nothing is there twice', async () => {
  const orgs = [await openPosting(), await openPosting()]
  const bulks: [OrganizationWithItem, string][] = []
  for (let n = 0; n < 20; n += 1) bulks.push([orgs[n % 2]!, await accepted(orgs[n % 2]!, rowsOf(orgs[n % 2]!, 25))])
  for (const more of [60, 250]) {
    const dying = await spawned()
    await until(async () => (await decided(bulks.map(([, id]) => id))) >= more, 90_000, () => 'too few rows are decided')
    await kill(dying)
  }
  await spawned()
  for (const [org, id] of bulks) await expectEachOnce(org, id, 25)
})

test.each([
  ['its last statement dies with it', true],
  ['its last statement is still carried out', false],
])('a worker is killed while a row is written, and %s: one document a row', async (_name, isCut) => {
  const org = await openPosting()
  const dying = await spawned()
  let id = ''
  await whileLocked(service.database, postingsOf(org), async (waiting) => {
    id = await accepted(org, rowsOf(org, 5))
    await waiting(1)
    await kill(dying)
    if (isCut) await cutWorkers()
    return []
  })
  await spawned()
  await expectEachOnce(org, id, 5)
})

test('the API is killed while it waits: the bulk is done, and the same key answers it', async () => {
  const org = await openPosting()
  const port = await freePort(undefined)
  const dying = spawn(process.execPath, [fileURLToPath(new URL('../../api/server.ts', import.meta.url))], {
    env: { ...service.env, PORT: String(port), LOG_LEVEL: 'silent' }, stdio: 'ignore',
  })
  children.push(dying)
  await until(async () => (await statusOf(`http://127.0.0.1:${port}/health/live`)) === 200, 90_000, () => 'the API does not answer')
  const key = randomUUID()
  const unheard = clientAt(`http://127.0.0.1:${port}`, org).post('/bulk/invoices', rowsOf(org, 3), key).catch(() => null)
  let id = ''
  await until(async () => (id = (await service.sql<Json>('SELECT id FROM bulks WHERE org_id = $1', org.client.orgId))[0]?.id) !== undefined, 90_000, () => 'not stored')
  await kill(dying)
  expect(await unheard).toBeNull()
  await service.startWorker()
  // Where the API died before it could start the workflow, the worker's own process does.
  await startLeft()
  await expectEachOnce(org, id, 3)
  await service.sql(`UPDATE idempotent_answers SET claimed_until = now() WHERE key = $1 AND claimed_until IS NOT NULL`, key)
  const answer = await org.client.post('/bulk/invoices', rowsOf(org, 3), key)
  expect([answer.status, answer.body.bulk_id, answer.body.summary.succeeded]).toEqual([200, id, 3])
})

test('no worker is there in time: 503 names the bulk; later the same key answers it', async () => {
  const org = await openPosting()
  const hasty = await service.another({ BULK_WAIT_SECONDS: '1' })
  const key = randomUUID()
  const refused = await clientAt(hasty.origin, org).post('/bulk/invoices', rowsOf(org, 2), key)
  await hasty.close()
  expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([503, 'service.unavailable', '2'])
  const { bulk_id: id } = refused.body.details
  expect((await read(org, id)).bulk).toMatchObject({ status: 'RUNNING', pending: 2 })
  await service.startWorker()
  const answer = await org.client.post('/bulk/invoices', rowsOf(org, 2), key)
  expect([answer.status, answer.body.bulk_id]).toEqual([200, id])
  await expectEachOnce(org, id, 2)
})

test('the engine is away: 202 all the same, and the worker starts the bulk when it is back', async () => {
  const org = await openPosting()
  const proxy = await openTcpProxy(service.env.TEMPORAL_ADDRESS!)
  proxy.shut()
  const beside = await service.another({ TEMPORAL_ADDRESS: proxy.address })
  const client = clientAt(beside.origin, org)
  const waiting = await client.post('/bulk/invoices', rowsOf(org, 2))
  expect([waiting.status, waiting.body.code]).toEqual([503, 'service.unavailable'])
  const { status, body } = await client.post('/bulk/invoices?async=true', rowsOf(org, 2))
  expect([status, body.bulk.status, body.bulk.pending]).toEqual([202, 'RUNNING', 2])
  await beside.close()
  await spawned()
  for (const id of [waiting.body.details.bulk_id, body.bulk_id]) await expectEachOnce(org, id, 2)
})

test('the database breaks its connections: rows wait, and none of them fails', async () => {
  const org = await openPosting()
  await service.startWorker()
  const id = await accepted(org, rowsOf(org, 60))
  for (const more of [5, 20, 40]) {
    await until(async () => (await decided([id])) >= more, 90_000, () => 'too few rows are decided')
    await cutWorkers()
  }
  await expectEachOnce(org, id, 60)
})

test('the workflow is terminated while a row is written: another goes on beside what is left of it', async () => {
  const org = await openPosting()
  await service.startWorker()
  let id = ''
  await whileLocked(service.database, postingsOf(org), async (waiting) => {
    id = await accepted(org, rowsOf(org, 10))
    await waiting(1)
    await engine.client.workflow.getHandle(`bulk/${id}`).terminate('by a test')
    await startLeft()
    return []
  })
  await expectEachOnce(org, id, 10)
})
