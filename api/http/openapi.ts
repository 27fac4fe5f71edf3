// Generates the OpenAPI 3.1 document from the declared routes.
import { Type, type TObject, type TProperties, type TSchema } from 'typebox'
import { deliverySchema, EVENT_TYPES, type EventType } from '../../domain/events.ts'
import { FAULTS } from '../../domain/faults.ts'
import { Warnings } from '../shapes/warning.ts'
import { SESSION_COOKIE } from './cookies.ts'
import { withReferences } from './named-shapes.ts'
import type { Route } from './route.ts'

const Failure = Type.Object({
  code: Type.Enum(Object.keys(FAULTS)),
  message: Type.String(),
  field: Type.Optional(Type.String({ description: 'The name of the invalid field.' })),
  details: Type.Optional(Type.Object({}, { additionalProperties: true })),
  errors: Type.Optional(Type.Array(Type.Object({ field: Type.String(), code: Type.String(), message: Type.String() }))),
  request_id: Type.String({ format: 'uuid' }),
})

/** The whole answer of a route, with its envelope. */
function answerSchema(route: Route, answer = route.answer): TSchema {
  const warnings: TProperties = route.warns ? { warnings: Warnings } : {}
  return Type.Object({
    code: Type.Literal(0),
    message: Type.String(),
    ...(answer.properties as TProperties),
    ...warnings,
  })
}

/** The document that GET /openapi.json returns. */
export function openapi(routes: Route[], serverUrl: string): Record<string, unknown> {
  const info = {
    title: 'Bahi accounting API',
    description: "An organisation's double-entry books, with Indian GST, over REST and JSON.",
  }
  const webhooks = Object.fromEntries(EVENT_TYPES.map((type) => [type, webhook(type)]))
  return documentOf(
    routes,
    serverUrl,
    { info, webhooks },
    {
      token: { type: 'http', scheme: 'bearer', description: 'A token of one organisation: svc_pat_...' },
      partnerKey: { type: 'apiKey', in: 'header', name: 'X-Partner-Key' },
    },
  )
}

/** The document of the calls of signed-in persons. Nothing serves it: the types of the client are made from it. */
export function internalOpenapi(routes: Route[], serverUrl: string): Record<string, unknown> {
  const info = { title: 'Calls of the console of Bahi' }
  return documentOf(routes, serverUrl, { info }, { session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE } })
}

function documentOf(
  routes: Route[],
  serverUrl: string,
  { info, ...further }: { info: object; webhooks?: object },
  securitySchemes: object,
): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(route)
  const { document, shapes } = withReferences({
    openapi: '3.1.0',
    info: { version: '1.0.0', license: { name: 'Apache-2.0', identifier: 'Apache-2.0' }, ...info },
    servers: [{ url: serverUrl }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    ...further,
  })
  return { ...document, components: { schemas: { Error: Failure, ...shapes }, securitySchemes } }
}

const webhook = (type: EventType) => ({
  post: {
    summary: type,
    requestBody: { required: true, ...json(deliverySchema(type)) },
    responses: { '2XX': { description: 'Received' } },
  },
})

const SECURED = {
  token: [{ token: [] }],
  partner: [{ partnerKey: [] }],
  session: [{ session: [] }],
  visitor: [],
  anyone: [],
}

function operation(route: Route): Record<string, unknown> {
  const secured = SECURED[route.by ?? 'token']
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.does,
    ...(route.scope ? { description: `Requires the scope \`Svc.${route.scope}\`.` } : {}),
    security: secured,
    parameters: parametersOf(route),
    ...(route.body ? { requestBody: { required: isNeeded(route.body), ...json(route.body) } } : {}),
    ...(route.form ? { requestBody: form(route.form) } : {}),
    responses: {
      ...successOf(route),
      ...(route.accepted
        ? { 202: { description: 'Accepted: the work goes on', ...json(answerSchema(route, route.accepted)) } }
        : {}),
      default: { description: 'Error', ...json({ $ref: '#/components/schemas/Error' } as TSchema) },
    },
  }
}

function successOf(route: Route): Record<number, object> {
  if (route.fileType === undefined)
    return { [route.status ?? 200]: { description: 'Success', ...json(answerSchema(route)) } }
  const content = { [route.fileType]: { schema: Type.String({ contentMediaType: route.fileType }) } }
  return {
    200: { description: 'The file', headers: headersOf({ ETag, ...route.fileHeaders }), content },
    302: {
      description: 'With `redirect=true`: the file is at the Location',
      headers: headersOf({ Location, ...route.fileHeaders }),
    },
    304: {
      description: 'The file still says what that of the `If-None-Match` says',
      headers: headersOf({ ETag, ...route.fileHeaders }),
    },
  }
}

const ETag = Type.String({ description: 'Send it back as `If-None-Match`.' })
const Location = Type.String({
  format: 'uri',
  description: 'A URL of the file, which anybody can read for 15 minutes.',
})

const headersOf = (shapes: Record<string, TSchema>) =>
  Object.fromEntries(Object.entries(shapes).map(([name, schema]) => [name, { required: true, schema }]))

// `POST /invoices/{invoice_id}/approve` is postInvoicesApprove: unique, and readable in a generated client.
function operationId({ method, path }: Route): string {
  const words = path
    .replaceAll(/\{(\w+)\}/g, 'by_$1')
    .split(/[^a-zA-Z0-9]+/)
    .filter((word) => word !== '')
  return method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
}

function parametersOf(route: Route): Record<string, unknown>[] {
  const named = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const queried = Object.entries(route.query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: ((route.query?.required ?? []) as string[]).includes(name),
    schema,
  }))
  const key =
    route.method !== 'POST'
      ? []
      : [
          {
            name: 'Idempotency-Key',
            in: 'header',
            required: route.keyRequired === true,
            schema: { type: 'string', pattern: '^[A-Za-z0-9_:-]{1,200}$' },
          },
        ]
  const seen =
    route.fileType === undefined
      ? []
      : [{ name: 'If-None-Match', in: 'header', required: false, schema: { type: 'string' } }]
  return [...named, ...queried, ...key, ...seen]
}

const form = ({ properties, required }: TObject) => ({
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['file', ...((required ?? []) as string[])],
        properties: { file: { type: 'string', format: 'binary' }, ...properties },
      },
    },
  },
})

// A call without a body is one with an empty object.
const isNeeded = (body: TSchema) => ((body as Partial<TObject>).required ?? []).length > 0

const json = (schema: TSchema) => ({ content: { 'application/json': { schema } } })
