// The routes of personal access tokens, which owners make and revoke.
import { Type } from 'typebox'
import { createToken, revokeTokenOfOrganization } from '../../commands/organizations/tokens.ts'
import { findTokensOfOrganization } from '../../models/issued-access.ts'
import { route } from '../http/route.ts'
import { one } from '../shapes/fields.ts'
import { ListedToken, MadeToken, NewToken, showListedToken, showMadeToken } from '../shapes/token.ts'

const tokens = { tag: 'Tokens', by: 'session' } as const

export const tokenRoutes = [
  route({
    ...tokens,
    method: 'GET',
    path: '/tokens',
    does: 'List the tokens that can be used',
    scope: 'tokens.READ',
    answer: Type.Object({ tokens: Type.Array(ListedToken) }),
    read: async (context) => ({
      tokens: (await findTokensOfOrganization(context, context.now)).map(showListedToken),
    }),
  }),
  route({
    ...tokens,
    method: 'POST',
    path: '/tokens',
    does: 'Make a token',
    scope: 'tokens.UPDATE',
    changesOrganization: true,
    status: 201,
    secretAnswer: true,
    body: NewToken,
    answer: one('token', MadeToken),
    write: async (books, { body }) => ({
      message: 'Token created. It is shown here alone.',
      token: showMadeToken(await createToken(books, body)),
    }),
  }),
  route({
    ...tokens,
    method: 'DELETE',
    path: '/tokens/{token_id}',
    does: 'Revoke a token',
    scope: 'tokens.UPDATE',
    changesOrganization: true,
    answer: Type.Object({}),
    async write(books, { params }) {
      await revokeTokenOfOrganization(books, params.token_id!)
      return { message: 'Token revoked.' }
    },
  }),
]
