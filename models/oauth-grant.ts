// Authorization grants of OAuth, with their codes, and the tokens that a grant has given.
import { Op } from 'sequelize'
import type { Connection, Statement } from './connection.ts'
import { finderAbove, is } from './find.ts'
import { BYTES, TEXT, TEXTS, TIME, UUID, model, orNull, textOf, type RowOf } from './model.ts'
import { familyOf, hashOf } from './token.ts'

export const oauthGrants = model(
  'oauth_grants',
  {
    id: UUID,
    consent_id: UUID,
    client_id: UUID,
    scopes: TEXTS,
    code_hash: BYTES,
    redirect_uri: TEXT,
    /** S256 of the verifier. */
    code_challenge: TEXT,
    created_time: TIME,
    code_expires_time: TIME,
    code_used_time: orNull(TIME),
    /** Of its last token. */
    tokens_expire_time: orNull(TIME),
    /** Ends every token of the grant. */
    revoked_time: orNull(TIME),
  },
  { key: ['id'] },
)
export type OAuthGrantRow = RowOf<typeof oauthGrants>

export const oauthTokens = model(
  'oauth_tokens',
  {
    id: UUID,
    grant_id: UUID,
    kind: textOf<'ACCESS' | 'REFRESH'>(),
    token_hash: BYTES,
    scopes: TEXTS,
    created_time: TIME,
    expires_time: TIME,
    revoked_time: orNull(TIME),
    /** Of a refresh token: when it was rotated. */
    used_time: orNull(TIME),
    /** The answer to its use, sealed. */
    successor: orNull(TEXT),
    /** Of a refresh token: the hash of what it has in common with the others of its grant. */
    family_hash: orNull(BYTES),
  },
  { key: ['id'] },
)
export type OAuthTokenRow = RowOf<typeof oauthTokens>

/** The grant of a code, locked. */
export const lockGrantOfCode = finderAbove<OAuthGrantRow, [codeHash: string]>(oauthGrants, (codeHash) => ({
  where: { code_hash: is(codeHash) },
  lock: true,
}))

/** The most grants of a consent that hold and have been taken up. */
const MOST_GRANTS = 100

/** The grants of a consent that are too many when one more is taken up, locked; the oldest of them. */
export const lockSuperfluousGrants = finderAbove<OAuthGrantRow, [consentId: string]>(oauthGrants, (consentId) => ({
  where: { consent_id: is(consentId), revoked_time: null, code_used_time: { [Op.not]: null } },
  order: [
    ['created_time', 'DESC'],
    ['id', 'DESC'],
  ],
  offset: MOST_GRANTS - 1,
  limit: 20,
  lock: true,
}))

const lockGrant = finderAbove<OAuthGrantRow, [id: string]>(oauthGrants, (id) => ({
  where: { id: is(id) },
  lock: true,
}))

/** A token of either kind, locked. */
const lockOAuthToken = finderAbove<OAuthTokenRow, [hash: string]>(oauthTokens, (hash) => ({
  where: { token_hash: is(hash) },
  lock: true,
}))

const findFamily = finderAbove<OAuthTokenRow, [familyHash: string]>(oauthTokens, (familyHash) => ({
  where: { family_hash: is(familyHash) },
}))

/** What is known of a token that a client presents. */
export type PresentedToken = { grant: null; token: null } | { grant: OAuthGrantRow; token: OAuthTokenRow | null }

/** A token with its grant, both locked; of a refresh token that was used and is not kept any more, its grant alone. */
export async function lockPresented(connection: Connection, secret: string): Promise<PresentedToken> {
  const token = await lockOAuthToken.first(connection, hashOf(secret))
  const family = familyOf(secret)
  const kept = token ?? (family === null ? null : await findFamily.first(connection, hashOf(family)))
  const grant = kept && (await lockGrant.first(connection, kept.grant_id))
  return grant ? { grant, token } : { grant: null, token: null }
}

/** The access token before which a grant got `atMost - 1` later ones; null where it got fewer since this time. */
export async function earlierAccessToken(
  connection: Connection,
  { grantId, since, atMost }: { grantId: string; since: Date; atMost: number },
): Promise<Pick<OAuthTokenRow, 'created_time'> | null> {
  const [found] = await connection.run<OAuthTokenRow>(EARLIER_ACCESS, [grantId, since, atMost - 1])
  return found ?? null
}

const EARLIER_ACCESS: Statement = {
  name: 'earlier access token of a grant',
  text: `SELECT created_time FROM oauth_tokens WHERE grant_id = $1 AND kind = 'ACCESS' AND created_time > $2
         ORDER BY created_time DESC OFFSET $3::integer LIMIT 1`,
  takesNoLock: true,
}

/** A token that can be used, as its client sees it. */
export interface IntrospectedToken {
  client_id: string
  kind: OAuthTokenRow['kind']
  scopes: string[]
  person_id: string
  created_time: Date
  expires_time: Date
  organization_ids: string[]
}

/** Null for one that is unknown, of another client, used, expired or revoked, and where the consent holds nowhere any more. */
export async function introspectedToken(
  connection: Connection,
  { hash, clientId, now }: { hash: string; clientId: string; now: Date },
): Promise<IntrospectedToken | null> {
  const [found] = await connection.run<IntrospectedToken>(INTROSPECTED, [hash, clientId, now])
  return found && found.organization_ids.length > 0 ? found : null
}

const INTROSPECTED: Statement = {
  name: 'introspected oauth token',
  text: `SELECT g.client_id, t.kind, t.scopes, c.person_id, t.created_time, t.expires_time,
           ARRAY(SELECT m.org_id FROM oauth_consent_organizations AS m
             JOIN users AS u ON u.org_id = m.org_id AND u.id = m.user_id AND u.person_id = c.person_id
             WHERE m.consent_id = c.id AND m.ended_time IS NULL ORDER BY m.org_id)::text[] AS organization_ids
         FROM oauth_tokens AS t JOIN oauth_grants AS g ON g.id = t.grant_id JOIN oauth_consents AS c ON c.id = g.consent_id
         WHERE t.token_hash = $1 AND g.client_id = $2 AND t.expires_time > $3 AND t.revoked_time IS NULL AND t.used_time IS NULL
           AND g.revoked_time IS NULL AND c.withdrawn_time IS NULL`,
  takesNoLock: true,
}

/** Removes tokens that expired before this time, at most `atMost` of them; returns how many. */
export const removeExpiredTokens = (connection: Connection, before: Date, atMost: number): Promise<number> =>
  removed(connection, REMOVE_TOKENS, before, atMost)

/** Removes grants that were revoked before this time, with their tokens. */
export const removeRevokedGrants = (connection: Connection, before: Date, atMost: number): Promise<number> =>
  removed(connection, REMOVE_REVOKED, before, atMost)

/** Removes grants that have no token any more, and whose code and last token expired before this time. */
export const removeEndedGrants = (connection: Connection, before: Date, atMost: number): Promise<number> =>
  removed(connection, REMOVE_GRANTS, before, atMost)

/** Removes consents that were withdrawn before this time, with their grants and tokens. */
export const removeWithdrawnConsents = (connection: Connection, before: Date, atMost: number): Promise<number> =>
  removed(connection, REMOVE_CONSENTS, before, atMost)

/** Removes refresh tokens that were used before this time: their answers are not repeated any more, and their family tells them. */
export const removeUsedTokens = (connection: Connection, before: Date, atMost: number): Promise<number> =>
  removed(connection, REMOVE_USED, before, atMost)

async function removed(connection: Connection, statement: Statement, before: Date, atMost: number): Promise<number> {
  return (await connection.run(statement, [before, atMost])).length
}

// The last uses of grants that are removed go with them.
const FORGET_USES = 'DELETE FROM last_uses WHERE subject'

const REMOVE_TOKENS: Statement = {
  name: 'remove expired oauth tokens',
  text: `DELETE FROM oauth_tokens WHERE id = ANY (ARRAY(
           SELECT id FROM oauth_tokens WHERE expires_time < $1 ORDER BY expires_time LIMIT $2::integer FOR UPDATE SKIP LOCKED)) RETURNING 1`,
}
const REMOVE_REVOKED: Statement = {
  name: 'remove revoked oauth grants',
  text: `WITH removed AS (DELETE FROM oauth_grants WHERE id = ANY (ARRAY(
           SELECT id FROM oauth_grants WHERE revoked_time < $1 ORDER BY revoked_time LIMIT $2::integer FOR UPDATE SKIP LOCKED)) RETURNING id),
         forgotten AS (${FORGET_USES} IN (SELECT id FROM removed))
         SELECT 1 FROM removed`,
}
// The subquery is no NOT EXISTS, of which PostgreSQL may make a join of both whole tables.
const REMOVE_GRANTS: Statement = {
  name: 'remove ended oauth grants',
  text: `WITH removed AS (DELETE FROM oauth_grants WHERE id = ANY (ARRAY(
           SELECT g.id FROM oauth_grants AS g WHERE greatest(g.code_expires_time, g.tokens_expire_time) < $1
             AND (SELECT true FROM oauth_tokens AS t WHERE t.grant_id = g.id LIMIT 1) IS NULL
           ORDER BY greatest(g.code_expires_time, g.tokens_expire_time) LIMIT $2::integer FOR UPDATE SKIP LOCKED)) RETURNING id),
         forgotten AS (${FORGET_USES} IN (SELECT id FROM removed))
         SELECT 1 FROM removed`,
}
const REMOVE_CONSENTS: Statement = {
  name: 'remove withdrawn oauth consents',
  text: `WITH removed AS (DELETE FROM oauth_consents WHERE id = ANY (ARRAY(
           SELECT c.id FROM oauth_consents AS c WHERE c.withdrawn_time < $1 ORDER BY c.withdrawn_time LIMIT $2::integer FOR UPDATE SKIP LOCKED)) RETURNING id),
         forgotten AS (${FORGET_USES} IN (SELECT g.id FROM oauth_grants AS g JOIN removed ON removed.id = g.consent_id))
         SELECT 1 FROM removed`,
}
const REMOVE_USED: Statement = {
  name: 'remove used oauth tokens',
  text: `DELETE FROM oauth_tokens WHERE id = ANY (ARRAY(
           SELECT id FROM oauth_tokens WHERE successor IS NOT NULL AND used_time < $1 ORDER BY used_time LIMIT $2::integer FOR UPDATE SKIP LOCKED))
         RETURNING 1`,
}
