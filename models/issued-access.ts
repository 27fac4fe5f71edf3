// The tokens and partner keys that were issued, for operators: whose they are and when they were last used, never the secrets.
import type { Connection } from './connection.ts'

export interface ListedToken {
  token_id: string
  org_id: string
  organization: string
  /** Whose token it is: the address of its user, or the name of its partner. */
  user: string | null
  partner: string | null
  kind: string
  tier: string
  scopes: string[]
  created_time: Date
  expires_time: Date | null
  revoked_time: Date | null
  /** To the hour; null where no use is known. */
  last_used_time: Date | null
}

/** The tokens of an organisation, or of all where it is null, 500 at a time: those after one of them, by organisation and id. */
export const listedTokens = (
  connection: Connection,
  { orgId, after, valid }: { orgId: string | null; after: ListedToken | null; valid: Date | null },
): Promise<ListedToken[]> =>
  connection.run<ListedToken>(TOKENS, [orgId, after?.org_id ?? FIRST_ID, after?.token_id ?? FIRST_ID, valid])

const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const TOKENS = {
  name: 'issued tokens',
  text: `SELECT t.id AS token_id, t.org_id, o.name AS organization, u.email AS user, p.name AS partner, t.kind, t.tier, t.scopes,
      t.created_time, t.expires_time, t.revoked_time, l.last_used_time
    FROM tokens AS t JOIN organizations AS o ON o.id = t.org_id
    LEFT JOIN users AS u ON u.org_id = t.org_id AND u.id = t.user_id
    LEFT JOIN partners AS p ON p.id = t.partner_id
    LEFT JOIN last_uses AS l ON l.subject = t.id
    WHERE ($1::uuid IS NULL OR t.org_id = $1) AND (t.org_id, t.id) > ($2::uuid, $3::uuid)
      AND ($4::timestamptz IS NULL OR (t.revoked_time IS NULL OR t.revoked_time > $4) AND (t.expires_time IS NULL OR t.expires_time > $4))
    ORDER BY t.org_id, t.id LIMIT 500`,
}

/** The organisation of a token; null where no organisation has one of this id. */
export async function organizationOfToken(connection: Connection, id: string): Promise<string | null> {
  const [found] = await connection.run<{ org_id: string }>(OF_TOKEN, [id])
  return found?.org_id ?? null
}

const OF_TOKEN = { name: 'organization of token', text: 'SELECT org_id FROM tokens WHERE id = $1' }

export interface ListedKey {
  key_id: string
  partner: string
  created_time: Date
  revoked_time: Date | null
  last_used_time: Date | null
}

export const listedKeys = (connection: Connection): Promise<ListedKey[]> => connection.run<ListedKey>(KEYS, [])

const KEYS = {
  name: 'issued partner keys',
  text: `SELECT k.id AS key_id, p.name AS partner, k.created_time, k.revoked_time, l.last_used_time
    FROM partner_keys AS k JOIN partners AS p ON p.id = k.partner_id LEFT JOIN last_uses AS l ON l.subject = k.id ORDER BY p.name, k.created_time`,
}
