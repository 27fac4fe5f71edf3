// /.well-known/oauth-authorization-server: what a client needs to know of this authorization server (RFC 8414, RFC 9207).
import { SCOPES } from '../../domain/scopes.ts'
import { GRANT_TYPES } from '../../commands/oauth/library.ts'

const SECRETS = ['client_secret_basic', 'client_secret_post']

export const metadata = (issuer: string): Record<string, unknown> => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  introspection_endpoint: `${issuer}/oauth/introspect`,
  scopes_supported: SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: GRANT_TYPES,
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: [...SECRETS, 'none'],
  revocation_endpoint_auth_methods_supported: [...SECRETS, 'none'],
  introspection_endpoint_auth_methods_supported: SECRETS,
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${issuer}/docs`,
})
