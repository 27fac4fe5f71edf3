// The tokens and partner keys that were issued, for operators: whose they are and when they were last used, never the secrets.
import type { Connection, Statement } from './connection.ts'
import type { Scope } from './find.ts'
import type { TokenRow } from './token.ts'

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

/** Which tokens, or partner keys, an operator means; null is no condition. */
export interface IssuedFilter {
  /** Those that are valid at this time. */
  valid: Date | null
  /** Those that were created at this time or later, and those created before. */
  since: Date | null
  before: Date | null
}

export interface TokenFilter extends IssuedFilter {
  orgId: string | null
}

/** Such tokens, 500 at a time: those after one of them, by organisation and id. */
export function listedTokens(
  connection: Connection,
  { orgId, valid, since, before }: TokenFilter,
  after: ListedToken | null,
): Promise<ListedToken[]> {
  const place = [after?.org_id ?? FIRST_ID, after?.token_id ?? FIRST_ID]
  return connection.run<ListedToken>(TOKENS, [orgId, ...place, valid, since, before])
}

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
      AND ($5::timestamptz IS NULL OR t.created_time >= $5) AND ($6::timestamptz IS NULL OR t.created_time < $6)
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

/** Such keys, of the partner of this name or of all. */
export const listedKeys = (
  connection: Connection,
  { partner, valid, since, before }: IssuedFilter & { partner: string | null },
): Promise<ListedKey[]> => connection.run<ListedKey>(KEYS, [partner, valid, since, before])

const KEYS = {
  name: 'issued partner keys',
  text: `SELECT k.id AS key_id, p.name AS partner, k.created_time, k.revoked_time, l.last_used_time
    FROM partner_keys AS k JOIN partners AS p ON p.id = k.partner_id LEFT JOIN last_uses AS l ON l.subject = k.id
    WHERE ($1::text IS NULL OR p.name = $1) AND ($2::timestamptz IS NULL OR k.revoked_time IS NULL OR k.revoked_time > $2)
      AND ($3::timestamptz IS NULL OR k.created_time >= $3) AND ($4::timestamptz IS NULL OR k.created_time < $4)
    ORDER BY p.name, k.created_time, k.id`,
}

/** A token as the owners of its organisation see it; `ends` is when it expires or is revoked. */
export type TokenOfOrganization = Pick<TokenRow, 'name' | 'user_id' | 'scopes' | 'tier' | 'created_time'> & {
  token_id: string
  partner: string | null
  ends: Date | null
  last_used_time: Date | null
}

/** The personal access tokens of the organisation that can be used, the newest first, at most 1,000. */
export function findTokensOfOrganization({ connection, orgId }: Scope, now: Date): Promise<TokenOfOrganization[]> {
  return connection.run<TokenOfOrganization>(TOKENS_OF_ORGANIZATION, [orgId, now])
}

const TOKENS_OF_ORGANIZATION: Statement = {
  name: 'tokens of organization',
  text: `SELECT t.id AS token_id, t.name, t.user_id, p.name AS partner, t.scopes, t.tier, t.created_time,
      least(t.revoked_time, t.expires_time) AS ends, l.last_used_time
    FROM tokens AS t LEFT JOIN partners AS p ON p.id = t.partner_id LEFT JOIN last_uses AS l ON l.subject = t.id
    WHERE t.org_id = $1 AND t.kind = 'PAT' AND (t.revoked_time IS NULL OR t.revoked_time > $2) AND (t.expires_time IS NULL OR t.expires_time > $2)
    ORDER BY t.created_time DESC, t.id DESC LIMIT 1000`,
}
