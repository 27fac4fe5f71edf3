// /oauth/token, /oauth/revoke and /oauth/introspect: the calls of clients (RFC 6749, RFC 7009, RFC 7662).
import type { IncomingMessage } from 'node:http'
import type { Caller } from '../../commands/books/caller.ts'
import { openBooks } from '../../commands/books/open-books.ts'
import { exchange } from '../../commands/oauth/exchange.ts'
import { GRANT_TYPES } from '../../commands/oauth/library.ts'
import { revokeOAuthToken } from '../../commands/oauth/revoke.ts'
import type { FoundClient } from '../../models/oauth-client.ts'
import { introspectedToken } from '../../models/oauth-grant.ts'
import { hashOf } from '../../models/token.ts'
import { addressBlock } from '../http/client-address.ts'
import { inPlaceOf, inTurnOf } from '../http/concurrency-shares.ts'
import type { ServerContext } from '../http/server-context.ts'
import { invalidClient } from './client-authentication.ts'
import { OAuthFault, type OAuthReply } from './refusals.ts'

/** A call of a client that has been authenticated. */
export interface ClientCall {
  server: ServerContext
  request: IncomingMessage
  form: Record<string, string>
  client: FoundClient
  origin: Caller['origin']
}

export type ClientEndpoint = (call: ClientCall) => Promise<OAuthReply>

const UNKEPT = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }
const MAX_SECRET = 200

export const token: ClientEndpoint = async (call) => {
  const { server, form, client } = call
  if (form.grant_type === undefined) throw new OAuthFault('invalid_request', 'grant_type is missing.')
  if (!GRANT_TYPES.includes(form.grant_type))
    throw new OAuthFault('unsupported_grant_type', `grant_type must be ${GRANT_TYPES.join(' or ')}.`)
  const given = await inTurn(call, () =>
    openBooks(server.writeContext, callerOf(call), (books) => exchange(books, client, form, server.sealer)),
  )
  if ('error' in given) throw new OAuthFault(given.error, given.description)
  const seconds = Math.ceil((given.accessExpires.getTime() - server.writeContext.clock().getTime()) / 1000)
  return {
    status: 200,
    headers: UNKEPT,
    body: {
      access_token: given.accessToken,
      token_type: 'Bearer',
      expires_in: seconds,
      refresh_token: given.refreshToken,
      scope: given.scopes.join(' '),
      organization_ids: given.organizationIds,
    },
  }
}

/** Whatever `token_type_hint` says, a token is found by its hash. */
export const revoke: ClientEndpoint = async (call) => {
  const { server, client } = call
  const secret = secretIn(call)
  const isOwn = await inTurn(call, () =>
    openBooks(server.writeContext, callerOf(call), (books) => revokeOAuthToken(books, client, secret)),
  )
  if (!isOwn) throw new OAuthFault('invalid_grant', 'The token was issued to another client.')
  return { status: 200, headers: UNKEPT, body: {} }
}

/** Says nothing of tokens of others. A public client has no secret by which it could be told from somebody else. */
export const introspect: ClientEndpoint = async (call) => {
  const { server, client } = call
  if (client.is_public) throw invalidClient()
  const now = server.writeContext.clock()
  const hash = hashOf(secretIn(call))
  const found = await inPlaceOf(server, client.id, () =>
    introspectedToken(server.writeContext.database, { hash, clientId: client.id, now }),
  )
  if (!found) return { status: 200, headers: UNKEPT, body: { active: false } }
  return {
    status: 200,
    headers: UNKEPT,
    body: {
      active: true,
      client_id: found.client_id,
      scope: found.scopes.join(' '),
      ...(found.kind === 'ACCESS' ? { token_type: 'Bearer' } : {}),
      sub: found.person_id,
      iss: server.gateways.site.origin,
      iat: Math.floor(found.created_time.getTime() / 1000),
      exp: Math.floor(found.expires_time.getTime() / 1000),
      organization_ids: found.organization_ids,
    },
  }
}

function secretIn({ form }: ClientCall): string {
  if (form.token === undefined) throw new OAuthFault('invalid_request', 'token is missing.')
  return form.token.slice(0, MAX_SECRET)
}

// Anybody can say that they are a public client, and has the turns of their address.
const inTurn = <T>({ server, client, origin }: ClientCall, work: () => Promise<T>): Promise<T> =>
  inTurnOf(server, client.is_public ? addressBlock(origin.ip ?? 'unknown') : client.id, work)

const callerOf = ({ client, origin }: ClientCall): Caller => ({
  subject: client.id,
  kind: 'SYSTEM',
  tier: 'DEFAULT',
  scopes: [],
  userId: null,
  partnerId: null,
  organization: null,
  origin,
})
