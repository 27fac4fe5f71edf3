// What a bill leaves in the books besides itself: its journal, its activity entries, its events.
import type { AnnouncedEvent } from '../domain/events.ts'
import { sum, toAmount } from '../domain/money.ts'
import { billPosting } from '../domain/posting/bill.ts'
import type { PostingAccounts } from '../models/basis.ts'
import type { Bill, BillLineRow, BillRow } from '../models/bill.ts'
import type { Books } from './books.ts'
import type { Changes } from './changes.ts'

/** Posts the journal of an approved bill, dated as the bill. */
export function postBill(books: Books, bill: Bill, { roles, round_off_account }: PostingAccounts): void {
  const ofLines = (tax: keyof BillLineRow & `rcm_${string}`) => sum(bill.lines.map((line) => line[tax]))
  books.post({
    date: bill.date,
    source: 'BILL',
    sourceId: bill.id,
    memo: `Bill ${bill.bill_number}`,
    contactId: bill.vendor_id,
    lines: billPosting({
      vendorId: bill.vendor_id,
      currency: bill.currency_code,
      exchangeRate: bill.exchange_rate,
      baseCurrency: books.organization.currency_code,
      total: bill.total,
      roundOff: bill.round_off,
      charged: { cgst: bill.cgst, sgst: bill.sgst, igst: bill.igst, cess: bill.cess },
      selfAssessed: { cgst: ofLines('rcm_cgst'), sgst: ofLines('rcm_sgst'), igst: ofLines('rcm_igst'), cess: ofLines('rcm_cess') },
      lines: bill.lines.map((line) => ({ accountId: line.account_id, taxable: line.item_total })),
      accounts: {
        payable: roles.ACCOUNTS_PAYABLE!,
        input: { cgst: roles.INPUT_CGST!, sgst: roles.INPUT_SGST!, igst: roles.INPUT_IGST!, cess: roles.INPUT_CESS! },
        reverseCharge: {
          cgst: roles.RCM_OUTPUT_CGST!, sgst: roles.RCM_OUTPUT_SGST!, igst: roles.RCM_OUTPUT_IGST!, cess: roles.RCM_OUTPUT_CESS!,
        },
        roundOff: round_off_account,
      },
    }),
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
