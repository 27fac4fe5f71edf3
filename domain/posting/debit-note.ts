// The posting of an issued debit note: that of a returned bill.
//   Dr Accounts Payable       the total that the vendor is owed less
//   Dr Output GST (RCM)       what was self-assessed under reverse charge, by tax
//      Cr Purchases           taxable value, per account
//      Cr Input GST           what the vendor had charged and what was self-assessed, by tax
import { returnedBillPosting } from './bill.ts'

/** The journal lines of a debit note (decisions §4, Debit note), as returnedBillPosting gives them. */
export const debitNotePosting = returnedBillPosting
