// What the body of an expense must say for itself, in its header or in its lines.
import type { FieldProblem } from './faults.ts'

interface ExpenseSaid {
  account_id?: unknown
  amount?: unknown
  tax_id?: unknown
  is_rcm?: unknown
  rcm_rate?: unknown
  line_items?: unknown
}

/**
 * The fields that an expense lacks (decisions §4): an account and an amount, in the header or in every line; under
 * reverse charge a rate, told or of a tax. Looks at any body, however wrong.
 */
export function expenseProblems(body: unknown): FieldProblem[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return []
  const said = body as ExpenseSaid
  const lines = Array.isArray(said.line_items) ? said.line_items.filter(isObject) : null
  const missing = lines
    ? lines.flatMap((line, index) => (line.account_id ?? said.account_id) == null ? [`line_items.${index}.account_id`] : [])
    : (['account_id', 'amount'] as const).filter(field => said[field] == null)
  const taxed = said.tax_id != null || (lines ?? []).some(line => line.tax_id != null)
  const rate = said.is_rcm === true && said.rcm_rate == null && !taxed ? ['rcm_rate'] : []
  return [...missing, ...rate].map(field => ({ field, code: 'required', message: MESSAGES[field] ?? 'is required without account_id in the header' }))
}

const MESSAGES: Record<string, string> = {
  account_id: 'is required without line_items',
  amount: 'is required without line_items',
  rcm_rate: 'is required under reverse charge without a tax',
}

function isObject(value: unknown): value is ExpenseSaid {
  return typeof value === 'object' && value !== null
}
