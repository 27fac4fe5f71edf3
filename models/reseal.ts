// The sealed secrets of the endpoints of every organisation, to seal them anew under another key.
import type { FormerSecret } from '../domain/webhook-secrets.ts'
import type { Connection } from './connection.ts'

/** An endpoint that is not deleted, with its secrets as they are stored. */
export interface SealedEndpoint {
  org_id: string
  id: string
  secret_sealed: string
  former_secrets: FormerSecret[]
}

const FIRST = { org_id: '00000000-0000-0000-0000-000000000000', id: '00000000-0000-0000-0000-000000000000' }

/** The endpoints after this one, in the order of their organisations and ids; at most `limit`. */
export const sealedEndpoints = (
  connection: Connection,
  after: Pick<SealedEndpoint, 'org_id' | 'id'> | null,
  limit: number,
): Promise<SealedEndpoint[]> => {
  const { org_id, id } = after ?? FIRST
  return connection.run<SealedEndpoint>(SEALED_ENDPOINTS, [org_id, id, limit])
}

/** Replaces the secrets of an endpoint; false, and no change, where somebody else has replaced them since they were read. */
export async function resealEndpoint(
  connection: Connection,
  before: SealedEndpoint,
  after: Pick<SealedEndpoint, 'secret_sealed' | 'former_secrets'>,
): Promise<boolean> {
  const rows = await connection.run(RESEAL, [
    before.org_id,
    before.id,
    after.secret_sealed,
    JSON.stringify(after.former_secrets),
    before.secret_sealed,
    JSON.stringify(before.former_secrets),
  ])
  return rows.length > 0
}

const SEALED_ENDPOINTS = {
  name: 'sealed endpoints',
  text: `SELECT org_id, id, secret_sealed, former_secrets FROM webhook_endpoints
    WHERE status <> 'DELETED' AND (org_id, id) > ($1::uuid, $2::uuid) ORDER BY org_id, id LIMIT $3`,
}
const RESEAL = {
  name: 'reseal endpoint',
  text: `UPDATE webhook_endpoints SET secret_sealed = $3, former_secrets = $4::jsonb
    WHERE org_id = $1 AND id = $2 AND secret_sealed = $5 AND former_secrets = $6::jsonb RETURNING 1`,
}
