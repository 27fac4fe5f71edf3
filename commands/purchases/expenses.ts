// The commands on expenses: create, change, delete.
import { decimalText } from '../../domain/decimal.ts'
import { expenseProblems } from '../../domain/expense-body.ts'
import { fault } from '../../domain/faults.ts'
import { compareFields, throwRefusal, type Answered, type Sent } from '../../domain/fixed-fields.ts'
import { toAmount } from '../../domain/money.ts'
import { documentFinder } from '../../models/existing-document.ts'
import { expenseLines, expenses, findExpense, type Expense, type ExpenseLineRow } from '../../models/expense.ts'
import type { Books } from '../books/books.ts'
import { changesBetween, type Changes } from '../books/changes.ts'
import { announceDocument, recordDeletion, recordDocument, reverseDocument } from '../documents/document-entries.ts'
import { today } from '../documents/drafting.ts'
import {
  draftExpense,
  expenseContextOf,
  type ExistingExpenseLines,
  type ExpenseLine,
  type ExpenseLineChanges,
  type NewExpense,
} from './expense-drafting.ts'
import { expenseInputOf } from './expense-input.ts'
import { postExpense, repostExpense } from './expense-entries.ts'
import { numberDocument } from '../documents/numbering.ts'

export type ExpenseChanges = Omit<Partial<NewExpense>, 'line_items'> & { line_items?: ExpenseLineChanges[] | null }

const CHANGEABLE = [
  'date',
  'account_id',
  'paid_through_account_id',
  'amount',
  'mode',
  'reference_number',
  'vendor_id',
  'tax_id',
  'is_inclusive_tax',
  'notes',
  'line_items',
  'is_rcm',
  'rcm_rate',
  'itc_blocked_reason',
  'tags',
] as const satisfies (keyof NewExpense)[]

/** The expense of this id, with its lines. Throws not_found.resource for one that the organisation does not have. */
export const expenseOf = documentFinder('EXPENSE', findExpense)

/**
 * Creates an expense and posts its journal (specification, "Expenses").
 * Throws not_found.resource for a vendor, account, tax or tag that is not the organisation's, or a paid-through account that is
 * not a bank or cash account, and validation.invalid_value for an account of the wrong type, one that is not active, or an invalid
 * amount.
 */
export async function createExpense(books: Books, input: NewExpense): Promise<Expense> {
  const context = await expenseContextOf(books, input)
  const { header, lines } = draftExpense(books, context, input)
  const row = books.create(expenses, {
    ...header,
    expense_number: numberDocument(books, 'EXPENSE'),
  })
  const expense = { ...row, lines: lines.map((line, index) => insertLine(books, row.id, line, index + 1)) }
  postExpense(books, expense, context.roles)
  recordDocument(books, 'EXPENSE', expense, 'EXPENSE_CREATED')
  announceDocument(books, 'EXPENSE', 'EXPENSE_CREATED', expense)
  return expense
}

/**
 * Changes an expense: fields that are sent replace the former values, the rest stays, and the journal is posted again.
 * `line_items: null` removes the lines, so that the header counts. Throws as createExpense, compareFields and expenseInputOf do,
 * and validation.failed where a required field is missing then.
 */
export async function changeExpense(
  books: Books,
  id: string,
  sent: Sent<ExpenseChanges>,
  answered: Answered<Expense>,
): Promise<Expense> {
  const before = await expenseOf(books, id, 'FOR UPDATE')
  const { currency_code: currency } = books.organization
  const shown = answered(before)
  const { changed, refusal: ofHeader } = compareFields(sent, shown, { fields: CHANGEABLE })
  if (changed.size === 0) {
    throwRefusal(ofHeader)
    return before
  }
  // Unchanged lines are ignored, so that an expense without line_items stays one.
  const { line_items, ...header } = sent
  const {
    input,
    existing,
    refusal: ofLines,
  } = expenseInputOf(before, changed.has('line_items') ? sent : header, shown, currency)
  const errors = expenseProblems(input)
  if (errors.length > 0) throw fault('validation.failed', { errors })
  const context = await expenseContextOf(books, input)
  const drafted = draftExpense(books, context, input, { before, existing })
  throwRefusal(ofHeader, ofLines)
  const relined = changesOfLines(before.lines, drafted.lines, existing, currency)
  const changes = changesBetween(
    { ...before, rcm_rate: before.rcm_rate && decimalText(before.rcm_rate) },
    drafted.header,
    currency,
  )
  if (changes === null && relined === null) return before
  const expense = {
    ...books.change(expenses, before, drafted.header),
    lines: relined ? replaceLines(books, before, drafted.lines, existing) : before.lines,
  }
  await repostExpense(books, before, expense, context.roles)
  recordDocument(books, 'EXPENSE', expense, 'EXPENSE_UPDATED', { ...changes, ...relined })
  return expense
}

/** Deletes an expense: the ledger keeps its journal and gets the reversal, dated today (decisions §4). */
export async function deleteExpense(books: Books, id: string): Promise<void> {
  const expense = await expenseOf(books, id, 'FOR UPDATE')
  books.delete(expenses, expense)
  await reverseDocument(books, 'EXPENSE', expense, { date: today(books), why: 'Deletion' })
  await recordDeletion(books, 'EXPENSE', expense)
}

function insertLine(books: Books, expenseId: string, line: ExpenseLine, line_no: number): ExpenseLineRow {
  return books.insert(expenseLines, { ...line, id: books.newId(), expense_id: expenseId, line_no })
}

function replaceLines(
  books: Books,
  before: Expense,
  lines: ExpenseLine[],
  existing: ExistingExpenseLines,
): ExpenseLineRow[] {
  const stays = new Set(existing)
  for (const line of before.lines) if (!stays.has(line)) books.delete(expenseLines, line)
  return lines.map((line, index) => {
    const [row, line_no] = [existing[index] ?? null, index + 1]
    return row
      ? books.update<ExpenseLineRow>(expenseLines, row, { ...line, line_no })
      : insertLine(books, before.id, line, line_no)
  })
}

// All old and new lines for the activity log; null where they are the same lines with the same values.
function changesOfLines(
  before: ExpenseLineRow[],
  lines: ExpenseLine[],
  existing: ExistingExpenseLines,
  currency: string,
): Changes | null {
  const loggedLine = ({
    account_id,
    amount,
    tax_id,
    note,
    item_total,
    cgst,
    sgst,
    igst,
    cess,
    rcm_cgst,
    rcm_sgst,
    rcm_igst,
    rcm_cess,
  }: ExpenseLine) => {
    const amounts = Object.entries({
      amount,
      item_total,
      cgst,
      sgst,
      igst,
      cess,
      rcm_cgst,
      rcm_sgst,
      rcm_igst,
      rcm_cess,
    })
    return {
      account_id,
      tax_id,
      note,
      ...Object.fromEntries(amounts.map(([field, value]) => [field, toAmount(value, currency)])),
    }
  }
  return changesBetween(
    { line_items: before.map((line) => ({ line_item_id: line.id, ...loggedLine(line) })) },
    { line_items: lines.map((line, index) => ({ line_item_id: existing[index]?.id ?? null, ...loggedLine(line) })) },
  )
}
