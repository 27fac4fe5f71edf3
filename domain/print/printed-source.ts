// What a printed document is made from: the document, who wrote it, who it is for, and what it refers to.
import type { DocumentKind, PrintedKind } from '../documents.ts'
import type { EInvoiceStatus } from '../e-invoice/state.ts'
import type { GstParts, Tax } from '../gst.ts'
import type { Minor } from '../money.ts'
import type { Flow, PaymentType } from '../posting/payment.ts'
import type { PrintPreferences } from '../preferences.ts'

/** Any object; the fields that are printed are those of `addressLines`. */
export type StoredAddress = Record<string, unknown>

/** What is printed beside the document itself, as it is at the moment of printing. */
export interface Surroundings {
  organization: {
    name: string
    legal_name: string | null
    gstin: string | null
    pan: string | null
    email: string | null
    phone: string | null
    address: StoredAddress | null
    state_code: string
    currency_code: string
    sandbox: boolean
  }
  /** The document's branch; the default one for a payment, null where there is none. */
  branch: {
    name: string
    gstin: string | null
    state: string
    city: string | null
    /** Null where it is the organisation's. */
    address: StoredAddress | null
    /** Where goods leave from; null where that is the address of the branch. */
    dispatch_address: StoredAddress | null
    is_default: boolean
  } | null
  contact: {
    legal_name: string | null
    company_name: string | null
    gst_no: string | null
    gst_treatment: string | null
    pan: string | null
    place_of_contact: string | null
    email: string | null
    phone: string | null
    billing_address: StoredAddress | null
    shipping_address: StoredAddress | null
  }
  /** Null where the organisation has chosen nothing. */
  pdf: PrintPreferences | null
  /** The documents that the document refers to. */
  sources: ReferredDocument[]
  /** The name of the account that a payment went to or came from. */
  account: string | null
}

/** A document that another refers to: the order of an invoice, the invoice of a note, what a payment settles. */
export interface ReferredDocument {
  kind: DocumentKind
  number: string
  date: string
  /** Of what a payment settles: the total of the document and the settled part, in minor units as text; else null. */
  total: string | null
  amount: string | null
  /** Of a bill that a payment settles, where we owe tax of it under reverse charge; null of others. */
  owed?: OwedTax | null
}

/** What the recipient of a bill owes under reverse charge: rule 52 of the CGST Rules asks for it on the payment voucher. */
export interface OwedTax {
  place_of_supply: string
  /** The state of the branch that owes it. */
  branch_state: string | null
  /** The first of the lines that bear it. */
  names: string[]
  /** Percentages as text; amounts in minor units as text. */
  taxes: { rate: string; cess_rate: string; cgst: string; sgst: string; igst: string; cess: string }[]
}

/** A document with lines. Amounts are minor units of its currency. */
export interface PrintedTrade extends GstParts {
  kind: Exclude<PrintedKind, 'PAYMENT'>
  number: string
  /** The contact's name as the document has it. */
  party_name: string
  status: string
  date: string
  due_date: string | null
  reference_number: string | null
  reason: string | null
  place_of_supply: string
  currency_code: string
  exchange_rate: string
  sub_total: Minor
  tax_total: Minor
  round_off: Minor
  total: Minor
  notes: string | null
  /** What has been paid, and what credits have settled; of a note: 0, and what of it is applied. */
  paid: Minor
  credited: Minor
  /** Whether the note is one that a vendor gave. */
  from_vendor: boolean
  payment_link_url: string | null
  lines: PrintedTradeLine[]
}

export interface PrintedTradeLine extends GstParts {
  name: string
  description: string | null
  hsn_or_sac: string | null
  quantity: string
  unit: string | null
  rate: string
  discount: string
  tax_percentage: string
  item_total: Minor
  /** Null where the line has no tax. */
  tax: Tax | null
  /** What the books have of reverse charge: on purchases, where we are the recipient. */
  rcm_cgst?: Minor
  rcm_sgst?: Minor
  rcm_igst?: Minor
  rcm_cess?: Minor
}

/** A payment. Amounts are minor units of its currency; `amount` is gross: what it settles. */
export interface PrintedPayment {
  kind: 'PAYMENT'
  number: string
  party_name: string
  flow: Flow
  payment_type: PaymentType
  date: string
  amount: Minor
  mode: string
  reference_number: string | null
  description: string | null
  currency_code: string
  exchange_rate: string
  bank_charges: Minor
  tds_amount: Minor
  allocated: Minor
}

/** The e-invoice of a document, in the state that it is in. */
export interface EInvoiceOnPaper {
  status: EInvoiceStatus
  irn: string | null
  ack_no: string | null
  /** As the registration portal wrote it, in Indian time: `2026-11-01 14:05:00`. */
  ack_date: string | null
  /** When the IRN was cancelled, in the same form. */
  cancelled_at: string | null
}
