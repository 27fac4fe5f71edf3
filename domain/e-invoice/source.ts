// What an e-invoice is made from: a document, its supplier and its buyer, as the books have them.
import type { TaxShape } from '../gst.ts'
import type { Minor } from '../money.ts'
import type { BankDetails } from '../preferences.ts'
import type { DocumentType } from './irn.ts'
import type { Buyer } from './supply.ts'

export interface PostalAddress {
  address: string | null
  city: string | null
  state_code: string | null
  zip: string | null
  country: string | null
}

export interface EInvoiceSupplier {
  gstin: string | null
  name: string
  legal_name: string | null
  address: Partial<PostalAddress> | null
  /** Of the branch. `address` is its own, else the organisation's; `city` is null with its own. */
  state: string
  city: string | null
  dispatch_address: PostalAddress | null
  email: string | null
  phone: string | null
}

export interface EInvoiceBuyer extends Buyer {
  contact_name: string
  legal_name: string | null
  billing_address: PostalAddress | null
  shipping_address: PostalAddress | null
  email: string | null
  phone: string | null
}

/** Amounts are minor units of the document's currency; quantity, rate and percentages decimal text. */
export interface EInvoiceLine {
  name: string
  hsn_or_sac: string | null
  quantity: string
  unit: string | null
  rate: string
  tax_percentage: string
  item_total: Minor
  cgst: Minor
  sgst: Minor
  igst: Minor
  cess: Minor
  /** The tax that the line names. */
  tax: { shape: TaxShape; cgst: string; sgst: string; igst: string; cess: string } | null
}

export interface EInvoiceSource {
  type: DocumentType
  number: string
  date: string
  due_date: string | null
  place_of_supply: string
  currency_code: string
  exchange_rate: string
  round_off: Minor
  total: Minor
  tax_total: Minor
  lines: EInvoiceLine[]
  supplier: EInvoiceSupplier
  buyer: EInvoiceBuyer
  /** The invoice that a credit note names. */
  preceding: { number: string; date: string } | null
  bank: BankDetails | null
}
