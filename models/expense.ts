// Expenses and their lines. Amounts are minor units of the organisation's currency.
import { literal, type WhereOptions } from 'sequelize'
import type { AccountRole, AccountType } from '../domain/accounts.ts'
import type { Tax } from '../domain/gst.ts'
import { isId } from '../domain/ids.ts'
import { condition, nothing, type Condition } from './condition.ts'
import type { Statement } from './database.ts'
import { findRow, type Lock, type Scope } from './find.ts'
import { table } from './table.ts'

export interface ExpenseRow {
  org_id: string
  id: string
  expense_number: string
  date: string
  vendor_id: string | null
  vendor_name: string | null
  /** The header's own; null where every line names its account. */
  account_id: string | null
  paid_through_account_id: string
  /** True for an expense that was told in lines; one told by its header alone has one line, made of the header. */
  itemized: boolean
  /** As told: with the tax where it is inclusive. */
  amount: bigint
  mode: string | null
  reference_number: string | null
  tax_id: string | null
  is_inclusive_tax: boolean
  is_rcm: boolean
  /** Per cent, as decimal text. */
  rcm_rate: string | null
  itc_blocked_reason: string | null
  notes: string | null
  sub_total: bigint
  tax_total: bigint
  rcm_tax_total: bigint
  total: bigint
  /** Cost centers. */
  tags: string[]
  version: number
  created_time: Date
  last_modified_time: Date
}

export const expenses = table<ExpenseRow>('expenses', {
  org_id: 'uuid', id: 'uuid', expense_number: 'text', date: 'date', vendor_id: 'uuid', vendor_name: 'text',
  account_id: 'uuid', paid_through_account_id: 'uuid', itemized: 'boolean', amount: 'minor', mode: 'text',
  reference_number: 'text', tax_id: 'uuid', is_inclusive_tax: 'boolean', is_rcm: 'boolean', rcm_rate: 'decimal',
  itc_blocked_reason: 'text', notes: 'text', sub_total: 'minor', tax_total: 'minor', rcm_tax_total: 'minor',
  total: 'minor', tags: 'uuids', version: 'integer', created_time: 'time', last_modified_time: 'time',
})

export interface ExpenseLineRow {
  org_id: string
  id: string
  expense_id: string
  line_no: number
  account_id: string
  amount: bigint
  tax_id: string | null
  tax_percentage: string
  note: string | null
  item_total: bigint
  cgst: bigint
  sgst: bigint
  igst: bigint
  cess: bigint
  /** What the buyer assesses upon itself under reverse charge. */
  rcm_cgst: bigint
  rcm_sgst: bigint
  rcm_igst: bigint
  rcm_cess: bigint
}

export const expenseLines = table<ExpenseLineRow>('expense_lines', {
  org_id: 'uuid', id: 'uuid', expense_id: 'uuid', line_no: 'integer', account_id: 'uuid', amount: 'minor',
  tax_id: 'uuid', tax_percentage: 'decimal', note: 'text', item_total: 'minor', cgst: 'minor', sgst: 'minor',
  igst: 'minor', cess: 'minor', rcm_cgst: 'minor', rcm_sgst: 'minor', rcm_igst: 'minor', rcm_cess: 'minor',
})

/** An expense with its lines in their order. */
export interface Expense extends ExpenseRow {
  lines: ExpenseLineRow[]
}

export async function findExpense(scope: Scope, id: string, lock: Lock = ''): Promise<Expense | null> {
  const row = await findRow(scope, expenses, id, lock)
  return row === null ? null : { ...row, lines: await linesOfExpenses(scope, [id]) }
}

/** Puts the lines of many expenses to them, in one query. */
export async function withExpenseLines(scope: Scope, rows: ExpenseRow[]): Promise<Expense[]> {
  if (rows.length === 0) return []
  const lines = Map.groupBy(await linesOfExpenses(scope, rows.map(({ id }) => id)), ({ expense_id }) => expense_id)
  return rows.map((row) => ({ ...row, lines: lines.get(row.id) ?? [] }))
}

/** Expenses with a line on the account. */
export function expensesOn({ orgId }: Scope, accountId: string): Condition {
  if (!isId(accountId) || !isId(orgId)) return nothing
  const lines = `SELECT l.expense_id FROM expense_lines AS l WHERE l.org_id = '${orgId}' AND l.account_id = '${accountId}'`
  return condition(literal(`"expenses"."id" IN (${lines})`) as unknown as WhereOptions)
}

export interface ExpenseBasisRequest {
  vendorId: string | null
  accountIds: string[]
  taxIds: string[]
  tags: string[]
}

/** What an expense is drawn up from. What is not the organisation's is missing from it. */
export interface ExpenseBasis {
  vendor: { id: string; contact_name: string; contact_type: string; place_of_contact: string | null } | null
  /** The default branch's state. */
  branch_state: string | null
  accounts: { id: string; account_type: AccountType }[]
  taxes: (Tax & { id: string })[]
  roles: Partial<Record<AccountRole, string>>
  tags_found: number
}

/** Reads it all in one round trip. */
export async function readExpenseBasis(scope: Scope, { vendorId, accountIds, taxIds, tags }: ExpenseBasisRequest): Promise<ExpenseBasis> {
  const [basis] = await scope.connection.run<ExpenseBasis>(BASIS, [scope.orgId, vendorId, accountIds, taxIds, tags])
  return basis!
}

function linesOfExpenses({ connection, orgId }: Scope, ids: string[]): Promise<ExpenseLineRow[]> {
  return connection.run<ExpenseLineRow>(LINES, [orgId, ids])
}

const LINES = {
  name: 'lines of expenses',
  text: 'SELECT * FROM expense_lines WHERE org_id = $1 AND expense_id = ANY ($2) ORDER BY expense_id, line_no',
}

// Decimals go through JSON as text, so that none of their digits is lost.
const BASIS: Statement = {
  name: 'basis of an expense',
  takesNoLock: true,
  text: `SELECT
  (SELECT row_to_json(c) FROM (
     SELECT id, contact_name, contact_type, place_of_contact FROM contacts WHERE org_id = $1 AND id = $2) AS c) AS vendor,
  (SELECT state FROM branches WHERE org_id = $1 AND is_default) AS branch_state,
  (SELECT coalesce(json_agg(a), '[]') FROM (
     SELECT id, account_type FROM accounts WHERE org_id = $1 AND id = ANY ($3::uuid[])) AS a) AS accounts,
  (SELECT coalesce(json_agg(t), '[]') FROM (
     SELECT id, shape, cgst::text, sgst::text, igst::text, cess::text FROM taxes WHERE org_id = $1 AND id = ANY ($4::uuid[])) AS t) AS taxes,
  (SELECT json_object_agg(role, id) FROM accounts WHERE org_id = $1 AND role IS NOT NULL) AS roles,
  (SELECT count(*)::integer FROM cost_centers WHERE org_id = $1 AND id = ANY ($5::uuid[])) AS tags_found`,
}
