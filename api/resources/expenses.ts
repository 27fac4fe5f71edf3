// The expenses' routes.
import { Type } from 'typebox'
import type { Books } from '../../commands/books/books.ts'
import { changeExpense, createExpense, deleteExpense } from '../../commands/purchases/expenses.ts'
import { expenseProblems } from '../../domain/expense-body.ts'
import {
  expenses,
  expensesOn,
  expenseParts,
  type Expense as ExpenseWithLines,
  type ExpenseRow,
} from '../../models/expense.ts'
import { dateFrom, dateTo, listing, sameId, tagged } from '../http/listing.ts'
import { renderedRow, type Rendering } from '../http/cached-rows.ts'
import { route, type RequestContext } from '../http/route.ts'
import { changedExpenseProblems, Expense, ExpenseChanges, NewExpense, showExpense } from '../shapes/expense.ts'
import { one } from '../shapes/fields.ts'

const tag = 'Expenses'
const answer = one('expense', Expense)

const currencyAt = ({ caller }: RequestContext) => caller.organization!.currency_code
const answered =
  ({ organization }: Books) =>
  (expense: ExpenseWithLines) =>
    showExpense(expense, organization.currency_code)
const shown = (books: Books, expense: ExpenseWithLines, message: string) => ({
  message,
  expense: answered(books)(expense),
})

const rendering: Rendering<ExpenseRow, ExpenseWithLines> = {
  kind: 'EXPENSE',
  table: expenses,
  parts: expenseParts,
  show: (rows, context) => rows.map((expense) => showExpense(expense, currencyAt(context))),
  shownWith: currencyAt,
}

export const expenseRoutes = [
  listing({
    path: '/expenses',
    tag,
    does: 'List expenses',
    scope: 'expenses.READ',
    key: 'expenses',
    ...rendering,
    shape: Expense,
    filters: {
      vendor_id: sameId(),
      account_id: {
        schema: Type.String({ description: 'Expenses with a line on the account.' }),
        where: (id, _name, context) => expensesOn(context, String(id)),
      },
      date_from: dateFrom(),
      date_to: dateTo(),
      tag: tagged(),
    },
  }),
  route({
    method: 'POST',
    path: '/expenses',
    tag,
    does: 'Book an expense: post its journal',
    scope: 'expenses.CREATE',
    status: 201,
    answer,
    body: NewExpense,
    alsoCheck: expenseProblems,
    write: async (books, { body }) => shown(books, await createExpense(books, body), 'Expense created.'),
  }),
  route({
    method: 'GET',
    path: '/expenses/{expense_id}',
    tag,
    does: 'Read an expense',
    scope: 'expenses.READ',
    answer,
    read: async (context, { params }) => ({ expense: await renderedRow(context, rendering, params.expense_id!) }),
  }),
  route({
    method: 'PUT',
    path: '/expenses/{expense_id}',
    tag,
    does: 'Change an expense: reverse its journal and post it again',
    scope: 'expenses.UPDATE',
    answer,
    body: ExpenseChanges,
    alsoCheck: changedExpenseProblems,
    write: async (books, { params, body }) =>
      shown(books, await changeExpense(books, params.expense_id!, body, answered(books)), 'Expense updated.'),
  }),
  route({
    method: 'DELETE',
    path: '/expenses/{expense_id}',
    tag,
    does: 'Delete an expense: reverse its journal',
    scope: 'expenses.DELETE',
    answer: Type.Object({}),
    async write(books, { params }) {
      await deleteExpense(books, params.expense_id!)
      return { message: 'Expense deleted.' }
    },
  }),
]
