// The callers whom OAuth access tokens identify: a person in one of the organisations of a consent, by one statement.
import type { Role } from '../domain/roles.ts'
import type { Connection, Statement } from './connection.ts'
import { TURN_TO_WRITE } from './organization.ts'
import { CallerChanged, type OrganizationFacts } from './token.ts'
import type { Precondition } from './transaction.ts'

/** What is known of an access token that is valid now. */
export interface OAuthHolder {
  /** Stays the same when the token is refreshed. */
  grantId: string
  clientId: string
  personId: string
  scopes: string[]
  /** The person in the organisation that the call names; null where it names none, or one that the consent does not have. */
  membership: { userId: string; role: Role; organization: OrganizationFacts; version: string } | null
  /** Whether the consent had the organisation, and has it no more: the token is good in others. */
  hasEnded: boolean
}

type HolderRow = OrganizationFacts & {
  grant_id: string
  client_id: string
  person_id: string
  scopes: string[]
  consented: boolean
  user_id: string | null
  role: Role
  version: string
}

/**
 * The holder of an access token in this organisation. Null for a token that is good nowhere: one that is unknown, expired or revoked,
 * whose consent was withdrawn, or whose person was removed from all organisations of the consent.
 */
export async function findOAuthHolder(
  connection: Connection,
  { hash, orgId, now }: { hash: string; orgId: string | null; now: Date },
): Promise<OAuthHolder | null> {
  const [row] = await connection.run<HolderRow>(HOLDER, [orgId, hash, now])
  if (!row) return null
  const { grant_id, client_id, person_id, scopes, consented, user_id, role, version, ...organization } = row
  const membership = user_id === null ? null : { userId: user_id, role, organization, version }
  const hasEnded = consented && user_id === null
  return { grantId: grant_id, clientId: client_id, personId: person_id, scopes, membership, hasEnded }
}

const VALID = `t.kind = 'ACCESS' AND t.revoked_time IS NULL AND t.expires_time > $3 AND g.revoked_time IS NULL AND c.withdrawn_time IS NULL AND k.revoked_time IS NULL`
const JOINED = `oauth_tokens AS t JOIN oauth_grants AS g ON g.id = t.grant_id JOIN oauth_consents AS c ON c.id = g.consent_id
  JOIN oauth_clients AS k ON k.id = c.client_id`

const HOLDER: Statement = {
  name: 'oauth holder',
  text: `SELECT g.id AS grant_id, c.client_id, c.person_id, t.scopes, m.org_id IS NOT NULL AS consented, u.id AS user_id, u.role, o.xmin::text AS version,
           o.id, o.name, o.status, o.sandbox, o.currency_code, o.fiscal_year_start_month, o.time_zone, o.state_code, o.preferences
         FROM ${JOINED}
         LEFT JOIN oauth_consent_organizations AS m ON m.consent_id = c.id AND m.org_id = $1
         LEFT JOIN users AS u ON u.org_id = m.org_id AND u.id = m.user_id AND u.person_id = c.person_id AND m.ended_time IS NULL
         LEFT JOIN organizations AS o ON o.id = u.org_id
         WHERE t.token_hash = $2 AND ${VALID} AND EXISTS (
           SELECT FROM oauth_consent_organizations AS n JOIN users AS held ON held.org_id = n.org_id AND held.id = n.user_id AND held.person_id = c.person_id
           WHERE n.consent_id = c.id AND n.ended_time IS NULL)`,
  takesNoLock: true,
}

/**
 * Requires that token, consent, role and organisation are as they were read; role and organisation stay so until the transaction
 * ends. What withdraws a consent or revokes a token does not wait for the writes of an app: it holds from the next call on.
 */
export function oauthStillHeld(
  hash: string,
  { userId, role, organization, version }: NonNullable<OAuthHolder['membership']>,
  now: Date,
): Precondition {
  return {
    statement: [STILL_HELD, [organization.id, hash, now, userId, role, version]],
    check(rows) {
      if (rows.length === 0)
        throw new CallerChanged('the token, the consent, the role or the organisation has changed since it was read')
    },
  }
}

const STILL_HELD: Statement = {
  name: 'oauth still held',
  text: `WITH turn AS MATERIALIZED (${TURN_TO_WRITE})
         SELECT 1 FROM turn CROSS JOIN ${JOINED}
         JOIN oauth_consent_organizations AS m ON m.consent_id = c.id
         JOIN users AS u ON u.org_id = m.org_id AND u.id = m.user_id AND u.person_id = c.person_id AND m.ended_time IS NULL
         JOIN organizations AS o ON o.id = u.org_id
         WHERE m.org_id = $1 AND t.token_hash = $2 AND ${VALID} AND u.id = $4 AND u.role = $5 AND o.xmin = $6::xid
         FOR KEY SHARE OF o FOR SHARE OF u`,
}
