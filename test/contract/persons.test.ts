// Every route of the public API, called by signed-in persons: what each role may, from where, and for which organisation.
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Route } from '../../api/http/route.ts'
import { ROLES, scopesOfRole } from '../../domain/roles.ts'
import { allows } from '../../domain/scopes.ts'
import type { CallOptions } from '../fixtures/client.ts'
import { OWN_PAGE, personWith, type Person } from '../fixtures/persons.ts'
import { useService } from '../fixtures/use-service.ts'
import { someOf, someRows } from './cases.ts'
import { byPartner, byToken, callRoute, each, hasId, NO_SUCH_ID } from './routes.ts'
import { bodyFor, openContractOrganization, pathFor, type ContractOrganization } from './samples.ts'

const service = await useService()
let own: ContractOrganization
let other: ContractOrganization
let persons: Record<string, Person>

beforeAll(async () => {
  own = await openContractOrganization(service)
  other = await openContractOrganization(service)
  persons = Object.fromEntries(await Promise.all(ROLES.map(async (role) => [role, await personWith(service, own.client.orgId, role)] as const)))
})

const anyPath = ({ path }: Route) => path.replaceAll(/\{\w+\}/g, NO_SUCH_ID)
const sending = (route: Route): CallOptions => (route.method === 'POST' ? { key: 'a-key', body: {} } : route.method === 'PUT' ? { body: {} } : {})
const by = (role: (typeof ROLES)[number], headers: Record<string, string> = OWN_PAGE) => ({ headers: { cookie: persons[role]!.cookie, ...headers } })
const unknownCode = (route: Route) => route.authCodes?.unknown ?? 'auth.invalid_token'

describe('a role', () => {
  const rows = each(byToken).flatMap(([name, route]) => someOf(ROLES).map((role) => [name, role, route] as const))

  test.each(rows)('%s by %s', async (_name, role, route) => {
    const { status, headers, body } = await callRoute(service, route, anyPath(route), { ...sending(route), ...by(role) })
    expect(headers['cache-control']).toBe('no-store')
    if (route.scope === null || allows(scopesOfRole(role), route.scope)) expect(route.form ? [415] : [200, 400, 404, 409, 422]).toContain(status)
    else expect([status, body.code, body.details]).toEqual([403, route.authCodes?.scope ?? 'auth.insufficient_scope', { required: `Svc.${route.scope}` }])
  })

  test('a viewer changes nothing: each call that may is a read, or of no resource', () => {
    const open = each((route) => byToken(route) && (route.scope === null || allows(scopesOfRole('VIEWER'), route.scope)))
    expect(open.flatMap(([name, { method }]) => (method === 'GET' ? [] : [name]))).toEqual(['POST /echo'])
  })
})

describe('from elsewhere the cookie is as if it were not there', () => {
  test.each(someRows(each(byToken)))('%s', async (_name, route) => {
    const elsewhere = [
      {}, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'none' }, { origin: 'https://evil.example' }, { origin: 'null' },
      { referer: `${service.origin}/console` }, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    ] as Record<string, string>[]
    for (const headers of someOf(elsewhere, elsewhere.length)) {
      const { status, body } = await callRoute(service, route, anyPath(route), { ...sending(route), ...by('OWNER', headers) })
      expect([headers, status, body.code]).toEqual([headers, 401, unknownCode(route)])
    }
  })

  test.each(each((route) => byPartner(route)))('%s takes none from anywhere', async (_name, route) => {
    const { status, body } = await callRoute(service, route, anyPath(route), { ...sending(route), ...by('OWNER') })
    expect([status, body.code]).toEqual([401, 'auth.invalid_token'])
  })
})

describe('a bearer token that is sent is the caller', () => {
  test.each(someRows(each(byToken)))('%s', async (_name, route) => {
    const path = anyPath(route)
    for (const headers of someOf([{ authorization: 'Bearer svc_pat_x' }, { authorization: 'Basic dXNoYTp4' }, { authorization: '' }])) {
      const refused = await callRoute(service, route, path, { ...sending(route), ...by('OWNER', { ...OWN_PAGE, ...headers }) })
      expect([refused.status, refused.body.code]).toEqual([401, unknownCode(route)])
    }
    if (route.scope === null) return
    const token = await service.token(own.client.orgId, { scopes: [] })
    expect((await callRoute(service, route, path, { ...sending(route), token, ...by('OWNER') })).status).toBe(403)
  })
})

describe('the organisation', () => {
  test.each(someRows(each(byToken)))('%s: 404 for one that the person does not belong to', async (_name, route) => {
    const named = [other.client.orgId, NO_SUCH_ID, 'x', '', `${own.client.orgId},${other.client.orgId}`]
    for (const id of someOf(named, named.length)) {
      const byHeader = await callRoute(service, route, anyPath(route), { ...sending(route), ...by('OWNER', { ...OWN_PAGE, 'x-svc-org': id }) })
      const byQuery = await callRoute(service, route, `${anyPath(route)}?organization_id=${id}`, { ...sending(route), ...by('OWNER') })
      for (const { status, body } of [byHeader, byQuery]) expect([id, status, body.code]).toEqual([id, 404, 'not_found.resource'])
    }
  })

  test.each(someRows(each((route) => byToken(route) && hasId(route))))("%s: another's id is as one that does not exist", async (_name, route) => {
    const ask = (path: string) => callRoute(service, route, path, { body: bodyFor(route, own), ...(route.method === 'POST' ? { key: randomUUID() } : {}), ...by('OWNER') })
    const [foreign, missing] = [await ask(await pathFor(route, other)), await ask(anyPath(route))]
    const { request_id: _, ...told } = foreign.body
    const { request_id: __, ...alike } = missing.body
    expect([foreign.status, told]).toEqual([404, alike])
  })
})
