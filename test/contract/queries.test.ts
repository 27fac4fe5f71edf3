// Every route with a query: good values are taken, a bad one is refused with its name and, where there is one, the list.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Route } from '../../api/http/route.ts'
import type { Json } from '../fixtures/client.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { someOf, someRows } from './cases.ts'
import { callRoute, each, fewFiles, opening } from './routes.ts'
import { bodyFor, fillOrganization, openContractOrganization, pathFor, requiredQuery, type ContractOrganization } from './samples.ts'

let service: Service
let org: ContractOrganization

beforeAll(async () => {
  service = await startService()
  org = await openContractOrganization(service)
  await fillOrganization(org)
  // Calls that create in bulk wait for it.
  await service.startWorker()
})
afterAll(() => service.close())

// `organization_id` is read with the token, before any other.
const parametersOf = (route: Route): [string, Json][] =>
  Object.entries((route.query?.properties ?? {}) as Record<string, Json>).filter(([name]) => name !== 'organization_id')
const hasParameters = (route: Route) => parametersOf(route).length > 0

function badValues(name: string, property: Json): string[] {
  if (property.enum) return ['NO_SUCH_WORD', '', property.enum[0].toLowerCase() === property.enum[0] ? 'UP' : property.enum[0].toLowerCase()]
  if (property.type === 'integer') {
    return ['x', '', '1.5', '1e1', '0x10', '９', ' 1', '9'.repeat(30), String(property.minimum - 1), String(property.maximum + 1)]
  }
  if (property.type === 'boolean') return ['maybe', '', '1', 'TRUE']
  if (property.format) return ['yesterday', '', '2026-02-30', '2026-13-01', '20260101', '0', "2026-01-01'--"]
  const cursor = Buffer.from("2026-01-01T00:00:00.000Z' OR 1=1").toString('base64url')
  return name === 'cursor' ? ['x', '', 'bm9wZQ', cursor, '%00', 'e30='] : ['%00', 'a%00b', '%ED%A0%80%00']
}

function goodValues(name: string, property: Json): string[] {
  if (property.enum) return property.enum
  if (property.type === 'integer') return [String(property.minimum), String(property.maximum)]
  if (property.type === 'boolean') return ['true', 'false']
  if (property.format) return ['2026-11-10', '2026-11-10T10:00:00Z', '2026-11-10T10:00:00.123%2B05:30']
  if (property.pattern === '^[A-Z]{3}$') return ['INR', 'ZZZ']
  // Any text is a good filter, and is taken by its letters alone.
  return name === 'cursor' || name.toLowerCase() === 'branchid' ? [] : ['%25', '_', "'; DROP TABLE invoices; --", '%5C', 'नमस्ते', '"', '%F0%9F%99%8F']
}

test.each(someRows(each(hasParameters)))('%s refuses bad values', async (_name, route) => {
  const path = await pathFor(route, org)
  for (const [name, property] of parametersOf(route)) {
    const twice = `${name}=${goodValues(name, property)[0] ?? 'x'}`
    for (const query of someOf([...badValues(name, property).map((value) => `${name}=${value}`), `${twice}&${twice}`])) {
      const { status, body } = await callRoute(service, route, `${path}?${query}`, opening(route, org))
      expect([query, status, body.code, body.field]).toEqual([query, 400, 'validation.invalid_value', name])
      if (property.enum) expect(body.details).toEqual({ valid: property.enum })
    }
  }
})

/** The body of a call that writes, and a key of its own. */
const written = (route: Route) => (route.method === 'POST' ? { body: bodyFor(route, org), key: randomUUID() } : {})

test.each(someRows(fewFiles(each(hasParameters))))('%s takes good ones, and unknown names', async (_name, route) => {
  const path = await pathFor(route, org)
  const required = await requiredQuery(route, org)
  for (const [name, property] of parametersOf(route)) {
    // What must be sent names a record, and is sent with all the others.
    if (required.includes(`&${name}=`)) continue
    for (const value of someOf(goodValues(name, property))) {
      const { status, body } = await callRoute(service, route, `${path}?no_such=1&${name}=${value}${required}`, { ...opening(route, org), ...written(route) })
      const other = { async: route.accepted && 202, redirect: route.fileType && 302 }[name]
      const good = value === 'true' && other ? other : route.status ?? 200
      expect([name, value, status, body?.code]).toEqual([name, value, good, route.fileType === undefined ? 0 : undefined])
    }
  }
})

describe('cursor pages', () => {
  // The change feed, which has no `sort`, is walked through in test/api/event-feed.test.ts.
  const paged = ({ query }: Route) => 'cursor' in (query?.properties ?? {}) && 'sort' in query!.properties
  const listOf = (body: Json): Json[] => Object.values(body).find(Array.isArray) as Json[]

  test.each(someRows(each(paged)))('%s: one by one, either way round, is the whole list', async (_name, route) => {
    const path = await pathFor(route, org)
    const most = (route.query!.properties as Record<string, Json>).per_page.maximum as number
    const walk = async (query: string) => {
      const found: Json[] = []
      for (let cursor = ''; ;) {
        const { body } = await callRoute(service, route, `${path}?${query}${cursor}`, opening(route, org))
        found.push(...listOf(body))
        expect(Object.keys(body.page_context).sort()).toEqual(['has_more_page', 'next_cursor', 'per_page'])
        expect(body.page_context.has_more_page).toBe(body.page_context.next_cursor !== null)
        if (!body.page_context.has_more_page) return found
        cursor = `&cursor=${body.page_context.next_cursor}`
      }
    }
    const whole = await walk(`per_page=${most}`)
    const walks: [query: string, inOrder: Json[]][] = [
      ['per_page=7', whole], ['per_page=3&sort=-created_time', whole], ['per_page=5&sort=created_time', whole.toReversed()],
    ]
    for (const [query, inOrder] of someOf(walks)) expect([query, await walk(query)]).toEqual([query, inOrder])
  })

  test.each(someRows(each(paged)))('%s: 50 a page by default', async (_name, route) => {
    const { body } = await callRoute(service, route, await pathFor(route, org), opening(route, org))
    expect(body.page_context.per_page).toBe(50)
  })
})
