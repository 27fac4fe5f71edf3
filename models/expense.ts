// Expenses and their lines. Amounts are minor units of the organisation's currency.
import type { AccountRole } from '../domain/accounts.ts'
import type { Tax } from '../domain/gst.ts'
import { isId } from '../domain/ids.ts'
import type { NamedAccount } from './account.ts'
import { hasMany } from './association.ts'
import { inSql, nothing, type Condition } from './condition.ts'
import type { Statement } from './connection.ts'
import type { Lock, Scope } from './find.ts'
import {
  BOOLEAN,
  DATE,
  DECIMAL,
  INTEGER,
  MINOR,
  TEXT,
  UUID,
  UUIDS,
  VERSIONED,
  model,
  orNull,
  type RowOf,
} from './model.ts'

export const expenses = model('expenses', {
  org_id: UUID,
  id: UUID,
  expense_number: TEXT,
  date: DATE,
  vendor_id: orNull(UUID),
  vendor_name: orNull(TEXT),
  /** The header's own; null where every line names its account. */
  account_id: orNull(UUID),
  paid_through_account_id: UUID,
  /** True where the request had lines; an expense without them has one line, made from its header. */
  itemized: BOOLEAN,
  /** As sent: with the tax where `is_inclusive_tax` is true. */
  amount: MINOR,
  mode: orNull(TEXT),
  reference_number: orNull(TEXT),
  tax_id: orNull(UUID),
  is_inclusive_tax: BOOLEAN,
  is_rcm: BOOLEAN,
  /** Per cent, as decimal text. */
  rcm_rate: orNull(DECIMAL),
  itc_blocked_reason: orNull(TEXT),
  notes: orNull(TEXT),
  sub_total: MINOR,
  tax_total: MINOR,
  rcm_tax_total: MINOR,
  total: MINOR,
  /** Cost centers. */
  tags: UUIDS,
  ...VERSIONED,
})
export type ExpenseRow = RowOf<typeof expenses>

export const expenseLines = model('expense_lines', {
  org_id: UUID,
  id: UUID,
  expense_id: UUID,
  line_no: INTEGER,
  account_id: UUID,
  amount: MINOR,
  tax_id: orNull(UUID),
  tax_percentage: DECIMAL,
  note: orNull(TEXT),
  item_total: MINOR,
  cgst: MINOR,
  sgst: MINOR,
  igst: MINOR,
  cess: MINOR,
  /** The tax that the buyer owes instead of the vendor, under reverse charge. */
  rcm_cgst: MINOR,
  rcm_sgst: MINOR,
  rcm_igst: MINOR,
  rcm_cess: MINOR,
})
export type ExpenseLineRow = RowOf<typeof expenseLines>

const lines = hasMany(expenses, 'lines', expenseLines, { by: 'expense_id', order: ['line_no'] })

/** An expense with its lines in their order. */
export interface Expense extends ExpenseRow {
  lines: ExpenseLineRow[]
}

export const findExpense = (scope: Scope, id: string, lock: Lock = ''): Promise<Expense | null> =>
  lines.findWith(scope, id, lock)

/** Adds their lines to many expenses, and reads pages of expenses with them. */
export const expenseParts = lines.parts

/** Expenses with a line on the account. */
export function expensesOn({ orgId }: Scope, accountId: string): Condition {
  if (!isId(accountId) || !isId(orgId)) return nothing
  const lines = `SELECT l.expense_id FROM expense_lines AS l WHERE l.org_id = '${orgId}' AND l.account_id = '${accountId}'`
  return inSql(`"expenses"."id" IN (${lines})`)
}

export interface ExpenseContextRequest {
  vendorId: string | null
  accountIds: string[]
  taxIds: string[]
  tags: string[]
}

/** What an expense is drafted from. Records that the organisation does not have are missing from it. */
export interface ExpenseContext {
  vendor: { id: string; contact_name: string; contact_type: string; place_of_contact: string | null } | null
  /** The default branch's state. */
  branch_state: string | null
  accounts: NamedAccount[]
  taxes: (Tax & { id: string })[]
  roles: Partial<Record<AccountRole, string>>
  tags_found: number
  /** How many of them are closed. */
  tags_closed: number
}

/** Reads all of it in one round trip. */
export async function readExpenseContext(
  scope: Scope,
  { vendorId, accountIds, taxIds, tags }: ExpenseContextRequest,
): Promise<ExpenseContext> {
  const [context] = await scope.connection.run<ExpenseContext>(CONTEXT, [
    scope.orgId,
    vendorId,
    accountIds,
    taxIds,
    tags,
  ])
  return context!
}

// Decimals go through JSON as text, so that none of their digits is lost.
const CONTEXT: Statement = {
  name: 'expense context',
  takesNoLock: true,
  text: `SELECT
  (SELECT row_to_json(c) FROM (
     SELECT id, contact_name, contact_type, place_of_contact FROM contacts WHERE org_id = $1 AND id = $2) AS c) AS vendor,
  (SELECT state FROM branches WHERE org_id = $1 AND is_default) AS branch_state,
  (SELECT coalesce(json_agg(a), '[]') FROM (
     SELECT id, account_type, is_active FROM accounts WHERE org_id = $1 AND id = ANY ($3::uuid[])) AS a) AS accounts,
  (SELECT coalesce(json_agg(t), '[]') FROM (
     SELECT id, shape, cgst::text, sgst::text, igst::text, cess::text FROM taxes WHERE org_id = $1 AND id = ANY ($4::uuid[])) AS t) AS taxes,
  (SELECT json_object_agg(role, id) FROM accounts WHERE org_id = $1 AND role IS NOT NULL) AS roles,
  (SELECT count(*)::integer FROM cost_centers WHERE org_id = $1 AND id = ANY ($5::uuid[])) AS tags_found,
  (SELECT count(*)::integer FROM cost_centers WHERE org_id = $1 AND id = ANY ($5::uuid[]) AND NOT is_active) AS tags_closed`,
}
