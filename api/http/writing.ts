// How a call that changes something travels: its key is claimed, its deed is done once, its answer is remembered.
import type { Books } from '../../commands/books/books.ts'
import type { Caller } from '../../commands/books/caller.ts'
import { openBooks } from '../../commands/books/open-books.ts'
import { asFault } from '../../commands/books/refusals.ts'
import { Fault } from '../../domain/faults.ts'
import { answerClaim, releaseClaim, type UnfinishedRequest, type StandingClaim } from '../../models/idempotency.ts'
import { BODY_LIMIT, LARGE_BODY, sizeOf } from './body.ts'
import { refusal, success, type Reply } from './envelope.ts'
import type { FairShare } from './fair-share.ts'
import { claim, keptBody, keyOf, leaveClaim, mismatchHeader, NotClaimed, remember, type KeyedCall } from './idempotency.ts'
import { receive, type IncomingCall } from './incoming-call.ts'
import type { ServerContext } from './server-context.ts'
import type { WorkflowRequest, RequestContext, WorkflowAnswer, Prepared, Route } from './route.ts'
import { ownerOf } from './shares.ts'

/** The errand of an `ask` whose claim stands until it is answered. */
interface PendingWorkflow {
  awaitAnswer: WorkflowAnswer
  call: KeyedCall
  claim: StandingClaim
  mismatched: boolean
}

/** Carries out a call that changes something. A large body counts against its organisation's share until it is answered. */
export async function answerWrite(server: ServerContext, route: Route, caller: Caller, sent: IncomingCall): Promise<Reply> {
  const key = keyOf(route, sent.request)
  const size = sizeOf(sent.request, route.bodyLimit ?? BODY_LIMIT)
  const release = size > LARGE_BODY ? await server.shares.bodies.take(ownerOf(caller), size) : null
  try {
    return await carryOut(server, route, caller, key, sent)
  } finally {
    release?.()
  }
}

// A body that is refused is so within the work: the answer of its key, where it has one, comes first (decisions §7).
async function carryOut(server: ServerContext, route: Route, caller: Caller, key: string | null, sent: IncomingCall): Promise<Reply> {
  const { bodyHash, input } = await (sent.received ??= receive(server.shares, route, ownerOf(caller), sent))
  const prepared = await prepare(route, server, caller, input)
  const work = async (books: Books, request: WorkflowRequest): Promise<Reply | WorkflowAnswer> => {
    if (input instanceof Fault) throw input
    if (route.startWorkflow) return route.startWorkflow(books, input, request)
    const answer = await route.write!(books, input, server.gateways, prepared)
    return success(route.status ?? 200, route.warns || books.warnings.length > 0 ? { ...answer, warnings: books.warnings } : answer)
  }
  const run = async (awaitAnswer: WorkflowAnswer) => success(route.status ?? 200, await awaitAnswer(requestContextOf(server, caller, server.writeContext.clock())))
  if (key === null) {
    const done = await inTurnToWrite(server, caller, () =>
      openBooks(server.writeContext, caller, (books) => work(books, { id: books.newId(), isNew: true }), withNumbers))
    return typeof done === 'function' ? run(done) : done
  }
  const call: KeyedCall = { subject: caller.subject, method: route.method, path: sent.path, key, bodyHash, secret: route.secretAnswer === true }
  const done = await inTurnToWrite(server, caller, () => writeOnce(server, caller, call, work, route.startWorkflow !== undefined))
  return 'awaitAnswer' in done ? awaitWorkflow(server, caller, done, run) : done
}

/**
 * Does what a route does before its transaction. A failure is kept for the handler, and an input of the wrong shape is
 * left to the transaction: there each is refused in its place among the checks, and remembered under its key.
 */
async function prepare(
  route: Route, server: ServerContext, caller: Caller, input: Parameters<NonNullable<Route['prepare']>>[0] | Fault,
): Promise<Prepared> {
  if (!route.prepare || input instanceof Fault) return () => undefined
  try {
    await route.prepare(input, server.gateways, caller)
    return () => undefined
  } catch (error) {
    return () => {
      throw error
    }
  }
}

/** Does what uses the database when the caller's organisation has a place for it. What anyone may call uses none. */
export function inPlace<T>({ shares }: Pick<ServerContext, 'shares'>, caller: Caller, work: () => Promise<T>): Promise<T> {
  return within(shares.calls, caller, work)
}

function inTurnToWrite<T>({ shares }: ServerContext, caller: Caller, work: () => Promise<T>): Promise<T> {
  return within(shares.writers, caller, () => within(shares.calls, caller, work))
}

async function within<T>(share: FairShare, caller: Caller, work: () => Promise<T>): Promise<T> {
  const owner = ownerOf(caller)
  if (owner === '') return work()
  const release = await share.take(owner)
  try {
    return await work()
  } finally {
    release()
  }
}

/** What a handler reads with: the pool, and no transaction. */
export function requestContextOf(server: ServerContext, caller: Caller, now: Date): RequestContext {
  const { database } = server.writeContext
  return { connection: database, database, caller, now, gateways: server.gateways, orgId: caller.organization?.id ?? '' }
}

/**
 * Does the work of a keyed call once. A refusal is an answer too and is remembered: one that comes before the books
 * are written, in the same transaction; one that PostgreSQL itself gave, in a transaction of its own.
 */
async function writeOnce(
  server: ServerContext, caller: Caller, call: KeyedCall, work: (books: Books, request: WorkflowRequest) => Promise<Reply | WorkflowAnswer>, startsWorkflow: boolean,
): Promise<Reply | PendingWorkflow> {
  const settle = async (books: Books, result: (request: WorkflowRequest) => Promise<Reply | WorkflowAnswer>): Promise<Reply | PendingWorkflow> => {
    const claimed = claim(books, call, server.sealer)
    // What an errand goes on with is known by the claim alone.
    if (startsWorkflow) await books.connection.checked()
    const request = { id: claimed.unfinished?.requestId ?? books.newId(), isNew: claimed.unfinished === null }
    const [outcome] = await Promise.allSettled([result(request)])
    await books.connection.checked()
    if (outcome.status === 'fulfilled' && typeof outcome.value === 'function') {
      return pendingWorkflow(books, call, claimed.unfinished, request.id, outcome.value)
    }
    const reply = outcome.status === 'fulfilled' ? outcome.value as Reply : refusalToKeep(books, outcome.reason)
    remember(books, call, reply, server.sealer)
    return reply
  }
  const open = (result: (books: Books, request: WorkflowRequest) => Promise<Reply | WorkflowAnswer>) =>
    openBooks(server.writeContext, caller, (books) => settle(books, (request) => result(books, request)), withNumbers)
  try {
    return await open(work).catch((error: unknown) => {
      const isAnswer = error instanceof Fault && error.status < 500
      return isAnswer ? open(() => Promise.reject(error)) : Promise.reject(error)
    })
  } catch (error) {
    if (error instanceof NotClaimed) return error.answer()
    throw error
  }
}

function refusalToKeep(books: Books, error: unknown): Reply {
  if (!(error instanceof Fault) || error.status >= 500) throw error
  books.discard()
  return refusal(error, books.caller.origin.request_id ?? '')
}

// What was asked for first stands, also when another body comes with the same key.
function pendingWorkflow(books: Books, sent: KeyedCall, unfinished: UnfinishedRequest | null, requestId: string, awaitAnswer: WorkflowAnswer): PendingWorkflow {
  const call = { ...sent, bodyHash: unfinished?.bodyHash ?? sent.bodyHash }
  return { awaitAnswer: awaitAnswer, call: call, claim: leaveClaim(books, call, requestId), mismatched: call.bodyHash !== sent.bodyHash }
}

/**
 * Runs the errand, with no transaction open, and remembers its answer. What is no answer (the engine away, too late) is
 * not remembered: the claim is given up, and a repeat of the key goes on with what was asked for.
 */
async function awaitWorkflow(server: ServerContext, caller: Caller, pending: PendingWorkflow, run: (awaitAnswer: WorkflowAnswer) => Promise<Reply>): Promise<Reply> {
  const { database, clock } = server.writeContext
  let reply: Reply
  try {
    reply = await run(pending.awaitAnswer)
  } catch (error) {
    const refused = asFault(error)
    if (!(refused instanceof Fault) || refused.status >= 500) {
      // A claim that cannot be given up runs out by itself.
      await releaseClaim(database, pending.claim, clock()).catch(() => undefined)
      throw error
    }
    reply = refusal(refused, caller.origin.request_id ?? '')
  }
  await answerClaim(database, pending.claim, { status: reply.status, ...keptBody(pending.call, reply, server.sealer) })
  return { ...reply, headers: { ...reply.headers, ...mismatchHeader(pending.mismatched) } }
}

function withNumbers<Done extends Reply | WorkflowAnswer | PendingWorkflow>(done: Done, books: Books): Done {
  return 'body' in done ? { ...done, body: books.fillNumbers(done.body) } : done
}
