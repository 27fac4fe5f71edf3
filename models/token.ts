// Tokens, and the callers whom a token or a partner key identifies.
import { createHash, randomBytes } from 'node:crypto'
import { Op } from 'sequelize'
import type { Connection, Statement } from './connection.ts'
import { partnerKeys, TURN_TO_WRITE, type OrganizationRow, type PartnerKeyRow } from './organization.ts'
import { finder, finderAbove, is, type Scope } from './find.ts'
import { BYTES, TEXT, TEXTS, TIME, UUID, orNull, textOf, model, type RowOf } from './model.ts'
import type { Precondition } from './transaction.ts'

export const tokens = model('tokens', {
  org_id: UUID,
  id: UUID,
  user_id: orNull(UUID),
  partner_id: orNull(UUID),
  /** What people call it; null where it was not made by one. */
  name: orNull(TEXT),
  kind: textOf<'PAT' | 'OAUTH'>(),
  token_hash: BYTES,
  scopes: TEXTS,
  tier: textOf<'DEFAULT' | 'PARTNER'>(),
  expires_time: orNull(TIME),
  revoked_time: orNull(TIME),
  created_time: TIME,
})
export type TokenRow = RowOf<typeof tokens>

export const PREFIXES = {
  pat: 'svc_pat_',
  sandboxPat: 'svc_pat_test_',
  partnerKey: 'svc_prt_',
  webhookSecret: 'svc_whsec_',
  oauthAccess: 'svc_oat_',
  oauthRefresh: 'svc_ort_',
  oauthCode: 'svc_oac_',
  oauthClient: 'svc_ocs_',
}

/** A new secret of 32 random bytes: shown once, only its hash is kept (decisions §2). */
export function mintSecret(prefix: string): string {
  return prefix + randomBytes(32).toString('base64url')
}

const FAMILY = new RegExp(`^${PREFIXES.oauthRefresh}([\\w-]{43})[\\w-]{43}$`)

/** A new refresh token: a secret that all of its family have, then one of its own. */
export const mintRefreshToken = (family: string | null): string =>
  mintSecret(PREFIXES.oauthRefresh + (family ?? mintSecret('')))

/** What a refresh token has in common with its family; null for what is none. */
export const familyOf = (refreshToken: string): string | null => FAMILY.exec(refreshToken)?.[1] ?? null

/** The SHA-256 by which a token or key is found, as text for a bytea column. */
export function hashOf(secret: string): string {
  return `\\x${createHash('sha256').update(secret).digest('hex')}`
}

/** What is known of a token that is valid now. */
export interface TokenHolder {
  token: Pick<TokenRow, 'id' | 'user_id' | 'partner_id' | 'scopes' | 'tier' | 'kind'> & { ends: Date | null }
  organization: OrganizationFacts
  /** The versions of the two rows that this was read from, as PostgreSQL counts them. */
  versions: [token: string, organization: string]
}

/** What every call needs to know of its organisation. */
export type OrganizationFacts = Pick<
  OrganizationRow,
  | 'id'
  | 'name'
  | 'status'
  | 'sandbox'
  | 'currency_code'
  | 'fiscal_year_start_month'
  | 'time_zone'
  | 'state_code'
  | 'preferences'
>

/** The holder of the token; null when the token is unknown, expired or revoked. `ends` is when it expires or is revoked. */
export async function findTokenHolder(connection: Connection, secret: string, now: Date): Promise<TokenHolder | null> {
  const [row] = await connection.run<HolderRow>(TOKEN_HOLDER, [hashOf(secret), now])
  if (!row) return null
  const {
    token_id,
    user_id,
    partner_id,
    scopes,
    tier,
    kind,
    ends,
    token_version,
    organization_version,
    ...organization
  } = row
  return {
    token: { id: token_id, user_id, partner_id, scopes, tier, kind, ends },
    organization,
    versions: [token_version, organization_version],
  }
}

type HolderRow = Omit<TokenHolder['token'], 'id'> & {
  token_id: string
  token_version: string
  organization_version: string
} & OrganizationFacts

const TOKEN_HOLDER = {
  name: 'token holder',
  text: `SELECT t.id AS token_id, t.user_id, t.partner_id, t.scopes, t.tier, t.kind, least(t.revoked_time, t.expires_time) AS ends,
           t.xmin::text AS token_version, o.xmin::text AS organization_version,
           o.id, o.name, o.status, o.sandbox, o.currency_code, o.fiscal_year_start_month, o.time_zone, o.state_code, o.preferences
         FROM tokens AS t JOIN organizations AS o ON o.id = t.org_id
         WHERE t.token_hash = $1 AND (t.revoked_time IS NULL OR t.revoked_time > $2)
           AND (t.expires_time IS NULL OR t.expires_time > $2)`,
}

/**
 * Requires that the token and its organisation are as they were read: a call that writes may have read them a moment ago, or
 * from memory. The organisation then stays unchanged until the transaction ends: a change of it waits.
 */
export function tokenStillHeld(secret: string, { organization, versions }: TokenHolder, now: Date): Precondition {
  return {
    statement: [STILL_HELD, [organization.id, hashOf(secret), ...versions, now]],
    check(rows) {
      if (rows.length === 0) throw new CallerChanged('the token or its organisation has changed since it was read')
    },
  }
}

/** Thrown by a transaction whose caller has changed since it was read: the caller has to be identified again. */
export class CallerChanged extends Error {}

const STILL_HELD: Statement = {
  name: 'token still held',
  text: `WITH turn AS MATERIALIZED (${TURN_TO_WRITE})
         SELECT 1 FROM turn CROSS JOIN tokens AS t JOIN organizations AS o ON o.id = t.org_id
         WHERE t.org_id = $1 AND t.token_hash = $2 AND t.xmin = $3::xid AND o.xmin = $4::xid
           AND (t.revoked_time IS NULL OR t.revoked_time > $5) AND (t.expires_time IS NULL OR t.expires_time > $5)
         FOR KEY SHARE OF o`,
}

/** The facts of an organisation by its id, for work of the worker, which has no token; null where there is none. */
export async function findOrganizationFacts(
  connection: Connection,
  orgId: string,
): Promise<(OrganizationFacts & { version: string }) | null> {
  const [row] = await connection.run<OrganizationFacts & { version: string }>(ORGANIZATION_FACTS, [orgId])
  return row ?? null
}

const ORGANIZATION_FACTS: Statement = {
  name: 'organization facts',
  text: `SELECT o.xmin::text AS version, o.id, o.name, o.status, o.sandbox, o.currency_code, o.fiscal_year_start_month, o.time_zone, o.state_code, o.preferences
         FROM organizations AS o WHERE o.id = $1`,
}

/** Like tokenStillHeld, for an organisation that was read by findOrganizationFacts. */
export function organizationUnchanged({ id, version }: { id: string; version: string }): Precondition {
  return {
    statement: [STILL_SO, [id, version]],
    check(rows) {
      if (rows.length === 0) throw new CallerChanged('the organisation has changed since it was read')
    },
  }
}

const STILL_SO: Statement = {
  name: 'organization unchanged',
  text: `WITH turn AS MATERIALIZED (${TURN_TO_WRITE})
         SELECT 1 FROM turn CROSS JOIN organizations AS o WHERE o.id = $1 AND o.xmin = $2::xid FOR KEY SHARE OF o`,
}

/** A partner, and the key by which it was found. */
export interface KeyHolder {
  keyId: string
  partnerId: string
}

/** The partner of this key, or null when it is unknown or revoked. */
export async function findPartnerOfKey(connection: Connection, secret: string): Promise<KeyHolder | null> {
  const key = await keysByHash.first(connection, hashOf(secret))
  return key ? { keyId: key.id, partnerId: key.partner_id } : null
}

const keysByHash = finderAbove<PartnerKeyRow, [string]>(partnerKeys, (hash) => ({
  where: { key_hash: is(hash), revoked_time: null },
}))

/**
 * The tokens that this partner issued for the organisation and that are not revoked, newest first and locked; and the
 * last one that it ever issued.
 */
export async function findTokensOfPartner(
  scope: Scope,
  partnerId: string,
  now: Date,
): Promise<{ live: TokenRow[]; last: TokenRow | null }> {
  const [live, last] = await scope.connection.runBoth<TokenRow, TokenRow>(
    liveOfPartner.bound(scope, partnerId, now),
    lastOfPartner.bound(scope, partnerId),
  )
  return { live, last: last[0] ?? null }
}

/** The tokens of a user that are not revoked, locked; those that a partner has issued are the partner's. */
export const lockTokensOfUser = finder<TokenRow, [userId: string]>(tokens, (userId) => ({
  where: { user_id: is(userId), partner_id: null, revoked_time: null },
  order: ['id'],
  lock: true,
}))

/** How many tokens the organisation has made since this time, revoked ones included; those of partners are not its own. */
export async function countMadeTokens({ connection, orgId }: Scope, since: Date): Promise<number> {
  const [{ count } = { count: 0n }] = await connection.run<{ count: bigint }>(COUNT_MADE, [orgId, since])
  return Number(count)
}

const COUNT_MADE: Statement = {
  name: 'count made tokens',
  text: `SELECT count(*) FROM tokens WHERE org_id = $1 AND kind = 'PAT' AND partner_id IS NULL AND created_time > $2`,
}

const liveOfPartner = finder<TokenRow, [partnerId: string, now: Date]>(tokens, (partnerId, now) => ({
  where: { partner_id: is(partnerId), revoked_time: { [Op.or]: [{ [Op.is]: null }, { [Op.gt]: now }] } },
  order: [
    ['created_time', 'DESC'],
    ['id', 'DESC'],
  ],
  lock: true,
}))
const lastOfPartner = finder<TokenRow, [partnerId: string]>(tokens, (partnerId) => ({
  where: { partner_id: is(partnerId) },
  order: [
    ['created_time', 'DESC'],
    ['id', 'DESC'],
  ],
  limit: 1,
}))
