// Every POST with a key, sent again: the same bytes come back, and nothing is done twice.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { Route } from '../../api/http/route.ts'
import { useService } from '../fixtures/use-service.ts'
import { someOf, someRows } from './cases.ts'
import { byPartner, callRoute, each, opening } from './routes.ts'
import { bodyFor, openContractOrganization, pathFor } from './samples.ts'

const service = await useService()
await service.startWorker()
const org = await openContractOrganization(service)

const isPost = ({ method }: Route) => method === 'POST'
// What an answer keeps sealed is counted at the end, and a partner's call opens what another has suspended.
const isAlwaysCalled = (route: Route) => route.secretAnswer === true || byPartner(route)

/** Every row that a call can write, so that what a second call would have done shows; not those that a process writes at its own time. */
async function rows(): Promise<string> {
  const tables = await service.sql<{ table_name: string }>(
    `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
       AND table_name NOT IN ('installation', 'last_uses', 'requests') ORDER BY 1`,
  )
  const counts = tables.map(({ table_name }) => `(SELECT format('${table_name} %s %s', count(*), sum(hashtext(t::text))) FROM ${table_name} AS t)`)
  const [counted] = await service.sql<{ state: string }>(`SELECT concat_ws(E'\\n', ${counts.join(', ')}) AS state`)
  return counted!.state
}

describe('what succeeded', () => {
  test.each([
    ...each((route) => isPost(route) && isAlwaysCalled(route)), ...someRows(each((route) => isPost(route) && !isAlwaysCalled(route))),
  ])('%s', async (_name, route) => {
    const [path, body, key] = [await pathFor(route, org), bodyFor(route, org), randomUUID()]
    const first = await callRoute(service, route, path, { ...opening(route, org), body, key })
    expect([first.status, first.headers['idempotency-replay']]).toEqual([route.status ?? 200, undefined])
    const before = await rows()

    const again = await callRoute(service, route, path, { ...opening(route, org), body, key })
    expect([again.status, again.text]).toEqual([first.status, first.text])
    expect(again.headers).toMatchObject({ 'idempotency-replay': 'true', 'content-type': 'application/json' })
    expect(again.headers).not.toHaveProperty('idempotency-body-mismatch')
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id'])

    for (const other of someOf([{ entirely: 'different' }, [], undefined].filter((one) => JSON.stringify(one) !== JSON.stringify(body)))) {
      const mismatched = await callRoute(service, route, path, { ...opening(route, org), body: other, key })
      expect([mismatched.status, mismatched.text]).toEqual([first.status, first.text])
      expect(mismatched.headers).toMatchObject({ 'idempotency-replay': 'true', 'idempotency-body-mismatch': 'true' })
    }
    const unparsable = await callRoute(service, route, path, { ...opening(route, org), raw: '{', key })
    expect([unparsable.status, unparsable.text]).toEqual([first.status, first.text])
    expect(await rows()).toBe(before)
  })
})

describe('what was refused', () => {
  test.each(someRows(each((route) => isPost(route) && route.body !== undefined)))('%s', async (_name, route) => {
    const [path, key] = [await pathFor(route, org), randomUUID()]
    const first = await callRoute(service, route, path, { ...opening(route, org), body: [], key })
    expect([first.status, first.body.code]).toEqual([422, 'validation.failed'])
    const before = await rows()
    const again = await callRoute(service, route, path, { ...opening(route, org), body: [], key })
    expect([again.status, again.text, again.headers['idempotency-replay']]).toEqual([422, first.text, 'true'])
    const mended = await callRoute(service, route, path, { ...opening(route, org), body: bodyFor(route, org), key })
    expect([mended.status, mended.text, mended.headers['idempotency-body-mismatch']]).toEqual([422, first.text, 'true'])
    expect(await rows()).toBe(before)
  })
})

test('no raw token or secret is kept where it can be read', async () => {
  const state = await service.sql<{ body: string }>(`SELECT body FROM idempotent_answers WHERE body LIKE '%svc\\_%'`)
  expect(state.filter(({ body }) => /svc_(pat|prt|whsec|oat)_[A-Za-z0-9_-]{20}/.test(body))).toEqual([])
  const [sealed] = await service.sql<{ count: number }>('SELECT count(*)::integer AS count FROM idempotent_answers WHERE sealed')
  expect(sealed!.count).toBeGreaterThan(2)
})
