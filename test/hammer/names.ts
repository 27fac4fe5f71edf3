// Every way to name a contact or an item, and every call that does so: by a new document, or by a changed one.
import { randomUUID } from 'node:crypto'
import {
  billBody, creditNoteBody, debitNoteBody, estimateBody, expenseBody, invoiceBody, journalBody, purchaseOrderBody, receiptBody, salesOrderBody,
} from '../fixtures/bodies.ts'
import type { Answered, Client, Json } from '../fixtures/client.ts'
import { TODAY, type TestOrganization } from '../fixtures/organization.ts'

/** What a call names: a contact, as customer and as vendor, and an item. */
export interface Named {
  contact: string
  item: string
}

export interface Naming {
  path: string
  /** The key of what is answered. */
  key: string
  body(org: TestOrganization, named: Named): Json
}

const idsOf = ({ accounts }: TestOrganization, { contact, item }: Named) => ({ customerId: contact, vendorId: contact, itemId: item, accounts })
const today = { date: TODAY }

/** New documents with a line of the item. */
export const LINED = {
  invoice: { path: '/invoices', key: 'invoice', body: (org, named) => invoiceBody(idsOf(org, named), { ...today, auto_approve: true }) },
  'draft invoice': { path: '/invoices', key: 'invoice', body: (org, named) => invoiceBody(idsOf(org, named), today) },
  bill: { path: '/bills', key: 'bill', body: (org, named) => billBody(idsOf(org, named), { ...today, auto_approve: true }) },
  'draft bill': { path: '/bills', key: 'bill', body: (org, named) => billBody(idsOf(org, named), today) },
  'credit note': { path: '/credit_notes', key: 'credit_note', body: (org, named) => creditNoteBody(idsOf(org, named), today) },
  'debit note': { path: '/debit_notes', key: 'debit_note', body: (org, named) => debitNoteBody(idsOf(org, named), today) },
  estimate: { path: '/estimates', key: 'estimate', body: (org, named) => estimateBody(idsOf(org, named), today) },
  'sales order': { path: '/sales_orders', key: 'sales_order', body: (org, named) => salesOrderBody(idsOf(org, named), today) },
  'purchase order': { path: '/purchase_orders', key: 'purchase_order', body: (org, named) => purchaseOrderBody(idsOf(org, named), today) },
} satisfies Record<string, Naming>

/** New records of the contact, documents with lines among them. */
export const OWNED = {
  ...LINED,
  payment: { path: '/payments', key: 'payment', body: (org, named) => receiptBody(idsOf(org, named), today) },
  expense: { path: '/expenses', key: 'expense', body: (org, { contact }) => expenseBody(org, { ...today, vendor_id: contact }) },
  journal: { path: '/journals', key: 'journal', body: (org, { contact }) => journalBody(org, { ...today, contact_id: contact }) },
  // The contact of the whole entry, of which no line is.
  'journal of other lines': {
    path: '/journals', key: 'journal',
    body(org, { contact }) {
      const { lines, ...body } = journalBody(org, today)
      return { ...body, contact_id: contact, lines: (lines as Json[]).map((line) => ({ ...line, contact_id: org.customerId })) }
    },
  },
  'line of a journal': {
    path: '/journals', key: 'journal',
    body(org, { contact }) {
      const { lines, ...body } = journalBody(org, today)
      return { ...body, lines: (lines as Json[]).map((line, place) => ({ ...line, contact_id: place === 0 ? contact : null })) }
    },
  },
} satisfies Record<string, Naming>

/** Makes one; `key` is its Idempotency-Key. */
export function make(caller: Client, org: TestOrganization, { path, body }: Naming, named: Named, key: string = randomUUID()): Promise<Answered> {
  return caller.post(path, body(org, named), key)
}

/** Where the answer to a creation can be read. */
export const pathOf = ({ path, key }: Naming, { body }: Answered): string => `${path}/${body[key][`${key}_id`]}`
