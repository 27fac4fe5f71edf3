// Organisations, their users, and the partners that brought them.
import { factsOf, kindsThatHave } from '../domain/documents.ts'
import { table } from './table.ts'
import type { Connection } from './database.ts'
import type { Scope } from './find.ts'

/** Set by a signed-in person, never through the public API (decisions §8). */
export interface Preferences {
  roundInvoiceTotals: boolean
  roundingMethod: 'nearest' | 'up' | 'down'
  strictPaymentDedupe: boolean
}

export const DEFAULT_PREFERENCES: Preferences = {
  roundInvoiceTotals: false,
  roundingMethod: 'nearest',
  strictPaymentDedupe: true,
}

export interface OrganizationRow {
  id: string
  partner_id: string | null
  external_ref: string | null
  name: string
  legal_name: string | null
  gstin: string | null
  pan: string | null
  email: string | null
  phone: string | null
  address: Record<string, unknown> | null
  state_code: string
  status: 'ACTIVE' | 'SUSPENDED'
  currency_code: string
  fiscal_year_start_month: number
  time_zone: string
  sandbox: boolean
  preferences: Preferences
  created_time: Date
  last_modified_time: Date
}

export const organizations = table<OrganizationRow>(
  'organizations',
  {
    id: 'uuid', partner_id: 'uuid', external_ref: 'text', name: 'text', legal_name: 'text', gstin: 'text', pan: 'text',
    email: 'text', phone: 'text', address: 'json', state_code: 'text', status: 'text', currency_code: 'text',
    fiscal_year_start_month: 'integer', time_zone: 'text', sandbox: 'boolean', preferences: 'json',
    created_time: 'time', last_modified_time: 'time',
  },
  { key: ['id'] },
)

export interface UserRow {
  org_id: string
  id: string
  email: string
  name: string | null
  role: 'OWNER' | 'MEMBER'
  created_time: Date
}

export const users = table<UserRow>('users', {
  org_id: 'uuid', id: 'uuid', email: 'text', name: 'text', role: 'text', created_time: 'time',
})

export interface PartnerRow {
  id: string
  name: string
  created_time: Date
}

export const partners = table<PartnerRow>('partners', { id: 'uuid', name: 'text', created_time: 'time' }, { key: ['id'] })

export interface PartnerKeyRow {
  id: string
  partner_id: string
  key_hash: string
  created_time: Date
  revoked_time: Date | null
}

export const partnerKeys = table<PartnerKeyRow>(
  'partner_keys',
  { id: 'uuid', partner_id: 'uuid', key_hash: 'bytes', created_time: 'time', revoked_time: 'time' },
  { key: ['id'] },
)

/** One organisation of this partner, locked for the change that follows when asked; null when it is not theirs. */
export async function findOrganizationOfPartner(
  connection: Connection, partnerId: string, orgId: string, lock = false,
): Promise<OrganizationRow | null> {
  const statement = lock ? OF_PARTNER_LOCKED : OF_PARTNER
  const [row] = await connection.run<OrganizationRow>(statement, [partnerId, orgId])
  return row ?? null
}

const OF_PARTNER = {
  name: 'organization of partner',
  text: 'SELECT * FROM organizations WHERE partner_id = $1 AND id = $2',
}
const OF_PARTNER_LOCKED = {
  name: 'organization of partner, locked',
  text: 'SELECT * FROM organizations WHERE partner_id = $1 AND id = $2 FOR UPDATE',
}

/** The partner's organisation of this external_ref, or null. */
export async function findOrganizationByRef(connection: Connection, partnerId: string, externalRef: string): Promise<{ id: string } | null> {
  const [row] = await connection.run<{ id: string }>(BY_REF, [partnerId, externalRef])
  return row ?? null
}

const BY_REF = {
  name: 'organization by external_ref',
  text: 'SELECT id FROM organizations WHERE partner_id = $1 AND external_ref = $2',
}

/** Any organisation, for the operator's commands. */
export async function findOrganization(connection: Connection, orgId: string): Promise<OrganizationRow | null> {
  const [row] = await connection.run<OrganizationRow>(BY_ID, [orgId])
  return row ?? null
}

const BY_ID = { name: 'organization', text: 'SELECT * FROM organizations WHERE id = $1' }

/** The kinds of tax documents of which one is posted, as journals name their sources. */
export async function findPostedKinds(scope: Scope): Promise<string[]> {
  const kinds = await scope.connection.run<{ kind: string }>(POSTED_KINDS, [scope.orgId])
  return kinds.map(({ kind }) => kind)
}

// What posts lines posts their taxes.
const TAX_DOCUMENTS = kindsThatHave('posts').filter((kind) => factsOf(kind).lines !== undefined)

// One of nothing posts no journal, so its status is asked too; one that was voided has left its journals.
const POSTED_KINDS = {
  name: 'posted kinds',
  text: `SELECT kind FROM (VALUES ${TAX_DOCUMENTS.map((kind) => `('${kind}')`).join(', ')}) AS k(kind)
    WHERE EXISTS (SELECT FROM journals WHERE org_id = $1 AND source = kind)
      OR (kind = 'INVOICE' AND EXISTS (SELECT FROM invoices WHERE org_id = $1 AND status NOT IN ('DRAFT', 'CANCELLED')))
      OR (kind = 'BILL' AND EXISTS (SELECT FROM bills WHERE org_id = $1 AND status NOT IN ('DRAFT', 'CANCELLED')))`,
}

/** The person of this address in the organisation; the case of letters does not matter. */
export async function findUserByEmail(scope: Scope, email: string): Promise<UserRow | null> {
  const [row] = await scope.connection.run<UserRow>(USER_BY_EMAIL, [scope.orgId, email])
  return row ?? null
}

const USER_BY_EMAIL = { name: 'user by email', text: 'SELECT * FROM users WHERE org_id = $1 AND lower(email) = lower($2)' }
