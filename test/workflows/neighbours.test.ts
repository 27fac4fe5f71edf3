// One organisation's receivers, refusing or hanging, and those of another: caps and turns, counted at the receivers.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { v7 as uuidv7 } from 'uuid'
import { claimBatch } from '../../commands/webhooks/delivery-claims.ts'
import { CAPS } from '../../domain/webhook-caps.ts'
import { CLAIM } from '../../models/queue.ts'
import { openWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts'
import { SECRET, openWorkflowSetup, type WorkflowSetup } from './setup.ts'

/** A receiver that counts how many requests it has at once, and answers when it is let. */
async function openCrowd() {
  const waiting = new Map<string, (() => void)[]>()
  const crowd = {
    url: '', most: 0, arrived: 0, at: new Map<string, { now: number; most: number }>(),
    /** How long each waits for its answer; null for until the end. */
    waitMs: null as number | null,
    async received(count: number) {
      const last = Date.now() + 90_000
      while (crowd.arrived < count) {
        if (Date.now() > last) throw new Error(`${crowd.arrived} of ${count} have arrived`)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
    async close() {
      for (const answers of waiting.values()) for (const answer of answers) answer()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  let now = 0
  const server = http.createServer((request, response) => {
    const path = request.url ?? ''
    const place = crowd.at.get(path) ?? { now: 0, most: 0 }
    crowd.at.set(path, place)
    crowd.arrived += 1
    crowd.most = Math.max(crowd.most, (now += 1))
    place.most = Math.max(place.most, (place.now += 1))
    response.on('close', () => {
      now -= 1
      place.now -= 1
    })
    request.resume()
    const answer = () => response.end()
    if (crowd.waitMs === null) waiting.set(path, [...(waiting.get(path) ?? []), answer])
    else setTimeout(answer, crowd.waitMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  crowd.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return crowd
}

let setup: WorkflowSetup
let customer: WebhookServer
let crowd: Awaited<ReturnType<typeof openCrowd>>
let victim: string
let hostile: string

beforeEach(async () => {
  setup = await openWorkflowSetup({ WEBHOOK_LADDER_SECONDS: '15,3600', WEBHOOK_TIMEOUT_SECONDS: '60', WEBHOOK_CIRCUIT_FAILURES: '1000' })
  victim = setup.orgId
  hostile = uuidv7()
  await setup.sql(`INSERT INTO organizations SELECT (jsonb_populate_record(o, jsonb_build_object('id', $1::text))).* FROM organizations AS o LIMIT 1`, hostile)
  customer = await openWebhookServer(SECRET)
  crowd = await openCrowd()
})
afterEach(async () => {
  await crowd.close()
  await customer.close()
  await setup.close()
})

/** Does the work with this organisation as the one of the setup. */
async function as<T>(orgId: string, work: () => Promise<T>): Promise<T> {
  const before = setup.orgId
  setup.orgId = orgId
  return work().finally(() => (setup.orgId = before))
}
const endpointsOf = (orgId: string, count: number, url = crowd.url) => as(orgId, async () => {
  for (let place = 0; place < count; place += 1) await setup.addEndpoint(`${url}/${place}`)
})

test('receivers that never answer hold up nobody: a neighbour is served while all of them still wait', async () => {
  await endpointsOf(hostile, 20)
  await as(victim, () => setup.addEndpoint(customer.url))
  await setup.startWorker()
  await as(hostile, () => setup.announce(50))
  await crowd.received(CAPS.attemptsOfOrganization)
  await as(victim, () => setup.announce(30))
  await customer.received(30, 90_000)
  // Nothing of the hostile has been answered until here, and no more of it was let out.
  expect(crowd.most).toBe(CAPS.attemptsOfOrganization)
  expect(crowd.arrived).toBe(CAPS.attemptsOfOrganization)
  expect(Math.max(...[...crowd.at.values()].map(({ most }) => most))).toBeLessThanOrEqual(CAPS.attemptsOfEndpoint)
})

test('an endpoint has no more than its places at once, over many batches', async () => {
  crowd.waitMs = 100
  await endpointsOf(victim, 1)
  await setup.startWorker()
  for (let batch = 0; batch < 6; batch += 1) {
    await setup.announce(20)
    await crowd.received(batch * 20 + 3)
  }
  await crowd.received(120)
  await setup.until(({ status }) => status === 'DELIVERED')
  expect(crowd.most).toBe(CAPS.attemptsOfEndpoint)
})

test('one that answers slowly gets fewer, and is delivered all the same', async () => {
  crowd.waitMs = CAPS.slowMs + 500
  await endpointsOf(victim, 1)
  await setup.startWorker()
  await setup.announce(2)
  await setup.until(({ status }) => status === 'DELIVERED')
  crowd.most = 0
  await setup.announce(6)
  await setup.until(({ status }) => status === 'DELIVERED', 40_000)
  expect(crowd.most).toBe(CAPS.attemptsOfSlowEndpoint)
})

test('the first retry does not wait for the others of its batch', async () => {
  customer.answer = () => (customer.arrivals.length === 1 ? 500 : 200)
  await endpointsOf(victim, 1)
  const endpointId = await setup.addEndpoint(customer.url)
  await setup.announce(1)
  const before = await setup.deliveries()
  expect(before.map(({ held_by }) => held_by)).toEqual(['QUEUE', 'QUEUE'])
  await setup.startWorker()
  await customer.received(2, 90_000)
  // They were one batch, and the other one still hangs.
  const deliveries = await setup.deliveries()
  const hanging = deliveries.find((delivery) => delivery.endpoint_id !== endpointId)!
  expect(hanging).toMatchObject({ status: 'PENDING', held_by: 'BATCH', attempts_made: 0 })
  expect(crowd.arrived).toBe(1)
})

test('so many processes for an endpoint; the rest waits in PostgreSQL, and is attempted when it is due', async () => {
  customer.answer = () => 500
  const endpointId = await setup.addEndpoint(customer.url)
  await setup.startWorker()
  await setup.announce(35)
  const last = Date.now() + 90_000
  const held = async () => Map.groupBy(await setup.deliveries(), ({ held_by }) => held_by)
  while ((await held()).get('PROCESS')?.length !== CAPS.processesOfEndpoint) {
    expect(Date.now()).toBeLessThan(last)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await setup.until(({ attempts_made }) => attempts_made >= 2, 90_000)
  expect((await held()).get('PROCESS')!.length).toBeLessThanOrEqual(CAPS.processesOfEndpoint)
  let processes = 0
  const query = `WorkflowType = 'webhookDelivery' AND ExecutionStatus = 'Running' AND SvcEndpointId = '${endpointId}'`
  for await (const _ of setup.engine.client.workflow.list({ query })) processes += 1
  expect(processes).toBeLessThanOrEqual(CAPS.processesOfEndpoint)
  for (const { id } of await setup.deliveries()) expect((await setup.attempts(id)).map(({ attempt }) => attempt)).toEqual([1, 2])
})

test('a claim takes from every organisation in turns', async () => {
  await endpointsOf(hostile, 20)
  await as(hostile, () => setup.announce(30))
  await as(victim, () => setup.addEndpoint(customer.url))
  await as(victim, () => setup.announce(3))
  const { batch } = await claimBatch(setup.database, { now: new Date(Date.now() + 1_000), limit: 6 })
  expect(batch).toMatchObject({ size: 6 })
  const claimed = (await setup.deliveries()).filter(({ batch_id }) => batch_id === batch!.batchId)
  expect(claimed.filter(({ org_id }) => org_id === victim)).toHaveLength(3)
  // Of the hostile, the endpoints take turns too.
  expect(new Set(claimed.filter(({ org_id }) => org_id === hostile).map(({ endpoint_id }) => endpoint_id)).size).toBe(3)
})

test('a claim looks at endpoints, not at everything that waits', async () => {
  await as(hostile, () => setup.addEndpoint(`${crowd.url}/open`))
  const [open] = await setup.sql<{ id: string }>('SELECT id FROM webhook_endpoints')
  await setup.sql(`INSERT INTO webhook_circuits VALUES ($1, $2, 'OPEN', 20, 1, now() + interval '1 hour', false, false)`, hostile, open!.id)
  await as(hostile, () => setup.announce(3_000))
  await as(victim, () => setup.addEndpoint(customer.url))
  await as(victim, () => setup.announce(3_000))
  await setup.sql('ANALYZE webhook_deliveries')
  const nobody = '00000000-0000-0000-0000-000000000000'
  const [plan] = await setup.sql<{ 'QUERY PLAN': Plan[] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${CLAIM.text}`, nobody, nobody, new Date(Date.now() + 1_000), uuidv7(), 100, false)
  const read = rowsRead(Object.values(plan!)[0]![0]!.Plan as unknown as Plan)
  expect(read).toBeGreaterThan(0)
  expect(read).toBeLessThan(200)
})

interface Plan { Plan: Plan; Plans?: Plan[]; 'Relation Name'?: string; 'Actual Rows'?: number; 'Actual Loops'?: number; 'Rows Removed by Filter'?: number }

/** How many deliveries the plan has looked at. */
function rowsRead(plan: Plan): number {
  const rows = ((plan['Actual Rows'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0)) * (plan['Actual Loops'] ?? 0)
  const own = plan['Relation Name'] === 'webhook_deliveries' ? rows : 0
  return (plan.Plans ?? []).reduce((sum, each) => sum + rowsRead(each), own)
}
