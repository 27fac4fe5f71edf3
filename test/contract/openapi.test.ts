// The OpenAPI document: well-formed 3.1, with every route, and schemas that a validator takes.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { internalOpenapi } from '../../api/http/openapi.ts'
import { INTERNAL_ROUTES } from '../../api/routes.ts'
import { FAULTS } from '../../domain/faults.ts'
import { EVENT_TYPES } from '../../domain/events.ts'
import type { Json } from '../fixtures/client.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { filesOf, read } from '../house/sources.ts'
import { inlined, judge } from './published.ts'
import { each, hasId, ROUTES } from './routes.ts'

let service: Service
let document: Json

beforeAll(async () => {
  service = await startService({ PUBLIC_URL: 'https://books.example.test' })
  document = (await service.call('GET', '/openapi.json')).body
})
afterAll(() => service.close())

const operationsOf = (): [string, Json][] =>
  Object.entries(document.paths as Json).flatMap(([path, methods]) => Object.entries(methods as Json).map(
    ([method, operation]): [string, Json] => [`${method.toUpperCase()} ${path}`, operation],
  ))

test('it says what it is and where', () => {
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: { title: expect.any(String), version: '1.0.0' },
    servers: [{ url: 'https://books.example.test/api/public/v1' }],
  })
})

test('it has every route, and no other', () => {
  expect(operationsOf().map(([name]) => name).sort()).toEqual(each().map(([name]) => name).sort())
})

test('no two operations have one id, and each has a tag that is listed', () => {
  const operations = operationsOf().map(([, operation]) => operation)
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(ROUTES.length)
  const listed = (document.tags as Json[]).map(({ name }) => name)
  for (const { tags, summary } of operations) {
    expect(listed).toEqual(expect.arrayContaining(tags))
    expect(summary).toMatch(/^[A-Z]/)
  }
})

test.each(each(hasId))('%s declares the ids of its path', (name, route) => {
  const declared = document.paths[route.path][name.split(' ')[0]!.toLowerCase()].parameters as Json[]
  const inPath = declared.filter((parameter) => parameter.in === 'path')
  expect(inPath.map((parameter) => `{${parameter.name}}`)).toEqual(route.path.match(/\{\w+\}/g))
  expect(inPath.every(({ required }) => required)).toBe(true)
})

describe('security', () => {
  test.each(each())('%s', (name, route) => {
    const operation = document.paths[route.path][name.split(' ')[0]!.toLowerCase()]
    const schemes = (operation.security as Json[]).flatMap((need) => Object.keys(need))
    expect(schemes).toEqual({ token: ['token'], partner: ['partnerKey'], anyone: [], session: null, visitor: null }[route.by ?? 'token'])
    for (const scheme of schemes) expect(document.components.securitySchemes).toHaveProperty(scheme)
    if (route.scope) expect(operation.description).toContain(`Svc.${route.scope}`)
  })
})

describe('every schema compiles in the dialect of OpenAPI 3.1', () => {
  test.each(each())('%s', (name, route) => {
    const operation = document.paths[route.path][name.split(' ')[0]!.toLowerCase()]
    for (const { schema } of operation.parameters as Json[]) judge.compile(schema)
    const contents = [operation.requestBody, ...Object.values(operation.responses)].filter(Boolean) as Json[]
    for (const { content = {} } of contents) for (const { schema } of Object.values(content) as Json[]) judge.compile(inlined(document, schema))
    expect(contents.length).toBeGreaterThan(1)
  })

  test('the deliveries of every event', () => {
    expect(Object.keys(document.webhooks).sort()).toEqual([...EVENT_TYPES].sort())
    for (const { post } of Object.values(document.webhooks) as Json[]) judge.compile(inlined(document, post.requestBody.content['application/json'].schema))
  })
})

test('the codes of a refusal are the codes of GET /errors', async () => {
  const { body } = await service.call('GET', '/errors')
  const codes = (body.errors as Json[]).map(({ code }) => code)
  expect(codes).toEqual(Object.keys(FAULTS))
  expect(document.components.schemas.Error.properties.code.enum).toEqual(codes)
})

// fields.ts has the parts of shapes.
test('the shapes of every file can be components', () => {
  const files = filesOf('.ts').filter((path) => path.startsWith('api/shapes/') && path !== 'api/shapes/fields.ts')
  expect(files.filter((path) => !read('api/http/named-shapes.ts').includes(`'../${path.slice('api/'.length)}'`))).toEqual([])
})

describe('shapes that several calls have', () => {
  const REFERENCE = '#/components/schemas/'
  const objectsIn = (value: Json): Json[] => (typeof value === 'object' && value !== null
    ? [...(value.properties ? [value] : []), ...Object.values(value).flatMap(objectsIn)] : [])

  test('are components, named once: no larger object is written out twice', () => {
    const texts = [document.paths, ...Object.values(document.components.schemas)].flatMap(objectsIn).map((one) => JSON.stringify(one))
    const large = Map.groupBy(texts.filter((text) => text.length > 400), (text) => text)
    expect(large.size).toBeGreaterThan(50)
    expect([...large].filter(([, same]) => same.length > 1).map(([text, same]) => `${same.length} times: ${text.slice(0, 200)}`)).toEqual([])
  })

  test('are referred to by names that are there, and each name is used', () => {
    const text = JSON.stringify(document)
    const used = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => reference))
    expect([...used].filter((reference) => !reference.startsWith(REFERENCE))).toEqual([])
    expect([...used].map((reference) => reference.slice(REFERENCE.length)).sort()).toEqual(Object.keys(document.components.schemas).sort())
  })

  test('a document that is needed is said to be', () => {
    const bodyOf = (path: string) => document.paths[path].post.requestBody
    expect(bodyOf('/invoices')).toMatchObject({ required: true, content: { 'application/json': { schema: { $ref: `${REFERENCE}NewInvoice` } } } })
    expect(bodyOf('/invoices/{invoice_id}/void').required).toBe(false)
  })
})

// The types of the client are made from it.
describe('the document of the calls of persons', () => {
  const internal: Json = internalOpenapi(INTERNAL_ROUTES, '/internal/v1')
  const operations = Object.values(internal.paths as Json).flatMap((methods) => Object.values(methods as Json)) as Json[]

  test('has every one of them, and names nothing that is not there', () => {
    expect(operations.length).toBe(INTERNAL_ROUTES.length)
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
    const names = [...JSON.stringify(internal).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name)
    expect([...new Set(names)].sort()).toEqual(Object.keys(internal.components.schemas).sort())
  })

  test('has schemas that compile, and says that a session is needed', () => {
    for (const { requestBody, responses } of operations)
      for (const { content = {} } of [requestBody, ...Object.values(responses)].filter(Boolean) as Json[])
        for (const { schema } of Object.values(content) as Json[]) judge.compile(inlined(internal, schema))
    const open = INTERNAL_ROUTES.filter(({ by }) => by !== 'session').length
    expect(operations.filter(({ security }) => security.length === 0).length).toBe(open)
    expect(Object.keys(internal.components.securitySchemes)).toEqual(['session'])
  })
})
