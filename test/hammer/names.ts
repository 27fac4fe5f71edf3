// Every way to name a contact or an item, and every call that does so: by a new document, or by a changed one.
import { randomUUID } from 'node:crypto'
import type { Answered, Client, Json } from '../api/client.ts'
import { TODAY, type Stall } from '../api/fixtures.ts'
import {
  billBody, creditNoteBody, debitNoteBody, estimateBody, expenseBody, invoiceBody, journalBody, paymentBody, purchaseOrderBody, salesOrderBody,
} from '../api/wares.ts'

/** What a call names: a contact, as customer and as vendor, and an item. */
export interface Named {
  contact: string
  item: string
}

export interface Naming {
  path: string
  /** The key of what is answered. */
  key: string
  body(stall: Stall, named: Named): Json
}

const shopOf = ({ accounts }: Stall, { contact, item }: Named) => ({ customerId: contact, vendorId: contact, itemId: item, accounts })
const today = { date: TODAY }

/** New documents with a line of the item. */
export const LINED = {
  invoice: { path: '/invoices', key: 'invoice', body: (stall, named) => invoiceBody(shopOf(stall, named), { ...today, auto_approve: true }) },
  'draft invoice': { path: '/invoices', key: 'invoice', body: (stall, named) => invoiceBody(shopOf(stall, named), today) },
  bill: { path: '/bills', key: 'bill', body: (stall, named) => billBody(shopOf(stall, named), { ...today, auto_approve: true }) },
  'draft bill': { path: '/bills', key: 'bill', body: (stall, named) => billBody(shopOf(stall, named), today) },
  'credit note': { path: '/credit_notes', key: 'credit_note', body: (stall, named) => creditNoteBody(shopOf(stall, named), today) },
  'debit note': { path: '/debit_notes', key: 'debit_note', body: (stall, named) => debitNoteBody(shopOf(stall, named), today) },
  estimate: { path: '/estimates', key: 'estimate', body: (stall, named) => estimateBody(shopOf(stall, named), today) },
  'sales order': { path: '/sales_orders', key: 'sales_order', body: (stall, named) => salesOrderBody(shopOf(stall, named), today) },
  'purchase order': { path: '/purchase_orders', key: 'purchase_order', body: (stall, named) => purchaseOrderBody(shopOf(stall, named), today) },
} satisfies Record<string, Naming>

/** New records of the contact, documents with lines among them. */
export const OWNED = {
  ...LINED,
  payment: { path: '/payments', key: 'payment', body: (stall, named) => paymentBody(shopOf(stall, named), today) },
  expense: { path: '/expenses', key: 'expense', body: (stall, { contact }) => expenseBody(stall, { ...today, vendor_id: contact }) },
  journal: { path: '/journals', key: 'journal', body: (stall, { contact }) => journalBody(stall, { ...today, contact_id: contact }) },
  // The contact of the whole entry, of which no line is.
  'journal of other lines': {
    path: '/journals', key: 'journal',
    body(stall, { contact }) {
      const { lines, ...body } = journalBody(stall, today)
      return { ...body, contact_id: contact, lines: (lines as Json[]).map((line) => ({ ...line, contact_id: stall.customerId })) }
    },
  },
  'line of a journal': {
    path: '/journals', key: 'journal',
    body(stall, { contact }) {
      const { lines, ...body } = journalBody(stall, today)
      return { ...body, lines: (lines as Json[]).map((line, place) => ({ ...line, contact_id: place === 0 ? contact : null })) }
    },
  },
} satisfies Record<string, Naming>

/** Makes one; `key` is its Idempotency-Key. */
export function make(door: Client, stall: Stall, { path, body }: Naming, named: Named, key: string = randomUUID()): Promise<Answered> {
  return door.post(path, body(stall, named), key)
}

/** Where the answer to a creation can be read. */
export const pathOf = ({ path, key }: Naming, { body }: Answered): string => `${path}/${body[key][`${key}_id`]}`
