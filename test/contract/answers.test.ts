// Every route once, as it is meant to be called: the answer is what the published document says, and nothing more.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { v7 as uuidv7 } from 'uuid'
import type { CallOptions, Json } from '../fixtures/client.ts'
import { startService, type Service } from '../fixtures/service.ts'
import type { Route } from '../../api/http/route.ts'
import { answerJudge, judge, refusalJudge } from './published.ts'
import { someOf } from './cases.ts'
import { byToken, callRoute, each, expectHouseStyle, nameOf, NO_SUCH_ID, opening } from './routes.ts'
import { bodyFor, fillOrganization, openContractOrganization, pathFor, requiredQuery, type ContractOrganization } from './samples.ts'

let service: Service
let org: ContractOrganization
let document: Json

beforeAll(async () => {
  service = await startService()
  await service.startWorker()
  org = await openContractOrganization(service)
  await fillOrganization(org)
  // What no call makes yet.
  const { orgId } = org.client
  await service.sql(`INSERT INTO cost_centers VALUES ($1, $2, 'CC-1', 'Weaving', true)`, orgId, uuidv7())
  await service.sql(`INSERT INTO exchange_rates VALUES ($1, $2, 'USD', 'INR', 84.25, '2026-11-01', 'RBI')`, orgId, uuidv7())
  const draft = await pathFor({ path: '/invoices/{invoice_id}' } as never, org)
  expect((await org.client.delete(draft)).status).toBe(200)
  document = (await service.call('GET', '/openapi.json')).body
  // The first file of a run that has a worker bundles the workflows, beside whatever else runs.
}, 120_000)
afterAll(() => service.close())

test.each(each())('%s', async (_name, route) => {
  const path = await pathFor(route, org)
  const answered = await callRoute(service, route, `${path}?${await requiredQuery(route, org)}`, {
    ...opening(route, org), body: bodyFor(route, org), ...(route.method === 'POST' ? { key: randomUUID() } : {}),
  })
  expect([answered.status, answered.text.slice(0, 300)]).toEqual([route.status ?? 200, expect.any(String)])
  if (route.bare) return
  if (route.fileType !== undefined) {
    expect(answered.text.slice(0, 5)).toBe('%PDF-')
    return expectFileHeaders(route, path, answered.headers.etag!)
  }
  const judged = answerJudge(document, route)
  judged(answered.body)
  expect(judged.errors ?? []).toEqual([])
  expect([answered.body.code, answered.body.message]).toEqual([0, expect.stringMatching(/\S/)])
  if (route.method === 'GET') {
    expect(answered.body.message).toBe('success')
    // An empty list would prove nothing about its rows.
    for (const list of Object.values(answered.body).filter(Array.isArray)) expect(list).not.toEqual([])
  }
})

/** The three answers of a file have the headers that the document says, in their shapes. */
async function expectFileHeaders({ path: template, method }: Route, path: string, etag: string): Promise<void> {
  const { responses } = document.paths[template][method.toLowerCase()]
  for (const [status, query, sent] of [[200, '', {}], [304, '', { 'if-none-match': etag }], [302, '?redirect=true', {}]] as const) {
    const answer = await fetch(`${service.origin}/api/public/v1${path}${query}`, { redirect: 'manual', headers: { authorization: `Bearer ${org.client.token}`, ...sent } })
    await answer.arrayBuffer()
    expect(answer.status).toBe(status)
    const declared = Object.entries(responses[status].headers as Record<string, Json>).map(([name, { schema }]): [string, boolean] => {
      const value = answer.headers.get(name)
      return [name, value !== null && judge.validate(schema, value)]
    })
    expect(declared).toEqual(declared.map(([name]) => [name, true]))
    const others = [...answer.headers.keys()].filter((name) => /^(x-svc-|etag|location|cache-control|content-disposition)/.test(name))
    expect(others.sort()).toEqual(declared.map(([name]) => name.toLowerCase()).sort())
  }
}

test('every refusal is what the document says a refusal is', async () => {
  const judged = refusalJudge(document)
  for (const [, route] of each(byToken)) {
    const path = route.path.replaceAll(/\{\w+\}/g, NO_SUCH_ID)
    const { token } = org.client
    const calls: [query: string, options: CallOptions][] = [
      ['', {}], ['', { token, ...(route.method === 'GET' ? {} : { raw: '{' }) }], ['', { token, ...(route.method === 'GET' ? {} : { body: [] }), key: '' }],
      ['?per_page=x&limit=x', { token }],
    ]
    for (const [query, options] of someOf(calls)) {
      const answered = await service.call(route.method, path + query, options)
      if (answered.status < 400) continue
      expectHouseStyle(answered)
      judged(answered.body)
      expect([nameOf(route), judged.errors ?? []]).toEqual([nameOf(route), []])
    }
  }
})

test('HEAD and unknown paths carry the headers too', async () => {
  expectHouseStyle(await service.call('GET', '/no/such/route'))
  expectHouseStyle(await service.call('PUT', '/invoices', { body: {} }))
  expect((await service.call('HEAD', '/ping')).headers).toHaveProperty('x-request-id')
})
