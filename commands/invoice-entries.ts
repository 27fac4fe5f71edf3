// What an invoice leaves in the books besides itself: its journal, its activity entries, its events.
import type { AnnouncedEvent } from '../domain/events.ts'
import { toAmount } from '../domain/money.ts'
import { invoicePosting } from '../domain/posting/invoice.ts'
import type { PostingAccounts } from '../models/basis.ts'
import type { Invoice, InvoiceRow } from '../models/invoice.ts'
import type { Books } from './books.ts'
import type { Changes } from './changes.ts'
import { saleFigures } from './figures.ts'

/** Posts the journal of an approved invoice, dated as the invoice. */
export function postInvoice(books: Books, invoice: Invoice, accounts: PostingAccounts): void {
  books.post({
    date: invoice.date,
    source: 'INVOICE',
    sourceId: invoice.id,
    memo: `Invoice ${invoice.invoice_number}`,
    contactId: invoice.customer_id,
    lines: invoicePosting(saleFigures(books, invoice, accounts)),
  })
}

/** Writes an activity entry on the invoice. */
export function recordInvoice(books: Books, invoice: InvoiceRow, action: string, changes: Changes | null = null, metadata = {}): void {
  books.record({ action, entityType: 'INVOICE', entityId: invoice.id, entityRef: invoice.invoice_number, changes, metadata })
}

type InvoiceEvent = Extract<AnnouncedEvent['type'], `INVOICE_${'CREATED' | 'UPDATED' | 'VOIDED' | 'PAID'}`>

/** Announces an invoice as it now is; `changed` names the fields of an INVOICE_UPDATED (decisions §5). */
export function announceInvoice(books: Books, type: InvoiceEvent, invoice: InvoiceRow, changed: string[] = []): void {
  const data = {
    id: invoice.id,
    number: invoice.invoice_number,
    customer_id: invoice.customer_id,
    total: toAmount(invoice.total, invoice.currency_code),
    status: invoice.status,
    sequence: invoice.version,
  }
  const entity = { entityType: 'INVOICE', entityId: invoice.id }
  books.announce(type === 'INVOICE_UPDATED' ? { type, ...entity, data: { ...data, changed } } : { type, ...entity, data })
}
