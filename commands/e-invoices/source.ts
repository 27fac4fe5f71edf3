// Reads what the e-invoice of a document is made from.
import type { DocumentType } from '../../domain/e-invoice/irn.ts'
import type { EInvoiceLine, EInvoiceSource, PostalAddress } from '../../domain/e-invoice/source.ts'
import type { EInvoicedKind } from '../../domain/e-invoice/state.ts'
import type { OrganizationPreferences } from '../../domain/preferences.ts'
import { branches, type BranchRow } from '../../models/branch.ts'
import { contacts, type ContactRow } from '../../models/contact.ts'
import { findCreditNote } from '../../models/credit-note.ts'
import type { DocumentRow, LineRow } from '../../models/document.ts'
import { findRow, findRows, type Scope } from '../../models/find.ts'
import { findInvoice, invoices } from '../../models/invoice.ts'
import { findOrganization, type OrganizationRow } from '../../models/organization.ts'
import { findPreferences } from '../../models/preferences.ts'
import { taxes } from '../../models/tax.ts'

const TYPE_OF: Record<EInvoicedKind, DocumentType> = { INVOICE: 'INV', CREDIT_NOTE: 'CRN' }

interface Registrable extends DocumentRow {
  status: string
  customer_id: string
  lines: LineRow[]
}

/** What a document of ours and its surroundings say, and how its branch registers. */
export interface ReadSource {
  source: EInvoiceSource
  isVoid: boolean
  isSandbox: boolean
  choice: OrganizationPreferences['e_invoicing'][string] | null
}

/** Reads it outside a transaction: an approved document, its contact and its branch seldom change. Null where there is no such document. */
export async function readEInvoiceSource(scope: Scope, kind: EInvoicedKind, id: string): Promise<ReadSource | null> {
  const found = await (kind === 'INVOICE' ? readInvoice(scope, id) : readCreditNote(scope, id))
  if (!found) return null
  const { document, number, due_date, preceding } = found
  const taxIds = [...new Set(document.lines.flatMap(({ tax_id }) => tax_id ?? []))]
  const [organization, branch, contact, named, preferences] = await Promise.all([
    findOrganization(scope.connection, scope.orgId),
    findRow(scope, branches, document.branch_id),
    findRow(scope, contacts, document.customer_id),
    findRows(scope, taxes, taxIds),
    findPreferences(scope),
  ])
  const taxOf = new Map(named.map((tax) => [tax.id, tax]))
  const { place_of_supply, currency_code, exchange_rate, round_off, total, tax_total, date } = document
  return {
    isVoid: document.status === 'CANCELLED',
    isSandbox: organization!.sandbox,
    choice: preferences.e_invoicing[document.branch_id] ?? null,
    source: {
      type: TYPE_OF[kind],
      number,
      date,
      due_date,
      place_of_supply,
      currency_code,
      exchange_rate,
      round_off,
      total,
      tax_total,
      lines: document.lines.map(
        (line): EInvoiceLine => ({ ...line, tax: line.tax_id ? (taxOf.get(line.tax_id) ?? null) : null }),
      ),
      supplier: supplierOf(organization!, branch!),
      buyer: buyerOf(contact!),
      preceding,
      bank: preferences.pdf.bank_details,
    },
  }
}

interface Found {
  document: Registrable
  number: string
  due_date: string | null
  preceding: EInvoiceSource['preceding']
}

async function readInvoice(scope: Scope, id: string): Promise<Found | null> {
  const invoice = await findInvoice(scope, id)
  return invoice && { document: invoice, number: invoice.invoice_number, due_date: invoice.due_date, preceding: null }
}

async function readCreditNote(scope: Scope, id: string): Promise<Found | null> {
  const note = await findCreditNote(scope, id)
  if (!note) return null
  const invoice = note.invoice_id === null ? null : await findRow(scope, invoices, note.invoice_id)
  const preceding = invoice && { number: invoice.invoice_number, date: invoice.date }
  return { document: note, number: note.credit_note_number, due_date: null, preceding }
}

const supplierOf = (
  { name, legal_name, address, email, phone }: OrganizationRow,
  { gstin, state, city, address: own, dispatch_address }: BranchRow,
) => ({
  gstin,
  name,
  legal_name,
  address: own ?? (address as Partial<PostalAddress> | null),
  state,
  city: own ? null : city,
  dispatch_address,
  email,
  phone,
})

function buyerOf(contact: ContactRow): EInvoiceSource['buyer'] {
  const { contact_name, legal_name, gst_no, gst_treatment, billing_address, shipping_address, email, phone } = contact
  const country = billing_address?.country ?? null
  return { contact_name, legal_name, gst_no, gst_treatment, country, billing_address, shipping_address, email, phone }
}
