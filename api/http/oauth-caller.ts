// Authenticates calls with OAuth access tokens: a person in the organisation that the call names, within what their role allows.
import type { Caller } from '../../commands/books/caller.ts'
import { isId } from '../../domain/ids.ts'
import { scopesOfRole } from '../../domain/roles.ts'
import { FULL_ACCESS, isScope } from '../../domain/scopes.ts'
import { oauthStillHeld, type OAuthHolder } from '../../models/oauth-caller.ts'
import type { TokenCache } from '../../models/token-cache.ts'
import { hashOf, PREFIXES } from '../../models/token.ts'
import type { Role } from '../../domain/roles.ts'

export const isOAuthToken = (secret: string | null): boolean => secret?.startsWith(PREFIXES.oauthAccess) === true

/** The holder of a token in the organisation that is named first; checkOrganization compares the others. */
export function findOAuthCaller(
  tokens: TokenCache,
  { secret, named: [orgId], now }: { secret: string; named: string[]; now: Date },
): Promise<OAuthHolder | null> {
  return tokens.fetchOAuth(secret, orgId !== undefined && isId(orgId) ? orgId : null, now)
}

/** The caller. A refreshed token is the same subject. */
export function oauthCaller(
  { grantId, clientId, scopes, membership }: OAuthHolder,
  secret: string,
): Omit<Caller, 'origin' | 'partnerId'> {
  return {
    subject: grantId,
    clientId,
    kind: 'OAUTH',
    tier: 'DEFAULT',
    scopes: membership ? withinRole(scopes, membership.role) : [],
    userId: membership?.userId ?? null,
    organization: membership?.organization ?? null,
    ...(membership ? { precondition: (later: Date) => oauthStillHeld(hashOf(secret), membership, later) } : {}),
  }
}

/**
 * The key under which calls are counted: one for a client and a person in each organisation, because a person whose consent is
 * remembered makes any number of grants.
 */
export const oauthBudget = ({ clientId, personId, membership }: OAuthHolder): string =>
  `${clientId} ${membership?.userId ?? personId}`

// What the person's role allows at the time of the call, whatever they have consented to (decisions §12).
function withinRole(scopes: string[], role: Role): string[] {
  const allowed = scopesOfRole(role)
  if (allowed.includes(FULL_ACCESS)) return scopes
  if (scopes.includes(FULL_ACCESS)) return allowed.filter(isScope)
  return scopes.filter((scope) => allowed.includes(scope))
}
