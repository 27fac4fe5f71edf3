// The commands of partners: create client organisations, suspend and reactivate them, issue their tokens.
import { fault } from '../../domain/faults.ts'
import { isId } from '../../domain/ids.ts'
import { checkedScopes, FULL_ACCESS } from '../../domain/scopes.ts'
import type { Connection } from '../../models/connection.ts'
import {
  findOrganizationByRef,
  findOrganizationOfPartner,
  lockOrganizationOfPartner,
  organizations,
  type OrganizationRow,
} from '../../models/organization.ts'
import { findTokensOfPartner, hashOf, mintSecret, PREFIXES, tokens, type TokenRow } from '../../models/token.ts'
import type { Books } from '../books/books.ts'
import { addUser, NO_ADDRESS } from '../people/persons.ts'
import { checkedOrganization, type NewOrganization } from './organization-details.ts'
import { seedOrganization } from './seeding.ts'

export interface IssuedToken {
  row: TokenRow
  /** The raw token: returned once, stored only as a hash. */
  secret: string
}

/** An organisation of the partner, with `lock` locked for a change. Throws not_found.resource for one that is not the partner's. */
export async function organizationOf(
  connection: Connection,
  partnerId: string,
  orgId: string,
  lock = false,
): Promise<OrganizationRow> {
  const find = lock ? lockOrganizationOfPartner : findOrganizationOfPartner
  const found = isId(orgId) ? await find(connection, partnerId, orgId) : null
  if (!found) throw fault('not_found.resource', { message: 'This partner has no such organisation.' })
  return found
}

/**
 * Creates a client organisation with its owner, its initial data and a token (decisions §2).
 * Throws validation.invalid_value for an invalid GSTIN, PAN, state, currency, zone or scope, and
 * validation.duplicate_resource where the partner has used the external_ref. Warns where neither GSTIN nor state is sent.
 */
export async function createOrganization(
  books: Books,
  input: NewOrganization,
): Promise<{ organization: OrganizationRow; token: IssuedToken }> {
  const partnerId = books.caller.partnerId
  const scopes = checkedScopes(input.scopes ?? [FULL_ACCESS])
  const row = {
    ...checkedOrganization(input),
    id: books.newId(),
    partner_id: partnerId,
    created_time: books.now,
    last_modified_time: books.now,
  }
  if (partnerId && row.external_ref && (await findOrganizationByRef(books.connection, partnerId, row.external_ref))) {
    throw fault('validation.duplicate_resource', {
      field: 'external_ref',
      message: 'Another organisation of this partner has this external_ref.',
    })
  }
  books.enter(row.id)
  const organization = books.insertAbove(organizations, row)
  const owner = await addUser(books, {
    email: input.user?.email ?? input.email ?? NO_ADDRESS,
    name: input.user?.name ?? null,
    role: 'OWNER',
  })
  const city = typeof input.address === 'object' && typeof input.address?.city === 'string' ? input.address.city : null
  seedOrganization(books, organization, city)
  const token = issueToken(books, {
    userId: owner.id,
    scopes,
    tier: 'PARTNER',
    sandbox: organization.sandbox,
    expires: null,
  })
  record(books, organization, 'ORGANIZATION_CREATED')
  if (!input.gstin?.trim() && !input.state_code) {
    const message = `Neither gstin nor state_code was sent; ${organization.state_code} was used as the organisation's state.`
    books.warn({ code: 'validation.state_assumed', message, details: { state_code: organization.state_code } })
  }
  return { organization, token }
}

/**
 * Issues a new token for a client organisation and revokes the partner's earlier ones after `graceSeconds`.
 * Scopes and tier are those of the latest token, even if it is revoked or expired, so that the new one is allowed no more.
 */
export async function reissueToken(books: Books, orgId: string, graceSeconds: number): Promise<IssuedToken> {
  const organization = await organizationOf(books.connection, books.caller.partnerId!, orgId, true)
  books.enter(organization.id)
  const { live, last } = await findTokensOfPartner(books, books.caller.partnerId!, books.now)
  const revoked = new Date(books.now.getTime() + graceSeconds * 1000)
  for (const token of live) {
    if (token.revoked_time === null || token.revoked_time > revoked)
      books.update(tokens, token, { revoked_time: revoked })
  }
  // Written without a change: calls that wait for the row see a new version of it, and identify their token again.
  books.update(organizations, organization, { status: organization.status })
  record(books, organization, 'ORGANIZATION_TOKEN_ISSUED')
  return issueToken(books, {
    userId: last?.user_id ?? null,
    scopes: last?.scopes ?? [FULL_ACCESS],
    tier: last?.tier ?? 'PARTNER',
    sandbox: organization.sandbox,
    expires: null,
  })
}

/** Suspends an organisation: its tokens are refused. Does nothing when it is suspended already. */
export const suspendOrganization = (books: Books, orgId: string) =>
  setStatus(books, orgId, 'SUSPENDED', 'ORGANIZATION_SUSPENDED')

/** Reactivates an organisation: its tokens are valid again, and its waiting webhook deliveries are sent. */
export const reactivateOrganization = (books: Books, orgId: string) =>
  setStatus(books, orgId, 'ACTIVE', 'ORGANIZATION_REACTIVATED')

/** Issues a token of the organisation whose books are open. */
export function issueToken(
  books: Books,
  {
    userId,
    name = null,
    scopes,
    tier,
    sandbox,
    expires,
  }: {
    userId: string | null
    name?: string | null
    scopes: string[]
    tier: TokenRow['tier']
    sandbox: boolean
    expires: Date | null
  },
): IssuedToken {
  const secret = mintSecret(sandbox ? PREFIXES.sandboxPat : PREFIXES.pat)
  const row = books.insert(tokens, {
    id: books.newId(),
    user_id: userId,
    partner_id: books.caller.partnerId,
    name,
    kind: 'PAT',
    token_hash: hashOf(secret),
    scopes,
    tier,
    expires_time: expires,
    revoked_time: null,
    created_time: books.now,
  })
  return { row, secret }
}

async function setStatus(
  books: Books,
  orgId: string,
  status: OrganizationRow['status'],
  action: string,
): Promise<OrganizationRow> {
  const organization = await organizationOf(books.connection, books.caller.partnerId!, orgId, true)
  if (organization.status === status) return organization
  books.enter(organization.id)
  record(books, organization, action, { status: { old: organization.status, new: status } })
  return books.update(organizations, organization, { status, last_modified_time: books.now })
}

function record(
  books: Books,
  organization: OrganizationRow,
  action: string,
  changes?: Record<string, { old: unknown; new: unknown }>,
): void {
  books.record({
    action,
    entityType: 'ORGANIZATION',
    entityId: organization.id,
    entityRef: organization.name,
    ...(changes ? { changes } : {}),
  })
}
