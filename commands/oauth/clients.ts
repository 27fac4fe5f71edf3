// OAuth clients: registered by owners of organisations and by operators, and revoked.
import { fault, notFound } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import { MAX_REDIRECT_URIS, redirectUriProblem } from '../../domain/oauth/redirect-uri.ts'
import {
  clientsOfOwner,
  lockClient,
  oauthClients,
  registeredClients,
  type OAuthClientRow,
} from '../../models/oauth-client.ts'
import { lockOrganization } from '../../models/organization.ts'
import { hashOf, mintSecret, PREFIXES } from '../../models/token.ts'
import type { Books } from '../books/books.ts'

export interface NewClient {
  name: string
  redirectUris: string[]
  isPublic: boolean
}

/** The most clients of an organisation that can be used at the same time, and that it registers in 24 hours: their rows stay. */
const MAX_CLIENTS = 20
const MAX_OF_A_DAY = 100
const DAY_MS = 24 * 60 * 60 * 1_000
const MAX_NAME = 100

/** A new client; the secret is returned once, null for a public one. */
export interface RegisteredClient {
  row: OAuthClientRow
  secret: string | null
}

/**
 * Registers a client, of the organisation of the signed-in owner, or of nobody by an operator. Throws validation.invalid_value for
 * a redirect URI that cannot be registered, and conflict.limit_reached beyond MAX_CLIENTS and MAX_OF_A_DAY.
 */
export async function registerClient(
  books: Books,
  { name, redirectUris, isPublic }: NewClient,
): Promise<RegisteredClient> {
  const ownerId = books.caller.organization?.id ?? null
  const uris = checkedUris(redirectUris, isPublic)
  const plainName = name.trim()
  if (plainName.length > MAX_NAME || /\p{C}/u.test(plainName) || !isSeen(plainName))
    throw fault('validation.invalid_value', {
      field: 'name',
      message: `name must be 1 to ${MAX_NAME} printable characters, with a letter or a digit.`,
    })
  if (ownerId !== null) await refuseTooMany(books, ownerId)
  const secret = isPublic ? null : mintSecret(PREFIXES.oauthClient)
  const row = books.insertAbove(oauthClients, {
    id: books.newId(),
    owner_id: ownerId,
    name: plainName,
    redirect_uris: uris,
    secret_hash: secret === null ? null : hashOf(secret),
    created_time: books.now,
    revoked_time: null,
  })
  if (ownerId !== null) record(books, 'OAUTH_CLIENT_CREATED', row)
  return { row, secret }
}

// Some letters are shown as nothing, such as the filler of Hangul; people would be asked to allow an app without a name.
const isSeen = (name: string) => /[\p{L}\p{N}]/u.test(name.replace(/\p{Default_Ignorable_Code_Point}/gu, ''))

// Locks the organisation, so that it is counted what others register.
async function refuseTooMany(books: Books, ownerId: string): Promise<void> {
  await lockOrganization(books.connection, ownerId)
  if ((await clientsOfOwner(books.connection, ownerId)).length >= MAX_CLIENTS)
    throw limitReached(
      `The organisation has ${MAX_CLIENTS} OAuth clients; revoke some that are not needed any more.`,
      MAX_CLIENTS,
    )
  const since = new Date(books.now.getTime() - DAY_MS)
  if ((await registeredClients(books.connection, ownerId, since)) >= MAX_OF_A_DAY)
    throw limitReached(
      `${MAX_OF_A_DAY} clients were registered in the last 24 hours; register others tomorrow.`,
      MAX_OF_A_DAY,
    )
}

const limitReached = (message: string, limit: number) =>
  fault('conflict.limit_reached', { message, details: { limit } })

function checkedUris(redirectUris: string[], isPublic: boolean): string[] {
  const uris = [...new Set(redirectUris)]
  if (uris.length === 0 || uris.length > MAX_REDIRECT_URIS) {
    const message = `A client has 1 to ${MAX_REDIRECT_URIS} redirect URIs.`
    throw fault('validation.invalid_value', { field: 'redirect_uris', message })
  }
  for (const [place, uri] of uris.entries()) {
    const problem = redirectUriProblem(uri, isPublic)
    if (problem === null) continue
    const message = `This redirect URI ${problem}.`
    throw fault('validation.invalid_value', { field: `redirect_uris.${place}`, message })
  }
  return uris
}

/**
 * Revokes a client: its codes and tokens work no more. Of the organisation of the signed-in owner, or any by an operator. Throws
 * not_found.resource.
 */
export async function revokeClient(books: Books, id: string): Promise<OAuthClientRow> {
  const ownerId = books.caller.organization?.id ?? null
  const client = isId(id) ? await lockClient.first(books.connection, id) : null
  if (!client || (ownerId !== null && (client.owner_id !== ownerId || client.revoked_time !== null)))
    throw notFound('OAuth client')
  if (client.revoked_time !== null) return client
  if (client.owner_id !== null) {
    books.enter(client.owner_id)
    record(books, 'OAUTH_CLIENT_REVOKED', client)
  }
  return books.update(oauthClients, client, { revoked_time: books.now })
}

function record(books: Books, action: string, { id, name, owner_id }: OAuthClientRow): void {
  books.record({
    action,
    entityType: 'ORGANIZATION',
    entityId: owner_id!,
    entityRef: name,
    metadata: { client_id: id },
  })
}
