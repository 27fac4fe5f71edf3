// Every route that takes a body: all errors of a body are answered together, and nothing is done.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { Route } from '../../api/http/route.ts'
import type { Answered, Json } from '../fixtures/client.ts'
import { useService } from '../fixtures/use-service.ts'
import { someOf, someRows } from './cases.ts'
import { callRoute, each, NO_SUCH_ID, opening } from './routes.ts'
import { bodyFor, openContractOrganization, pathFor } from './samples.ts'

const service = await useService()
await service.startWorker()
const org = await openContractOrganization(service)

type Shape = { properties?: Record<string, Json>; required?: string[] }
const shapeOf = (route: Route) => route.body as unknown as Shape
const fieldsOf = ({ body }: Answered) => (body.errors as { field: string }[]).map(({ field }) => field)
const anyPath = ({ path }: Route) => path.replaceAll(/\{\w+\}/g, NO_SUCH_ID)
const takesBody = (route: Route) => route.body !== undefined
const hasFields = (route: Route) => takesBody(route) && Object.keys(shapeOf(route).properties ?? {}).length > 0

function send(route: Route, body: unknown): Promise<Answered> {
  const key = route.method === 'POST' ? { key: randomUUID() } : {}
  return callRoute(service, route, anyPath(route), { ...opening(route, org), body, ...key })
}

/** A value that the property does not take, whatever it takes. */
function wrongFor(property: Json): unknown {
  const types = [property.type ?? (property.enum ? 'string' : [])].flat()
  return types.includes('object') || types.includes('array') ? 7 : { not: 'this' }
}

describe('422 for a body that is no object', () => {
  test.each(someRows(each(takesBody)))('%s', async (_name, route) => {
    for (const body of someOf([[], [{}], 'text', 5, true, null])) {
      const { status, body: told } = await send(route, body)
      expect([body, status, told.code]).toEqual([body, 422, 'validation.failed'])
      expect(told.errors).toEqual([expect.objectContaining({ field: '', message: expect.stringMatching(/object/) })])
    }
  })
})

describe('422 names every required field that is missing, at once', () => {
  test.each(each((route) => (shapeOf(route)?.required?.length ?? 0) > 0))('%s', async (_name, route) => {
    const answered = await send(route, {})
    expect([answered.status, answered.body.code]).toEqual([422, 'validation.failed'])
    // Routes that check more than the shape also report what only some bodies need.
    const [told, required] = [fieldsOf(answered), shapeOf(route).required!]
    expect(told.filter((field) => required.includes(field)).sort()).toEqual([...required].sort())
    if (!route.alsoCheck) expect(told).toHaveLength(required.length)
    for (const { code } of answered.body.errors) expect(code).toBe('required')
  })
})

describe('422 names every field of the wrong type, at once', () => {
  test.each(each(hasFields))('%s', async (_name, route) => {
    const properties = Object.entries(shapeOf(route).properties!)
    const answered = await send(route, Object.fromEntries(properties.map(([name, property]) => [name, wrongFor(property)])))
    expect([answered.status, answered.body.code]).toEqual([422, 'validation.failed'])
    const roots = new Set(fieldsOf(answered).map((field) => field.split('.')[0]))
    expect([...roots].sort()).toEqual(properties.map(([name]) => name).sort())
  })
})

describe('422 names a field that is null, too long, too large or no member of its list', () => {
  const bounds: [string, (property: Json) => boolean, (property: Json) => unknown][] = [
    ['null', ({ type }) => type !== undefined && ![type].flat().includes('null'), () => null],
    ['length', ({ maxLength }) => maxLength !== undefined, ({ maxLength }) => 'x'.repeat(maxLength + 1)],
    ['maximum', ({ maximum }) => maximum !== undefined, ({ maximum }) => maximum + 1],
    ['minimum', ({ minimum }) => minimum !== undefined, ({ minimum }) => minimum - 1],
    ['list', (property) => property.enum !== undefined, () => 'NO_SUCH_WORD'],
    ['count', ({ maxItems }) => maxItems !== undefined, ({ maxItems }) => Array.from({ length: maxItems + 1 }, () => 'x')],
  ]
  test.each(someRows(each(hasFields)))('%s', async (_name, route) => {
    for (const [kind, applies, make] of someOf(bounds)) {
      const chosen = Object.entries(shapeOf(route).properties!).filter(([, property]) => applies(property))
      if (chosen.length === 0) continue
      const body = { ...bodyFor(route, org), ...Object.fromEntries(chosen.map(([name, property]) => [name, make(property)])) }
      const answered = await send(route, body)
      expect([kind, answered.status, answered.body.code]).toEqual([kind, 422, 'validation.failed'])
      const roots = new Set(fieldsOf(answered).map((field) => field.split('.')[0]))
      expect([kind, [...roots].sort()]).toEqual([kind, chosen.map(([name]) => name).sort()])
    }
  })
})

// An organisation answers its id, so that another one in a PUT is refused.
const knowsOrgId = (route: Route) => shapeOf(route).properties!.org_id !== undefined || route.path.endsWith('{org_id}')

describe('unknown fields are ignored', () => {
  test.each(someRows(each(takesBody)))('%s', async (_name, route) => {
    const body = { ...bodyFor(route, org), no_such_field: { deep: [1] }, __proto__x: 1, id: NO_SUCH_ID, ...(knowsOrgId(route) ? {} : { org_id: NO_SUCH_ID }) }
    const key = route.method === 'POST' ? { key: randomUUID() } : {}
    const answered = await callRoute(service, route, await pathFor(route, org), { ...opening(route, org), body, ...key })
    expect([answered.status, answered.body.code]).toEqual([route.status ?? 200, 0])
  })
})

describe('400 for a key that is missing where it must be there, before the body is looked at', () => {
  test.each(each((route) => route.keyRequired === true))('%s', async (_name, route) => {
    for (const body of someOf([{}, [], bodyFor(route, org)])) {
      const answered = await callRoute(service, route, anyPath(route), { ...opening(route, org), body })
      expect([answered.status, answered.body.code, answered.body.field]).toEqual([400, 'idempotency.key_required', 'Idempotency-Key'])
    }
  })

  test('the specification names them: POST /invoices, and the creation of organisations', () => {
    expect(each((route) => route.keyRequired === true).map(([name]) => name)).toEqual(
      expect.arrayContaining(['POST /invoices', 'POST /partner/organizations', 'POST /provision/organization']),
    )
  })
})
