// Revokes a token that a client gives back (RFC 7009).
import type { FoundClient } from '../../models/oauth-client.ts'
import { lockPresented, oauthGrants, oauthTokens } from '../../models/oauth-grant.ts'
import type { Books } from '../books/books.ts'

/**
 * A refresh token ends the whole grant, an access token only itself. One that is unknown is as good as revoked. False for a token
 * of another client.
 */
export async function revokeOAuthToken(books: Books, client: FoundClient, secret: string): Promise<boolean> {
  const { token, grant } = await lockPresented(books.connection, secret)
  if (!grant) return true
  if (grant.client_id !== client.id) return false
  if (token?.kind !== 'ACCESS') {
    if (grant.revoked_time === null) books.update(oauthGrants, grant, { revoked_time: books.now })
  } else if (token.revoked_time === null) books.update(oauthTokens, token, { revoked_time: books.now })
  return true
}
