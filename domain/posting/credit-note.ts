// What an issued credit note does to the books: what its invoice did, the other way round.
//   Dr Sales                  taxable value, per revenue account
//   Dr Output GST             CGST + SGST within the state, IGST across it, cess
//      Cr Accounts Receivable the total the customer is credited
// Or, where the credit is a vendor's: what its bill did, the other way round.
//   Dr Accounts Payable       what the vendor is owed less
//   Dr Output GST (RCM)       what was self-assessed under reverse charge, by tax
//      Cr Purchases           taxable value, per account
//      Cr Input GST           what the vendor had charged and what was self-assessed, by tax
import { billPosting, type BillFigures } from './bill.ts'
import { invoicePosting, type InvoiceFigures } from './invoice.ts'
import { debitsFirst, reversalOf, type PostingLine } from './posting.ts'

/**
 * The journal lines of a customer's credit note, in minor units of the base currency (decisions §4). A note of nothing
 * posts no lines. Throws validation.invalid_value (field exchange_rate) when the conversion exceeds what the ledger holds.
 */
export function creditNotePosting(note: InvoiceFigures): PostingLine[] {
  return debitsFirst(reversalOf(invoicePosting(note)))
}

/** As creditNotePosting, for a vendor's credit. */
export function vendorCreditPosting(note: BillFigures): PostingLine[] {
  return debitsFirst(reversalOf(billPosting(note)))
}
