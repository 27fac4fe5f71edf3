// What an expense leaves in the books besides itself: its journal, its activity entries, its event.
import { isDeepStrictEqual } from 'node:util'
import { toAmount } from '../domain/money.ts'
import { expensePosting } from '../domain/posting/expense.ts'
import type { Expense, ExpenseBasis, ExpenseRow } from '../models/expense.ts'
import type { Books, JournalEntry } from './books.ts'
import type { Changes } from './changes.ts'
import { reverse } from './reversal.ts'

type Roles = ExpenseBasis['roles']

/** Posts the journal of an expense, dated as the expense. */
export function postExpense(books: Books, expense: Expense, roles: Roles): void {
  books.post(entryOf(expense, roles))
}

/**
 * Posts a changed expense anew: the entry that stood is reversed as of its own date, so that on no day it counts.
 * Nothing is posted where the journal would say the same.
 */
export async function repostExpense(books: Books, before: Expense, after: Expense, roles: Roles): Promise<void> {
  const entry = entryOf(after, roles)
  if (isDeepStrictEqual(entryOf(before, roles), entry)) return
  await reverse(books, {
    source: 'EXPENSE', sourceId: before.id, date: null, memo: `Correction of expense ${before.expense_number}`,
  })
  books.post(entry)
}

/** Writes an activity entry on the expense. */
export function recordExpense(books: Books, expense: ExpenseRow, action: string, changes: Changes | null = null): void {
  books.record({ action, entityType: 'EXPENSE', entityId: expense.id, entityRef: expense.expense_number, changes })
}

/** Announces a new expense; it has no states (decisions §10, Events). */
export function announceExpense(books: Books, expense: ExpenseRow): void {
  books.announce({
    type: 'EXPENSE_CREATED',
    entityType: 'EXPENSE',
    entityId: expense.id,
    data: {
      id: expense.id,
      number: expense.expense_number,
      vendor_id: expense.vendor_id,
      total: toAmount(expense.total, books.organization.currency_code),
      status: null,
      sequence: expense.version,
    },
  })
}

function entryOf(expense: Expense, roles: Roles): JournalEntry {
  return {
    date: expense.date,
    source: 'EXPENSE',
    sourceId: expense.id,
    memo: `Expense ${expense.expense_number}`,
    contactId: expense.vendor_id,
    lines: expensePosting({
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
          cgst: roles.RCM_OUTPUT_CGST!, sgst: roles.RCM_OUTPUT_SGST!, igst: roles.RCM_OUTPUT_IGST!, cess: roles.RCM_OUTPUT_CESS!,
        },
      },
    }),
  }
}
