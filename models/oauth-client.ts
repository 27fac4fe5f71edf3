// OAuth clients: the apps that people can allow to act for them.
import type { Connection, Statement } from './connection.ts'
import { finderAbove, is } from './find.ts'
import { BYTES, TEXT, TEXTS, TIME, UUID, model, orNull, type RowOf } from './model.ts'

export const oauthClients = model(
  'oauth_clients',
  {
    id: UUID,
    /** The organisation whose owner has registered it; null where the operator has. */
    owner_id: orNull(UUID),
    name: TEXT,
    redirect_uris: TEXTS,
    /** Null for a public client. */
    secret_hash: orNull(BYTES),
    created_time: TIME,
    revoked_time: orNull(TIME),
  },
  { key: ['id'] },
)
export type OAuthClientRow = RowOf<typeof oauthClients>

/** A client that is not revoked; `is_secret` is null where no secret was sent or the client has none. */
export type FoundClient = Omit<OAuthClientRow, 'secret_hash' | 'revoked_time'> & {
  is_public: boolean
  is_secret: boolean | null
}

/** The client of this id, and whether the secret of this hash is its own. */
export async function findClient(
  connection: Connection,
  id: string,
  secretHash: string | null = null,
): Promise<FoundClient | null> {
  const [found] = await connection.run<FoundClient>(FIND, [id, secretHash])
  return found ?? null
}

// Both sides are SHA-256 of 32 random bytes, so how long the comparison takes says nothing of the secret.
const FIND: Statement = {
  name: 'find oauth client',
  text: `SELECT id, owner_id, name, redirect_uris, created_time, secret_hash IS NULL AS is_public, secret_hash = $2::bytea AS is_secret
         FROM oauth_clients WHERE id = $1 AND revoked_time IS NULL`,
  takesNoLock: true,
}

/** The clients of an organisation that can be used, the newest first. */
export const clientsOfOwner = finderAbove<OAuthClientRow, [ownerId: string]>(oauthClients, (ownerId) => ({
  where: { owner_id: is(ownerId), revoked_time: null },
  order: [
    ['created_time', 'DESC'],
    ['id', 'DESC'],
  ],
}))

/** How many clients an organisation has registered since this time, revoked ones too. */
export async function registeredClients(connection: Connection, ownerId: string, since: Date): Promise<number> {
  const [{ count } = { count: 0n }] = await connection.run<{ count: bigint }>(COUNT_REGISTERED, [ownerId, since])
  return Number(count)
}

const COUNT_REGISTERED: Statement = {
  name: 'count registered oauth clients',
  text: 'SELECT count(*) FROM oauth_clients WHERE owner_id = $1 AND created_time > $2',
  takesNoLock: true,
}

/** A client, locked; revoked ones too. */
export const lockClient = finderAbove<OAuthClientRow, [id: string]>(oauthClients, (id) => ({
  where: { id: is(id) },
  lock: true,
}))

/** Every client for an operator, revoked ones too, 500 at a time: those after one of them. */
export const listedClients = (connection: Connection, after: string | null): Promise<ListedClient[]> =>
  connection.run<ListedClient>(LISTED, [after ?? '00000000-0000-0000-0000-000000000000'])

export type ListedClient = Omit<OAuthClientRow, 'secret_hash'> & { is_public: boolean; owner: string | null }

const LISTED: Statement = {
  name: 'listed oauth clients',
  text: `SELECT c.id, c.owner_id, o.name AS owner, c.name, c.redirect_uris, c.secret_hash IS NULL AS is_public, c.created_time, c.revoked_time
         FROM oauth_clients AS c LEFT JOIN organizations AS o ON o.id = c.owner_id WHERE c.id > $1 ORDER BY c.id LIMIT 500`,
  takesNoLock: true,
}
