// The posting of an issued credit note: that of an invoice, reversed.
//   Dr Sales                  taxable value, per revenue account
//   Dr Output GST             CGST + SGST within the state, IGST across it, cess
//      Cr Accounts Receivable the total that the customer is credited
import { invoicePosting, type InvoiceFigures } from './invoice.ts'
import { debitsFirst, reversalOf, type PostingLine } from './posting.ts'

/**
 * The journal lines of a customer's credit note, in minor units of the base currency (decisions §4). A note of 0
 * posts no lines. Throws validation.invalid_value (field exchange_rate) when the conversion exceeds what the ledger holds.
 */
export function creditNotePosting(note: InvoiceFigures): PostingLine[] {
  return debitsFirst(reversalOf(invoicePosting(note)))
}
