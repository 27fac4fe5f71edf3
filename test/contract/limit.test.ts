// The organisation and the limit on every route: before scope, key and body, and refused calls count.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Route } from '../../api/http/route.ts'
import type { Answered, CallOptions } from '../fixtures/client.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { someRows } from './cases.ts'
import { byToken, callRoute, each, NO_SUCH_ID } from './routes.ts'
import { openContractOrganization, type ContractOrganization } from './samples.ts'

let service: Service
let hurried: Awaited<ReturnType<Service['another']>>
let org: ContractOrganization

beforeAll(async () => {
  service = await startService()
  org = await openContractOrganization(service)
})
afterAll(async () => {
  await hurried?.close()
  await service.close()
})

const anyPath = ({ path }: Route) => path.replaceAll(/\{\w+\}/g, NO_SUCH_ID)
const writes = ({ method }: Route) => method === 'POST' || method === 'PUT'
const codeOf = ({ status, body }: Answered) => [status, body.code]
const OTHER = `organization_id=${NO_SUCH_ID}`
/** Everything wrong behind the token: a key, a body and a query that no route takes. */
const wrong = (route: Route): CallOptions => (writes(route) ? { raw: '{', headers: { 'content-type': 'application/json', 'idempotency-key': 'a key'.repeat(100) } } : {})

test.each(someRows(each(byToken)))('%s: the organisation comes before scope, key and body', async (_name, route) => {
  const token = await service.token(org.client.orgId, { scopes: [] })
  const answered = await callRoute(service, route, `${anyPath(route)}?${OTHER}&per_page=x`, { token, ...wrong(route) })
  expect(codeOf(answered)).toEqual([404, 'not_found.resource'])
})

describe('the limit', () => {
  let addresses = 0
  beforeAll(async () => {
    hurried = await service.another({ RATE_LIMIT_DEFAULT: '1', RATE_LIMIT_PARTNER: '1', TRUSTED_PROXIES: '127.0.0.0/8' })
  })

  test.each(someRows(each(byToken)))('%s: a refused call uses it up, and then it comes before all but the token', async (_name, route) => {
    const token = await service.token(org.client.orgId, { scopes: [] })
    // A token that the process has not heard of yet counts against its address too, so each has one of its own.
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': `2001:db8:${(addresses += 1).toString(16)}::1` }
    const call = async (query: string) => {
      const response = await fetch(`${hurried.origin}/api/public/v1${anyPath(route)}${query}`, { method: route.method, headers })
      const { code } = await response.json() as { code: string }
      return [response.status, code, response.headers.get('x-ratelimit-remaining')]
    }
    expect(await call(`?${OTHER}`)).toEqual([404, 'not_found.resource', '0'])
    expect(await call('')).toEqual([429, 'rate_limit.exceeded', '0'])
    expect(await call(`?${OTHER}`)).toEqual([429, 'rate_limit.exceeded', '0'])
  })
})
