// What holds for every route of signed-in persons, made from their list: who may call it, from where, and how it is answered.
import { beforeAll, expect, test } from '@jest/globals'
import { INTERNAL_ROUTES, routesOf } from '../../api/routes.ts'
import type { Route } from '../../api/http/route.ts'
import { ROLES, scopesOfRole } from '../../domain/roles.ts'
import { allows } from '../../domain/scopes.ts'
import { callAt, type Answered, type Client } from '../fixtures/client.ts'
import { personWith, type Person } from '../fixtures/persons.ts'
import { useService } from '../fixtures/use-service.ts'
import { expectHouseStyle, nameOf, NO_SUCH_ID } from './routes.ts'

const service = await useService()
const plain = callAt(`${service.origin}/internal/v1`)
let client: Client
let persons: Record<string, Person>

beforeAll(async () => {
  client = await service.organization()
  persons = Object.fromEntries(await Promise.all(ROLES.map(async (role) => [role, await personWith(service, client.orgId, role)] as const)))
})

const pathOf = ({ path }: Route) => path.replaceAll(/\{\w+\}/g, NO_SUCH_ID)
const sending = ({ body }: Route) => (body ? { body: {} } : {})
const each = (condition: (route: Route) => boolean) => INTERNAL_ROUTES.filter(condition).map((route) => [nameOf(route), route] as const)
const bySession = ({ by }: Route) => by === 'session'

function expectUnknown(answers: Answered[]): void {
  for (const answer of answers) {
    expectHouseStyle(answer)
    expect([answer.status, answer.body.code, answer.headers['cache-control']]).toEqual([401, 'auth.invalid_token', 'no-store'])
  }
}

test('the public API has none of them', () => {
  const known = new Set(routesOf({ publicUrl: 'http://contract.test' }).map(nameOf))
  expect(INTERNAL_ROUTES.map(nameOf).filter((name) => known.has(name))).toEqual([])
  expect(INTERNAL_ROUTES.filter(({ by }) => by !== 'session' && by !== 'visitor')).toEqual([])
})

test.each(each(bySession))('%s: nobody, or a token, is 401', async (_name, route) => {
  const { cookie } = persons.OWNER!
  expectUnknown([
    await plain(route.method, pathOf(route), sending(route)),
    await plain(route.method, pathOf(route), { ...sending(route), token: client.token }),
    await plain(route.method, pathOf(route), { ...sending(route), token: client.token, headers: { cookie, 'sec-fetch-site': 'same-origin' } }),
    await plain(route.method, pathOf(route), { ...sending(route), partnerKey: service.partnerKey }),
  ])
})

test.each(each((route) => bySession(route) && route.method !== 'GET'))('%s: from elsewhere the cookie is as if it were not there', async (_name, route) => {
  const { cookie } = persons.OWNER!
  expectUnknown([
    await plain(route.method, pathOf(route), { ...sending(route), headers: { cookie } }),
    await plain(route.method, pathOf(route), { ...sending(route), headers: { cookie, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' } }),
  ])
})

test.each(each(({ scope }) => scope !== null).flatMap(([name, route]) => ROLES.map((role) => [name, role, route] as const)))('%s by %s', async (_name, role, route) => {
  const answer = await persons[role]!.call(route.method, pathOf(route), sending(route))
  expectHouseStyle(answer)
  // What a path names does not exist here.
  const needsMore = ((route.body as { required?: string[] } | undefined)?.required ?? []).length > 0
  if (allows(scopesOfRole(role), route.scope!)) expect(answer.status).toBe(needsMore ? 422 : route.path.includes('{') ? 404 : 200)
  else expect([answer.status, answer.body.code, answer.body.details]).toEqual([403, 'auth.insufficient_scope', { required: `Svc.${route.scope}` }])
})

test('an accountant has the books and no more, a viewer reads', () => {
  expect(['invoices.CREATE', 'webhooks.DELETE', 'recurring.UPDATE', 'preferences.READ'].map((need) => allows(scopesOfRole('ACCOUNTANT'), need as never))).toEqual([true, true, true, true])
  expect(allows(scopesOfRole('ACCOUNTANT'), 'preferences.UPDATE')).toBe(false)
  expect(scopesOfRole('VIEWER').filter((scope) => !scope.endsWith('.READ'))).toEqual([])
})
