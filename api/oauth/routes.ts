// The paths of OAuth, with their limits, headers and log lines.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Caller } from '../../commands/books/caller.ts'
import { Fault } from '../../domain/faults.ts'
import type { FoundClient } from '../../models/oauth-client.ts'
import { hashOf } from '../../models/token.ts'
import type { AccessLog } from '../http/access-log.ts'
import { discardRest } from '../http/body.ts'
import { addressBlock } from '../http/client-address.ts'
import { callOriginOf, limitExceeded, limitHeaders } from '../http/pipeline.ts'
import { SPENT_ADDRESSES, type Allowance, type Budget } from '../http/rate-limit.ts'
import type { ServerContext } from '../http/server-context.ts'
import { errorPage } from '../pages/oauth.ts'
import { authorize } from './authorize.ts'
import { authenticateClient, credentialsOf, type ClientCredentials } from './client-authentication.ts'
import { parametersOf, readForm } from './form.ts'
import { metadata } from './metadata.ts'
import { OAuthFault, oauthRefusal } from './refusals.ts'
import { introspect, revoke, token, type ClientEndpoint } from './token.ts'

/** An answer as it is sent. */
export interface OAuthAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

export interface OAuthRoute {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  answer(request: IncomingMessage): Promise<OAuthAnswer>
}

const CLIENT_ENDPOINTS: Record<string, ClientEndpoint> = {
  '/oauth/token': token,
  '/oauth/revoke': revoke,
  '/oauth/introspect': introspect,
}

/** One request, with what it has used up of its limit. */
interface Counted {
  request: IncomingMessage
  origin: Caller['origin']
  address: string
  allowance: Allowance
  /** Throws rate_limit.exceeded. */
  count(budget: Budget): Promise<void>
}

/** The routes of OAuth; `below` is the path under which those of decisions §12 are mounted a second time. */
export function oauthRoutes(server: ServerContext, accessLog: Pick<AccessLog, 'request'>, below: string): OAuthRoute[] {
  const { clock } = server.writeContext
  const logged =
    (route: string, work: (counted: Counted) => Promise<OAuthAnswer>) => async (request: IncomingMessage) => {
      const started = performance.now()
      const counted = countedRequest(server, request)
      const { status, headers, body } = await work(counted)
      discardRest(request)
      const requestId = counted.origin.request_id!
      const durationMs = performance.now() - started
      const ip = counted.origin.ip
      accessLog.request({
        requestId,
        orgId: null,
        subject: null,
        ip,
        method: request.method!,
        route,
        status,
        durationMs,
      })
      return { status, headers: { ...limitHeaders(counted.allowance), 'X-Request-Id': requestId, ...headers }, body }
    }
  const routes: OAuthRoute[] = []
  for (const prefix of ['', below]) {
    const visited = logged('/oauth/authorize', (counted) => visit(server, counted, prefix))
    for (const method of ['GET', 'POST'] as const)
      routes.push({ method, path: `${prefix}/oauth/authorize`, answer: visited })
    for (const [path, endpoint] of Object.entries(CLIENT_ENDPOINTS)) {
      if (prefix !== '' && path === '/oauth/introspect') continue
      const called = logged(path, (counted) => callOfClient(server, counted, endpoint))
      for (const method of ['POST', 'GET', 'PUT', 'DELETE'] as const)
        routes.push({ method, path: prefix + path, answer: called })
    }
  }
  const wellKnown = logged('/.well-known/oauth-authorization-server', async () =>
    json(200, { 'Cache-Control': 'public, max-age=3600' }, metadata(server.gateways.site.origin)),
  )
  routes.push({ method: 'GET', path: '/.well-known/oauth-authorization-server', answer: wellKnown })
  return routes

  function countedRequest({ addressOf, limiter, throttle }: ServerContext, request: IncomingMessage): Counted {
    const ip = addressOf(request)
    const counted: Counted = {
      request,
      origin: { ...callOriginOf(request, ip, randomUUID()), source: 'OAUTH' },
      address: addressBlock(ip ?? 'unknown'),
      allowance: limiter.uncounted(clock()),
      async count(budget) {
        counted.allowance = await limiter.count(budget, clock())
        if (counted.allowance.allowed) return
        await throttle()
        throw limitExceeded(counted.allowance)
      },
    }
    return counted
  }
}

const json = (status: number, headers: Record<string, string>, body: unknown): OAuthAnswer => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

// A person with a browser is counted by their address.
async function visit(server: ServerContext, counted: Counted, prefix: string): Promise<OAuthAnswer> {
  const { request, origin, address } = counted
  try {
    await counted.count({ of: 'ADDRESS', key: address })
    const query = new URLSearchParams(/\?(.*)$/s.exec(request.url ?? '')?.[1] ?? '')
    return await authorize({ server, request, path: `${prefix}/oauth/authorize`, query, origin })
  } catch (error) {
    const { status, headers, body } = oauthRefusal(error, (unhandled) =>
      server.onUnhandledError(unhandled, origin.request_id!),
    )
    const shown = errorPage(String(body.error_description), status)
    return { ...shown, headers: { ...headers, ...shown.headers } }
  }
}

async function callOfClient(server: ServerContext, counted: Counted, endpoint: ClientEndpoint): Promise<OAuthAnswer> {
  const { request, origin } = counted
  try {
    const { form, client } = await clientOf(server, counted)
    const { status, headers, body } = await endpoint({ server, request, form, client, origin })
    return json(status, headers, body)
  } catch (error) {
    const refused = oauthRefusal(error, (unhandled) => server.onUnhandledError(unhandled, origin.request_id!))
    return json(refused.status, { 'Cache-Control': 'no-store', Pragma: 'no-cache', ...refused.headers }, refused.body)
  }
}

/**
 * The client of a call, counted. One with a secret has a budget of its own. Anybody can call themselves a public one, so those are
 * counted by address, before they are looked up; so is every call without a valid client.
 */
async function clientOf(
  { writeContext, seenValid, limiter }: ServerContext,
  { request, address, count }: Counted,
): Promise<{ form: Record<string, string>; client: FoundClient }> {
  const byAddress: Budget = { of: 'ADDRESS', key: address }
  const countRefusal = async (refusal: unknown): Promise<never> => {
    if (refusal instanceof OAuthFault || (refusal instanceof Fault && refusal.status < 500)) await count(byAddress)
    throw refusal
  }
  const { form, credentials } = await readCall(request).catch(countRefusal)
  const { secret } = credentials
  const authenticated = () => authenticateClient(writeContext.database, credentials)
  if (secret === null) {
    await count(byAddress)
    return { form, client: await authenticated() }
  }
  const fingerprint = `${credentials.id} ${hashOf(secret)}`
  if (!seenValid.has(fingerprint) && limiter.isSpent(address, writeContext.clock())) await count(SPENT_ADDRESSES)
  const client = await authenticated().catch((refusal: unknown) => {
    seenValid.note(fingerprint, false)
    return countRefusal(refusal)
  })
  seenValid.note(fingerprint, true)
  await count({ of: 'PARTNER', key: `oauth ${client.id}` })
  return { form, client }
}

async function readCall(
  request: IncomingMessage,
): Promise<{ form: Record<string, string>; credentials: ClientCredentials }> {
  if (request.method !== 'POST')
    throw new OAuthFault('invalid_request', 'The method must be POST.', { status: 405, headers: { Allow: 'POST' } })
  const form = parametersOf(await readForm(request))
  return { form, credentials: credentialsOf(request, form) }
}
