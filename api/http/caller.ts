// Who is calling: the token or partner key of a request, its organisation and its scopes.
import type { IncomingMessage } from 'node:http'
import type { Caller } from '../../commands/caller.ts'
import { fault } from '../../domain/faults.ts'
import { allows } from '../../domain/scopes.ts'
import type { Connection } from '../../models/database.ts'
import type { TokenMemory } from '../../models/token-memory.ts'
import { findPartnerOfKey } from '../../models/token.ts'
import type { Route } from './route.ts'

type Origin = Caller['origin']

/** Finds the caller, or throws the route's own 401. Whoever writes is asked about anew; a read may be remembered. */
export async function identify(
  route: Route, request: IncomingMessage, { connection, tokens }: { connection: Connection; tokens: TokenMemory }, now: Date, origin: Origin,
): Promise<Caller> {
  if (route.by === 'anyone') return { ...NOBODY, origin }
  if (route.by === 'partner') return partnerOf(request, connection, origin)
  const unknown = () => fault(route.authCodes?.unknown ?? 'auth.invalid_token')
  const secret = /^Bearer +(svc_[A-Za-z0-9_-]{8,200}) *$/i.exec(request.headers.authorization ?? '')?.[1]
  const holder = secret ? await (route.read ? tokens.find(secret, now) : tokens.ask(secret, now)) : null
  if (!holder) throw unknown()
  const { token, organization } = holder
  return {
    subject: token.id,
    kind: token.kind === 'OAUTH' ? 'OAUTH' : 'TOKEN',
    tier: token.tier,
    scopes: token.scopes,
    userId: token.user_id,
    partnerId: null,
    organization,
    origin,
  }
}

/**
 * Throws 403 for a suspended organisation, 404 where the request names another organisation than its token's, and
 * 400 where a token of several organisations names none (specification, "Authentication"; decisions §2).
 */
export function checkOrganization(caller: Caller, request: IncomingMessage, parameters: URLSearchParams): void {
  if (!caller.organization) return
  if (caller.organization.status === 'SUSPENDED') throw fault('authz.organization_suspended')
  const named = [...parameters.getAll('organization_id'), ...[request.headers['x-svc-org'] ?? []].flat()]
  if (named.length === 0 && caller.kind === 'OAUTH') {
    throw fault('validation.required_field', { field: 'organization_id', message: 'This token needs organization_id.' })
  }
  if (named.some((id) => id.toLowerCase() !== caller.organization!.id)) throw fault('not_found.resource')
}

/** Throws the route's own 403 where the token lacks its scope. */
export function checkScope(caller: Caller, route: Route): void {
  if (route.by === 'anyone' || route.by === 'partner' || route.scope === null) return
  if (allows(caller.scopes, route.scope)) return
  throw fault(route.authCodes?.scope ?? 'auth.insufficient_scope', { details: { required: `Svc.${route.scope}` } })
}

async function partnerOf(request: IncomingMessage, connection: Connection, origin: Origin): Promise<Caller> {
  const secret = request.headers['x-partner-key']
  const found = typeof secret === 'string' && secret.length <= 200 ? await findPartnerOfKey(connection, secret) : null
  if (!found) throw fault('auth.invalid_token', { message: 'The partner key is missing, invalid or revoked.' })
  return { ...NOBODY, subject: found.keyId, kind: 'PARTNER', tier: 'PARTNER', partnerId: found.partnerId, origin }
}

const NOBODY: Omit<Caller, 'origin'> = {
  subject: '', kind: 'SYSTEM', tier: 'DEFAULT', scopes: [], userId: null, partnerId: null, organization: null,
}
