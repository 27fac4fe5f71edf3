// The largest values that the shapes let through, and paths of any length: what cannot be kept is refused, never a 500.
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { Json } from '../fixtures/client.ts'
import { useService } from '../fixtures/use-service.ts'
import { someOf, someRows } from './cases.ts'
import { callRoute, each, hasId, nameOf, opening } from './routes.ts'
import { bodyFor, openContractOrganization, pathFor } from './samples.ts'

// Closing the service also asserts that no error was logged.
const service = await useService()
await service.startWorker()
const org = await openContractOrganization(service)


interface Shape {
  type?: string | string[]
  properties?: Record<string, Shape>
  items?: Shape
  maximum?: number
  exclusiveMaximum?: number
  maxLength?: number
  enum?: unknown[]
  const?: unknown
  pattern?: string
  format?: string
}

type Found = [path: (string | number)[], shape: Shape]

/** Every number and text within a body, by its path; of a list its first member. */
function leaves(shape: Shape, path: (string | number)[] = []): Found[] {
  const types = [shape.type].flat()
  if (types.includes('array')) return shape.items ? leaves(shape.items, [...path, 0]) : []
  if (types.includes('object')) return Object.entries(shape.properties ?? {}).flatMap(([name, inner]) => leaves(inner, [...path, name]))
  return types.some((type) => ['number', 'integer', 'string'].includes(type!)) ? [[path, shape]] : []
}

const isText = ({ type }: Shape) => [type].flat().includes('string')
function isBound(shape: Shape): boolean {
  if (!isText(shape)) return shape.maximum !== undefined || shape.exclusiveMaximum !== undefined
  const { maxLength, enum: values, const: value, format, pattern = '' } = shape
  return maxLength !== undefined || values !== undefined || value !== undefined || format !== undefined || /\{\d+\}\$$/.test(pattern)
}

const largest = ({ maximum, exclusiveMaximum }: Shape) => maximum ?? exclusiveMaximum! - 1
// Text that PostgreSQL cannot compress into an index.
const noise = (length: number) => randomBytes(length).toString('base64url').slice(0, length)

function put(body: object, path: (string | number)[], value: unknown): object {
  const copy = structuredClone(body) as Record<string | number, Json>
  let at = copy
  for (const [place, step] of path.slice(0, -1).entries()) at = (at[step] ??= typeof path[place + 1] === 'number' ? [] : {})
  at[path.at(-1)!] = value
  return copy
}

const WITH_BODY = each((route) => route.body !== undefined && route.path !== '/echo')

describe('shapes bound', () => {
  test.each(WITH_BODY)('%s', (_name, route) => {
    const unbounded = leaves(route.body as Shape).filter(([, shape]) => !isBound(shape))
    expect(unbounded.map(([path]) => path.join('.'))).toEqual([])
  })
})

describe('the largest value of every field', () => {
  test.each(someRows(WITH_BODY))('%s', async (_name, route) => {
    const found = leaves(route.body as Shape)
    const numbers = found.filter(([, shape]) => !isText(shape))
    const texts = found.filter(([, { maxLength }]) => maxLength !== undefined)
    const sample = () => bodyFor(route, org) as object
    const tried = [
      ...someOf([
        ...numbers.map(([path, shape]): [typeof path, unknown] => [path, largest(shape)]),
        ...texts.map(([path, { maxLength }]): [typeof path, unknown] => [path, noise(maxLength!)]),
      ]).map(([path, value]) => put(sample(), path, value)),
      numbers.reduce((body, [path, shape]) => put(body, path, largest(shape)), sample()),
      // Foreign money: what is carried is an amount times a rate.
      ...(found.some(([path]) => path.join() === 'exchange_rate')
        ? [numbers.reduce((body, [path, shape]) => put(body, path, largest(shape)), { ...sample(), currency_code: 'USD' } as object)] : []),
    ]
    const path = hasId(route) ? '' : route.path
    for (const body of tried) {
      const { status, text } = await callRoute(service, route, path === '' ? await pathFor(route, org) : path, {
        ...opening(route, org), body, ...(route.method === 'POST' ? { key: randomUUID() } : {}),
      })
      expect([nameOf(route), JSON.stringify(body).slice(0, 300), status < 500 ? 'answered' : text]).toEqual([nameOf(route), expect.any(String), 'answered'])
    }
  }, 120_000)
})

// The key of a remembered answer holds the path: a path beyond the router's bound is none of ours.
test.each(someRows(each(hasId)))('an id of 6,000 characters, with a key: %s', async (_name, route) => {
  const path = route.path.replaceAll(/\{\w+\}/g, noise(6_000))
  const { status, body } = await callRoute(service, route, path, {
    ...opening(route, org), ...(route.method === 'GET' || route.method === 'DELETE' ? {} : { body: bodyFor(route, org) ?? {}, key: randomUUID() }),
  })
  expect([status, body.code]).toEqual([404, 'not_found.resource'])
})
