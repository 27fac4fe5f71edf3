// OAuth clients as owners see and register them, and what people have allowed them.
import { Type, type Static } from 'typebox'
import type { RegisteredClient } from '../../commands/oauth/clients.ts'
import { MAX_REDIRECT_URI, MAX_REDIRECT_URIS } from '../../domain/oauth/redirect-uri.ts'
import type { OAuthClientRow } from '../../models/oauth-client.ts'
import type { ListedConsent } from '../../models/oauth-consent.ts'
import { Id, Name, nullable, optional, Timestamp } from './fields.ts'

const CLIENT = {
  client_id: Id,
  name: Type.String(),
  redirect_uris: Type.Array(Type.String()),
  public: Type.Boolean({ description: 'Without a secret: an app on the devices of its users.' }),
  created_time: Timestamp,
}

export const OAuthClient = Type.Object(CLIENT)

export const RegisteredOAuthClient = Type.Object({
  ...CLIENT,
  client_secret: nullable(Type.String({ description: 'Shown here alone; null for a public client.' })),
})

export const NewOAuthClient = Type.Object({
  name: Name(100),
  redirect_uris: Type.Array(Type.String({ minLength: 1, maxLength: MAX_REDIRECT_URI }), {
    minItems: 1,
    maxItems: MAX_REDIRECT_URIS,
  }),
  public: optional(Type.Boolean()),
})

export const showOAuthClient = (row: OAuthClientRow): Static<typeof OAuthClient> => ({
  client_id: row.id,
  name: row.name,
  redirect_uris: row.redirect_uris,
  public: row.secret_hash === null,
  created_time: row.created_time.toISOString(),
})

export const showRegisteredClient = ({ row, secret }: RegisteredClient): Static<typeof RegisteredOAuthClient> => ({
  ...showOAuthClient(row),
  client_secret: secret,
})

export const Consent = Type.Object({
  consent_id: Id,
  client: Type.Object({ client_id: Id, name: Type.String() }),
  scopes: Type.Array(Type.String()),
  organizations: Type.Array(Type.Object({ org_id: Id, name: Type.String() })),
  created_time: Timestamp,
  last_used_time: nullable(Type.String({ format: 'date-time', description: 'To the hour.' })),
})

export const showConsent = (row: ListedConsent): Static<typeof Consent> => ({
  consent_id: row.id,
  client: { client_id: row.client_id, name: row.client },
  scopes: row.scopes,
  organizations: row.organizations,
  created_time: row.created_time.toISOString(),
  last_used_time: row.last_used_time?.toISOString() ?? null,
})
