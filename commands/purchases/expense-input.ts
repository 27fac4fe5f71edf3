// The input of an expense as the body of a PUT leaves it.
import { refusalWithin, type Refusal } from '../../domain/fixed-fields.ts'
import { toAmount } from '../../domain/money.ts'
import type { Expense, ExpenseLineRow } from '../../models/expense.ts'
import { placesOf } from '../documents/draft-input.ts'
import type { ExistingExpenseLines, ExpenseLineChanges, ExpenseLineInput, NewExpense } from './expense-drafting.ts'

/**
 * The input of an expense as the body of a PUT leaves it, and the existing line of each of its lines. `refusal` is of a fixed
 * field of a line. Throws not_found.resource for a line that the expense does not have, and validation.invalid_value for one
 * that is sent twice.
 */
export function expenseInputOf(
  expense: Expense,
  sent: Omit<Partial<NewExpense>, 'line_items'> & { line_items?: ExpenseLineChanges[] | null },
  answered: object,
  currency: string,
): { input: NewExpense; existing: ExistingExpenseLines; refusal: Refusal } {
  const { lines } = expense
  const rows = sent.line_items === undefined ? (expense.itemized ? lines : null) : placesOfSent(lines, sent.line_items)
  const shown = (answered as { line_items: object[] }).line_items
  let refusal: Refusal = null
  const line_items = rows?.map((row, index) => {
    const line = sent.line_items?.[index] ?? {}
    if (row === null) return line as ExpenseLineInput
    refusal ??= refusalWithin(line, shown[lines.indexOf(row)]!, LINE_FIELDS, `line_items.${index}.`)
    return {
      account_id: row.account_id,
      amount: toAmount(row.amount, currency),
      tax_id: row.tax_id,
      note: row.note,
      ...line,
    }
  })
  // An expense without line_items keeps its one line.
  return {
    input: { ...headerInputOf(expense, currency), ...sent, line_items },
    existing: rows ?? (expense.itemized ? [] : lines),
    refusal,
  }
}

const LINE_FIELDS = ['account_id', 'amount', 'tax_id', 'note'] as const satisfies (keyof ExpenseLineInput)[]

const placesOfSent = (lines: ExpenseLineRow[], sent: ExpenseLineChanges[] | null) =>
  sent && placesOf(lines, sent).map((place) => (place === null ? null : lines[place]!))

function headerInputOf(expense: Expense, currency: string): NewExpense {
  return {
    date: expense.date,
    account_id: expense.account_id,
    paid_through_account_id: expense.paid_through_account_id,
    amount: toAmount(expense.amount, currency),
    mode: expense.mode,
    reference_number: expense.reference_number,
    vendor_id: expense.vendor_id,
    tax_id: expense.tax_id,
    is_inclusive_tax: expense.is_inclusive_tax,
    notes: expense.notes,
    is_rcm: expense.is_rcm,
    rcm_rate: expense.rcm_rate === null ? null : Number(expense.rcm_rate),
    itc_blocked_reason: expense.itc_blocked_reason,
    tags: expense.tags,
  }
}
