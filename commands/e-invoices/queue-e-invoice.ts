// What an approval and a void add to the books about the e-invoice of the document; neither waits for a portal.
import { isCancellable } from '../../domain/e-invoice/irn.ts'
import {
  PENDING_E_INVOICE,
  refuseLateVoid,
  statusAfterVoid,
  type EInvoicedKind,
  type ShownEInvoice,
} from '../../domain/e-invoice/state.ts'
import { supplyTypeOf } from '../../domain/e-invoice/supply.ts'
import { DOCUMENTS } from '../../domain/documents.ts'
import type { Minor } from '../../domain/money.ts'
import type { DocumentContext } from '../../models/document-context.ts'
import { eInvoices, findEInvoiceRow, readGstParties, shownEInvoice, type GstParties } from '../../models/e-invoice.ts'
import type { Books } from '../books/books.ts'

interface Registrable {
  branch_id: string
  tax_total: Minor
}
type Taxed = { tax_percentage: string }[]

/** Whether documents of the branch are registered. E-invoices are in rupees, so the books have to be. */
const isEInvoiced = ({ organization }: Books, branchId: string): boolean =>
  organization.currency_code === 'INR' && (organization.preferences.eInvoicedBranches?.includes(branchId) ?? false)

/** What an approved document shows of its e-invoice at first: null where it gets none. */
export function eInvoiceToCome(
  books: Books,
  { branch_id, tax_total }: Registrable,
  lines: Taxed,
  { branch, contact }: Pick<DocumentContext, 'branch' | 'contact'>,
): ShownEInvoice | null {
  if (!isEInvoiced(books, branch_id) || !branch || !contact) return null
  return comingTo({ supplierGstin: branch.gstin, ...contact }, tax_total, lines)
}

/** The same for a draft that is approved, whose branch and contact are not read yet: one round trip where the branch registers. */
export async function eInvoiceToComeOf(
  books: Books,
  document: Registrable & { customer_id: string; lines: Taxed },
): Promise<ShownEInvoice | null> {
  if (!isEInvoiced(books, document.branch_id)) return null
  return comingTo(
    await readGstParties(books, document.branch_id, document.customer_id),
    document.tax_total,
    document.lines,
  )
}

function comingTo({ supplierGstin, ...buyer }: GstParties, taxTotal: Minor, lines: Taxed): ShownEInvoice | null {
  const isTaxed = lines.some(({ tax_percentage: percent }) => Number(percent) > 0)
  const type = supplyTypeOf({ supplierGstin, buyer, isTaxed, chargesTax: taxTotal > 0n })
  return type === null ? null : PENDING_E_INVOICE
}

/** Queues the e-invoice of a document that shows one to come; a worker starts its workflow after the commit. */
export function queueEInvoice(
  books: Books,
  kind: EInvoicedKind,
  { id, branch_id, e_invoice }: { id: string; branch_id: string; e_invoice: ShownEInvoice | null },
): void {
  if (e_invoice?.status !== 'PENDING') return
  books.create(eInvoices, {
    id,
    kind,
    branch_id,
    status: 'PENDING',
    provider: null,
    gstin: null,
    irn: null,
    ack_no: null,
    ack_date: null,
    signed_qr: null,
    errors: [],
    attempts: 0,
    start_at: books.now,
    attended_at: null,
    cancelled_at: null,
    last_error: null,
  })
}

/**
 * The column of a document that is voided: its IRN is to be cancelled, by a workflow. Throws conflict.e_invoice_registered where
 * that is no longer possible.
 */
export async function voidedEInvoice(
  books: Books,
  kind: EInvoicedKind,
  document: { id: string; e_invoice: ShownEInvoice | null },
): Promise<{ e_invoice?: ShownEInvoice }> {
  if (!document.e_invoice) return {}
  const row = await findEInvoiceRow(books, document.id, 'FOR UPDATE')
  if (!row || statusAfterVoid(row.status) === row.status) return {}
  if (row.ack_date && !isCancellable(row.ack_date, books.now)) refuseLateVoid(DOCUMENTS[kind].noun)
  const status = statusAfterVoid(row.status)
  const changed = books.change(eInvoices, row, {
    status,
    errors: [],
    attempts: 0,
    start_at: books.now,
    last_error: null,
  })
  return { e_invoice: shownEInvoice(changed) }
}
