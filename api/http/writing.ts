// How a call that changes something travels: its key is claimed, its deed is done once, its answer is remembered.
import type { Books } from '../../commands/books.ts'
import type { Caller } from '../../commands/caller.ts'
import { openBooks } from '../../commands/open-books.ts'
import { asFault } from '../../commands/refusals.ts'
import { Fault } from '../../domain/faults.ts'
import { answerClaim, giveUpClaim, type LeftBehind, type StandingClaim } from '../../models/idempotency.ts'
import { BODY_LIMIT, LARGE_BODY, sizeOf } from './body.ts'
import { refusal, success, type Reply } from './envelope.ts'
import type { FairShare } from './fair-share.ts'
import { claim, keptBody, keyOf, leaveClaim, mismatchHeader, NotClaimed, remember, type Keyed } from './idempotency.ts'
import { receive, type Sent } from './input.ts'
import type { House } from './pipeline.ts'
import type { Ask, Desk, Errand, Prepared, Route } from './route.ts'
import { ownerOf } from './shares.ts'

/** The errand of an `ask` whose claim stands until it is answered. */
interface Asked {
  errand: Errand
  keyed: Keyed
  claim: StandingClaim
  mismatched: boolean
}

/** Carries out a call that changes something. A large body counts against its organisation's share until it is answered. */
export async function answerWrite(house: House, route: Route, caller: Caller, sent: Sent): Promise<Reply> {
  const key = keyOf(route, sent.request)
  const size = sizeOf(sent.request, route.bodyLimit ?? BODY_LIMIT)
  const release = size > LARGE_BODY ? await house.shares.bodies.take(ownerOf(caller), size) : null
  try {
    return await carryOut(house, route, caller, key, sent)
  } finally {
    release?.()
  }
}

// A body that is refused is so within the work: the answer of its key, where it has one, comes first (decisions §7).
async function carryOut(house: House, route: Route, caller: Caller, key: string | null, sent: Sent): Promise<Reply> {
  const { bodyHash, input } = await (sent.received ??= receive(house.shares, route, ownerOf(caller), sent))
  const prepared = await prepare(route, house, caller, input)
  const work = async (books: Books, ask: Ask): Promise<Reply | Errand> => {
    if (input instanceof Fault) throw input
    if (route.ask) return route.ask(books, input, ask)
    const answer = await route.write!(books, input, house.machines, prepared)
    return success(route.status ?? 200, route.warns || books.warnings.length > 0 ? { ...answer, warnings: books.warnings } : answer)
  }
  const run = async (errand: Errand) => success(route.status ?? 200, await errand(deskOf(house, caller, house.desk.clock())))
  if (key === null) {
    const done = await inTurnToWrite(house, caller, () =>
      openBooks(house.desk, caller, (books) => work(books, { id: books.newId(), isNew: true }), inked))
    return typeof done === 'function' ? run(done) : done
  }
  const keyed: Keyed = { subject: caller.subject, method: route.method, path: sent.path, key, bodyHash, secret: route.secretAnswer === true }
  const done = await inTurnToWrite(house, caller, () => writeOnce(house, caller, keyed, work, route.ask !== undefined))
  return 'errand' in done ? answerAsked(house, caller, done, run) : done
}

/**
 * Does what a route does before its transaction. A failure is kept for the handler, and an input of the wrong shape is
 * left to the transaction: there each is refused in its place among the checks, and remembered under its key.
 */
async function prepare(
  route: Route, house: House, caller: Caller, input: Parameters<NonNullable<Route['prepare']>>[0] | Fault,
): Promise<Prepared> {
  if (!route.prepare || input instanceof Fault) return () => undefined
  try {
    await route.prepare(input, house.machines, caller)
    return () => undefined
  } catch (error) {
    return () => {
      throw error
    }
  }
}

/** Does what uses the database when the caller's organisation has a place for it. What anyone may call uses none. */
export function inPlace<T>({ shares }: Pick<House, 'shares'>, caller: Caller, work: () => Promise<T>): Promise<T> {
  return within(shares.calls, caller, work)
}

function inTurnToWrite<T>({ shares }: House, caller: Caller, work: () => Promise<T>): Promise<T> {
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
export function deskOf(house: House, caller: Caller, now: Date): Desk {
  const { database } = house.desk
  return { connection: database, database, caller, now, machines: house.machines, orgId: caller.organization?.id ?? '' }
}

/**
 * Does the work of a keyed call once. A refusal is an answer too and is remembered: one that comes before the books
 * are written, in the same transaction; one that PostgreSQL itself gave, in a transaction of its own.
 */
async function writeOnce(
  house: House, caller: Caller, keyed: Keyed, work: (books: Books, ask: Ask) => Promise<Reply | Errand>, isAsked: boolean,
): Promise<Reply | Asked> {
  const settle = async (books: Books, result: (ask: Ask) => Promise<Reply | Errand>): Promise<Reply | Asked> => {
    const claimed = claim(books, keyed, house.sealer)
    // What an errand goes on with is known by the claim alone.
    if (isAsked) await books.connection.checked()
    const ask = { id: claimed.left?.askId ?? books.newId(), isNew: claimed.left === null }
    const [outcome] = await Promise.allSettled([result(ask)])
    await books.connection.checked()
    if (outcome.status === 'fulfilled' && typeof outcome.value === 'function') {
      return stillToAnswer(books, keyed, claimed.left, ask.id, outcome.value)
    }
    const reply = outcome.status === 'fulfilled' ? outcome.value as Reply : refusalToKeep(books, outcome.reason)
    remember(books, keyed, reply, house.sealer)
    return reply
  }
  const open = (result: (books: Books, ask: Ask) => Promise<Reply | Errand>) =>
    openBooks(house.desk, caller, (books) => settle(books, (ask) => result(books, ask)), inked)
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
  books.tearUp()
  return refusal(error, books.caller.origin.request_id ?? '')
}

// What was asked for first stands, also when another body comes with the same key.
function stillToAnswer(books: Books, sent: Keyed, left: LeftBehind | null, askId: string, errand: Errand): Asked {
  const keyed = { ...sent, bodyHash: left?.bodyHash ?? sent.bodyHash }
  return { errand, keyed, claim: leaveClaim(books, keyed, askId), mismatched: keyed.bodyHash !== sent.bodyHash }
}

/**
 * Runs the errand, with no transaction open, and remembers its answer. What is no answer (the engine away, too late) is
 * not remembered: the claim is given up, and a repeat of the key goes on with what was asked for.
 */
async function answerAsked(house: House, caller: Caller, asked: Asked, run: (errand: Errand) => Promise<Reply>): Promise<Reply> {
  const { database, clock } = house.desk
  let reply: Reply
  try {
    reply = await run(asked.errand)
  } catch (error) {
    const refused = asFault(error)
    if (!(refused instanceof Fault) || refused.status >= 500) {
      // A claim that cannot be given up runs out by itself.
      await giveUpClaim(database, asked.claim, clock()).catch(() => undefined)
      throw error
    }
    reply = refusal(refused, caller.origin.request_id ?? '')
  }
  await answerClaim(database, asked.claim, { status: reply.status, ...keptBody(asked.keyed, reply, house.sealer) })
  return { ...reply, headers: { ...reply.headers, ...mismatchHeader(asked.mismatched) } }
}

function inked<Done extends Reply | Errand | Asked>(done: Done, books: Books): Done {
  return 'body' in done ? { ...done, body: books.ink(done.body) } : done
}
