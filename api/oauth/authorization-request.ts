// Reads a request for authorization (RFC 6749 §4.1.1, RFC 7636), and says where its refusal may be sent.
import type { AuthorizationRequest } from '../../commands/oauth/authorize.ts'
import { isId } from '../../domain/ids.ts'
import { isRegistered, MAX_REDIRECT_URI } from '../../domain/oauth/redirect-uri.ts'
import { isScope } from '../../domain/scopes.ts'
import type { Connection } from '../../models/connection.ts'
import { findClient } from '../../models/oauth-client.ts'

const MAX_STATE = 1_024
const MAX_SCOPES = 200
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const PRINTABLE = /^[\x20-\x7e]*$/

/** A request that has been read: it can be answered, is refused at the client's redirect URI, or by a page of ours alone. */
export type ReadRequest =
  | { kind: 'request'; request: AuthorizationRequest; state: string | null }
  | { kind: 'refused'; redirectUri: string; error: string; description: string; state: string | null }
  | { kind: 'unanswerable'; problem: string }

/** Nothing is ever sent to a redirect URI that is not registered: the service would redirect to anywhere (RFC 9700 §4.11). */
export async function readAuthorizationRequest(connection: Connection, query: URLSearchParams): Promise<ReadRequest> {
  const only = (name: string) => (query.getAll(name).length > 1 ? null : query.get(name) || null)
  const unanswerable = (problem: string): ReadRequest => ({ kind: 'unanswerable', problem })
  const clientId = only('client_id')
  const client = clientId !== null && isId(clientId) ? await findClient(connection, clientId) : null
  if (!client) return unanswerable('The app that sends you here is not known to this service, or not any more.')
  const redirectUri = only('redirect_uri')
  if (redirectUri === null || redirectUri.length > MAX_REDIRECT_URI || !isRegistered(client.redirect_uris, redirectUri))
    return unanswerable('The app wants its answer at an address that is not registered for it (redirect_uri).')
  const sentState = only('state')
  const isState = sentState === null || (sentState.length <= MAX_STATE && PRINTABLE.test(sentState))
  const state = isState ? sentState : null
  const refused = (error: string, description: string): ReadRequest => ({
    kind: 'refused',
    redirectUri,
    error,
    description,
    state,
  })
  if (new Set(query.keys()).size < query.size) return refused('invalid_request', 'A parameter is sent more than once.')
  if (!isState) return refused('invalid_request', `state must be at most ${MAX_STATE} printable ASCII characters.`)
  const problem = problemOf(query)
  if (problem) return refused(...problem)
  const scopes = [...new Set(query.get('scope')!.split(' ').filter(Boolean))]
  const codeChallenge = query.get('code_challenge')!
  return { kind: 'request', request: { client, redirectUri, scopes, codeChallenge }, state }
}

function problemOf(query: URLSearchParams): [error: string, description: string] | null {
  const type = query.get('response_type')
  if (!type) return ['invalid_request', 'response_type is missing.']
  if (type !== 'code') return ['unsupported_response_type', 'response_type must be code.']
  const mode = query.get('response_mode')
  if (mode && mode !== 'query') return ['invalid_request', 'response_mode must be query.']
  if (!query.get('code_challenge')) return ['invalid_request', 'code_challenge is missing: PKCE is required.']
  if (query.get('code_challenge_method') !== 'S256') return ['invalid_request', 'code_challenge_method must be S256.']
  if (!CHALLENGE.test(query.get('code_challenge')!)) return ['invalid_request', 'code_challenge is no S256 challenge.']
  const scopes = (query.get('scope') ?? '').split(' ').filter(Boolean)
  if (scopes.length === 0) return ['invalid_scope', 'scope is missing.']
  if (scopes.length > MAX_SCOPES) return ['invalid_scope', `scope has more than ${MAX_SCOPES} scopes.`]
  return scopes.every(isScope) ? null : ['invalid_scope', 'scope has an unknown scope.']
}
