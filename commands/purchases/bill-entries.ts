// Enters a priced bill into the books: its rows, its activity, its event, and its journal once it is approved.
import { refuseDuplicateBill } from '../../domain/duplicate-bill.ts'
import { nextStatus } from '../../domain/lifecycle.ts'
import { billPosting } from '../../domain/posting/bill.ts'
import {
  billLines,
  bills,
  findPossibleDuplicates,
  type Bill,
  type BillIdentity,
  type BillLineRow,
  type BillRow,
} from '../../models/bill.ts'
import type { PostingAccounts } from '../../models/document-context.ts'
import type { Books } from '../books/books.ts'
import { announceDocument, postDocument, recordDocument } from '../documents/document-entries.ts'
import { purchaseFigures } from '../documents/posting-figures.ts'
import type { PurchaseHead, PurchaseLine } from './purchase.ts'

/** A priced bill, without the columns that the books add. */
export type DraftedBill = PurchaseHead &
  Pick<BillRow, 'bill_number' | 'number_sequence' | 'due_date' | 'reference_number' | 'notes' | 'purchase_order_id'>
export type DraftedBillLine = PurchaseLine & Pick<BillLineRow, 'purchase_order_line_id'>

/**
 * Adds a priced bill to the books: as a draft, or approved and posted to these accounts. Throws as refuseDuplicateBill does.
 */
export async function enterBill(
  books: Books,
  accounts: PostingAccounts,
  drafted: DraftedBill,
  draftedLines: DraftedBillLine[],
  approved: boolean,
): Promise<Bill> {
  await refuseDuplicate(books, drafted, drafted.reference_number)
  const row = books.create(bills, {
    ...drafted,
    payment_made: 0n,
    vendor_credits_applied: 0n,
    balance: drafted.total,
    status: approved ? nextStatus('BILL', 'approve', 'DRAFT') : 'DRAFT',
  })
  const lines = draftedLines.map((line) => books.insert(billLines, { ...line, id: books.newId(), bill_id: row.id }))
  const bill = { ...row, lines }
  recordDocument(books, 'BILL', bill, 'BILL_CREATED')
  if (approved) {
    postBill(books, bill, accounts)
    recordDocument(books, 'BILL', bill, 'BILL_APPROVED', { status: { old: 'DRAFT', new: row.status } })
  }
  announceDocument(books, 'BILL', 'BILL_CREATED', bill)
  return bill
}

/** Posts the journal of an approved bill, with its date. */
export function postBill(books: Books, bill: Bill, accounts: PostingAccounts): void {
  postDocument(books, 'BILL', bill, billPosting(purchaseFigures(books, bill, accounts)))
}

/** Throws as refuseDuplicateBill does, for a bill that the books may hold already. */
export async function refuseDuplicate(books: Books, identity: BillIdentity, reference: string | null): Promise<void> {
  refuseDuplicateBill(reference, await findPossibleDuplicates(books, identity))
}
