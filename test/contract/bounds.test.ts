// Every route that takes a body: no text, list or open object in it is without a bound.
import { expect, test } from '@jest/globals'
import type { Json } from '../fixtures/client.ts'
import { each } from './routes.ts'

/** The places of a shape where a caller may send as much as they like. */
function unbounded(shape: Json, path = ''): string[] {
  const types = [shape.type ?? []].flat()
  const fields = Object.entries(shape.properties ?? {}).flatMap(([name, property]) => unbounded(property, path === '' ? name : `${path}.${name}`))
  const variants = [...(shape.anyOf ?? []), ...(shape.oneOf ?? []), ...(shape.allOf ?? [])].flatMap((one) => unbounded(one, path))
  return [
    ...(types.includes('string') && !shape.enum && shape.const === undefined && shape.maxLength === undefined ? [`${path}: text`] : []),
    ...(types.includes('array') ? [...(shape.maxItems === undefined ? [`${path}: list`] : []), ...unbounded(shape.items ?? {}, `${path}.*`)] : []),
    ...(types.includes('object') && !shape.properties && shape.maxProperties === undefined ? [`${path}: object`] : []),
    ...(types.length === 0 && variants.length === 0 && !shape.enum && shape.const === undefined && !(shape.anyOf || shape.oneOf || shape.allOf) ? [`${path}: anything`] : []),
    ...fields, ...variants,
  ]
}

// The echo answers whatever it is sent; its body has a limit of its own.
const withBody = each((route) => route.body !== undefined && route.path !== '/echo')

test.each(withBody)('%s', (_name, route) => expect(unbounded(route.body)).toEqual([]))

test('what has no bound is found', () => {
  expect(unbounded({
    type: 'object',
    properties: {
      a: { type: ['string', 'null'] }, b: { type: 'array', items: { type: 'string' } }, c: { type: 'object' }, d: {},
      e: { type: 'array', maxItems: 1, items: { type: 'object', properties: { f: { type: 'string', format: 'uuid' } } } },
    },
  })).toEqual(['a: text', 'b: list', 'b.*: text', 'c: object', 'd: anything', 'e.*.f: text'])
})
