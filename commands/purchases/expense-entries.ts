// Posts the journal of an expense, and posts it again when the expense changes.
import { isDeepStrictEqual } from 'node:util'
import { expensePosting } from '../../domain/posting/expense.ts'
import type { PostingLine } from '../../domain/posting/posting.ts'
import type { Expense, ExpenseContext } from '../../models/expense.ts'
import type { Books } from '../books/books.ts'
import { postDocument, reverseDocument } from '../documents/document-entries.ts'

type Roles = ExpenseContext['roles']

/** Posts the journal of an expense, with its date. */
export function postExpense(books: Books, expense: Expense, roles: Roles): void {
  postDocument(books, 'EXPENSE', expense, linesOf(expense, roles))
}

/**
 * Posts a changed expense again: the former journal is reversed on its own date, so that it counts on no day. Posts nothing
 * where the journal would be the same.
 */
export async function repostExpense(books: Books, before: Expense, after: Expense, roles: Roles): Promise<void> {
  const journalOf = (expense: Expense) => [expense.date, expense.vendor_id, linesOf(expense, roles)]
  if (isDeepStrictEqual(journalOf(before), journalOf(after))) return
  await reverseDocument(books, 'EXPENSE', before, { date: null, why: 'Correction' })
  postExpense(books, after, roles)
}

function linesOf(expense: Expense, roles: Roles): PostingLine[] {
  return expensePosting({
    paidThrough: expense.paid_through_account_id,
    total: expense.total,
    creditBlocked: expense.itc_blocked_reason !== null,
    lines: expense.lines.map((line) => ({
      accountId: line.account_id,
      taxable: line.item_total,
      charged: { cgst: line.cgst, sgst: line.sgst, igst: line.igst, cess: line.cess },
      selfAssessed: { cgst: line.rcm_cgst, sgst: line.rcm_sgst, igst: line.rcm_igst, cess: line.rcm_cess },
      note: line.note,
    })),
    accounts: {
      input: { cgst: roles.INPUT_CGST!, sgst: roles.INPUT_SGST!, igst: roles.INPUT_IGST!, cess: roles.INPUT_CESS! },
      reverseCharge: {
        cgst: roles.RCM_OUTPUT_CGST!,
        sgst: roles.RCM_OUTPUT_SGST!,
        igst: roles.RCM_OUTPUT_IGST!,
        cess: roles.RCM_OUTPUT_CESS!,
      },
    },
  })
}
