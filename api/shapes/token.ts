// Personal access tokens as owners see and make them.
import { Type, type Static } from 'typebox'
import type { TokenOfOrganization } from '../../models/issued-access.ts'
import type { IssuedToken } from '../../commands/organizations/partners.ts'
import { Id, Name, nullable, optional, Text, Timestamp } from './fields.ts'

const FIELDS = {
  token_id: Id,
  name: nullable(Type.String()),
  user_id: nullable(Id),
  scopes: Type.Array(Type.String()),
  tier: Type.Enum(['DEFAULT', 'PARTNER']),
  expires_at: nullable(Timestamp),
  created_time: Timestamp,
}

export const ListedToken = Type.Object({
  ...FIELDS,
  partner: nullable(Type.String({ description: 'The partner that has issued it.' })),
  last_used_time: nullable(Type.String({ format: 'date-time', description: 'To the hour.' })),
})

export const MadeToken = Type.Object({ ...FIELDS, token: Type.String({ description: 'Shown here alone.' }) })

export const NewToken = Type.Object({
  name: Name(100),
  scopes: Type.Array(Text(100), { minItems: 1, maxItems: 200 }),
  expires_at: optional(Type.String({ format: 'instant', maxLength: 40 })),
})

export const showListedToken = (token: TokenOfOrganization): Static<typeof ListedToken> => ({
  token_id: token.token_id,
  name: token.name,
  user_id: token.user_id,
  scopes: token.scopes,
  tier: token.tier,
  expires_at: token.ends?.toISOString() ?? null,
  created_time: token.created_time.toISOString(),
  partner: token.partner,
  last_used_time: token.last_used_time?.toISOString() ?? null,
})

export const showMadeToken = ({ row, secret }: IssuedToken): Static<typeof MadeToken> => ({
  token_id: row.id,
  token: secret,
  name: row.name,
  user_id: row.user_id,
  scopes: row.scopes,
  tier: row.tier,
  expires_at: row.expires_time?.toISOString() ?? null,
  created_time: row.created_time.toISOString(),
})
