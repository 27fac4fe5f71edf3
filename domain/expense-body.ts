// The fields that the body of an expense must have, in its header or in its lines.
import type { FieldProblem } from './faults.ts'

interface ExpenseFields {
  account_id?: unknown
  amount?: unknown
  tax_id?: unknown
  is_rcm?: unknown
  rcm_rate?: unknown
  line_items?: unknown
}

/**
 * The required fields that an expense lacks (decisions §4): an account and an amount, in the header or in every line; under
 * reverse charge a rate, its own or of a tax. Accepts any body, also one of the wrong shape.
 */
export function expenseProblems(body: unknown): FieldProblem[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return []
  const header = body as ExpenseFields
  const lines = Array.isArray(header.line_items) ? header.line_items.filter(isObject) : null
  const missing = lines
    ? lines.flatMap((line, index) =>
        (line.account_id ?? header.account_id) == null ? [`line_items.${index}.account_id`] : [],
      )
    : (['account_id', 'amount'] as const).filter((field) => header[field] == null)
  const taxed = header.tax_id != null || (lines ?? []).some((line) => line.tax_id != null)
  const rate = header.is_rcm === true && header.rcm_rate == null && !taxed ? ['rcm_rate'] : []
  return [...missing, ...rate].map((field) => ({
    field,
    code: 'required',
    message: MESSAGES[field] ?? 'is required without account_id in the header',
  }))
}

const MESSAGES: Record<string, string> = {
  account_id: 'is required without line_items',
  amount: 'is required without line_items',
  rcm_rate: 'is required under reverse charge without a tax',
}

function isObject(value: unknown): value is ExpenseFields {
  return typeof value === 'object' && value !== null
}
