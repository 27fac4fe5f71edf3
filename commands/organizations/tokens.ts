// Personal access tokens for the users of an organisation.
import { endOfDate } from '../../domain/dates.ts'
import { fault, notFound } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import { checkedScopes, FULL_ACCESS } from '../../domain/scopes.ts'
import { findRow } from '../../models/find.ts'
import { findTokensOfOrganization } from '../../models/issued-access.ts'
import { findOrganization, lockOrganization } from '../../models/organization.ts'
import { countMadeTokens, tokens, type TokenRow } from '../../models/token.ts'
import type { Books } from '../books/books.ts'
import { joinMember } from '../people/members.ts'
import { revokeToken } from './access.ts'
import { issueToken, type IssuedToken } from './partners.ts'

export interface TokenInput {
  orgId: string
  email: string
  /** Null for full access. */
  scopes: string[] | null
  tier: TokenRow['tier']
  expires: Date | null
}

/**
 * Issues a personal access token for a user of the organisation; adds the user where the email address is new
 * (decisions §10). Throws not_found.resource for an unknown organisation, validation.invalid_value for an unknown scope.
 */
export async function mintUserToken(
  books: Books,
  { orgId, email, scopes, tier, expires }: TokenInput,
): Promise<IssuedToken> {
  const organization = isId(orgId) ? await findOrganization(books.connection, orgId) : null
  if (!organization) throw fault('not_found.resource', { message: `There is no organisation ${orgId}.` })
  books.enter(organization.id)
  // Whatever the scopes of the token, a new user may sign in to read at most.
  const user = await joinMember(books, { email, name: null, role: 'VIEWER' })
  books.record({ action: 'TOKEN_CREATED', entityType: 'USER', entityId: user.id, entityRef: user.email })
  return issueToken(books, {
    userId: user.id,
    scopes: checkedScopes(scopes ?? [FULL_ACCESS]),
    tier,
    sandbox: organization.sandbox,
    expires,
  })
}

/** What an owner chooses of a new token; `expires_at` is an instant, or a date, whose end in India it is. */
export interface NewTokenFields {
  name: string
  scopes: string[]
  expires_at?: string | null
}

/** The most tokens of an organisation that can be used at the same time, and that it makes in 24 hours: rows of tokens stay. */
const MAX_TOKENS = 200
const MAX_OF_A_DAY = 100
const DAY_MS = 24 * 60 * 60 * 1_000

/**
 * Makes a token of the signed-in user. Throws validation.invalid_value for an unknown scope or an expiry that has passed, and
 * conflict.limit_reached beyond MAX_TOKENS and MAX_OF_A_DAY. Locks the organisation, so that it is counted what others make.
 */
export async function createToken(books: Books, { name, scopes, expires_at }: NewTokenFields): Promise<IssuedToken> {
  const expires = expires_at == null ? null : new Date(endOfDate(expires_at)!)
  if (expires !== null && expires <= books.now)
    throw fault('validation.invalid_value', { field: 'expires_at', message: 'expires_at must be in the future.' })
  const checked = checkedScopes(scopes)
  await lockOrganization(books.connection, books.orgId)
  await refuseTooMany(books)
  const token = issueToken(books, {
    userId: books.caller.userId,
    name: name.trim(),
    scopes: checked,
    tier: 'DEFAULT',
    sandbox: books.organization.sandbox,
    expires,
  })
  books.record({
    action: 'TOKEN_CREATED',
    entityType: 'USER',
    entityId: books.caller.userId!,
    entityRef: books.caller.session?.email ?? null,
    metadata: { token_id: token.row.id, name: token.row.name, scopes: checked },
  })
  return token
}

async function refuseTooMany(books: Books): Promise<void> {
  if ((await findTokensOfOrganization(books, books.now)).length >= MAX_TOKENS)
    throw limitReached(
      `The organisation has ${MAX_TOKENS} tokens; revoke some that are not needed any more.`,
      MAX_TOKENS,
    )
  if ((await countMadeTokens(books, new Date(books.now.getTime() - DAY_MS))) >= MAX_OF_A_DAY)
    throw limitReached(`${MAX_OF_A_DAY} tokens were made in the last 24 hours; make others tomorrow.`, MAX_OF_A_DAY)
}

const limitReached = (message: string, limit: number) =>
  fault('conflict.limit_reached', { message, details: { limit } })

/** Revokes a token of the organisation, whoever has issued it. Throws not_found.resource. */
export async function revokeTokenOfOrganization(books: Books, id: string): Promise<void> {
  const token = isId(id) ? await findRow(books, tokens, id) : null
  const isRevoked = token?.revoked_time != null && token.revoked_time <= books.now
  if (token?.kind !== 'PAT' || isRevoked) throw notFound('token')
  await revokeToken(books, { orgId: books.orgId, id: token.id }, books.now)
}
