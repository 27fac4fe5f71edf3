// The declared routes as the contract tests go through them, and how each is called.
import { expect } from '@jest/globals'
import type { Route } from '../../api/http/route.ts'
import { routesOf } from '../../api/routes.ts'
import { finished, type Answered, type CallOptions } from '../fixtures/client.ts'
import type { Service } from '../fixtures/service.ts'
import { LEAVES_OUT } from './cases.ts'
import type { ContractOrganization } from './samples.ts'

export const ROUTES: Route[] = routesOf({ publicUrl: 'http://contract.test' })
export const NO_SUCH_ID = '00000000-0000-7000-8000-000000000000'

export const nameOf = ({ method, path }: Route) => `${method} ${path}`

/** Rows for test.each: the name of each route that the condition holds for, and the route. */
export function each(condition: (route: Route) => boolean = () => true): [string, Route][] {
  return ROUTES.filter(condition).map((route) => [nameOf(route), route])
}

/** All of these, in a quick run without the routes that answer a file: answers.test.ts has each rendered, by one engine. */
export function fewFiles(rows: [string, Route][]): [string, Route][] {
  return LEAVES_OUT ? rows.filter(([, { fileType }]) => fileType === undefined) : rows
}

export const byToken = (route: Route) => (route.by ?? 'token') === 'token'
export const byPartner = (route: Route) => route.by === 'partner'
export const hasId = (route: Route) => route.path.includes('{')

/** What opens the route to the organisation, or to its partner. */
export function opening(route: Route, org: ContractOrganization): CallOptions {
  return byToken(route) ? { token: org.client.token } : byPartner(route) ? { partnerKey: org.partnerKey } : {}
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const REFUSAL_KEYS = ['code', 'message', 'field', 'details', 'errors', 'request_id']

/** Calls, and holds the answer against what every answer has: the limit's headers, the request's id, an envelope. */
export async function callRoute(service: Service, route: Route, path: string, options: CallOptions): Promise<Answered> {
  let answered = await finished(() => service.call(route.method, path, options))
  // A file may take longer to be made than a call waits for it.
  while (route.fileType !== undefined && answered.status === 503) answered = await service.call(route.method, path, options)
  expectHouseStyle(answered, route.fileType)
  return answered
}

/** `fileType` is what a file is answered as, which has no envelope. */
export function expectHouseStyle(answered: Answered, fileType?: string): void {
  // One comparison for all of it: the tests look at tens of thousands of answers.
  const faults = [...faultsOfHeaders(answered, fileType), ...(answered.status < 400 ? [] : faultsOfRefusal(answered))]
  if (faults.length > 0) expect(faults).toEqual([])
}

function faultsOfHeaders({ status, headers }: Answered, fileType: string | undefined): string[] {
  const wanted: Record<string, RegExp> = {
    'x-request-id': UUID, 'x-ratelimit-limit': /^\d+$/, 'x-ratelimit-remaining': /^\d+$/, 'x-ratelimit-reset': /^\d{10}$/,
    ...(fileType !== undefined && status === 302 ? { location: /^https?:/ } : {}),
  }
  const faults = Object.entries(wanted).flatMap(([name, pattern]) => (pattern.test(headers[name] ?? '') ? [] : [`${name}: ${headers[name]}`]))
  const type = status < 300 ? (fileType ?? 'application/json') : 'application/json'
  return 'location' in wanted || headers['content-type'] === type ? faults : [...faults, `content-type: ${headers['content-type']}`]
}

function faultsOfRefusal({ headers, body }: Answered): string[] {
  if (typeof body !== 'object' || body === null) return [`body: ${JSON.stringify(body)}`]
  const { code, message, request_id: id } = body
  return [
    ...(/^[a-z_]+\.[a-z_]+$/.test(String(code)) ? [] : [`code: ${code}`]),
    ...(typeof message === 'string' && /\S/.test(message) ? [] : [`message: ${message}`]),
    ...Object.keys(body).filter((name) => !REFUSAL_KEYS.includes(name)).map((name) => `unknown: ${name}`),
    ...(headers['idempotency-replay'] || id === headers['x-request-id'] ? [] : [`request_id: ${id}`]),
  ]
}
