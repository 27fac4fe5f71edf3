// Handles a call that writes: claims its idempotency key, does its work once, and stores its answer.
import type { Books } from '../../commands/books/books.ts'
import type { Caller } from '../../commands/books/caller.ts'
import { openBooks } from '../../commands/books/open-books.ts'
import { asFault } from '../../commands/books/refusals.ts'
import { Fault } from '../../domain/faults.ts'
import { answerClaim, releaseClaim, type UnfinishedRequest, type LeasedClaim } from '../../models/idempotency.ts'
import { BODY_LIMIT, LARGE_BODY, sizeOf } from './body.ts'
import { refusal, success, type Reply } from './envelope.ts'
import {
  claim,
  keptBody,
  keyHolderOf,
  keyOf,
  leaseClaim,
  mismatchHeader,
  NotClaimed,
  remember,
  type KeyedCall,
  storedPath,
} from './idempotency.ts'
import { receive, type IncomingCall } from './incoming-call.ts'
import { joined } from './render-in-portions.ts'
import type { ServerContext } from './server-context.ts'
import {
  Accepted,
  InPortions,
  type WorkflowRequest,
  type RequestContext,
  type WorkflowAnswer,
  type Prepared,
  type Route,
} from './route.ts'
import { inTurnToWrite, ownerOf } from './concurrency-shares.ts'

/** A call that has started a workflow and keeps the claim of its key until the workflow is done. */
interface PendingWorkflow {
  awaitAnswer: WorkflowAnswer
  call: KeyedCall
  claim: LeasedClaim
  mismatched: boolean
}

/** Answers a call that writes. A large body counts against its organisation's share until it is needed no more. */
export async function answerWrite(
  server: ServerContext,
  route: Route,
  caller: Caller,
  sent: IncomingCall,
): Promise<Reply> {
  const key = keyOf(route, sent.request)
  const size = sizeOf(sent.request, route.bodyLimit ?? BODY_LIMIT)
  const release = size > LARGE_BODY ? await server.shares.bodies.take(ownerOf(caller), size) : null
  try {
    const done = await carryOut(server, route, caller, key, sent)
    if ('body' in done) return done
    // The request is stored, so that a call which waits for its workflow holds nothing of its body.
    delete sent.received
    release?.()
    const run = async (awaitAnswer: WorkflowAnswer) => {
      const answer = await awaitAnswer(requestContextOf(server, caller, server.writeContext.clock()))
      if (answer instanceof InPortions) return joined(answer)
      return answer instanceof Accepted ? success(202, answer.answer) : success(route.status ?? 200, answer)
    }
    return await (typeof done === 'function' ? run(done) : awaitWorkflow(server, caller, done, run))
  } finally {
    release?.()
  }
}

// An invalid body is refused inside of the work, because a stored answer of the key comes first (decisions §7).
async function carryOut(
  server: ServerContext,
  route: Route,
  caller: Caller,
  key: string | null,
  sent: IncomingCall,
): Promise<Reply | WorkflowAnswer | PendingWorkflow> {
  const { bodyHash, input } = await (sent.received ??=
    sent.read?.() ?? receive(server.shares, route, ownerOf(caller), sent))
  const prepared = await prepare(route, server, caller, input)
  const work = async (books: Books, request: WorkflowRequest): Promise<Reply | WorkflowAnswer> => {
    if (input instanceof Fault) throw input
    if (route.startWorkflow) return route.startWorkflow(books, input, request, prepared)
    const answer = await route.write!(books, input, server.gateways, prepared)
    return success(
      route.status ?? 200,
      route.warns || books.warnings.length > 0 ? { ...answer, warnings: books.warnings } : answer,
    )
  }
  if (key === null) {
    return inTurnToWrite(server, caller, () =>
      openBooks(server.writeContext, caller, (books) => work(books, { id: books.newId(), isNew: true }), withNumbers),
    )
  }
  const call: KeyedCall = {
    subject: keyHolderOf(caller),
    method: route.method,
    path: storedPath(sent.path),
    key,
    bodyHash,
    secret: route.secretAnswer === true,
  }
  return inTurnToWrite(server, caller, () => writeOnce(server, caller, call, work, route.startWorkflow !== undefined))
}

/**
 * Runs the `prepare` of a route before its transaction. A failure is kept for the handler, and an invalid input is left to
 * the transaction: there each is refused in its place among the checks, and the refusal is stored under the key.
 */
async function prepare(
  route: Route,
  server: ServerContext,
  caller: Caller,
  input: Parameters<NonNullable<Route['prepare']>>[0] | Fault,
): Promise<Prepared> {
  if (!route.prepare || input instanceof Fault) return () => undefined
  try {
    const outcome = await route.prepare(input, server.gateways, caller)
    return () => outcome
  } catch (error) {
    return () => {
      throw error
    }
  }
}

/** The context of a handler that reads: the connection pool, without a transaction. */
export function requestContextOf(server: ServerContext, caller: Caller, now: Date): RequestContext {
  const { database } = server.writeContext
  return {
    connection: database,
    database,
    caller,
    now,
    gateways: server.gateways,
    rowCache: server.rowCache,
    orgId: caller.organization?.id ?? '',
  }
}

/**
 * Does the work of a call with a key once. A refusal is stored like any answer: in the same transaction if a command
 * refuses, in a transaction of its own if PostgreSQL refuses the writes.
 */
async function writeOnce(
  server: ServerContext,
  caller: Caller,
  call: KeyedCall,
  work: (books: Books, request: WorkflowRequest) => Promise<Reply | WorkflowAnswer>,
  startsWorkflow: boolean,
): Promise<Reply | PendingWorkflow> {
  const settle = async (
    books: Books,
    result: (request: WorkflowRequest) => Promise<Reply | WorkflowAnswer>,
  ): Promise<Reply | PendingWorkflow> => {
    const claimed = claim(books, call, server.sealer)
    // The claim says whether an earlier call with this key has already stored a request.
    if (startsWorkflow) await books.connection.checked()
    const request = { id: claimed.unfinished?.requestId ?? books.newId(), isNew: claimed.unfinished === null }
    const [outcome] = await Promise.allSettled([result(request)])
    await books.connection.checked()
    if (outcome.status === 'fulfilled' && typeof outcome.value === 'function') {
      return pendingWorkflow(books, call, claimed.unfinished, request.id, outcome.value)
    }
    const reply = outcome.status === 'fulfilled' ? (outcome.value as Reply) : refusalToKeep(books, outcome.reason)
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

// The request of the first call is continued, even if this call has another body.
function pendingWorkflow(
  books: Books,
  sent: KeyedCall,
  unfinished: UnfinishedRequest | null,
  requestId: string,
  awaitAnswer: WorkflowAnswer,
): PendingWorkflow {
  const call = { ...sent, bodyHash: unfinished?.bodyHash ?? sent.bodyHash }
  return {
    awaitAnswer: awaitAnswer,
    call: call,
    claim: leaseClaim(books, call, requestId),
    mismatched: call.bodyHash !== sent.bodyHash,
  }
}

/**
 * Waits for the workflow, with no transaction open, and stores the answer. An error from 500 on (Temporal is unavailable, or
 * the time is over) is not stored: the claim is released, and a repeat of the key continues the same request.
 */
async function awaitWorkflow(
  server: ServerContext,
  caller: Caller,
  pending: PendingWorkflow,
  run: (awaitAnswer: WorkflowAnswer) => Promise<Reply>,
): Promise<Reply> {
  const { database, clock } = server.writeContext
  let reply: Reply
  try {
    reply = await run(pending.awaitAnswer)
  } catch (error) {
    const refused = asFault(error)
    if (!(refused instanceof Fault) || refused.status >= 500) {
      // A claim that cannot be released expires after a minute.
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
