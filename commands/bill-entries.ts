// What a bill leaves in the books besides itself: its journal, its activity entries, its events.
import type { AnnouncedEvent } from '../domain/events.ts'
import { toAmount } from '../domain/money.ts'
import { billPosting } from '../domain/posting/bill.ts'
import type { PostingAccounts } from '../models/basis.ts'
import type { Bill, BillRow } from '../models/bill.ts'
import type { Books } from './books.ts'
import type { Changes } from './changes.ts'
import { purchaseFigures } from './figures.ts'

/** Posts the journal of an approved bill, dated as the bill. */
export function postBill(books: Books, bill: Bill, accounts: PostingAccounts): void {
  books.post({
    date: bill.date,
    source: 'BILL',
    sourceId: bill.id,
    memo: `Bill ${bill.bill_number}`,
    contactId: bill.vendor_id,
    lines: billPosting(purchaseFigures(books, bill, accounts)),
  })
}

/** Writes an activity entry on the bill. */
export function recordBill(books: Books, bill: BillRow, action: string, changes: Changes | null = null, metadata = {}): void {
  books.record({ action, entityType: 'BILL', entityId: bill.id, entityRef: bill.bill_number, changes, metadata })
}

type BillEvent = Extract<AnnouncedEvent['type'], `BILL_${'CREATED' | 'UPDATED' | 'VOIDED' | 'PAID'}`>

/** Announces a bill as it now is; `changed` names the fields of a BILL_UPDATED (decisions §5). */
export function announceBill(books: Books, type: BillEvent, bill: BillRow, changed: string[] = []): void {
  const data = {
    id: bill.id,
    number: bill.bill_number,
    vendor_id: bill.vendor_id,
    total: toAmount(bill.total, bill.currency_code),
    status: bill.status,
    sequence: bill.version,
  }
  const entity = { entityType: 'BILL', entityId: bill.id }
  books.announce(type === 'BILL_UPDATED' ? { type, ...entity, data: { ...data, changed } } : { type, ...entity, data })
}
