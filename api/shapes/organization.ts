// A client organisation of a partner as JSON, in and out.
import { Type, type Static } from 'typebox'
import type { IssuedToken } from '../../commands/organizations/partners.ts'
import type { OrganizationRow } from '../../models/organization.ts'
import { Currency, Email, Id, Name, nullable, optional, Text, Timestamp } from './fields.ts'

const MAX_ADDRESS = 4_000

/** A text, or an object with fields that the partner chooses; stored as it is sent. */
const Address = Type.Refine(
  Type.Unsafe<string | Record<string, unknown> | null>({
    type: ['string', 'object', 'null'],
    maxLength: 1000,
    maxProperties: 50,
  }),
  (value) => typeof value !== 'object' || JSON.stringify(value).length <= MAX_ADDRESS,
  () => `must not be longer than ${MAX_ADDRESS} characters as JSON`,
)

export const NewOrganization = Type.Object(
  {
    name: Name(200),
    legal_name: optional(Text(200)),
    gstin: optional(Text(20)),
    pan: optional(Text(20)),
    email: optional(Email),
    phone: optional(Text(50)),
    address: Type.Optional(Address),
    state_code: optional(Text(60)),
    currency_code: optional(Currency),
    time_zone: optional(Text(60)),
    fiscal_year_start_month: optional(Type.Integer({ minimum: 1, maximum: 12 })),
    external_ref: optional(Name(200)),
    scopes: optional(Type.Array(Text(100), { minItems: 1, maxItems: 200 })),
    sandbox: optional(Type.Boolean()),
    user: optional(Type.Object({ email: optional(Email), name: optional(Text(200)) })),
  },
  {
    examples: [
      {
        name: 'Saraswati Stationers',
        state_code: 'IN-KA',
        external_ref: 'client-17',
        user: { email: 'owner@saraswati.example' },
      },
    ],
  },
)

export const OrganizationChanges = Type.Object(
  {
    name: Type.Optional(Name(200)),
    legal_name: optional(Text(200)),
    email: optional(Email),
    phone: optional(Text(50)),
    address: Type.Optional(Address),
    gstin: optional(Text(20)),
    pan: optional(Text(20)),
    state_code: optional(Text(60)),
    fiscal_year_start_month: optional(Type.Integer({ minimum: 1, maximum: 12 })),
  },
  { examples: [{ name: 'Saraswati Stationers LLP', gstin: '29AAACB1234C1ZB' }] },
)

export const TokenRequest = Type.Object({
  grace_seconds: optional(
    Type.Integer({ minimum: 0, maximum: 86_400, description: 'How long earlier tokens stay valid.' }),
  ),
})

export const Organization = Type.Object({
  org_id: Id,
  name: Type.String(),
  legal_name: nullable(Type.String()),
  gstin: nullable(Type.String()),
  status: Type.Enum(['ACTIVE', 'SUSPENDED']),
  currency_code: Type.String(),
  fiscal_year_start_month: Type.Integer(),
  time_zone: Type.String(),
  external_ref: nullable(Type.String()),
  sandbox: Type.Boolean(),
  created_time: Timestamp,
  last_modified_time: Timestamp,
})

export const Token = Type.Object({
  token_id: Id,
  token: Type.String({ description: 'No other call returns it.' }),
  scopes: Type.Array(Type.String()),
  tier: Type.Enum(['DEFAULT', 'PARTNER']),
})

export function showOrganization(row: OrganizationRow): Static<typeof Organization> {
  return {
    org_id: row.id,
    name: row.name,
    legal_name: row.legal_name,
    gstin: row.gstin,
    status: row.status,
    currency_code: row.currency_code,
    fiscal_year_start_month: row.fiscal_year_start_month,
    time_zone: row.time_zone,
    external_ref: row.external_ref,
    sandbox: row.sandbox,
    created_time: row.created_time.toISOString(),
    last_modified_time: row.last_modified_time.toISOString(),
  }
}

export function showToken({ row, secret }: IssuedToken): Static<typeof Token> {
  return { token_id: row.id, token: secret, scopes: row.scopes, tier: row.tier as 'DEFAULT' | 'PARTNER' }
}
