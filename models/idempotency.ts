// The remembered answers of keyed calls: claimed before the work, written in its transaction, or after the engine's part.
import type { Connection } from './connection.ts'
import { BOOLEAN, BYTES, INTEGER, TEXT, TIME, UUID, orNull, model, type RowOf } from './model.ts'
import type { Precondition } from './transaction.ts'

export const idempotentAnswers = model('idempotent_answers', {
  subject: UUID,
  method: TEXT,
  path: TEXT,
  key: TEXT,
  body_hash: BYTES,
  status: orNull(INTEGER),
  /** The answer; while `claimed_until` is set, the id of what the call has asked the engine for. */
  body: orNull(TEXT),
  sealed: BOOLEAN,
  claimed_until: orNull(TIME),
  created_time: TIME,
}, { key: ['subject', 'method', 'path', 'key'] })
export type IdempotentAnswerRow = RowOf<typeof idempotentAnswers>

/** The specification's cache key. */
export interface AnswerKey {
  subject: string
  method: string
  path: string
  key: string
}

/** What a call that never came to its answer has left: the id of what it asked for, and the body it came with. */
export interface UnfinishedRequest {
  requestId: string
  bodyHash: string
}

export type Claim =
  | { state: 'ours'; left: UnfinishedRequest | null }
  | { state: 'running' }
  | { state: 'answered'; status: number; body: string; sealed: boolean; bodyHash: string }

export const RETENTION_MS = 24 * 60 * 60 * 1000

/**
 * Claims the key for the transaction that requires this, by an advisory lock that the server lets go of when the
 * transaction ends, also when the process dies. `check` is told what is remembered, or that another call is at work on it.
 */
export function claimOf(key: AnswerKey, now: Date, check: (claim: Claim) => void): Precondition {
  const values = [key.subject, key.method, key.path, key.key, new Date(now.getTime() - RETENTION_MS)]
  return { statement: [CLAIM, values], beforeLocks: true, check: (rows) => check(readClaim(rows[0] as ClaimRow, now)) }
}

interface ClaimRow {
  locked: boolean
  status: number | null
  body: string | null
  sealed: boolean | null
  body_hash: string | null
  claimed_until: Date | null
}

function readClaim(row: ClaimRow, now: Date): Claim {
  if (row.status) return { state: 'answered', status: row.status, body: row.body!, sealed: row.sealed!, bodyHash: row.body_hash! }
  if (!row.locked || (row.claimed_until && row.claimed_until > now)) return { state: 'running' }
  return { state: 'ours', left: row.body === null ? null : { requestId: row.body, bodyHash: row.body_hash! } }
}

// The lock is tried before the row is read, in one statement; a lock that comes free just after another call has
// committed must not leave us with the snapshot from before that commit, so the reading function takes a fresh one.
const CLAIM = { name: 'claim answer', text: 'SELECT * FROM claim_answer($1, $2, $3, $4, $5)' }

/** A claim that outlives its transaction, while the engine is at work. */
export interface StandingClaim extends AnswerKey {
  until: Date
}

/** Puts the answer in the claim's place. Nothing happens where the claim ran out and another call has taken it over. */
export async function answerClaim(connection: Connection, claim: StandingClaim, answer: { status: number; body: string; sealed: boolean }): Promise<void> {
  await connection.run(ANSWER, [...keyOf(claim), claim.until, answer.status, answer.body, answer.sealed])
}

/** Gives the claim up, so that a repeat of the call goes on at once with what was asked for. */
export async function releaseClaim(connection: Connection, claim: StandingClaim, now: Date): Promise<void> {
  await connection.run(GIVE_UP, [...keyOf(claim), claim.until, now])
}

const keyOf = ({ subject, method, path, key }: AnswerKey) => [subject, method, path, key]
const STILL_CLAIMED = 'subject = $1 AND method = $2 AND path = $3 AND key = $4 AND claimed_until = $5'
const ANSWER = {
  name: 'answer claim',
  text: `UPDATE idempotent_answers SET status = $6, body = $7, sealed = $8, claimed_until = NULL WHERE ${STILL_CLAIMED}`,
}
const GIVE_UP = { name: 'give up claim', text: `UPDATE idempotent_answers SET claimed_until = $6 WHERE ${STILL_CLAIMED}` }

/** Deletes remembered answers older than 24 hours, a few at a time; answers how many. */
export async function deleteOldAnswers(connection: Connection, now: Date, atMost = 1_000): Promise<number> {
  const rows = await connection.run(FORGET, [new Date(now.getTime() - RETENTION_MS), atMost])
  return rows.length
}

const FORGET = {
  name: 'forget old answers',
  text: `DELETE FROM idempotent_answers WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM idempotent_answers WHERE created_time < $1 ORDER BY created_time LIMIT $2 FOR UPDATE SKIP LOCKED))
         RETURNING 1`,
}
