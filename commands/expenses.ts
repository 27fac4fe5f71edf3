// What can be done to an expense: create, change, delete.
import { expenseProblems } from '../domain/expense-body.ts'
import { fault } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import { expenseLines, expenses, findExpense, type Expense, type ExpenseLineRow, type ExpenseRow } from '../models/expense.ts'
import type { Lock, Scope } from '../models/find.ts'
import type { Books } from './books.ts'
import { changesBetween } from './changes.ts'
import { today } from './drafting.ts'
import { drawUpExpense, expenseBasisOf, toldOf, type ExpenseLine, type NewExpense } from './expense-drafting.ts'
import { announceExpense, postExpense, recordExpense, repostExpense } from './expense-entries.ts'
import { numberDocument } from './numbering.ts'
import { reverse } from './reversal.ts'

/** The expense of this id, with its lines. Throws not_found.resource for one that the organisation does not have. */
export async function expenseOf(scope: Scope, id: string, lock: Lock = ''): Promise<Expense> {
  const expense = isId(id) ? await findExpense(scope, id, lock) : null
  if (!expense) throw fault('not_found.resource', { message: 'There is no such expense.' })
  return expense
}

/**
 * Books an expense and posts its journal (specification, "Expenses").
 * Throws not_found.resource for a vendor, account or tax that is not the organisation's, or a paid-through account that
 * is no bank or cash, and validation.invalid_value for an account that nothing is spent on, or an amount that cannot be.
 */
export async function createExpense(books: Books, wanted: NewExpense): Promise<Expense> {
  const basis = await expenseBasisOf(books, wanted)
  const { header, lines } = drawUpExpense(books, basis, wanted)
  const row = books.insert(expenses, {
    ...header,
    id: books.newId(),
    expense_number: numberDocument(books, 'expense'),
    version: 1,
    created_time: books.now,
    last_modified_time: books.now,
  })
  const expense = { ...row, lines: insertLines(books, row.id, lines) }
  postExpense(books, expense, basis.roles)
  recordExpense(books, expense, 'EXPENSE_CREATED')
  announceExpense(books, expense)
  return expense
}

/**
 * Changes an expense: what is sent replaces what was told, the rest stays, and the journal is posted anew. `line_items`
 * replaces all lines; null makes the header count again. Throws as createExpense does.
 */
export async function changeExpense(books: Books, id: string, sent: Partial<NewExpense>): Promise<Expense> {
  const before = await expenseOf(books, id, 'FOR UPDATE')
  const wanted = { ...toldOf(before, books.organization.currency_code), ...sent }
  const errors = expenseProblems(wanted)
  if (errors.length > 0) throw fault('validation.failed', { errors })
  const basis = await expenseBasisOf(books, wanted)
  const { header, lines } = drawUpExpense(books, basis, wanted)
  const relined = changesBetween({ line_items: before.lines.map(saidOf) }, { line_items: lines.map(saidOf) })
  const changes = changesBetween(before, header)
  if (changes === null && relined === null) return before
  const row = books.update<ExpenseRow>(expenses, before, { ...header, version: before.version + 1, last_modified_time: books.now })
  const expense = { ...row, lines: relined ? replaceLines(books, before, lines) : before.lines }
  await repostExpense(books, before, expense, basis.roles)
  recordExpense(books, expense, 'EXPENSE_UPDATED', { ...changes, ...relined })
  return expense
}

/** Deletes an expense: the ledger keeps its entry and the reversal, dated today (decisions §4). */
export async function deleteExpense(books: Books, id: string): Promise<void> {
  const expense = await expenseOf(books, id, 'FOR UPDATE')
  books.delete(expenses, expense)
  await reverse(books, {
    source: 'EXPENSE', sourceId: expense.id, date: today(books), memo: `Deletion of expense ${expense.expense_number}`,
  })
  recordExpense(books, expense, 'EXPENSE_DELETED')
}

function insertLines(books: Books, expenseId: string, lines: ExpenseLine[]): ExpenseLineRow[] {
  return lines.map((line, index) => books.insert(expenseLines, { ...line, id: books.newId(), expense_id: expenseId, line_no: index + 1 }))
}

function replaceLines(books: Books, before: Expense, lines: ExpenseLine[]): ExpenseLineRow[] {
  for (const line of before.lines) books.delete(expenseLines, line)
  return insertLines(books, before.id, lines)
}

// Of a line what anybody would call a change.
function saidOf({ tax_percentage: _percentage, line_no: _no, id: _id, expense_id: _expense, org_id: _org, ...line }: ExpenseLine & Partial<ExpenseLineRow>) {
  const text = Object.entries(line).map(([field, value]) => [field, typeof value === 'bigint' ? value.toString() : value])
  return Object.fromEntries(text.sort(([a], [b]) => (a! < b! ? -1 : 1))) as Record<string, unknown>
}
