// Writes what has become of an e-invoice: its row, what the document shows, the activity and the event, in one transaction.
import { DUPLICATE_IRN, errorOf, type EInvoiceError } from '../../domain/e-invoice/error-codes.ts'
import {
  PENDING_E_INVOICE,
  refuseRetry,
  type EInvoicedKind,
  type EInvoiceStatus,
} from '../../domain/e-invoice/state.ts'
import { creditNotes, findCreditNote, type CreditNote } from '../../models/credit-note.ts'
import { eInvoices, findByIrn, findEInvoiceRow, shownEInvoice, type EInvoiceRow } from '../../models/e-invoice.ts'
import { documentFinder } from '../../models/existing-document.ts'
import { findInvoice, invoices, type Invoice } from '../../models/invoice.ts'
import type { Books } from '../books/books.ts'
import { announceDocument, recordDocument } from '../documents/document-entries.ts'
import { invoiceOf } from '../sales/invoices.ts'

/** What a portal has registered. */
export type KeptRegistration = Pick<EInvoiceRow, 'irn' | 'ack_no' | 'ack_date' | 'signed_qr' | 'gstin' | 'provider'>

export interface Settlement {
  /** The status in which the portal was asked. */
  was: EInvoiceStatus
  status: EInvoiceStatus
  registration?: KeptRegistration
  errors?: EInvoiceError[]
  cancelledAt?: Date
}

const WORD: Record<EInvoiceStatus, string> = {
  PENDING: 'QUEUED',
  GENERATED: 'GENERATED',
  FAILED: 'FAILED',
  CANCELLING: 'CANCELLING',
  CANCELLED: 'CANCELLED',
  NOT_APPLICABLE: 'NOT_APPLICABLE',
}

/**
 * Records the outcome, unless somebody else has recorded one. A document that was voided while the portal was asked keeps its
 * IRN and is still to be cancelled. Returns the status that holds now.
 */
export async function settleEInvoice(
  books: Books,
  kind: EInvoicedKind,
  id: string,
  { was, ...outcome }: Settlement,
): Promise<EInvoiceStatus> {
  const document = await lockDocument(books, kind, id)
  const row = document && (await findEInvoiceRow(books, id, 'FOR UPDATE'))
  if (!row || (row.status !== 'PENDING' && row.status !== 'CANCELLING')) return row?.status ?? 'NOT_APPLICABLE'
  const settled = await withoutTaken(books, id, outcome)
  const status = was === 'PENDING' && row.status === 'CANCELLING' ? afterVoidMeanwhile(settled.status) : settled.status
  const changed = books.change(eInvoices, row, {
    ...settled.registration,
    status,
    errors: settled.errors ?? [],
    cancelled_at: status === 'CANCELLED' ? (settled.cancelledAt ?? books.now) : null,
    attempts: 0,
    attended_at: books.now,
    last_error: null,
  })
  show(books, kind, document, changed)
  return status
}

/**
 * Queues a failed e-invoice again, or the cancellation of one whose document is void. Throws not_found.resource, and
 * conflict.invalid_state for any other.
 */
export async function retryInvoiceEInvoice(books: Books, id: string): Promise<Invoice> {
  return requeue(books, 'INVOICE', await invoiceOf(books, id, 'FOR UPDATE')) as Promise<Invoice>
}

/** The same of a credit note. */
export async function retryCreditNoteEInvoice(books: Books, id: string): Promise<CreditNote> {
  return requeue(books, 'CREDIT_NOTE', await creditNoteOf(books, id, 'FOR UPDATE')) as Promise<CreditNote>
}

const creditNoteOf = documentFinder('CREDIT_NOTE', findCreditNote)

async function requeue(
  books: Books,
  kind: EInvoicedKind,
  document: Invoice | CreditNote,
): Promise<Invoice | CreditNote> {
  const row = document.e_invoice && (await findEInvoiceRow(books, document.id, 'FOR UPDATE'))
  const isVoid = document.status === 'CANCELLED'
  refuseRetry(row?.status ?? null, isVoid)
  const queued = { ...PENDING_E_INVOICE, status: isVoid ? 'CANCELLING' : 'PENDING' } as const
  const changed = books.change(eInvoices, row!, {
    status: queued.status,
    errors: [],
    attempts: 0,
    start_at: books.now,
    last_error: null,
  })
  return show(books, kind, document, changed)
}

const afterVoidMeanwhile = (status: EInvoiceStatus): EInvoiceStatus =>
  status === 'GENERATED' ? 'CANCELLING' : 'NOT_APPLICABLE'

// Two branches of one GSTIN may have given one number twice, with everything else alike too.
async function withoutTaken(
  books: Books,
  id: string,
  outcome: Omit<Settlement, 'was'>,
): Promise<Omit<Settlement, 'was'>> {
  const irn = outcome.registration?.irn
  const other = irn ? await findByIrn(books, irn) : null
  if (!other || other.id === id) return outcome
  return { status: 'FAILED', errors: [errorOf(DUPLICATE_IRN, 'another document of this organisation has it')] }
}

const lockDocument = (books: Books, kind: EInvoicedKind, id: string): Promise<Invoice | CreditNote | null> =>
  kind === 'INVOICE' ? findInvoice(books, id, 'FOR UPDATE') : findCreditNote(books, id, 'FOR UPDATE')

function show(
  books: Books,
  kind: EInvoicedKind,
  document: Invoice | CreditNote,
  row: EInvoiceRow,
): Invoice | CreditNote {
  const e_invoice = shownEInvoice(row)
  const changes = { 'e_invoice.status': { old: document.e_invoice?.status ?? null, new: row.status } }
  const metadata = { irn: row.irn, errors: row.errors.map(({ code }) => code) }
  if (kind === 'INVOICE') {
    const changed = books.change(invoices, document as Invoice, { e_invoice })
    recordDocument(books, 'INVOICE', changed, `INVOICE_E_INVOICE_${WORD[row.status]}`, changes, metadata)
    announceDocument(books, 'INVOICE', 'INVOICE_UPDATED', changed, { changed: ['e_invoice'] })
    return changed
  }
  const changed = books.change(creditNotes, document as CreditNote, { e_invoice })
  recordDocument(books, 'CREDIT_NOTE', changed, `CREDIT_NOTE_E_INVOICE_${WORD[row.status]}`, changes, metadata)
  return changed
}
