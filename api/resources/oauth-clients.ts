// The routes of OAuth clients, which owners register and revoke.
import { Type } from 'typebox'
import { registerClient, revokeClient } from '../../commands/oauth/clients.ts'
import { clientsOfOwner } from '../../models/oauth-client.ts'
import { route } from '../http/route.ts'
import { one } from '../shapes/fields.ts'
import {
  NewOAuthClient,
  OAuthClient,
  RegisteredOAuthClient,
  showOAuthClient,
  showRegisteredClient,
} from '../shapes/oauth.ts'

const clients = { tag: 'OAuth', by: 'session' } as const

export const oauthClientRoutes = [
  route({
    ...clients,
    method: 'GET',
    path: '/oauth_clients',
    does: 'List the OAuth clients of the organisation',
    scope: 'tokens.READ',
    answer: Type.Object({ oauth_clients: Type.Array(OAuthClient) }),
    read: async ({ connection, orgId }) => ({
      oauth_clients: (await clientsOfOwner(connection, orgId)).map(showOAuthClient),
    }),
  }),
  route({
    ...clients,
    method: 'POST',
    path: '/oauth_clients',
    does: 'Register an OAuth client',
    scope: 'tokens.UPDATE',
    changesOrganization: true,
    status: 201,
    secretAnswer: true,
    body: NewOAuthClient,
    answer: one('oauth_client', RegisteredOAuthClient),
    write: async (books, { body }) => ({
      message: 'Client registered. Its secret is shown here alone.',
      oauth_client: showRegisteredClient(
        await registerClient(books, {
          name: body.name,
          redirectUris: body.redirect_uris,
          isPublic: body.public === true,
        }),
      ),
    }),
  }),
  route({
    ...clients,
    method: 'DELETE',
    path: '/oauth_clients/{client_id}',
    does: 'Revoke an OAuth client, with every token that it has',
    scope: 'tokens.UPDATE',
    answer: Type.Object({}),
    async write(books, { params }) {
      await revokeClient(books, params.client_id!)
      return { message: 'Client revoked.' }
    },
  }),
]
