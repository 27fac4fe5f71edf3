// Idempotency keys: the first answer of a key is stored, and repeated byte for byte for 24 hours (decisions §7).
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Books } from '../../commands/books/books.ts'
import type { Caller } from '../../commands/books/caller.ts'
import { fault } from '../../domain/faults.ts'
import { claimOf, type AnswerKey, type UnfinishedRequest, type LeasedClaim } from '../../models/idempotency.ts'
import type { Sealer } from '../../models/sealed.ts'
import type { Reply } from './envelope.ts'
import type { Route } from './route.ts'

const KEY = /^[A-Za-z0-9\-_:]{1,200}$/

/** A call with an idempotency key, and the hash of its body. */
export interface KeyedCall extends AnswerKey {
  bodyHash: string
  secret: boolean
}

/**
 * The idempotency key of a POST, or null if it has none, or signs in: what sets a cookie is not repeated.
 * Throws idempotency.key_required if the route requires a key, and validation.invalid_value for a malformed key.
 */
export function keyOf(route: Route, request: IncomingMessage): string | null {
  if (route.method !== 'POST' || route.by === 'visitor') return null
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

/**
 * Whose keys a call's are. A person's are those of the user in the organisation: one session acts in several organisations, and a
 * call may be repeated in the next session. An app has keys of its own for each person in each organisation, whatever grant it uses.
 */
export function keyHolderOf({ clientId, session, userId, subject }: Caller): string {
  if (clientId && userId) return uuidOf(`${clientId} ${userId}`)
  return (session && userId) || subject
}

// A name-based UUID (version 8 of RFC 9562).
function uuidOf(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex')
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-')
}

const LONGEST_STORED_PATH = 500

/** The path as it is stored with a key: an index has no room for a path of kilobytes, which names no record. */
export const storedPath = (path: string): string =>
  path.length <= LONGEST_STORED_PATH ? path : createHash('sha256').update(path).digest('hex')

/** The hash of a body, to detect that a key is repeated with another body. */
export function bodyHashOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}

/** Used as the hash of a body that was too large to be read; it equals the hash of no body. */
export const UNREAD = '0'.repeat(64)

/** Thrown by a transaction that could not claim its key. `answer` returns the stored answer, or throws idempotency.in_progress. */
export class NotClaimed extends Error {
  readonly answer: () => Reply

  constructor(answer: () => Reply) {
    super('the key is answered or being answered')
    this.answer = answer
  }
}

/** The result of a claim; set when the transaction has checked it. */
export interface ClaimedKey {
  /** The request of an earlier call that has no answer yet; this call continues it. */
  unfinished: UnfinishedRequest | null
}

/**
 * Makes the transaction of the books require that it claims the key; otherwise the transaction throws NotClaimed. While
 * another request with the key is in progress, `NotClaimed.answer` throws idempotency.in_progress.
 */
export function claim(books: Books, call: KeyedCall, sealer: Sealer): ClaimedKey {
  const claimed: ClaimedKey = { unfinished: null }
  books.connection.require(
    claimOf(call, books.now, (found) => {
      if (found.state === 'ours') return void (claimed.unfinished = found.left)
      throw new NotClaimed(() => {
        if (found.state === 'running') throw fault('idempotency.in_progress', { retryAfter: 1 })
        const headers = { 'Idempotency-Replay': 'true', ...mismatchHeader(found.bodyHash !== call.bodyHash) }
        return { status: found.status, headers, body: found.sealed ? sealer.unseal(found.body) : found.body }
      })
    }),
  )
  return claimed
}

/** The header that marks an answer as the answer to another body under the same key (decisions §7). */
export function mismatchHeader(mismatched: boolean): Record<string, string> {
  return mismatched ? { 'Idempotency-Body-Mismatch': 'true' } : {}
}

/** Stores the reply in the transaction of its work; a reply that contains a secret is encrypted. */
export function remember(books: Books, call: KeyedCall, reply: Reply, sealer: Sealer): void {
  books.remember({
    ...claimed(books, call),
    status: reply.status,
    ...keptBody(call, reply, sealer),
    claimed_until: null,
  })
}

/** The body as it is stored. */
export function keptBody({ secret }: KeyedCall, { body }: Reply, sealer: Sealer): { body: string; sealed: boolean } {
  return { body: secret ? sealer.seal(body) : body, sealed: secret }
}

const CLAIMED_MS = 60_000

/** Keeps the claim for a minute beyond the transaction, for a call that waits for a workflow (decisions §7: 60 s). */
export function leaseClaim(books: Books, call: KeyedCall, requestId: string): LeasedClaim {
  const until = new Date(books.now.getTime() + CLAIMED_MS)
  books.remember({ ...claimed(books, call), status: null, body: requestId, sealed: false, claimed_until: until })
  return { ...call, until }
}

const claimed = (books: Books, { subject, method, path, key, bodyHash }: KeyedCall) => ({
  subject,
  method,
  path,
  key,
  body_hash: `\\x${bodyHash}`,
  created_time: books.now,
})
