// What the built-in portal for e-invoices has registered, and the key with which it signs.
import type { Connection } from './connection.ts'
import { finder, is, type Scope } from './find.ts'
import { BOOLEAN, model, TEXT, TIME, UUID, type RowOf } from './model.ts'

export const sandboxEInvoices = model(
  'sandbox_e_invoices',
  { org_id: UUID, irn: TEXT, ack_no: TEXT, ack_date: TIME, signed_qr: TEXT, is_cancelled: BOOLEAN },
  { key: ['org_id', 'irn'] },
)
export type SandboxEInvoiceRow = RowOf<typeof sandboxEInvoices>

export const installationKeys = model(
  'installation_keys',
  { name: TEXT, sealed: TEXT, created_time: TIME },
  { key: ['name'] },
)

const byIrn = finder<SandboxEInvoiceRow, [string]>(sandboxEInvoices, (irn) => ({ where: { irn: is(irn) } }))

export const findSandboxEInvoice = (scope: Scope, irn: string): Promise<SandboxEInvoiceRow | null> =>
  byIrn.first(scope, irn)

/** False, and no change, where the organisation has the IRN already. */
export async function addSandboxEInvoice(
  { connection, orgId }: Scope,
  row: Omit<SandboxEInvoiceRow, 'org_id'>,
): Promise<boolean> {
  const { irn, ack_no, ack_date, signed_qr, is_cancelled } = row
  const added = await connection.run(ADD, [orgId, irn, ack_no, ack_date, signed_qr, is_cancelled])
  return added.length > 0
}

export async function cancelSandboxEInvoice({ connection, orgId }: Scope, irn: string): Promise<void> {
  await connection.run(CANCEL, [orgId, irn])
}

/** The sealed key of the installation with this name; `made` becomes it where there is none. */
export async function installationKey(
  connection: Connection,
  name: string,
  made: () => string,
  now: Date,
): Promise<string> {
  const known = await connection.run<{ sealed: string }>(KEY, [name])
  if (known[0]) return known[0].sealed
  await connection.run(KEEP_KEY, [name, made(), now])
  const [kept] = await connection.run<{ sealed: string }>(KEY, [name])
  return kept!.sealed
}

const ADD = {
  name: 'register at the sandbox',
  text: `INSERT INTO sandbox_e_invoices (org_id, irn, ack_no, ack_date, signed_qr, is_cancelled)
    SELECT o.id, $2, $3, $4, $5, $6 FROM organizations AS o WHERE o.id = $1 ON CONFLICT DO NOTHING RETURNING 1`,
}
const CANCEL = {
  name: 'cancel at the sandbox',
  text: `UPDATE sandbox_e_invoices SET is_cancelled = true WHERE org_id = $1 AND irn = $2`,
}
const KEY = { name: 'installation key', text: `SELECT sealed FROM installation_keys WHERE name = $1` }
const KEEP_KEY = {
  name: 'keep an installation key',
  text: `INSERT INTO installation_keys (name, sealed, created_time) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
}
