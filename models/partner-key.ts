// Mints partner keys for the operator, and keeps their hashes.
import { v7 as uuidv7 } from 'uuid'
import type { Connection } from './connection.ts'
import { hashOf, mintSecret, PREFIXES } from './token.ts'

/** Mints a key for the partner of this name, which is created where the name is new. Returns the key; only its hash is kept. */
export async function mintPartnerKey(connection: Connection, name: string, now: Date): Promise<string> {
  const secret = mintSecret(PREFIXES.partnerKey)
  await connection.run(MINT, [uuidv7(), name, now, uuidv7(), hashOf(secret)])
  return secret
}

const MINT = {
  name: 'mint partner key',
  text: `WITH partner AS (
           INSERT INTO partners (id, name, created_time) VALUES ($1, $2, $3)
           ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id)
         INSERT INTO partner_keys (id, partner_id, key_hash, created_time) SELECT $4, id, $5, $3 FROM partner`,
}

/** Revokes a key at `time`, unless it was revoked before. Returns when it is revoked; null where there is none of this id. */
export async function revokePartnerKey(connection: Connection, id: string, time: Date): Promise<Date | null> {
  const [revoked] = await connection.run<{ revoked_time: Date }>(REVOKE, [id, time])
  return revoked?.revoked_time ?? null
}

const REVOKE = {
  name: 'revoke partner key',
  text: `UPDATE partner_keys SET revoked_time = least(revoked_time, $2) WHERE id = $1 RETURNING revoked_time`,
}
