// The sealed secrets of every organisation and of the installation, to seal them anew under another key.
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

/** A text that is sealed by itself: the credentials of a branch at its portal for e-invoices, or a key of the installation. */
export interface SealedText {
  /** Null for a key of the installation. */
  org_id: string | null
  /** The id of the branch, or the name of the key. */
  name: string
  sealed: string
}

export const sealedTexts = (connection: Connection): Promise<SealedText[]> =>
  connection.run<SealedText>(SEALED_TEXTS, [])

/** As resealEndpoint. */
export async function resealText(
  connection: Connection,
  { org_id, name, sealed }: SealedText,
  after: string,
): Promise<boolean> {
  const rows = await (org_id === null
    ? connection.run(RESEAL_KEY, [name, after, sealed])
    : connection.run(RESEAL_CREDENTIALS, [org_id, name, after, sealed]))
  return rows.length > 0
}

const SEALED_TEXTS = {
  name: 'sealed texts',
  text: `SELECT org_id, branch_id::text AS name, sealed FROM e_invoice_credentials
    UNION ALL SELECT NULL, name, sealed FROM installation_keys ORDER BY 2`,
}
const RESEAL_CREDENTIALS = {
  name: 'reseal credentials',
  text: `UPDATE e_invoice_credentials SET sealed = $3 WHERE org_id = $1 AND branch_id = $2 AND sealed = $4 RETURNING 1`,
}
const RESEAL_KEY = {
  name: 'reseal a key',
  text: `UPDATE installation_keys SET sealed = $2 WHERE name = $1 AND sealed = $3 RETURNING 1`,
}
