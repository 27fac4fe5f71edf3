// Every route by itself: who may call it, with which scope, and that nobody else's record is ever found.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Route } from '../../api/http/route.ts'
import { SCOPES } from '../../domain/scopes.ts'
import type { CallOptions } from '../fixtures/client.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { someOf, someRows } from './cases.ts'
import { byPartner, byToken, callRoute, each, hasId, NO_SUCH_ID, opening } from './routes.ts'
import { bodyFor, openContractOrganization, pathFor, type ContractOrganization } from './samples.ts'

let service: Service
let own: ContractOrganization
let other: ContractOrganization
let expired: string
let revoked: string

beforeAll(async () => {
  service = await startService()
  own = await openContractOrganization(service)
  other = { ...(await openContractOrganization(service)), partnerKey: await service.newPartnerKey() }
  const past = new Date(Date.now() - 1000)
  expired = await service.token(own.client.orgId, { expires: past })
  revoked = await service.token(own.client.orgId, { revoked: past })
})
afterAll(() => service.close())

const anyPath = ({ path }: Route) => path.replaceAll(/\{\w+\}/g, NO_SUCH_ID)
const unknownCode = (route: Route) => route.authCodes?.unknown ?? 'auth.invalid_token'
// Enough for a POST to come as far as the thing under test.
const keyed = { key: 'a-key', body: {} }
const sending = (route: Route) => (route.method === 'POST' ? keyed : route.method === 'PUT' ? { body: {} } : {})

describe('401: no token, or one that opens nothing', () => {
  test.each(someRows(each(byToken)))('%s', async (_name, route) => {
    const dead = ['svc_pat_', `${own.client.token}x`, own.client.token.slice(0, -1), own.partnerKey, 'x', "' OR 1=1 --", expired, revoked]
    const refused: CallOptions[] = [
      {}, { headers: { authorization: own.client.token } }, { headers: { authorization: `Basic ${own.client.token}` } }, { partnerKey: own.partnerKey },
      ...dead.map((token) => ({ token, ...sending(route) })),
    ]
    for (const options of someOf(refused)) {
      const { status, body } = await callRoute(service, route, anyPath(route), options)
      expect([status, body.code]).toEqual([401, unknownCode(route)])
    }
  })

  test.each(each(byPartner))('%s', async (_name, route) => {
    const refused: CallOptions[] = [
      {}, { token: own.client.token }, { token: own.partnerKey },
      ...['svc_prt_', `${own.partnerKey}x`, own.client.token].map((partnerKey) => ({ partnerKey, ...sending(route) })),
    ]
    for (const options of someOf(refused)) {
      const { status, body } = await callRoute(service, route, anyPath(route), options)
      expect([status, body.code]).toEqual([401, 'auth.invalid_token'])
    }
  })

  test.each(each((route) => route.by === 'anyone'))('%s needs none, and minds no bad one', async (_name, route) => {
    expect((await service.call(route.method, route.path)).status).toBe(200)
    expect((await service.call(route.method, route.path, { token: 'x' })).status).toBe(200)
  })
})

describe('403: a token without the scope', () => {
  test.each(each((route) => byToken(route) && route.scope !== null))('%s', async (_name, route) => {
    const needed = `Svc.${route.scope}`
    const scopes = SCOPES.filter((scope) => scope !== needed && scope !== 'Svc.fullaccess.all')
    const token = await service.token(own.client.orgId, { scopes })
    // The scope comes before key and body, so nothing else is sent.
    const { status, body } = await callRoute(service, route, anyPath(route), { token })
    expect([status, body.code]).toEqual([403, route.authCodes?.scope ?? 'auth.insufficient_scope'])
    expect(body.details).toEqual({ required: needed })
  })

  test.each(someRows(each((route) => byToken(route) && route.scope !== null)))('%s is open to the one scope', async (_name, route) => {
    const token = await service.token(own.client.orgId, { scopes: [`Svc.${route.scope}`] })
    const { status } = await callRoute(service, route, anyPath(route), { token, ...sending(route) })
    expect(route.form ? [415] : [200, 400, 404, 409, 422]).toContain(status)
  })
})

describe('the organisation', () => {
  test.each(someRows(each(byToken)))('%s: 404 for another one in query or header, whoever has it', async (_name, route) => {
    const named = [other.client.orgId, NO_SUCH_ID, 'nonsense', ''].flatMap((id): [query: string, headers: Record<string, string>][] => (
      [[`?organization_id=${id}`, {}], ['', { 'x-svc-org': id }]]))
    for (const [query, headers] of someOf(named)) {
      const { status, body } = await callRoute(service, route, anyPath(route) + query, { ...opening(route, own), headers })
      expect([status, body.code]).toEqual([404, 'not_found.resource'])
    }
  })

  test.each(someRows(each(byToken)))('%s: 400 for an OAuth token that names none', async (_name, route) => {
    const token = await service.token(own.client.orgId, { kind: 'OAUTH', scopes: [] })
    const { status, body } = await callRoute(service, route, anyPath(route), { token })
    expect([status, body.code, body.field]).toEqual([400, 'validation.required_field', 'organization_id'])
    const named = await callRoute(service, route, `${anyPath(route)}?organization_id=${own.client.orgId}`, { token })
    expect(named.body.field).not.toBe('organization_id')
  })

  test('a suspended one is closed on every route', async () => {
    const closed = await openContractOrganization(service)
    const suspend = `/partner/organizations/${closed.client.orgId}/suspend`
    expect((await service.call('POST', suspend, { partnerKey: service.partnerKey })).status).toBe(200)
    for (const [, route] of someRows(each(byToken))) {
      const { status, body } = await callRoute(service, route, anyPath(route), { ...opening(route, closed), ...sending(route) })
      expect([route.path, status, body.code]).toEqual([route.path, 403, 'authz.organization_suspended'])
    }
  })
})

describe("404: another organisation's id is as one that does not exist", () => {
  test.each(each(hasId))('%s', async (_name, route) => {
    const body = bodyFor(route, own)
    const ask = (path: string) => callRoute(service, route, path, {
      ...opening(route, own), body, ...(route.method === 'POST' ? { key: randomUUID() } : {}),
    })
    const asOther = byPartner(route) ? { ...other, client: await otherOrganization() } : other
    const foreign = await ask(await pathFor(route, asOther))
    const { request_id: _, ...told } = foreign.body
    expect(foreign.status).toBe(404)
    expect(told.code).toBe('not_found.resource')
    for (const id of someOf([NO_SUCH_ID, 'nonsense', '1', '%00', "'--", `${NO_SUCH_ID}0`])) {
      const missing = await ask(route.path.replaceAll(/\{\w+\}/g, id))
      const { request_id: __, ...alike } = missing.body
      expect([id, missing.status, alike]).toEqual([id, 404, told])
    }
  })

  // Of a partner whose key is not the organisation's.
  async function otherOrganization() {
    const { body } = await service.call('POST', '/partner/organizations', { partnerKey: other.partnerKey, key: 'one', body: { name: 'Other' } })
    return { ...other.client, orgId: body.organization.org_id as string }
  }
})
