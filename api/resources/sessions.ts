// The routes of signing in and out, and of a person's sessions.
import { Type } from 'typebox'
import type { PersonRow } from '../../models/person.ts'
import type { Connection } from '../../models/connection.ts'
import { findOrganizationsOf, findSessions, SESSION_MS } from '../../models/session.ts'
import { endSession, startSession } from '../../commands/people/sign-in.ts'
import type { Caller } from '../../commands/books/caller.ts'
import { setCookie } from '../http/cookies.ts'
import { HEADERS, route } from '../http/route.ts'
import { Session, showOrganizationOfPerson, showSession, SignedInAnswer, SignIn } from '../shapes/session.ts'

const tag = 'Sessions'
const session = { tag, scope: null, by: 'session' } as const

/** Nobody has to be known to send it. */
const SIGN_IN_LIMIT = 16_384

/** The most organisations that an answer lists; X-Svc-Org names any. */
const MAX_ORGANIZATIONS = 1_000

export const sessionRoutes = [
  route({
    method: 'POST',
    path: '/session',
    tag,
    does: 'Sign in',
    scope: null,
    by: 'visitor',
    status: 201,
    bodyLimit: SIGN_IN_LIMIT,
    body: SignIn,
    answer: SignedInAnswer,
    prepare: ({ body }, { signIns }, { origin }) => signIns.check(body, origin.ip),
    async write(books, _input, { site }, prepared) {
      const person = prepared() as PersonRow
      const { secret } = await startSession(books, person, books.caller.session?.sessionId ?? null)
      const answer = await signedInAs(books.connection, { personId: person.id, email: person.email })
      return { message: 'Signed in.', ...answer, [HEADERS]: setCookie(site, secret, SESSION_MS / 1000) }
    },
  }),
  route({
    ...session,
    method: 'GET',
    path: '/session',
    does: 'Read who is signed in',
    answer: SignedInAnswer,
    read: ({ connection, caller }) => signedInAs(connection, caller.session!, caller),
  }),
  route({
    ...session,
    method: 'DELETE',
    path: '/session',
    does: 'Sign out',
    answer: Type.Object({}),
    async write(books, _input, { site }) {
      const { personId, sessionId } = books.caller.session!
      await endSession(books, personId, sessionId)
      return { message: 'Signed out.', [HEADERS]: setCookie(site, null) }
    },
  }),
  route({
    ...session,
    method: 'GET',
    path: '/sessions',
    does: "List the person's sessions",
    answer: Type.Object({ sessions: Type.Array(Session) }),
    async read({ connection, caller, now }) {
      const { personId, sessionId } = caller.session!
      return { sessions: (await findSessions(connection, personId, now)).map((row) => showSession(row, sessionId)) }
    },
  }),
  route({
    ...session,
    method: 'DELETE',
    path: '/sessions/{session_id}',
    does: 'End a session',
    answer: Type.Object({}),
    async write(books, { params }, { site }) {
      const { personId, sessionId } = books.caller.session!
      const ended = params.session_id!
      await endSession(books, personId, ended)
      return { message: 'Session ended.', [HEADERS]: ended.toLowerCase() === sessionId ? setCookie(site, null) : {} }
    },
  }),
]

async function signedInAs(
  connection: Connection,
  { personId, email }: { personId: string; email: string },
  caller?: Caller,
) {
  const organizations = await findOrganizationsOf(connection, personId, MAX_ORGANIZATIONS)
  const only = organizations.length === 1 ? organizations[0]! : null
  const { organization, session, userId } = caller ?? {}
  const current = organization
    ? {
        org_id: organization.id,
        name: organization.name,
        role: session!.role!,
        user_id: userId!,
        user_name: session!.name,
      }
    : only
  return {
    user: { user_id: current?.user_id ?? null, email, name: current?.user_name ?? null },
    organizations: organizations.map(showOrganizationOfPerson),
    organization: current && showOrganizationOfPerson(current),
  }
}
