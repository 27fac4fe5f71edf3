// HEAD on every GET route and on what is at the origin: status and headers of GET, and no body.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startService, type Service } from '../fixtures/service.ts'
import { someRows } from './cases.ts'
import { callRoute, each, fewFiles, NO_SUCH_ID, opening, ROUTES } from './routes.ts'
import { fillOrganization, openContractOrganization, pathFor, requiredQuery, type ContractOrganization } from './samples.ts'

let service: Service
let org: ContractOrganization
beforeAll(async () => {
  service = await startService()
  if (GETS.some(([, { fileType }]) => fileType !== undefined)) await service.startWorker()
  org = await openContractOrganization(service)
  await fillOrganization(org)
})
afterAll(() => service.close())

// What differs from one answer to the next.
const MOVING = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset']
// The client of these tests closes its connection after a HEAD.
const OF_THE_CONNECTION = ['connection', 'keep-alive']

async function both(url: string, headers: Record<string, string>) {
  const [got, head] = [await fetch(url, { headers }), await fetch(url, { method: 'HEAD', headers })]
  const left = new Set([...MOVING, ...OF_THE_CONNECTION])
  const compared = ({ status, headers: of }: Response) => ({ status, ...Object.fromEntries([...of].filter(([name]) => !left.has(name))) })
  for (const answer of [got, head]) for (const name of MOVING) expect([name, answer.headers.has(name)]).toEqual([name, true])
  return { got: compared(got), head: compared(head), bytes: (await got.arrayBuffer()).byteLength, headBytes: (await head.arrayBuffer()).byteLength }
}

const GETS = someRows(fewFiles(each(({ method }) => method === 'GET')))

test.each(GETS)('%s', async (_name, route) => {
  const { token, partnerKey } = opening(route, org)
  const headers = { ...(token ? { authorization: `Bearer ${token}` } : {}), ...(partnerKey ? { 'x-partner-key': partnerKey } : {}) }
  const path = `${await pathFor(route, org)}?${await requiredQuery(route, org)}`
  // The first call renders the file.
  if (route.fileType !== undefined) await callRoute(service, route, path, opening(route, org))
  const { got, head, bytes, headBytes } = await both(`${service.origin}/api/public/v1${path}`, headers)
  expect(got.status).toBe(200)
  expect([bytes > 0, headBytes]).toEqual([true, 0])
  // The length of a stream is not known beforehand, so GET sends it in chunks.
  const { 'transfer-encoding': _chunked, ...rest } = got as Record<string, unknown>
  expect(head).toEqual(rest)
  expect('content-length' in rest).toBe(!route.stream)
  // Refusals likewise.
  const refused = await both(`${service.origin}/api/public/v1${path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, NO_SUCH_ID)}`, {})
  expect([refused.head, refused.headBytes]).toEqual([refused.got, 0])
})

test.each(['/health/live', '/health/ready', '/docs', '/docs/start.js', '/docs/none', '/nothing'])('HEAD %s', async (path) => {
  const { got, head, headBytes } = await both(service.origin + path, {})
  expect([head, headBytes]).toEqual([got, 0])
})

test('HEAD /metrics, which differ from one moment to the next', async () => {
  const { got, head, headBytes } = await both(`${service.origin}/metrics`, {})
  expect([head.status, headBytes, (head as Record<string, unknown>)['content-type']]).toEqual([200, 0, (got as Record<string, unknown>)['content-type']])
})

test('HEAD of a stream gives back what it read with, however often', async () => {
  const route = ROUTES.find(({ stream }) => stream)!
  const path = `${await pathFor(route, org)}?${await requiredQuery(route, org)}`
  for (let times = 0; times < 30; times += 1) expect((await service.call('HEAD', path, { token: org.client.token })).status).toBe(200)
  expect((await service.call('GET', path, { token: org.client.token })).status).toBe(200)
  const stillOpen = () => service.sql(
    `SELECT pid FROM pg_stat_activity
     WHERE application_name = 'bahi api' AND datname = current_database() AND state LIKE 'idle in transaction%'`,
  )
  // The answer may come a moment before the end of its transaction.
  for (let looks = 0; looks < 200 && (await stillOpen()).length > 0; looks += 1) await delay(25)
  expect(await stillOpen()).toEqual([])
})
