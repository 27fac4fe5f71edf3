// Moves invoices and bills to OVERDUE in the nightly housekeeping, one page in each transaction.
import { fallsDue } from '../../domain/overdue.ts'
import { nextStatus, type SettledKind } from '../../domain/lifecycle.ts'
import { bills, type BillRow } from '../../models/bill.ts'
import { lockRows } from '../../models/find.ts'
import { invoices, type InvoiceRow } from '../../models/invoice.ts'
import { findDue } from '../../models/overdue.ts'
import type { Books } from '../books/books.ts'
import type { Caller, OrganizationFacts } from '../books/caller.ts'
import { changesBetween } from '../books/changes.ts'
import { announceDocument, recordDocument } from './document-entries.ts'
import { today } from './drafting.ts'

/** Documents in one transaction: few, so that calls wait only briefly for the locks. */
export const OVERDUE_PAGE = 100

/** The caller that the housekeeping runs as, within one organisation. */
export const housekeeper = (organization: OrganizationFacts): Caller => ({
  subject: '',
  kind: 'SYSTEM',
  tier: 'DEFAULT',
  scopes: [],
  userId: null,
  partnerId: null,
  organization,
  origin: { request_id: null, ip: null, user_agent: null, source: 'HOUSEKEEPING' },
})

/** How many documents a page moved, and whether there may be another page. */
export interface OverduePage {
  invoices: number
  bills: number
  more: boolean
}

/**
 * Moves at most OVERDUE_PAGE invoices and bills with a balance after the due date to OVERDUE (decisions §4, OVERDUE).
 * Documents that were paid, voided or credited between the search and the lock are skipped.
 */
export async function markOverdue(books: Books): Promise<OverduePage> {
  const day = today(books)
  const due = await findDue(books, day, OVERDUE_PAGE)
  const idsOf = (each: SettledKind) => due.filter(({ kind }) => kind === each).map(({ id }) => id)
  const dueInvoices = (await lockRows(books, invoices, idsOf('INVOICE'))).filter((row) => fallsDue('INVOICE', row, day))
  const dueBills = (await lockRows(books, bills, idsOf('BILL'))).filter((row) => fallsDue('BILL', row, day))
  for (const invoice of dueInvoices) markInvoice(books, invoice)
  for (const bill of dueBills) markBill(books, bill)
  const more = due.length === OVERDUE_PAGE
  return { invoices: dueInvoices.length, bills: dueBills.length, more }
}

function markInvoice(books: Books, before: InvoiceRow): void {
  const status = nextStatus('INVOICE', 'fallDue', before.status)
  const invoice = books.change(invoices, before, { status })
  recordDocument(books, 'INVOICE', invoice, 'INVOICE_OVERDUE', changesBetween({ status: before.status }, { status }))
  announceDocument(books, 'INVOICE', 'INVOICE_UPDATED', invoice, { changed: ['status'] })
}

function markBill(books: Books, before: BillRow): void {
  const status = nextStatus('BILL', 'fallDue', before.status)
  const bill = books.change(bills, before, { status })
  recordDocument(books, 'BILL', bill, 'BILL_OVERDUE', changesBetween({ status: before.status }, { status }))
  announceDocument(books, 'BILL', 'BILL_UPDATED', bill, { changed: ['status'] })
}
