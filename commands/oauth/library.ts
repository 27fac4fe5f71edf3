// What we give to and take from @node-oauth/oauth2-server: its requests, its lifetimes, and its model over our tables.
import OAuth2Server from '@node-oauth/oauth2-server'

/** How long each lives (decisions §12). */
export const CODE_MS = 2 * 60_000
export const ACCESS_MS = 60 * 60_000
export const REFRESH_MS = 90 * 24 * 60 * 60_000
/** A refresh token that is used again within this time gets the same answer. */
export const REPEAT_MS = 30_000

export const GRANT_TYPES = ['authorization_code', 'refresh_token']

const LIFETIMES = {
  authorizationCodeLifetime: CODE_MS / 1000,
  accessTokenLifetime: ACCESS_MS / 1000,
  refreshTokenLifetime: REFRESH_MS / 1000,
}

export type LibraryModel = OAuth2Server.AuthorizationCodeModel & OAuth2Server.RefreshTokenModel

/** A server for one request. `requireClientAuthentication` is false because the caller of it has authenticated the client. */
export const oauthServer = (model: Partial<LibraryModel>): OAuth2Server =>
  new OAuth2Server({
    model: model as LibraryModel,
    ...LIFETIMES,
    allowEmptyState: true,
    requireClientAuthentication: { authorization_code: false, refresh_token: false },
  })

/** A request with these parameters of a form, as the library reads one. */
export const formRequest = (body: Record<string, string>): OAuth2Server.Request =>
  new OAuth2Server.Request({
    method: 'POST',
    query: {},
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' },
    body,
  })

export const emptyResponse = (): OAuth2Server.Response => new OAuth2Server.Response()

export const { OAuthError, InvalidGrantError } = OAuth2Server

/** What our model has thrown, which the library wraps; any other error as it is. */
export const causeOf = (error: unknown): unknown =>
  error instanceof OAuthError && error.name === 'server_error' ? ((error as { inner?: unknown }).inner ?? error) : error
