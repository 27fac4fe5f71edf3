// The posting of an approved invoice:
//   Dr Accounts Receivable    the total the customer owes
//      Cr Sales               taxable value, per revenue account
//      Cr Output GST          CGST + SGST within the state, IGST across it, cess
//      Cr Round Off           the round-off (a debit when negative)
import type { GstParts } from '../gst.ts'
import type { Minor } from '../money.ts'
import { assertBalanced, balanceInBase, credit, debit, mergeByAccount, type PostingLine } from './posting.ts'

export interface InvoiceFigures extends GstParts {
  customerId: string
  currency: string
  /** Units of the base currency for one unit of `currency`. */
  exchangeRate: string
  baseCurrency: string
  total: Minor
  roundOff: Minor
  lines: readonly { accountId: string; taxable: Minor }[]
  accounts: InvoiceAccounts
}

export interface InvoiceAccounts {
  receivable: string
  sales: string
  outputCgst: string
  outputSgst: string
  outputIgst: string
  outputCess: string
  /** Null where the organisation has no account named Round Off or Rounding. */
  roundOff: string | null
}

/**
 * The journal lines of an approved invoice, in minor units of the base currency (specification, "POST /invoices":
 * journal on approval). Without a Round Off account the difference goes to Sales, so that the receivable equals
 * the total (decisions §3). An invoice of 0 posts no lines.
 * Throws validation.invalid_value (field exchange_rate) when the conversion exceeds what the ledger holds.
 */
export function invoicePosting(invoice: InvoiceFigures): PostingLine[] {
  const { accounts } = invoice
  const revenue = invoice.lines.map((line) => credit(line.accountId, line.taxable))
  const lines = mergeByAccount([
    debit(accounts.receivable, invoice.total, { contactId: invoice.customerId }),
    ...revenue,
    credit(accounts.outputCgst, invoice.cgst),
    credit(accounts.outputSgst, invoice.sgst),
    credit(accounts.outputIgst, invoice.igst),
    credit(accounts.outputCess, invoice.cess),
    credit(accounts.roundOff ?? accounts.sales, invoice.roundOff),
  ])
  assertBalanced(lines)
  const posted = balanceInBase(lines, {
    currency: invoice.currency,
    exchangeRate: invoice.exchangeRate,
    baseCurrency: invoice.baseCurrency,
    absorbers: new Set(revenue.map((line) => line.accountId)),
  })
  assertBalanced(posted)
  return posted
}
