// Keyed calls: an answer is given once and then repeated, byte for byte, for 24 hours (decisions §7).
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Books } from '../../commands/books.ts'
import { fault } from '../../domain/faults.ts'
import { claimAnswer, type AnswerKey } from '../../models/idempotency.ts'
import type { Sealer } from '../../models/sealed.ts'
import type { Reply } from './envelope.ts'
import type { Route } from './route.ts'

const KEY = /^[A-Za-z0-9\-_:]{1,200}$/

/** The call that a key names, and the body it came with. */
export interface Keyed extends AnswerKey {
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
    message: 'An Idempotency-Key has 1 to 200 letters, digits, "-", "_" or ":".',
  })
}

/** The hash by which another body under the same key is noticed. */
export function bodyHashOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}

/**
 * Claims the key within the open books. Answers the reply to repeat, or null when the work is ours to do.
 * Throws idempotency.in_progress while another request is at it.
 */
export async function claim(books: Books, keyed: Keyed, sealer: Sealer): Promise<Reply | null> {
  const found = await claimAnswer(books.connection, keyed, books.now)
  if (found.state === 'ours') return null
  if (found.state === 'running') throw fault('idempotency.in_progress', { retryAfter: 1 })
  const headers: Record<string, string> = { 'Idempotency-Replay': 'true' }
  if (found.bodyHash !== keyed.bodyHash) headers['Idempotency-Body-Mismatch'] = 'true'
  return { status: found.status, headers, body: found.sealed ? sealer.unseal(found.body) : found.body }
}

/** Remembers the reply in the transaction of its work; one that carries a secret is kept encrypted. */
export function remember(books: Books, keyed: Keyed, reply: Reply, sealer: Sealer): void {
  books.remember({
    subject: keyed.subject,
    method: keyed.method,
    path: keyed.path,
    key: keyed.key,
    body_hash: `\\x${keyed.bodyHash}`,
    status: reply.status,
    body: keyed.secret ? sealer.seal(reply.body) : reply.body,
    sealed: keyed.secret,
    claimed_until: null,
    created_time: books.now,
  })
}
