// Signs a person in and out: the check of the password, and the sessions.
import { createHash, randomBytes } from 'node:crypto'
import { fault, notFound, type Fault } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import type { Connection } from '../../models/connection.ts'
import { findPersonByEmail, lockPerson, type PersonRow } from '../../models/person.ts'
import { lockSession, lockSessions, removeEndedSessions, sessions, type SessionRow } from '../../models/session.ts'
import { countSignIn, forgetSignIn, SIGN_IN_LIMIT } from '../../models/sign-in.ts'
import { hashOf } from '../../models/token.ts'
import type { Books } from '../books/books.ts'
import { isPassword } from './passwords.ts'

export interface Credentials {
  email: string
  password: string
  /** What of the caller's address is counted. */
  address: string
}

/** The most sessions that a person has at the same time; a further one ends the oldest. */
const MAX_SESSIONS = 50

/**
 * The person with this address and password. Every failure is the same auth.invalid_token after the same work, whether there is
 * such a person, has a password, or not. Throws rate_limit.exceeded after ten failures in fifteen minutes, of the account or
 * of the address (decisions §12).
 */
export async function personByPassword(
  connection: Connection,
  { email, password, address }: Credentials,
  now: Date,
): Promise<PersonRow> {
  const person = await findPersonByEmail(connection, email.trim())
  // By the person: PostgreSQL may fold more letters than we do, and every spelling would have a count of its own.
  const account = person?.id ?? createHash('sha256').update(email.trim().toLowerCase()).digest('hex')
  const keys = [`account ${account}`, `address ${address}`]
  const free = await countSignIn(connection, keys, now)
  if (free !== null) throw tooMany(free, now)
  const isRight = await isPassword(password, person?.password ?? null)
  if (!person || !isRight) throw notSignedIn()
  await forgetSignIn(connection, keys, now)
  return person
}

/**
 * Counts a request of a password reset, the same for every address, whoever has it. Throws rate_limit.exceeded after ten in
 * fifteen minutes, of the account or of the address.
 */
export async function countResetRequest(
  connection: Connection,
  { email, address }: Pick<Credentials, 'email' | 'address'>,
  now: Date,
): Promise<void> {
  const account = createHash('sha256').update(email.trim().toLowerCase()).digest('hex')
  const free = await countSignIn(connection, [`reset of ${account}`, `reset from ${address}`], now)
  if (free !== null) throw tooMany(free, now, 'Too many resets were asked for')
}

function tooMany(free: Date, now: Date, what = 'Too many sign-ins have failed'): Fault {
  const seconds = Math.max(1, Math.ceil((free.getTime() - now.getTime()) / 1000))
  return fault('rate_limit.exceeded', {
    message: `${what}; wait for the number of seconds in Retry-After.`,
    retryAfter: seconds,
    details: { limit: SIGN_IN_LIMIT.most, retry_after: seconds },
  })
}

const notSignedIn = () => fault('auth.invalid_token', { message: 'The e-mail address or the password is wrong.' })

/**
 * Begins a session of the person, as personByPassword has found them, with a new secret; ends the session `former` that the
 * browser had. Throws auth.invalid_token where the password has been changed meanwhile.
 */
export async function startSession(
  books: Books,
  found: PersonRow,
  former: string | null,
): Promise<{ session: SessionRow; secret: string }> {
  const person = await lockPerson(books.connection, found.id)
  if (person?.password !== found.password) throw notSignedIn()
  await removeEndedSessions(books.connection, books.now)
  const others = (await lockSessions(books.connection, person.id)).filter(({ id }) => id !== former)
  for (const oldest of others.slice(0, Math.max(0, others.length - MAX_SESSIONS + 1))) books.delete(sessions, oldest)
  if (former !== null) books.delete(sessions, { id: former })
  const secret = randomBytes(32).toString('base64url')
  const { ip, user_agent } = books.caller.origin
  const session = books.insertAbove(sessions, {
    id: books.newId(),
    person_id: person.id,
    secret_hash: hashOf(secret),
    ip,
    user_agent,
    created_time: books.now,
    last_used_time: books.now,
  })
  return { session, secret }
}

/** Ends a session of the person. Throws not_found.resource for one of somebody else. */
export async function endSession(books: Books, personId: string, sessionId: string): Promise<void> {
  const session = isId(sessionId) ? await lockSession(books.connection, personId, sessionId) : null
  if (!session) throw notFound('session')
  books.delete(sessions, session)
}
