// What an invoice registration portal does for us, whichever it is.
import type { EInvoiceError } from '../../domain/e-invoice/error-codes.ts'
import type { DocumentDetails } from '../../domain/e-invoice/irn.ts'
import type { EInvoicePayload } from '../../domain/e-invoice/payload-shape.ts'

/** A registered document. */
export interface Registration {
  irn: string
  ackNo: string
  acknowledged: Date
  /** A JWT, to be printed as a QR code as it is. */
  signedQr: string
  isCancelled: boolean
}

export type Generated = { did: 'REGISTERED'; registration: Registration } | Refused
export type Cancelled = { did: 'CANCELLED'; at: Date } | Refused

export interface Refused {
  did: 'REFUSED'
  errors: EInvoiceError[]
}

/**
 * Every call throws EInvoiceUnavailable where the portal cannot be reached, answers late or what cannot be used, or says that it
 * may succeed later: then it is unknown whether it was carried out. The caller has checked nothing that a portal says.
 */
export interface EInvoiceProvider {
  /** Registers a document, once: refused with 2150 where it has an IRN. */
  generate(payload: EInvoicePayload): Promise<Generated>
  /** Cancels an IRN, within 24 hours. */
  cancel(irn: string, remark: string): Promise<Cancelled>
  /** The registration of an IRN; null where the portal has none, or shows it no longer. */
  find(irn: string): Promise<Registration | null>
  /** The same by the details of the document. */
  findByDocument(details: DocumentDetails): Promise<Registration | null>
  /** What a signed QR code says; null where it was not signed by the portal. */
  readQr(signedQr: string): Promise<Record<string, unknown> | null>
}

/** The portal could not be used; `reason` is for operators, and has no secret. */
export class EInvoiceUnavailable extends Error {
  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(reason, options)
    this.name = 'EInvoiceUnavailable'
  }
}
