// Keyed calls: an answer is given once and then repeated, byte for byte, for 24 hours (decisions §7).
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Books } from '../../commands/books/books.ts'
import { fault } from '../../domain/faults.ts'
import { claimOf, type AnswerKey, type UnfinishedRequest, type StandingClaim } from '../../models/idempotency.ts'
import type { Sealer } from '../../models/sealed.ts'
import type { Reply } from './envelope.ts'
import type { Route } from './route.ts'

const KEY = /^[A-Za-z0-9\-_:]{1,200}$/

/** The call that a key names, and the body it came with. */
export interface KeyedCall extends AnswerKey {
  bodyHash: string
  secret: boolean
}

/**
 * The key of a POST, or null where it may do without. Throws idempotency.key_required where it may not, and
 * validation.invalid_value for a key of another shape.
 */
export function keyOf(route: Route, request: IncomingMessage): string | null {
  if (route.method !== 'POST') return null
  const key = request.headers['idempotency-key']
  if (key === undefined) {
    if (route.keyRequired) throw fault('idempotency.key_required', { field: 'Idempotency-Key' })
    return null
  }
  if (typeof key === 'string' && KEY.test(key)) return key
  throw fault('validation.invalid_value', {
    field: 'Idempotency-Key',
    message: 'An Idempotency-Key must have 1 to 200 letters, digits, "-", "_" or ":".',
  })
}

/** The hash by which another body under the same key is noticed. */
export function bodyHashOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}

/** What stands for the hash of a body that was too large to be read: no body has it. */
export const UNREAD = '0'.repeat(64)

/** Thrown by a transaction whose key is not its own to answer: `answer` repeats what was answered, or throws why not. */
export class NotClaimed extends Error {
  readonly answer: () => Reply

  constructor(answer: () => Reply) {
    super('the key is answered or being answered')
    this.answer = answer
  }
}

/** What a claim has found; known once the transaction has checked it. */
export interface ClaimedKey {
  /** What a call without an answer has left: the work goes on with it. */
  unfinished: UnfinishedRequest | null
}

/**
 * Makes the open books require that their key is theirs to answer; where it is not, the transaction throws NotClaimed.
 * While another request is at it, what NotClaimed answers is idempotency.in_progress.
 */
export function claim(books: Books, call: KeyedCall, sealer: Sealer): ClaimedKey {
  const claimed: ClaimedKey = { unfinished: null }
  books.connection.require(claimOf(call, books.now, (found) => {
    if (found.state === 'ours') return void (claimed.unfinished = found.left)
    throw new NotClaimed(() => {
      if (found.state === 'running') throw fault('idempotency.in_progress', { retryAfter: 1 })
      const headers = { 'Idempotency-Replay': 'true', ...mismatchHeader(found.bodyHash !== call.bodyHash) }
      return { status: found.status, headers, body: found.sealed ? sealer.unseal(found.body) : found.body }
    })
  }))
  return claimed
}

/** Tells a caller that the answer is that of another body under the same key (decisions §7). */
export function mismatchHeader(mismatched: boolean): Record<string, string> {
  return mismatched ? { 'Idempotency-Body-Mismatch': 'true' } : {}
}

/** Remembers the reply in the transaction of its work; one that carries a secret is kept encrypted. */
export function remember(books: Books, call: KeyedCall, reply: Reply, sealer: Sealer): void {
  books.remember({ ...claimed(books, call), status: reply.status, ...keptBody(call, reply, sealer), claimed_until: null })
}

/** The body as it is remembered. */
export function keptBody({ secret }: KeyedCall, { body }: Reply, sealer: Sealer): { body: string; sealed: boolean } {
  return { body: secret ? sealer.seal(body) : body, sealed: secret }
}

const CLAIMED_MS = 60_000

/** Leaves the claim standing beyond the transaction, for a call that waits for the engine (decisions §7: 60 s). */
export function leaveClaim(books: Books, call: KeyedCall, requestId: string): StandingClaim {
  const until = new Date(books.now.getTime() + CLAIMED_MS)
  books.remember({ ...claimed(books, call), status: null, body: requestId, sealed: false, claimed_until: until })
  return { ...call, until }
}

const claimed = (books: Books, { subject, method, path, key, bodyHash }: KeyedCall) => (
  { subject, method, path, key, body_hash: `\\x${bodyHash}`, created_time: books.now }
)
