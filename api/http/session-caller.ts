// Authenticates the calls of signed-in persons, by the cookie of their session and the organisation that they name.
import type { IncomingMessage } from 'node:http'
import type { Caller } from '../../commands/books/caller.ts'
import { fault } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import { scopesOfRole } from '../../domain/roles.ts'
import type { Connection } from '../../models/connection.ts'
import { findSession, sessionStillHeld, signInStillHeld } from '../../models/session.ts'
import { hashOf } from '../../models/token.ts'
import type { SeenValid } from './seen-valid.ts'
import { isForeignPage, isOwnPage, secretsIn, type Site } from './cookies.ts'
import type { Route } from './route.ts'

/** What the calls of persons are authenticated with. */
export interface SessionFinding {
  connection: Connection
  site: Site
  now: Date
  /** The organisations that the request names. */
  named: string[]
  /** Counts a call without a session against its address. Throws rate_limit.exceeded. */
  countUnknown(): Promise<void>
  /** Comes before a query for what was not valid lately: counts it where the address has used up its limit. Throws rate_limit.exceeded. */
  countLookUp(): Promise<void>
  seenValid: SeenValid
}

export type Signed = Pick<Caller, 'subject' | 'kind' | 'scopes' | 'userId' | 'organization' | 'precondition'> &
  Required<Pick<Caller, 'session'>>

/**
 * The caller of a route for sessions. Throws auth.invalid_token without a session, with a bearer token, and for a call that
 * changes something and does not come from a page of ours: from elsewhere, the cookie is as if it were not there.
 */
export async function identifySession(
  route: Route,
  request: IncomingMessage,
  finding: SessionFinding,
): Promise<Signed> {
  const isSafe = route.method === 'GET' || isOwnPage(request, finding.site)
  const signed = isSafe && request.headers.authorization === undefined ? await signedIn(route, request, finding) : null
  if (signed) return signed
  await finding.countUnknown()
  throw fault('auth.invalid_token', { message: 'Nobody is signed in, or the session has ended.' })
}

/**
 * The signed-in person who calls the public API from a page of ours, as the console does; null for every other call. From
 * elsewhere the cookie is as if it were not there, for reads too, and a call that sends credentials is made with those alone.
 */
export async function identifyOnOwnPage(
  route: Route,
  request: IncomingMessage,
  finding: SessionFinding,
): Promise<Signed | null> {
  if (request.headers.authorization !== undefined || !isOwnPage(request, finding.site)) return null
  return signedIn(route, request, finding)
}

/**
 * The caller of the sign-in, with the session that the browser has until now, if any. Throws auth.invalid_token for one that
 * a page of another site has sent: it would sign its victim in to an account of the attacker.
 */
export async function identifyVisitor(
  route: Route,
  request: IncomingMessage,
  finding: SessionFinding,
): Promise<Pick<Caller, 'session'>> {
  await finding.countUnknown()
  if (isForeignPage(request, finding.site) || request.headers.authorization !== undefined)
    throw fault('auth.invalid_token', { message: 'Sign in from a page of this service, without a token.' })
  const signed = isOwnPage(request, finding.site) ? await signedIn(route, request, finding) : null
  return signed?.session ? { session: signed.session } : {}
}

/** Whether a call is of one organisation. A person's own calls are of none, such as signing out; every call of the public API is. */
export const isOfOrganization = ({ by = 'token', scope }: Route): boolean => by === 'token' || scope !== null

async function signedIn(
  route: Route,
  request: IncomingMessage,
  { connection, now, named: [orgId], seenValid, countLookUp }: SessionFinding,
): Promise<Signed | null> {
  const hashes = secretsIn(request).map(hashOf)
  if (hashes.length === 0) return null
  if (!hashes.some(seenValid.has)) await countLookUp()
  const named = orgId !== undefined && isId(orgId) ? orgId : null
  const found = await Promise.all(hashes.map((hash) => findSession(connection, { hash, orgId: named, now })))
  const [only, another] = found.filter((one) => one !== null)
  const isOnly = only !== undefined && !another
  for (const [place, hash] of hashes.entries()) seenValid.note(hash, isOnly && found[place] === only)
  // Of two sessions, one may be that of an attacker, who wants a person to work in it.
  if (!isOnly) return null
  const { session, membership } = only
  const changesOrganization = route.changesOrganization === true
  return {
    subject: session.sessionId,
    kind: 'SESSION',
    scopes: membership ? scopesOfRole(membership.role) : [],
    userId: membership?.userId ?? null,
    organization: membership?.organization ?? null,
    session: { ...session, name: membership?.name ?? null, role: membership?.role ?? null },
    precondition: (later: Date) =>
      membership && isOfOrganization(route) && !route.changesMembers
        ? sessionStillHeld(session, membership, { now: later, changesOrganization })
        : signInStillHeld(session, later),
  }
}
