// Stored answers of calls with an idempotency key: a call claims its key first, and writes its answer in its transaction or after its workflow.
import type { Connection } from './connection.ts'
import { BOOLEAN, BYTES, INTEGER, TEXT, TIME, UUID, orNull, model, type RowOf } from './model.ts'
import type { Precondition } from './transaction.ts'

export const idempotentAnswers = model(
  'idempotent_answers',
  {
    subject: UUID,
    method: TEXT,
    path: TEXT,
    key: TEXT,
    body_hash: BYTES,
    status: orNull(INTEGER),
    /** The answer; while `claimed_until` is set, the id of the request that the workflow carries out. */
    body: orNull(TEXT),
    sealed: BOOLEAN,
    claimed_until: orNull(TIME),
    created_time: TIME,
  },
  { key: ['subject', 'method', 'path', 'key'] },
)
export type IdempotentAnswerRow = RowOf<typeof idempotentAnswers>

/** The specification's cache key. */
export interface AnswerKey {
  subject: string
  method: string
  path: string
  key: string
}

/** What a call without an answer has left: the id of its request, and the hash of its body. */
export interface UnfinishedRequest {
  requestId: string
  bodyHash: string
}

export type Claim =
  | { state: 'ours'; left: UnfinishedRequest | null }
  | { state: 'running' }
  | { state: 'answered'; status: number; body: string; sealed: boolean; bodyHash: string }

/** How long an answer is repeated (specification, "Idempotency rules"), whether it is kept for longer or not. */
export const REPEATED_MS = 24 * 60 * 60 * 1000

/**
 * Claims the key for the transaction that requires this, by an advisory lock that the server releases when the transaction
 * ends, also when the process dies. `check` gets the stored answer, or that another call with the key is running.
 */
export function claimOf(key: AnswerKey, now: Date, check: (claim: Claim) => void): Precondition {
  const values = [key.subject, key.method, key.path, key.key, new Date(now.getTime() - REPEATED_MS)]
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
  if (row.status)
    return { state: 'answered', status: row.status, body: row.body!, sealed: row.sealed!, bodyHash: row.body_hash! }
  if (!row.locked || (row.claimed_until && row.claimed_until > now)) return { state: 'running' }
  return { state: 'ours', left: row.body === null ? null : { requestId: row.body, bodyHash: row.body_hash! } }
}

// The lock is tried before the row is read, in one statement. Another call may commit and release the lock after the statement
// has taken its snapshot, so claim_answer reads the row in a new snapshot.
const CLAIM = {
  name: 'claim answer',
  text: 'SELECT locked, status, body, sealed, body_hash, claimed_until FROM claim_answer($1, $2, $3, $4, $5)',
}

/** A claim that stays after its transaction, while the workflow runs. */
export interface LeasedClaim extends AnswerKey {
  until: Date
}

/** Replaces the claim by the answer. Does nothing where the claim has expired and another call has taken it over. */
export async function answerClaim(
  connection: Connection,
  claim: LeasedClaim,
  answer: { status: number; body: string; sealed: boolean },
): Promise<void> {
  await connection.run(ANSWER, [...keyOf(claim), claim.until, answer.status, answer.body, answer.sealed])
}

/** Releases the claim, so that a repeat of the call continues the same request at once. */
export async function releaseClaim(connection: Connection, claim: LeasedClaim, now: Date): Promise<void> {
  await connection.run(GIVE_UP, [...keyOf(claim), claim.until, now])
}

const keyOf = ({ subject, method, path, key }: AnswerKey) => [subject, method, path, key]
const STILL_CLAIMED = 'subject = $1 AND method = $2 AND path = $3 AND key = $4 AND claimed_until = $5'
const ANSWER = {
  name: 'answer claim',
  text: `UPDATE idempotent_answers SET status = $6, body = $7, sealed = $8, claimed_until = NULL WHERE ${STILL_CLAIMED}`,
}
const GIVE_UP = {
  name: 'give up claim',
  text: `UPDATE idempotent_answers SET claimed_until = $6 WHERE ${STILL_CLAIMED}`,
}

/** Deletes stored answers and claims from before this time, at most `atMost` of them; returns how many. */
export async function deleteOldAnswers(connection: Connection, before: Date, atMost: number): Promise<number> {
  const rows = await connection.run(FORGET, [before, atMost])
  return rows.length
}

/** The same of sealed answers alone, which contain a token or a secret. */
export async function deleteSealedAnswers(connection: Connection, before: Date, atMost: number): Promise<number> {
  const rows = await connection.run(FORGET_SEALED, [before, atMost])
  return rows.length
}

const forgetThose = (name: string, condition: string) => ({
  name,
  text: `DELETE FROM idempotent_answers WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM idempotent_answers WHERE ${condition} ORDER BY created_time LIMIT $2 FOR UPDATE SKIP LOCKED))
         RETURNING 1`,
})
const FORGET = forgetThose('delete old answers', 'created_time < $1')
const FORGET_SEALED = forgetThose('delete sealed answers', 'sealed AND created_time < $1')
