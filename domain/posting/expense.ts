// The posting of an expense:
//   Dr Expense                taxable value, per account
//   Dr Input GST              what the vendor charges and what is self-assessed, by tax
//      Cr Output GST (RCM)    what the buyer self-assesses under reverse charge, by tax
//      Cr Bank or Cash        what was paid
// Where the input tax credit is blocked (section 17(5) of the CGST Act), the GST is part of the expense.
import { sumGst } from '../expense.ts'
import { gstTotal, type GstParts } from '../gst.ts'
import type { Minor } from '../money.ts'
import { assertBalanced, credit, debit, mergeByAccount, type PostingLine } from './posting.ts'

export interface ExpenseEntry {
  paidThrough: string
  total: Minor
  creditBlocked: boolean
  lines: readonly {
    accountId: string
    taxable: Minor
    charged: GstParts
    selfAssessed: GstParts
    note: string | null
  }[]
  accounts: ExpenseAccounts
}

type AccountByTax = Record<keyof GstParts, string>

export interface ExpenseAccounts {
  input: AccountByTax
  reverseCharge: AccountByTax
}

const TAXES = ['cgst', 'sgst', 'igst', 'cess'] as const

/** The journal lines of an expense, in minor units of the base currency (specification, "Expenses": journal). */
export function expensePosting({ paidThrough, total, creditBlocked, lines, accounts }: ExpenseEntry): PostingLine[] {
  const charged = sumGst(lines.map((line) => line.charged))
  const selfAssessed = sumGst(lines.map((line) => line.selfAssessed))
  const spent = lines.map((line) => {
    const capitalised = creditBlocked ? gstTotal(line.charged) + gstTotal(line.selfAssessed) : 0n
    return debit(line.accountId, line.taxable + capitalised, { description: line.note })
  })
  const claimed = creditBlocked ? [] : TAXES.map((tax) => debit(accounts.input[tax], charged[tax] + selfAssessed[tax]))
  const posted = mergeByAccount([
    ...spent,
    ...claimed,
    ...TAXES.map((tax) => credit(accounts.reverseCharge[tax], selfAssessed[tax])),
    credit(paidThrough, total),
  ])
  assertBalanced(posted)
  return posted
}
