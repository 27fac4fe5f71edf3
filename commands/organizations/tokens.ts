// Personal access tokens for the users of an organisation.
import { fault } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import { checkedScopes, FULL_ACCESS } from '../../domain/scopes.ts'
import { findOrganization, findUserByEmail } from '../../models/organization.ts'
import type { TokenRow } from '../../models/token.ts'
import type { Books } from '../books/books.ts'
import { addUser } from '../people/persons.ts'
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
  const user =
    (await findUserByEmail(books, email)) ??
    // Whatever the scopes of the token, its user may sign in to read at most.
    (await addUser(books, { email, name: null, role: 'VIEWER' }))
  books.record({ action: 'TOKEN_CREATED', entityType: 'USER', entityId: user.id, entityRef: user.email })
  return issueToken(books, {
    userId: user.id,
    scopes: checkedScopes(scopes ?? [FULL_ACCESS]),
    tier,
    sandbox: organization.sandbox,
    expires,
  })
}
