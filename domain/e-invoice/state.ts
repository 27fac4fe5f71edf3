// The states of an e-invoice, what a document shows of it, and the process that registers it.
import { fault, invalidState } from '../faults.ts'
import type { EInvoiceError } from './error-codes.ts'

/**
 * PENDING: to be registered. CANCELLING: to be cancelled at the portal, because the document is void. NOT_APPLICABLE: it turned
 * out that the document is not to be registered, or it was void before it was.
 */
export const E_INVOICE_STATUSES = [
  'PENDING',
  'GENERATED',
  'FAILED',
  'CANCELLING',
  'CANCELLED',
  'NOT_APPLICABLE',
] as const
export type EInvoiceStatus = (typeof E_INVOICE_STATUSES)[number]

/** The kinds of documents that are registered. */
export type EInvoicedKind = 'INVOICE' | 'CREDIT_NOTE'

/** As callers see it. */
export interface ShownEInvoice {
  status: EInvoiceStatus
  irn: string | null
  ack_no: string | null
  ack_date: string | null
  signed_qr: string | null
  errors: EInvoiceError[]
}

/** Before anything was sent. */
export const PENDING_E_INVOICE: ShownEInvoice = {
  status: 'PENDING',
  irn: null,
  ack_no: null,
  ack_date: null,
  signed_qr: null,
  errors: [],
}

/** Whether the document is to have an IRN and has none, so that it is no invoice yet (CGST Rules, rule 48(5)). */
export const isUnregistered = (eInvoice: ShownEInvoice | null): boolean =>
  eInvoice?.status === 'PENDING' || eInvoice?.status === 'FAILED'

/** The status after the void of its document: what has, or may have, an IRN is to be cancelled. */
export function statusAfterVoid(status: EInvoiceStatus): EInvoiceStatus {
  return status === 'PENDING' || status === 'GENERATED' ? 'CANCELLING' : status
}

/** Throws validation.invalid_value, field date: the date of a document that is, or may be, registered is part of its IRN. */
export function refuseNewDate(eInvoice: ShownEInvoice | null): void {
  if (!eInvoice || eInvoice.status === 'FAILED' || eInvoice.status === 'NOT_APPLICABLE') return
  const message = 'The date is registered with the e-invoice; void the document and make a new one.'
  throw fault('validation.invalid_value', { field: 'date', message })
}

/** Throws conflict.invalid_state unless the registration has failed, or, where the document is void, its cancellation was refused. */
export function refuseRetry(status: EInvoiceStatus | null, isVoid: boolean): void {
  const [allowed, message]: [EInvoiceStatus, string] = isVoid
    ? ['GENERATED', 'The document is void: only the cancellation of an IRN that was refused is tried again.']
    : ['FAILED', 'Only an e-invoice that has failed is tried again.']
  if (status !== allowed) throw invalidState(message, status, [allowed])
}

/**
 * Throws conflict.e_invoice_registered. The portals cancel an IRN for 24 hours only; afterwards the supply stays reported, and is
 * reduced by a credit note (section 34 of the CGST Act).
 */
export function refuseLateVoid(noun: string): never {
  const advice = noun === 'invoice' ? 'give a credit note instead' : 'make a new invoice instead'
  throw fault('conflict.e_invoice_registered', {
    message: `The IRN of this ${noun} is older than 24 hours and can no longer be cancelled; ${advice}.`,
  })
}

/** The input of the workflow `registerEInvoice`; the id is the document's. */
export interface EInvoiceInput {
  orgId: string
  kind: EInvoicedKind
  id: string
}

/** What one look has come to; `waitMs` until the next one, null where nothing is left to do. */
export interface Attended {
  status: EInvoiceStatus
  waitMs: number | null
}

export const E_INVOICE_CHANGED = 'changed'
export const eInvoiceProcessId = (id: string) => `e-invoice/${id}`

/** Waits double from the first one up to an hour. After three days a document has failed, and callers may try it again. */
const LONGEST_WAIT_MS = 60 * 60 * 1_000
export const GIVE_UP_MS = 3 * 24 * 60 * 60 * 1_000

/** The wait after so many attempts that came to nothing. */
export const waitAfter = (attempts: number, firstMs: number): number =>
  Math.min(firstMs * 2 ** Math.min(attempts - 1, 20), LONGEST_WAIT_MS)
