// Exchanges an authorization code or a refresh token for tokens.
import type OAuth2Server from '@node-oauth/oauth2-server'
import { fault } from '../../domain/faults.ts'
import type { FoundClient } from '../../models/oauth-client.ts'
import { organizationsOfConsent } from '../../models/oauth-consent.ts'
import {
  earlierAccessToken,
  lockGrantOfCode,
  lockPresented,
  lockSuperfluousGrants,
  oauthGrants,
  oauthTokens,
  type OAuthGrantRow,
  type OAuthTokenRow,
} from '../../models/oauth-grant.ts'
import type { Sealer } from '../../models/sealed.ts'
import { familyOf, hashOf, mintRefreshToken, mintSecret, PREFIXES } from '../../models/token.ts'
import type { Books } from '../books/books.ts'
import {
  ACCESS_MS,
  causeOf,
  emptyResponse,
  formRequest,
  GRANT_TYPES,
  InvalidGrantError,
  OAuthError,
  oauthServer,
  REFRESH_MS,
  REPEAT_MS,
  type LibraryModel,
} from './library.ts'

/** The most access tokens of a grant in an hour; each of them lives for one. */
const MAX_REFRESHES = 100
const HOUR_MS = 60 * 60_000

/** What a client gets. */
export interface GivenTokens {
  accessToken: string
  refreshToken: string
  scopes: string[]
  accessExpires: Date
  organizationIds: string[]
}

/** A refusal in the words of RFC 6749 §5.2. */
export interface OAuthRefusal {
  error: string
  description: string
}

/** Carried through the library, which knows neither grants nor consents. */
interface Carried {
  grant: OAuthGrantRow
  organizationIds: string[]
  /** The refresh token that is being rotated. */
  rotated?: OAuthTokenRow
  /** What its successor has in common with it. */
  family?: string | null
}

/**
 * The tokens for the form of an authenticated client. A refusal that is `invalid_grant` is returned, because what it changes must
 * be committed: a code or a refresh token that was used twice has ended its grant. Throws the library's other errors.
 */
export async function exchange(
  books: Books,
  client: FoundClient,
  form: Record<string, string>,
  sealer: Sealer,
): Promise<GivenTokens | OAuthRefusal> {
  const model: Partial<LibraryModel> = {
    getClient: async () => ({ id: client.id, grants: GRANT_TYPES }),
    generateAccessToken: async () => mintSecret(PREFIXES.oauthAccess),
    generateRefreshToken: async (_client, user) => mintRefreshToken((user as Carried).family ?? null),
    ...codeModel(books, client, form),
    ...refreshModel(books, client, sealer),
    saveToken: (token, of, user) => saveTokens(books, sealer, token, of, user as Carried),
  }
  const request = formRequest({ ...form, client_id: client.id })
  try {
    const given = await oauthServer(model).token(request, emptyResponse())
    const { organizationIds } = given.user as Carried
    return {
      accessToken: given.accessToken,
      refreshToken: given.refreshToken!,
      scopes: given.scope!,
      accessExpires: given.accessTokenExpiresAt!,
      organizationIds,
    }
  } catch (error) {
    if (!(error instanceof OAuthError) || error.name !== 'invalid_grant') throw causeOf(error)
    return { error: error.name, description: error.message }
  }
}

function codeModel(books: Books, client: FoundClient, form: Record<string, string>): Partial<LibraryModel> {
  let locked: OAuthGrantRow | null = null
  return {
    async getAuthorizationCode(code) {
      const grant = await lockGrantOfCode.first(books.connection, hashOf(code))
      if (!grant || grant.client_id !== client.id) return null
      if (grant.code_used_time !== null) revoke(books, grant)
      const organizationIds = await heldIn(books, grant)
      if (grant.code_used_time !== null || grant.code_expires_time <= books.now || !organizationIds) return null
      locked = grant
      return {
        authorizationCode: code,
        expiresAt: grant.code_expires_time,
        redirectUri: grant.redirect_uri,
        scope: grant.scopes,
        codeChallenge: grant.code_challenge,
        codeChallengeMethod: 'S256',
        client: { id: client.id, grants: GRANT_TYPES },
        user: { grant, organizationIds } satisfies Carried,
      }
    },
    // Before the verifier is compared: a wrong one uses the code up.
    async revokeAuthorizationCode({ redirectUri }) {
      books.update(oauthGrants, locked!, { code_used_time: books.now })
      // The library would call it invalid_request (RFC 6749 §5.2).
      if (form.redirect_uri !== undefined && form.redirect_uri !== redirectUri)
        throw new InvalidGrantError('Invalid grant: `redirect_uri` is not the one that the code was asked for with')
      return true
    },
  }
}

function refreshModel(books: Books, client: FoundClient, sealer: Sealer): Partial<LibraryModel> {
  return {
    async getRefreshToken(refreshToken) {
      const { token, grant } = await lockPresented(books.connection, refreshToken)
      if (grant?.client_id !== client.id || token?.kind === 'ACCESS') return null
      if (token === null || (token.used_time !== null && !repeated(books, token, sealer))) {
        revoke(books, grant)
        return null
      }
      const organizationIds = await heldIn(books, grant)
      if (token.expires_time <= books.now || !organizationIds) return null
      return {
        refreshToken,
        refreshTokenExpiresAt: token.expires_time,
        scope: grant.scopes,
        client: { id: client.id, grants: GRANT_TYPES },
        user: { grant, organizationIds, rotated: token, family: familyOf(refreshToken) } satisfies Carried,
      }
    },
    // Rotated in saveTokens, with its successor.
    revokeToken: async () => true,
  }
}

async function saveTokens(
  books: Books,
  sealer: Sealer,
  given: OAuth2Server.Token,
  client: OAuth2Server.Client,
  carried: Carried,
): Promise<OAuth2Server.Token> {
  const { grant, rotated } = carried
  const repeat = rotated && repeated(books, rotated, sealer)
  if (repeat) {
    const { access, refresh, scopes, expires } = repeat
    const again = { accessToken: access, refreshToken: refresh, scope: scopes, accessTokenExpiresAt: new Date(expires) }
    return { ...again, client, user: carried }
  }
  if (rotated) await requireAllowance(books, grant)
  else for (const oldest of await lockSuperfluousGrants(books.connection, grant.consent_id)) revoke(books, oldest)
  const { accessToken, refreshToken } = given
  // Each of them once, however often it was asked for; all are of the grant.
  const scopes = [...new Set(given.scope)]
  const expires = new Date(books.now.getTime() + ACCESS_MS)
  const row = { grant_id: grant.id, created_time: books.now, revoked_time: null, used_time: null, successor: null }
  books.insertAbove(oauthTokens, {
    ...row,
    id: books.newId(),
    kind: 'ACCESS',
    token_hash: hashOf(accessToken),
    family_hash: null,
    scopes,
    expires_time: expires,
  })
  const refreshExpires = new Date(books.now.getTime() + REFRESH_MS)
  // A refresh token keeps all scopes, whatever an access token is narrowed to (RFC 6749 §6).
  books.insertAbove(oauthTokens, {
    ...row,
    id: books.newId(),
    kind: 'REFRESH',
    token_hash: hashOf(refreshToken!),
    family_hash: hashOf(familyOf(refreshToken!)!),
    scopes: grant.scopes,
    expires_time: refreshExpires,
  })
  books.update(oauthGrants, grant, { tokens_expire_time: refreshExpires })
  if (rotated) {
    const answer: Successor = {
      access: accessToken,
      refresh: refreshToken!,
      scopes,
      expires: expires.getTime(),
    }
    const successor = sealer.seal(JSON.stringify(answer))
    books.update(oauthTokens, rotated, { used_time: books.now, successor })
  }
  return { ...given, scope: scopes, accessTokenExpiresAt: expires, client, user: carried }
}

// A refresh leaves rows, so what one grant may leave has a bound.
async function requireAllowance(books: Books, grant: OAuthGrantRow): Promise<void> {
  const since = new Date(books.now.getTime() - HOUR_MS)
  const first = await earlierAccessToken(books.connection, { grantId: grant.id, since, atMost: MAX_REFRESHES })
  if (!first) return
  const waitSeconds = Math.max(1, Math.ceil((first.created_time.getTime() - since.getTime()) / 1000))
  throw fault('rate_limit.exceeded', {
    message: `An app gets at most ${MAX_REFRESHES} access tokens an hour by one grant; use one until it expires.`,
    retryAfter: waitSeconds,
  })
}

interface Successor {
  access: string
  refresh: string
  scopes: string[]
  /** Unix time in milliseconds. */
  expires: number
}

// What a token that was used a moment ago has given; null for one that was not used, or earlier.
function repeated(books: Books, { used_time, successor }: OAuthTokenRow, sealer: Sealer): Successor | null {
  if (used_time === null || successor === null || books.now.getTime() - used_time.getTime() > REPEAT_MS) return null
  try {
    return JSON.parse(sealer.unseal(successor)) as Successor
  } catch {
    // Sealed under a key that is gone.
    return null
  }
}

/** The organisations in which the grant holds now; null for one that is revoked, withdrawn or of nobody any more. */
async function heldIn(books: Books, grant: OAuthGrantRow): Promise<string[] | null> {
  if (grant.revoked_time !== null) return null
  const organizations = await organizationsOfConsent(books.connection, grant.consent_id)
  return organizations.length === 0 ? null : organizations.map(({ org_id }) => org_id)
}

function revoke(books: Books, grant: OAuthGrantRow): void {
  if (grant.revoked_time === null) books.update(oauthGrants, grant, { revoked_time: books.now })
}
