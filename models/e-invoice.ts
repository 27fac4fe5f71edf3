// E-invoices of invoices and credit notes, and the credentials of branches at their portals.
import type { EInvoiceError } from '../domain/e-invoice/error-codes.ts'
import type { EInvoicedKind, EInvoiceStatus, ShownEInvoice } from '../domain/e-invoice/state.ts'
import type { Statement } from './connection.ts'
import { findRow, finder, is, type Lock, type Scope } from './find.ts'
import { INTEGER, json, model, orNull, TEXT, textOf, TIME, UUID, VERSIONED, type RowOf } from './model.ts'

export const eInvoices = model('e_invoices', {
  org_id: UUID,
  /** The id of the document. */
  id: UUID,
  kind: textOf<EInvoicedKind>(),
  branch_id: UUID,
  status: textOf<EInvoiceStatus>(),
  /** The portal that has registered it, and the GSTIN of the supplier there. */
  provider: orNull(textOf<'sandbox' | 'irp'>()),
  gstin: orNull(TEXT),
  irn: orNull(TEXT),
  ack_no: orNull(TEXT),
  ack_date: orNull(TIME),
  signed_qr: orNull(TEXT),
  errors: json<EInvoiceError[]>(),
  /** How often the portal could not be used since the document was queued. */
  attempts: INTEGER,
  /** When a worker starts or signals the workflow; null once it has. */
  start_at: orNull(TIME),
  attended_at: orNull(TIME),
  cancelled_at: orNull(TIME),
  /** For operators: why the portal could not be used. */
  last_error: orNull(TEXT),
  ...VERSIONED,
})
export type EInvoiceRow = RowOf<typeof eInvoices>

export const eInvoiceCredentials = model(
  'e_invoice_credentials',
  { org_id: UUID, branch_id: UUID, sealed: TEXT, last_modified_time: TIME },
  { key: ['org_id', 'branch_id'] },
)

export const findEInvoiceRow = (scope: Scope, id: string, lock: Lock = ''): Promise<EInvoiceRow | null> =>
  findRow(scope, eInvoices, id, lock)

export const shownEInvoice = ({ status, irn, ack_no, ack_date, signed_qr, errors }: EInvoiceRow): ShownEInvoice => ({
  status,
  irn,
  ack_no,
  ack_date: ack_date?.toISOString() ?? null,
  signed_qr,
  errors,
})

/** The sealed credentials of a branch; null where it has none. */
export async function findSealedCredentials(scope: Scope, branchId: string): Promise<string | null> {
  return (await credentialsOf.first(scope, branchId))?.sealed ?? null
}

const credentialsOf = finder<RowOf<typeof eInvoiceCredentials>, [string]>(eInvoiceCredentials, (branchId) => ({
  where: { branch_id: is(branchId) },
}))

/** Records that the portal could not be used. Not a change that callers see, so the document stays as it is. */
export async function noteAttempt({ connection, orgId }: Scope, id: string, now: Date, error: string): Promise<number> {
  const [row] = await connection.run<{ attempts: number }>(NOTE_ATTEMPT, [orgId, id, now, error.slice(0, 1_000)])
  return row?.attempts ?? 1
}

const NOTE_ATTEMPT = {
  name: 'note an attempt at an e-invoice',
  text: `UPDATE e_invoices SET attempts = attempts + 1, attended_at = $3, last_error = $4 WHERE org_id = $1 AND id = $2 RETURNING attempts`,
}

/** What decides whether a document is registered, besides its lines. */
export interface GstParties {
  supplierGstin: string | null
  gst_no: string | null
  gst_treatment: string | null
  country: string | null
}

/** The registrations of a branch and a contact. Throws an ordinary error where the organisation does not have both. */
export async function readGstParties(
  { connection, orgId }: Scope,
  branchId: string,
  contactId: string,
): Promise<GstParties> {
  const [parties] = await connection.run<GstParties>(PARTIES, [orgId, branchId, contactId])
  if (!parties) throw new Error('a document names a branch and a contact of its organisation')
  return parties
}

const PARTIES: Statement = {
  name: 'gst parties',
  takesNoLock: true,
  text: `SELECT b.gstin AS "supplierGstin", c.gst_no, c.gst_treatment, c.billing_address ->> 'country' AS country
    FROM branches AS b JOIN contacts AS c ON c.org_id = b.org_id AND c.id = $3 WHERE b.org_id = $1 AND b.id = $2`,
}

/** The document of the organisation that has this IRN; null where none has. */
export async function findByIrn(scope: Scope, irn: string): Promise<EInvoiceRow | null> {
  return withIrn.first(scope, irn)
}

const withIrn = finder<EInvoiceRow, [string]>(eInvoices, (irn) => ({ where: { irn: is(irn) } }))
