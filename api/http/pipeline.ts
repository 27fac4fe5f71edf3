// The steps of every request, in this order: caller, rate limit, organisation, scope, key, shape, handler, envelope.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TObject, TSchema } from 'typebox'
import type { Caller } from '../../commands/books/caller.ts'
import { asFault } from '../../commands/books/refusals.ts'
import { Fault, fault } from '../../domain/faults.ts'
import { CallerChanged } from '../../models/token.ts'
import { discardRest } from './body.ts'
import { checkOrganization, checkScope, identify, namedOrganizations } from './caller.ts'
import { addressBlock } from './client-address.ts'
import { refusal, success, type Reply } from './envelope.ts'
import { answerFile } from './file-answer.ts'
import { answerList } from './list-answer.ts'
import type { IncomingCall } from './incoming-call.ts'
import { SPENT_ADDRESSES, type Allowance, type Budget } from './rate-limit.ts'
import type { Input, Route } from './route.ts'
import { inPlace, ownerOf } from './concurrency-shares.ts'
import { begin } from './stream.ts'
import type { ServerContext } from './server-context.ts'
import { answerUpload } from './uploading.ts'
import { readQuery } from './validate.ts'
import { answerWrite, requestContextOf } from './writing.ts'

/** The fields of the access log and the request log that do not come from the reply. */
export interface Trace {
  requestId: string
  time: Date
  orgId: string | null
  subject: string | null
  /** Null for a caller without a token of the organisation. */
  tokenId: string | null
  /** Whether the rate limit has refused it. */
  isOverLimit: boolean
  ip: string | null
}

type AnyInput = Input<TObject, TSchema>

const TOKENS: ReadonlySet<Caller['kind']> = new Set(['TOKEN', 'OAUTH'])

/** The callers whose last use is kept: tokens and partner keys. */
const USED: ReadonlySet<Caller['kind']> = new Set([...TOKENS, 'PARTNER'])

/** Answers a request to a route; every failure is a reply too. `read` reads its body, where that is not JSON. */
export async function handleRequest(
  server: ServerContext,
  route: Route,
  request: IncomingMessage & { params?: Record<string, string> },
  read?: IncomingCall['read'],
): Promise<{ reply: Reply; trace: Trace }> {
  const trace = traceOf(server, request)
  const { time: now, ip } = trace
  let allowance = server.limiter.uncounted(now)
  let reply: Reply
  let isPersonal = route.by === 'session' || route.by === 'visitor'
  try {
    const { path, parameters } = partsOf(request)
    const named = namedOrganizations(request, parameters)
    const count = async (budget: Budget) => {
      allowance = await server.limiter.count(budget, now)
      trace.isOverLimit = !allowance.allowed
      if (allowance.allowed) return
      await server.throttle()
      throw limitExceeded(allowance)
    }
    const address = addressBlock(ip ?? 'unknown')
    const identified = async (at = now) => {
      const known = await identify(route, request, {
        tokens: server.tokens,
        now: at,
        origin: callOriginOf(request, ip, trace.requestId),
        persons: { ...personsOf(server), named },
        countUnknown: () => count({ of: 'ADDRESS', key: address }),
        countLookUp: async () => (server.limiter.isSpent(address, now) ? count(SPENT_ADDRESSES) : undefined),
      })
      trace.orgId = known.caller.organization?.id ?? null
      trace.subject = known.caller.subject || null
      trace.tokenId = TOKENS.has(known.caller.kind) ? known.caller.subject : null
      isPersonal ||= known.caller.kind === 'SESSION'
      return known
    }
    const { caller, budget } = await identified()
    if (USED.has(caller.kind)) server.tokens.noteUse(caller.subject, now)
    await (budget === null ? server.throttle() : count({ of: caller.tier, key: budget }))
    const sent: IncomingCall = { request, path, parameters, params: request.params ?? {}, ...(read && { read }) }
    const answer = async (of: Caller) => {
      checkOrganization(of, route, named)
      checkScope(of, route)
      return answerRoute(server, route, of, sent, now)
    }
    reply = await untilUnchanged(
      server,
      caller,
      answer,
      async () => (await identified(server.writeContext.clock())).caller,
    )
  } catch (error) {
    reply = refuse(server, error, trace.requestId)
    // The request may be refused while its body is still arriving.
    discardRest(request)
  }
  Object.assign(reply.headers, limitHeaders(allowance), { 'X-Request-Id': trace.requestId }, isPersonal ? UNKEPT : {})
  return { reply, trace }
}

const traceOf = ({ writeContext, addressOf }: ServerContext, request: IncomingMessage): Trace => ({
  requestId: randomUUID(),
  time: writeContext.clock(),
  orgId: null,
  subject: null,
  tokenId: null,
  isOverLimit: false,
  ip: addressOf(request),
})

const personsOf = ({ writeContext, gateways, seenValid }: ServerContext) => ({
  connection: writeContext.database,
  site: gateways.site,
  seenValid,
})

// What a person sees is for nobody else, such as who uses the browser next.
const UNKEPT = { 'Cache-Control': 'no-store' }

// Identifies the caller again if its token or organisation changed while the request was handled, and retries.
async function untilUnchanged(
  { tokens }: ServerContext,
  caller: Caller,
  answer: (of: Caller) => Promise<Reply>,
  identifyAgain: () => Promise<Caller>,
): Promise<Reply> {
  for (let [of, tries] = [caller, 1]; ; tries += 1) {
    try {
      return await answer(of)
    } catch (error) {
      if (!(error instanceof CallerChanged)) throw error
      if (tries === MAX_TRIES)
        throw fault('service.unavailable', {
          message: 'The organisation is being changed; try again.',
          retryAfter: 1,
          cause: error,
        })
      tokens.forget()
      of = await identifyAgain()
    }
  }
}

// Enough for a request to succeed while the organisation is changed again and again.
const MAX_TRIES = 20

function answerRoute(
  server: ServerContext,
  route: Route,
  caller: Caller,
  sent: IncomingCall,
  now: Date,
): Promise<Reply> {
  const { request, params, parameters } = sent
  const input = () => ({ params, query: readQuery(route.query, parameters), body: undefined })
  if (route.read) return answerRead(server, route, caller, now, input())
  if (route.list)
    return answerList(server, caller, request, () => route.list!(requestContextOf(server, caller, now), input()))
  if (route.file)
    return answerFile(server, caller, request, () => route.file!(requestContextOf(server, caller, now), input()))
  if (route.stream) return answerStream(server, route, caller, now, { request, input: input() })
  return (route.upload ? answerUpload : answerWrite)(server, route, caller, sent)
}

/** Turns an error into a reply. An error that is not a Fault is logged, and answered with 500 without its details. */
export function refuse(server: Pick<ServerContext, 'onUnhandledError'>, error: unknown, requestId: string): Reply {
  const meant = asFault(error)
  if (meant instanceof Fault) {
    // An unavailable service is not logged as an error: GET /health/ready reports it.
    if (meant.cause !== undefined && meant.code !== 'service.unavailable')
      server.onUnhandledError(meant.cause, requestId)
    return refusal(meant, requestId)
  }
  server.onUnhandledError(error, requestId)
  return refusal(fault('internal.error'), requestId)
}

export function limitHeaders(allowance: Allowance): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(allowance.limit),
    'X-RateLimit-Remaining': String(allowance.remaining),
    'X-RateLimit-Reset': String(allowance.reset),
  }
}

async function answerRead(
  server: ServerContext,
  route: Route,
  caller: Caller,
  now: Date,
  input: AnyInput,
): Promise<Reply> {
  const answer = await inPlace(server, caller, () => route.read!(requestContextOf(server, caller, now), input))
  return route.bare ? { status: 200, headers: {}, body: bareBody(answer) } : success(200, answer)
}

// The document is large and constant, and needs no token, so it is serialised once.
const bareBodies = new WeakMap<object, string>()

function bareBody(answer: object): string {
  let body = bareBodies.get(answer)
  if (body === undefined) bareBodies.set(answer, (body = JSON.stringify(answer)))
  return body
}

function answerStream(
  server: ServerContext,
  route: Route,
  caller: Caller,
  now: Date,
  { request, input }: { request: IncomingMessage; input: AnyInput },
): Promise<Reply> {
  return begin(request, server.shares, ownerOf(caller), (over) =>
    route.stream!(requestContextOf(server, caller, now), input, over),
  )
}

function partsOf({ url = '/' }: IncomingMessage): { path: string; parameters: URLSearchParams } {
  const queryStart = url.indexOf('?')
  if (queryStart < 0) return { path: url, parameters: new URLSearchParams() }
  return { path: url.slice(0, queryStart), parameters: new URLSearchParams(url.slice(queryStart + 1)) }
}

/** Where a request comes from, for the activity log. */
export function callOriginOf(request: IncomingMessage, ip: string | null, requestId: string): Caller['origin'] {
  const agent = request.headers['user-agent']
  return {
    request_id: requestId,
    ip,
    user_agent: agent === undefined ? null : agent.slice(0, 300).toWellFormed().replaceAll('\0', ''),
    source: 'PUBLIC_API',
  }
}

export function limitExceeded({ limit, waitSeconds }: Allowance): Fault {
  return fault('rate_limit.exceeded', { retryAfter: waitSeconds, details: { limit, retry_after: waitSeconds } })
}
