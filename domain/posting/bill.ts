// The posting of an approved bill:
//   Dr Purchases              taxable value, per account
//   Dr Input GST              what the vendor charges and what is self-assessed, by tax
//   Dr Round Off              the round-off (a credit when negative)
//      Cr Accounts Payable    the total the vendor is owed
//      Cr Output GST (RCM)    what the buyer self-assesses under reverse charge, by tax
import type { GstParts } from '../gst.ts'
import type { Minor } from '../money.ts'
import {
  assertBalanced,
  balanceInBase,
  credit,
  debit,
  debitsFirst,
  mergeByAccount,
  reversalOf,
  type PostingLine,
} from './posting.ts'

export interface BillFigures {
  vendorId: string
  currency: string
  /** Units of the base currency for one unit of `currency`. */
  exchangeRate: string
  baseCurrency: string
  total: Minor
  roundOff: Minor
  /** What the vendor charges. */
  charged: GstParts
  /** What the buyer owes the government instead of the vendor (section 9(3) and (4) of the CGST Act). */
  selfAssessed: GstParts
  lines: readonly { accountId: string; taxable: Minor }[]
  accounts: BillAccounts
}

type AccountByTax = Record<keyof GstParts, string>

export interface BillAccounts {
  payable: string
  input: AccountByTax
  reverseCharge: AccountByTax
  /** Null where the organisation has no account named Round Off or Rounding. */
  roundOff: string | null
}

const TAXES = ['cgst', 'sgst', 'igst', 'cess'] as const

/**
 * The journal lines of an approved bill, in minor units of the base currency (specification, "Bill": journal posted).
 * Without a Round Off account the difference goes to the first line's account, so that the payable equals the total
 * (decisions §3). A bill of 0 posts no lines.
 * Throws validation.invalid_value (field exchange_rate) when the conversion exceeds what the ledger holds.
 */
export function billPosting(bill: BillFigures): PostingLine[] {
  const { accounts, charged, selfAssessed } = bill
  const bought = bill.lines.map((line) => debit(line.accountId, line.taxable))
  const lines = mergeByAccount([
    credit(accounts.payable, bill.total, { contactId: bill.vendorId }),
    ...bought,
    ...TAXES.map((tax) => debit(accounts.input[tax], charged[tax] + selfAssessed[tax])),
    ...TAXES.map((tax) => credit(accounts.reverseCharge[tax], selfAssessed[tax])),
    debit(accounts.roundOff ?? bill.lines[0]!.accountId, bill.roundOff),
  ])
  assertBalanced(lines)
  const posted = balanceInBase(lines, {
    currency: bill.currency,
    exchangeRate: bill.exchangeRate,
    baseCurrency: bill.baseCurrency,
    absorbers: new Set(bought.map((line) => line.accountId)),
  })
  assertBalanced(posted)
  return debitsFirst(posted)
}

/**
 * The journal lines of a bill that is returned, in whole or in part: those of a bill, reversed. Throws as billPosting does.
 *   Dr Accounts Payable       the total that the vendor is owed less
 *   Dr Output GST (RCM)       what was self-assessed under reverse charge, by tax
 *      Cr Purchases           taxable value, per account
 *      Cr Input GST           what the vendor had charged and what was self-assessed, by tax
 */
export function returnedBillPosting(note: BillFigures): PostingLine[] {
  return debitsFirst(reversalOf(billPosting(note)))
}
