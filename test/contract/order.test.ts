// The order of the checks (decisions §1): a call in which everything is wrong is refused by the first of them.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { Route } from '../../api/http/route.ts'
import type { CallOptions } from '../fixtures/client.ts'
import { useService } from '../fixtures/use-service.ts'
import { someRows } from './cases.ts'
import { byPartner, byToken, callRoute, each, hasId, NO_SUCH_ID, opening } from './routes.ts'
import { bodyFor, openContractOrganization } from './samples.ts'

const service = await useService()
const org = await openContractOrganization(service)

const anyPath = ({ path }: Route) => path.replaceAll(/\{\w+\}/g, NO_SUCH_ID)
const isPost = (route: Route) => route.method === 'POST'
const wrongQuery = ({ query }: Route) => (query?.properties.per_page ? '?per_page=0' : query?.properties.limit ? '?limit=0' : '')
const ask = async (route: Route, options: CallOptions) => {
  const { status, body } = await callRoute(service, route, anyPath(route) + wrongQuery(route), options)
  return [status, body.code, ...(body.field === undefined ? [] : [body.field])]
}
const BAD_KEY = { key: 'no key!' }
const BAD_BODY = { raw: '{' }
const badBody = (route: Route) => (route.method === 'GET' ? {} : BAD_BODY)
const without = (route: Route): [number, string] => [403, route.authCodes?.scope ?? 'auth.insufficient_scope']

describe('the token, then the scope, then whatever is wrong with the call', () => {
  test.each(someRows(each((route) => byToken(route) && route.scope !== null)))('%s', async (_name, route) => {
    const wrong = { ...badBody(route), ...(isPost(route) ? BAD_KEY : {}) }
    expect(await ask(route, { token: 'svc_pat_of_nobody', ...wrong })).toEqual([401, route.authCodes?.unknown ?? 'auth.invalid_token'])
    const token = await service.token(org.client.orgId, { scopes: ['Svc.taxes.READ', 'Svc.items.READ'].filter((scope) => scope !== `Svc.${route.scope}`).slice(0, 1) })
    expect(await ask(route, { token, ...wrong })).toEqual(without(route))
  })
})

describe('the key, then the body, then existence', () => {
  test.each(someRows(each((route) => isPost(route) && (byToken(route) || byPartner(route)))))('%s', async (_name, route) => {
    const open = opening(route, org)
    expect(await ask(route, { ...open, ...BAD_KEY, ...BAD_BODY })).toEqual([400, 'validation.invalid_value', 'Idempotency-Key'])
    if (route.keyRequired) expect(await ask(route, { ...open, ...BAD_BODY })).toEqual([400, 'idempotency.key_required', 'Idempotency-Key'])
    const refusal = route.form ? [415, 'request.unsupported_media_type'] : [400, 'request.malformed_json']
    expect(await ask(route, { ...open, key: randomUUID(), ...BAD_BODY })).toEqual(refusal)
  })

  test.each(someRows(each((route) => hasId(route) && route.body !== undefined)))('%s', async (_name, route) => {
    const open = { ...opening(route, org), ...(isPost(route) ? { key: randomUUID() } : {}) }
    expect((await ask(route, { ...open, body: [] })).slice(0, 2)).toEqual([422, 'validation.failed'])
    const fresh = isPost(route) ? { key: randomUUID() } : {}
    expect((await ask(route, { ...open, ...fresh, body: bodyFor(route, org) })).slice(0, 2)).toEqual([404, 'not_found.resource'])
  })
})

test('the limit comes before the scope and the body, and what it refuses is not remembered', async () => {
  const limited = await service.another({ RATE_LIMIT_DEFAULT: '1' })
  const token = await service.token(org.client.orgId, { scopes: ['Svc.taxes.READ'] })
  const call = (path: string, init: RequestInit = {}) => fetch(`${limited.origin}/api/public/v1${path}`, {
    ...init, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': 'a-key' },
  }).then(({ status }) => status)
  expect(await call('/taxes')).toBe(200)
  expect(await call('/contacts', { method: 'POST', body: '{' })).toBe(429)
  expect(await call('/contacts', { method: 'POST', body: 'x'.repeat(3_000_000) })).toBe(429)
  await limited.close()
})
