// The posting of an issued debit note: that of a bill, reversed.
//   Dr Accounts Payable       the total that the vendor is owed less
//   Dr Output GST (RCM)       what was self-assessed under reverse charge, by tax
//      Cr Purchases           taxable value, per account
//      Cr Input GST           what the vendor had charged and what was self-assessed, by tax
import { billPosting, type BillFigures } from './bill.ts'
import { debitsFirst, reversalOf, type PostingLine } from './posting.ts'

/**
 * The journal lines of a debit note, in minor units of the base currency (decisions §4, Debit note). A note
 * of 0 posts no lines. Throws validation.invalid_value (field exchange_rate) when the conversion exceeds what the
 * ledger holds.
 */
export function debitNotePosting(note: BillFigures): PostingLine[] {
  return debitsFirst(reversalOf(billPosting(note)))
}
