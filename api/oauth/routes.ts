// The paths of OAuth, with their limits, headers and log lines.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Caller } from '../../commands/books/caller.ts'
import { Fault } from '../../domain/faults.ts'
import type { AccessLog } from '../http/access-log.ts'
import { discardRest } from '../http/body.ts'
import { addressBlock } from '../http/client-address.ts'
import { callOriginOf, limitExceeded, limitHeaders } from '../http/pipeline.ts'
import type { Allowance, Budget } from '../http/rate-limit.ts'
import type { ServerContext } from '../http/server-context.ts'
import { errorPage } from '../pages/oauth.ts'
import { authorize } from './authorize.ts'
import { authenticateClient } from './client-authentication.ts'
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
      routes.push({ method: 'POST', path: prefix + path, answer: called })
      const refused = logged(path, async () => json(WITH_POST.status, WITH_POST.headers, refusalOfMethod()))
      for (const method of ['GET', 'PUT', 'DELETE'] as const)
        routes.push({ method, path: prefix + path, answer: refused })
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

const WITH_POST = { status: 405, headers: { Allow: 'POST' } }
const refusalOfMethod = () => ({ error: 'invalid_request', error_description: 'The method must be POST.' })

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

// A client with a secret has a budget of its own; anybody can call themselves a public one, so those are counted by address,
// as are clients that are not authenticated.
async function callOfClient(server: ServerContext, counted: Counted, endpoint: ClientEndpoint): Promise<OAuthAnswer> {
  const { request, origin, address } = counted
  const byAddress: Budget = { of: 'ADDRESS', key: address }
  try {
    const form = parametersOf(await readForm(request))
    const client = await authenticateClient(server.writeContext.database, request, form).catch(
      async (error: unknown) => {
        if (error instanceof OAuthFault) await counted.count(byAddress)
        throw error
      },
    )
    await counted.count(client.is_public ? byAddress : { of: 'PARTNER', key: `oauth ${client.id}` })
    const { status, headers, body } = await endpoint({ server, request, form, client, origin })
    return json(status, headers, body)
  } catch (error) {
    if (error instanceof Fault && error.status >= 400 && error.status < 500 && error.status !== 429)
      await counted.count(byAddress).catch(() => undefined)
    const refused = oauthRefusal(error, (unhandled) => server.onUnhandledError(unhandled, origin.request_id!))
    return json(refused.status, { 'Cache-Control': 'no-store', Pragma: 'no-cache', ...refused.headers }, refused.body)
  }
}
