// Organisations, their users, and the partners that registered them.
import { setTimeout as delay } from 'node:timers/promises'
import { col, fn, Op, where } from 'sequelize'
import { factsOf, kindsThatHave } from '../domain/documents.ts'
import type { PostingPreferences } from '../domain/preferences.ts'
import type { Role } from '../domain/roles.ts'
import { BOOLEAN, BYTES, INTEGER, TEXT, TIME, UUID, json, orNull, textOf, model, type RowOf } from './model.ts'
import type { BoundStatement, Connection } from './connection.ts'
import { finder, finderAbove, is, type Scope } from './find.ts'

export const organizations = model(
  'organizations',
  {
    id: UUID,
    partner_id: orNull(UUID),
    external_ref: orNull(TEXT),
    name: TEXT,
    legal_name: orNull(TEXT),
    gstin: orNull(TEXT),
    pan: orNull(TEXT),
    email: orNull(TEXT),
    phone: orNull(TEXT),
    address: orNull(json<Record<string, unknown>>()),
    state_code: TEXT,
    status: textOf<'ACTIVE' | 'SUSPENDED'>(),
    currency_code: TEXT,
    fiscal_year_start_month: INTEGER,
    time_zone: TEXT,
    sandbox: BOOLEAN,
    /** Set by a signed-in person, never through the public API (decisions §8). */
    preferences: json<PostingPreferences>(),
    created_time: TIME,
    last_modified_time: TIME,
  },
  { key: ['id'] },
)
export type OrganizationRow = RowOf<typeof organizations>

export const users = model('users', {
  org_id: UUID,
  id: UUID,
  /** Null where nobody's address is known. */
  person_id: orNull(UUID),
  email: TEXT,
  name: orNull(TEXT),
  role: textOf<Role>(),
  created_time: TIME,
  /** Of somebody who belongs to the organisation no more, and has no person then. */
  removed_time: orNull(TIME),
})
export type UserRow = RowOf<typeof users>

export const partners = model(
  'partners',
  {
    id: UUID,
    name: TEXT,
    created_time: TIME,
  },
  { key: ['id'] },
)
export type PartnerRow = RowOf<typeof partners>

export const partnerKeys = model(
  'partner_keys',
  {
    id: UUID,
    partner_id: UUID,
    key_hash: BYTES,
    created_time: TIME,
    revoked_time: orNull(TIME),
  },
  { key: ['id'] },
)
export type PartnerKeyRow = RowOf<typeof partnerKeys>

/** An organisation of this partner; null when it is not one of theirs. */
export async function findOrganizationOfPartner(
  connection: Connection,
  partnerId: string,
  orgId: string,
): Promise<OrganizationRow | null> {
  return ofPartner.first(connection, partnerId, orgId)
}

/**
 * The same, locked for the change that follows. Calls that write hold a shared lock on the row, so as long as they overlap,
 * later calls would overtake a change that waits for it. After a few attempts that find the row locked, the change takes its
 * turn by the lock of TURN_TO_WRITE, and later calls wait.
 */
export async function lockOrganizationOfPartner(
  connection: Connection,
  partnerId: string,
  orgId: string,
): Promise<OrganizationRow | null> {
  return lockForChange(connection, orgId, {
    free: freeOfPartner.bound(connection, partnerId, orgId),
    any: ofPartner.bound(connection, partnerId, orgId),
    lock: () => lockOfPartner.first(connection, partnerId, orgId),
  })
}

/** Any organisation, locked in the same way. */
export async function lockOrganization(connection: Connection, orgId: string): Promise<OrganizationRow | null> {
  return lockForChange(connection, orgId, {
    free: freeById.bound(connection, orgId),
    any: byId.bound(connection, orgId),
    lock: () => lockById.first(connection, orgId),
  })
}

interface Looks {
  free: BoundStatement
  any: BoundStatement
  lock(): Promise<OrganizationRow | null>
}

async function lockForChange(connection: Connection, orgId: string, look: Looks): Promise<OrganizationRow | null> {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const [free, any] = await connection.runBoth<OrganizationRow, OrganizationRow>(look.free, look.any)
    if (free[0] || !any[0]) return free[0] ?? null
    await delay(LOOK_AGAIN_MS)
  }
  await connection.run(TURN_TO_CHANGE, [orgId])
  return look.lock()
}

const LOOKS = 10
const LOOK_AGAIN_MS = 20

const TURNS = `hashtextextended('organization ' || $1::uuid, 0)`
/** Part of the first statement of every call that writes, $1 its organisation: it waits while a change of that organisation waits. */
export const TURN_TO_WRITE = `SELECT pg_advisory_xact_lock_shared(${TURNS})`
const TURN_TO_CHANGE = { name: 'turn to change an organization', text: `SELECT pg_advisory_xact_lock(${TURNS})` }

/** The partner's organisation with this external_ref, or null. */
export async function findOrganizationByRef(
  connection: Connection,
  partnerId: string,
  externalRef: string,
): Promise<OrganizationRow | null> {
  return byReference.first(connection, partnerId, externalRef)
}

/** Any organisation, for the operator's commands. */
export async function findOrganization(connection: Connection, orgId: string): Promise<OrganizationRow | null> {
  return byId.first(connection, orgId)
}

const byId = finderAbove<OrganizationRow, [string]>(organizations, (id) => ({ where: { id: is(id) } }))
const lockById = finderAbove<OrganizationRow, [string]>(organizations, (id) => ({ where: { id: is(id) }, lock: true }))
const freeById = finderAbove<OrganizationRow, [string]>(organizations, (id) => ({
  where: { id: is(id) },
  lock: true,
  skipLocked: true,
}))
const ofPartner = finderAbove<OrganizationRow, [partnerId: string, id: string]>(organizations, (partnerId, id) => ({
  where: { partner_id: is(partnerId), id: is(id) },
}))
const lockOfPartner = finderAbove<OrganizationRow, [partnerId: string, id: string]>(organizations, (partnerId, id) => ({
  where: { partner_id: is(partnerId), id: is(id) },
  lock: true,
}))
const freeOfPartner = finderAbove<OrganizationRow, [partnerId: string, id: string]>(organizations, (partnerId, id) => ({
  where: { partner_id: is(partnerId), id: is(id) },
  lock: true,
  skipLocked: true,
}))
const byReference = finderAbove<OrganizationRow, [partnerId: string, reference: string]>(
  organizations,
  (partnerId, reference) => ({ where: { partner_id: is(partnerId), external_ref: is(reference) } }),
)

/** The kinds of tax documents that the organisation has posted, as journals name their sources. */
export async function findPostedKinds(scope: Scope): Promise<string[]> {
  const kinds = await scope.connection.run<{ kind: string }>(POSTED_KINDS, [scope.orgId])
  return kinds.map(({ kind }) => kind)
}

// Every document that posts and has lines posts their taxes.
const TAX_DOCUMENTS = kindsThatHave('posts').filter((kind) => factsOf(kind).lines !== undefined)

// A document with a total of 0 posts no journal, so its status is checked too; a voided document still has its journals.
const POSTED_KINDS = {
  name: 'posted kinds',
  text: `SELECT kind FROM (VALUES ${TAX_DOCUMENTS.map((kind) => `('${kind}')`).join(', ')}) AS k(kind)
    WHERE EXISTS (SELECT FROM journals WHERE org_id = $1 AND source = kind)
      OR (kind = 'INVOICE' AND EXISTS (SELECT FROM invoices WHERE org_id = $1 AND status NOT IN ('DRAFT', 'CANCELLED')))
      OR (kind = 'BILL' AND EXISTS (SELECT FROM bills WHERE org_id = $1 AND status NOT IN ('DRAFT', 'CANCELLED')))`,
}

/** The user with this email address in the organisation, in upper or lower case; one who was removed too. */
export async function findUserByEmail(scope: Scope, email: string): Promise<UserRow | null> {
  return usersByEmail.first(scope, email)
}

const usersByEmail = finder<UserRow, [string]>(users, (email) => ({
  where: where(fn('lower', col('email')), fn('lower', email)),
}))

/** The users whom the organisation belongs to, the first of them first; few, because mails go to them. */
export const ownersOf = finder<UserRow>(users, () => ({
  where: { role: 'OWNER', removed_time: null },
  order: ['created_time', 'id'],
  limit: 20,
}))

/** The members of the organisation, in the order in which they joined it. */
export const findMembers = finder<UserRow>(users, () => ({
  where: { removed_time: null },
  order: ['created_time', 'id'],
}))

/** Every owner, and the user with this id, locked in the order of their ids. */
export const lockMembers = finder<UserRow, [userId: string]>(users, (userId) => ({
  where: { [Op.or]: [{ role: 'OWNER' }, { id: is(userId) }] } as never,
  order: ['id'],
  lock: true,
}))
