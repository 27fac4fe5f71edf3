// Authenticates a request: its token or partner key, its organisation and its scopes.
import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Caller } from '../../commands/books/caller.ts'
import { fault, type Fault } from '../../domain/faults.ts'
import { allows } from '../../domain/scopes.ts'
import { tokenStillHeld } from '../../models/token.ts'
import type { TokenCache } from '../../models/token-cache.ts'
import { findOAuthCaller, isOAuthToken, oauthBudget, oauthCaller } from './oauth-caller.ts'
import type { Route } from './route.ts'
import {
  identifyOnOwnPage,
  identifySession,
  identifyVisitor,
  isOfOrganization,
  type SessionFinding,
  type Signed,
} from './session-caller.ts'

type Origin = Caller['origin']

// How long a notification of a new token takes to reach this process.
const NOTICE_MS = 100

/** A caller, and the key under which its calls are counted; null if they are not counted. */
export interface IdentifiedCaller {
  caller: Caller
  budget: string | null
}

export interface Identifying {
  tokens: TokenCache
  now: Date
  origin: Origin
  /** What persons' calls are authenticated with. */
  persons: Pick<SessionFinding, 'connection' | 'site' | 'named' | 'seenValid'>
  /** Counts a call without a valid token or key against its address. Throws rate_limit.exceeded. */
  countUnknown(): Promise<void>
  countLookUp: SessionFinding['countLookUp']
}

/**
 * Finds the caller, or throws the route's own 401. The caller may come from memory; a write therefore requires that it is
 * still valid.
 * A token that was never issued is counted against the address before the database is queried, so that made-up tokens
 * cannot cause unlimited queries. A token that may have been issued is queried first, so that a valid token works from any address;
 * one that has expired or was revoked is remembered. The cookie of a session is queried first too, unless its address has used up its
 * limit and the session was not valid lately (`countLookUp`).
 */
export async function identify(
  route: Route,
  request: IncomingMessage,
  identifying: Identifying,
): Promise<IdentifiedCaller> {
  const { tokens, now, origin } = identifying
  if (route.by === 'anyone') return { caller: { ...NOBODY, origin }, budget: null }
  if (route.by === 'session' || route.by === 'visitor') return identifyPerson(route, request, identifying)
  if (route.by === 'partner') {
    const unknownKey = () => fault('auth.invalid_token', { message: 'The partner key is missing, invalid or revoked.' })
    const { keyId, partnerId } = await holderOf(
      partnerKeyOf(request),
      (key) => tokens.fetchPartner(key),
      unknownKey,
      identifying,
    )
    return { caller: { ...NOBODY, subject: keyId, kind: 'PARTNER', tier: 'PARTNER', partnerId, origin }, budget: keyId }
  }
  const person = await identifyOnOwnPage(route, request, { ...identifying.persons, ...identifying })
  if (person) return callOf(person, origin)
  const secret = tokenOf(request)
  if (isOAuthToken(secret)) return identifyOAuth(route, secret!, identifying)
  const find = (secret: string) => (route.stream ? tokens.fetch(secret, now) : tokens.find(secret, now))
  const holder = await holderOf(secret, find, unknownToken(route), identifying)
  const { token, organization } = holder
  const caller: Caller = {
    subject: token.id,
    kind: token.kind === 'OAUTH' ? 'OAUTH' : 'TOKEN',
    tier: token.tier,
    scopes: token.scopes,
    userId: token.user_id,
    partnerId: null,
    organization,
    origin,
    ...(isWriting(route) ? { precondition: (later: Date) => tokenStillHeld(secret!, holder, later) } : {}),
  }
  // A re-issue with grace leaves a partner two tokens of an organisation, and one budget (decisions §11).
  return { caller, budget: token.partner_id === null ? token.id : `${organization.id} ${token.partner_id}` }
}

async function identifyOAuth(route: Route, secret: string, identifying: Identifying): Promise<IdentifiedCaller> {
  const { tokens, now, origin, persons } = identifying
  const find = () => findOAuthCaller(tokens, { secret, named: persons.named, now })
  const holder = await holderOf(secret, find, unknownToken(route), identifying)
  const { precondition, ...caller } = oauthCaller(holder, secret)
  const whileHeld = precondition && isWriting(route) ? { precondition } : {}
  return { caller: { ...caller, partnerId: null, origin, ...whileHeld }, budget: oauthBudget(holder) }
}

const unknownToken = (route: Route) => () => fault(route.authCodes?.unknown ?? 'auth.invalid_token')

const isWriting = (route: Route) => Boolean(route.write || route.startWorkflow || route.upload)

async function identifyPerson(
  route: Route,
  request: IncomingMessage,
  { persons, now, origin, countUnknown, countLookUp }: Identifying,
): Promise<IdentifiedCaller> {
  const finding = { ...persons, now, countUnknown, countLookUp }
  if (route.by === 'session') return callOf(await identifySession(route, request, finding), origin)
  const visitor = await identifyVisitor(route, request, finding)
  return { caller: { ...NOBODY, origin: inConsole(origin), ...visitor }, budget: null }
}

// The calls of a person are counted together, whatever sessions they have.
const callOf = (signed: Signed, origin: Origin): IdentifiedCaller => ({
  caller: { ...NOBODY, origin: inConsole(origin), ...signed },
  budget: signed.session.personId,
})

const inConsole = (origin: Origin): Origin => ({ ...origin, source: 'CONSOLE' })

async function holderOf<Holder>(
  secret: string | null,
  find: (secret: string) => Promise<Holder | null>,
  unknown: () => Fault,
  { tokens, countUnknown }: Identifying,
): Promise<Holder> {
  const mayExist = secret !== null && tokens.mayExist(secret)
  if (!mayExist) {
    await countUnknown().catch(async (refused: Fault) => {
      // Another process may have just issued the secret, and its notification may not have arrived yet.
      await delay(NOTICE_MS)
      if (secret === null || !tokens.mayExist(secret)) throw refused
    })
  }
  const holder = secret === null ? null : await find(secret)
  if (holder) return holder
  if (mayExist) await countUnknown()
  throw unknown()
}

// Several Authorization headers are refused: Node would use the first, a proxy perhaps another.
function tokenOf(request: IncomingMessage): string | null {
  const sent = request.headersDistinct.authorization ?? []
  return sent.length === 1 ? (/^Bearer +(svc_[A-Za-z0-9_-]{8,200}) *$/i.exec(sent[0]!)?.[1] ?? null) : null
}

// Node joins several headers into one text, which is not a valid key.
function partnerKeyOf(request: IncomingMessage): string | null {
  const sent = request.headers['x-partner-key']
  return typeof sent === 'string' && /^[\x21-\x7e]{1,200}$/.test(sent) ? sent : null
}

/**
 * Throws 403 for a suspended organisation, 404 if the request names another organisation than its token's, and 400 if
 * the request of an OAuth token names none (specification, "Authentication"; decisions §2), or that of a person who has several. The organisation may be
 * named several times, in any case; each must be the token's own.
 */
export function checkOrganization(caller: Caller, route: Route, named: string[]): void {
  const { organization, kind } = caller
  if (kind === 'SESSION' && !organization) throwWithoutOrganization(route, named)
  if (kind === 'OAUTH' && named.length === 0)
    throw fault('validation.required_field', { field: 'organization_id', message: 'This token needs organization_id.' })
  if (kind === 'OAUTH' && !organization) throw fault('not_found.resource')
  if (!organization) return
  // A person who belongs to a suspended organisation may still sign out, or turn to another one.
  const mayBeSuspended = kind === 'SESSION' && !isOfOrganization(route)
  if (organization.status === 'SUSPENDED' && !mayBeSuspended) throw fault('authz.organization_suspended')
  if (named.some((id) => id.toLowerCase() !== organization.id)) throw fault('not_found.resource')
}

function throwWithoutOrganization(route: Route, named: string[]): void {
  if (named.length > 0) throw fault('not_found.resource')
  if (!isOfOrganization(route)) return
  const message = 'Name one of your organisations in the header X-Svc-Org.'
  throw fault('validation.required_field', { field: 'X-Svc-Org', message })
}

/** The organisations that a request names. */
export const namedOrganizations = (request: IncomingMessage, parameters: URLSearchParams): string[] => [
  ...parameters.getAll('organization_id'),
  ...(request.headersDistinct['x-svc-org'] ?? []).flatMap(listed),
]

// A proxy may join several headers into one.
const listed = (header: string) => header.split(',').map((part) => part.trim())

/** Throws the route's own 403 if the token lacks the scope of the route. */
export function checkScope(caller: Caller, route: Route): void {
  if (route.by === 'anyone' || route.by === 'visitor' || route.by === 'partner' || route.scope === null) return
  if (allows(caller.scopes, route.scope)) return
  throw fault(route.authCodes?.scope ?? 'auth.insufficient_scope', { details: { required: `Svc.${route.scope}` } })
}

const NOBODY: Omit<Caller, 'origin'> = {
  subject: '',
  kind: 'SYSTEM',
  tier: 'DEFAULT',
  scopes: [],
  userId: null,
  partnerId: null,
  organization: null,
}
