// Gives a client an authorization code, by a new consent or by one that is remembered.
import type OAuth2Server from '@node-oauth/oauth2-server'
import { checkedScopes } from '../../domain/scopes.ts'
import type { FoundClient } from '../../models/oauth-client.ts'
import { oauthGrants } from '../../models/oauth-grant.ts'
import { hashOf, mintSecret, PREFIXES } from '../../models/token.ts'
import type { Books } from '../books/books.ts'
import { giveConsent } from './consents.ts'
import { causeOf, CODE_MS, emptyResponse, formRequest, GRANT_TYPES, oauthServer, type LibraryModel } from './library.ts'

/** A request for a code, of a client that exists and with a redirect URI that is its own. */
export interface AuthorizationRequest {
  client: FoundClient
  redirectUri: string
  scopes: string[]
  /** S256 of the verifier. */
  codeChallenge: string
}

/** What the person has decided: a consent of earlier, or the organisations of a new one. */
export type Decision = { consentId: string } | { orgIds: string[] }

/** The code, which works once within CODE_MS. Throws what giveConsent throws. */
export async function authorizeClient(
  books: Books,
  personId: string,
  { client, redirectUri, scopes, codeChallenge }: AuthorizationRequest,
  decision: Decision,
): Promise<string> {
  const consentId =
    'consentId' in decision
      ? decision.consentId
      : (await giveConsent(books, { personId, clientId: client.id, scopes, orgIds: decision.orgIds })).id
  const model: Partial<LibraryModel> = {
    getClient: async () => ({ id: client.id, grants: GRANT_TYPES, redirectUris: client.redirect_uris }),
    validateRedirectUri: async () => true,
    validateScope: async (_user, _client, asked = []) => checkedScopes(asked),
    generateAuthorizationCode: async () => mintSecret(PREFIXES.oauthCode),
    async saveAuthorizationCode(code, of, user) {
      books.insertAbove(oauthGrants, {
        id: books.newId(),
        consent_id: consentId,
        client_id: client.id,
        scopes: code.scope!,
        code_hash: hashOf(code.authorizationCode),
        redirect_uri: code.redirectUri,
        code_challenge: code.codeChallenge!,
        created_time: books.now,
        code_expires_time: new Date(books.now.getTime() + CODE_MS),
        code_used_time: null,
        tokens_expire_time: null,
        revoked_time: null,
      })
      return { ...code, client: of, user } as OAuth2Server.AuthorizationCode
    },
  }
  const request = formRequest({
    client_id: client.id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
  })
  const authenticateHandler = { handle: async () => ({ personId }) }
  try {
    const given = await oauthServer(model).authorize(request, emptyResponse(), { authenticateHandler })
    return given.authorizationCode
  } catch (error) {
    throw causeOf(error)
  }
}
