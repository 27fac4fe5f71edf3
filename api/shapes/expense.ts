// An expense as JSON, in and out.
import { Type, type Static } from 'typebox'
import { showDate } from '../../domain/dates.ts'
import type { FieldProblem } from '../../domain/faults.ts'
import { toAmount } from '../../domain/money.ts'
import type { Expense as ExpenseWithLines, ExpenseLineRow } from '../../models/expense.ts'
import { Tags } from './document.ts'
import { Amount, decimal, DocumentDate, Id, nullable, optional, Reference, Text, Timestamp } from './fields.ts'
import { MAX_LINES } from './line-item.ts'

const Spent = Type.Number({ exclusiveMinimum: 0, maximum: 1e13 })

const NewLine = Type.Object({
  account_id: optional(Reference),
  amount: Spent,
  tax_id: optional(Reference),
  note: optional(Text(2000)),
})
const ChangedLine = Type.Object(
  {
    line_item_id: optional(
      Type.String({ ...Reference, description: 'The line to change; without it a line is added.' }),
    ),
    ...NewLine.properties,
    amount: Type.Optional(Spent),
  },
  { description: 'Lines that are not sent are removed.' },
)

const fields = {
  account_id: optional(Reference),
  amount: optional(Spent),
  mode: optional(Text(50)),
  reference_number: optional(Text(100)),
  vendor_id: optional(Reference),
  tax_id: optional(Reference),
  is_inclusive_tax: optional(Type.Boolean()),
  notes: optional(Text(5000)),
  line_items: optional(Type.Array(NewLine, { minItems: 1, maxItems: MAX_LINES })),
  is_rcm: optional(Type.Boolean()),
  rcm_rate: optional(decimal({ exclusiveMinimum: 0, maximum: 100 })),
  itc_blocked_reason: optional(Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })),
  tags: optional(Tags),
}

export const NewExpense = Type.Object({ date: DocumentDate, paid_through_account_id: Reference, ...fields })

export const ExpenseChanges = Type.Object({
  date: Type.Optional(DocumentDate),
  paid_through_account_id: Type.Optional(Reference),
  ...fields,
  line_items: optional(Type.Array(ChangedLine, { minItems: 1, maxItems: MAX_LINES })),
})

/** Problems that the shape of a PUT cannot express: a new line needs an amount. Accepts any body, also an invalid one. */
export function changedExpenseProblems(body: unknown): FieldProblem[] {
  const lines = (body as { line_items?: unknown } | null)?.line_items
  if (!Array.isArray(lines)) return []
  const lacks = (line: unknown) =>
    typeof line === 'object' &&
    line !== null &&
    !('amount' in line) &&
    ((line as { line_item_id?: unknown }).line_item_id ?? null) === null
  return lines.flatMap((line, index) =>
    lacks(line)
      ? [{ field: `line_items.${index}.amount`, code: 'required', message: 'is required without line_item_id' }]
      : [],
  )
}

const ExpenseLine = Type.Object({
  line_item_id: Id,
  account_id: Id,
  amount: Amount,
  tax_id: nullable(Id),
  tax_percentage: Type.Number(),
  note: nullable(Type.String()),
  item_total: Amount,
  cgst: Amount,
  sgst: Amount,
  igst: Amount,
  cess: Amount,
  tax_amount: Amount,
  rcm_tax_amount: Type.Number({ description: 'Self-assessed under reverse charge; not part of the amount paid.' }),
})

export const Expense = Type.Object({
  expense_id: Id,
  expense_number: Type.String(),
  date: Timestamp,
  account_id: nullable(Id),
  paid_through_account_id: Id,
  vendor_id: nullable(Id),
  vendor_name: nullable(Type.String()),
  amount: Type.Number({
    description: 'As sent, including the tax if is_inclusive_tax is true; with line_items, their sum.',
  }),
  mode: nullable(Type.String()),
  reference_number: nullable(Type.String()),
  tax_id: nullable(Id),
  is_inclusive_tax: Type.Boolean(),
  is_rcm: Type.Boolean(),
  rcm_rate: nullable(Type.Number()),
  itc_blocked_reason: nullable(Type.String()),
  notes: nullable(Type.String()),
  line_items: Type.Array(ExpenseLine, { description: 'If no lines were sent, one line made from the header.' }),
  sub_total: Amount,
  tax_total: Amount,
  rcm_tax_total: Amount,
  total: Type.Number({ description: 'The amount paid.' }),
  currency_code: Type.String(),
  tags: Type.Array(Id),
  created_time: Timestamp,
  last_modified_time: Timestamp,
})

/** `currency` is the organisation's: expenses are paid in it. */
export function showExpense(expense: ExpenseWithLines, currency: string): Static<typeof Expense> {
  const amount = (minor: bigint) => toAmount(minor, currency)
  return {
    expense_id: expense.id,
    expense_number: expense.expense_number,
    date: showDate(expense.date),
    account_id: expense.account_id,
    paid_through_account_id: expense.paid_through_account_id,
    vendor_id: expense.vendor_id,
    vendor_name: expense.vendor_name,
    amount: amount(expense.amount),
    mode: expense.mode,
    reference_number: expense.reference_number,
    tax_id: expense.tax_id,
    is_inclusive_tax: expense.is_inclusive_tax,
    is_rcm: expense.is_rcm,
    rcm_rate: expense.rcm_rate === null ? null : Number(expense.rcm_rate),
    itc_blocked_reason: expense.itc_blocked_reason,
    notes: expense.notes,
    line_items: expense.lines.map((line) => showLine(line, currency)),
    sub_total: amount(expense.sub_total),
    tax_total: amount(expense.tax_total),
    rcm_tax_total: amount(expense.rcm_tax_total),
    total: amount(expense.total),
    currency_code: currency,
    tags: expense.tags,
    created_time: expense.created_time.toISOString(),
    last_modified_time: expense.last_modified_time.toISOString(),
  }
}

function showLine(line: ExpenseLineRow, currency: string): Static<typeof ExpenseLine> {
  const amount = (minor: bigint) => toAmount(minor, currency)
  return {
    line_item_id: line.id,
    account_id: line.account_id,
    amount: amount(line.amount),
    tax_id: line.tax_id,
    tax_percentage: Number(line.tax_percentage),
    note: line.note,
    item_total: amount(line.item_total),
    cgst: amount(line.cgst),
    sgst: amount(line.sgst),
    igst: amount(line.igst),
    cess: amount(line.cess),
    tax_amount: amount(line.cgst + line.sgst + line.igst + line.cess),
    rcm_tax_amount: amount(line.rcm_cgst + line.rcm_sgst + line.rcm_igst + line.rcm_cess),
  }
}
