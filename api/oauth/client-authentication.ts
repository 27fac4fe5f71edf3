// Authenticates the client of a call: by Basic or by its form (RFC 6749 §2.3); a public client only says which one it is.
import type { IncomingMessage } from 'node:http'
import { isId } from '../../domain/ids.ts'
import type { Connection } from '../../models/connection.ts'
import { findClient, type FoundClient } from '../../models/oauth-client.ts'
import { hashOf } from '../../models/token.ts'
import { OAuthFault } from './refusals.ts'

/** What a call says of its client. */
export interface ClientCredentials {
  id: string
  secret: string | null
}

export const invalidClient = () =>
  new OAuthFault('invalid_client', 'The client is unknown, or its secret is wrong or missing.', {
    status: 401,
    headers: { 'WWW-Authenticate': 'Basic realm="OAuth", charset="UTF-8"' },
  })

/** The client. Throws invalid_client. */
export async function authenticateClient(
  connection: Connection,
  { id, secret }: ClientCredentials,
): Promise<FoundClient> {
  const client = isId(id) ? await findClient(connection, id, secret === null ? null : hashOf(secret)) : null
  if (!client || (client.is_public ? secret !== null : client.is_secret !== true)) throw invalidClient()
  return client
}

/** Throws invalid_client where there are none, and invalid_request for a client that authenticates in two ways. */
export function credentialsOf(request: IncomingMessage, form: Record<string, string>): ClientCredentials {
  const sent = request.headersDistinct.authorization ?? []
  if (sent.length === 0) {
    if (form.client_id === undefined) throw invalidClient()
    return { id: form.client_id, secret: form.client_secret ?? null }
  }
  const basic = sent.length === 1 ? /^Basic +([A-Za-z0-9+/=_-]{1,4000}) *$/i.exec(sent[0]!)?.[1] : undefined
  const [, id, secret] =
    basic === undefined ? [] : (/^([^:]*):(.*)$/s.exec(Buffer.from(basic, 'base64').toString()) ?? [])
  if (id === undefined || secret === undefined) throw invalidClient()
  if (form.client_secret !== undefined || (form.client_id !== undefined && form.client_id !== decoded(id)))
    throw new OAuthFault('invalid_request', 'The client authenticates in more than one way.')
  return { id: decoded(id), secret: secret === '' ? null : decoded(secret) }
}

// Both are form-encoded before they are joined (RFC 6749 §2.3.1). What is encoded wrongly stays as it is, and is nobody's.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
