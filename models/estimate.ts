// Estimates and their lines. Amounts are minor units of the estimate's currency.
import type { StatusOf } from '../domain/lifecycle.ts'
import { madeOf } from './conversion.ts'
import { DOCUMENT, LINE } from './document.ts'
import { askRow, type Lock, type Scope } from './find.ts'
import { DATE, TEXT, UUID, orNull, textOf, model, type RowOf } from './model.ts'

export type EstimateStatus = StatusOf<'ESTIMATE'>

export const estimates = model('estimates', {
  ...DOCUMENT,
  estimate_number: TEXT,
  customer_id: UUID,
  customer_name: TEXT,
  expiry_date: orNull(DATE),
  status: textOf<EstimateStatus>(),
  /** The order that was made of the estimate. */
  converted_to_sales_order_id: orNull(UUID),
})
export type EstimateRow = RowOf<typeof estimates>

export const estimateLines = model('estimate_lines', {
  ...LINE,
  estimate_id: UUID,
})
export type EstimateLineRow = RowOf<typeof estimateLines>

/** An estimate with its lines in their order, and the ids of the invoices that were made of its order. */
export interface Estimate extends EstimateRow {
  lines: EstimateLineRow[]
  invoices: string[]
}

export async function findEstimate(scope: Scope, id: string, lock: Lock = ''): Promise<Estimate | null> {
  const [[row], lines] = await scope.connection.runBoth<EstimateRow, EstimateLineRow>(
    askRow(scope, estimates, id, lock), [LINES, [scope.orgId, [id]]],
  )
  return row ? (await withInvoices(scope, [{ ...row, lines }]))[0]! : null
}

/** Puts the lines of many estimates to them, in one query, and what was made of them. */
export async function withEstimateLines(scope: Scope, rows: EstimateRow[]): Promise<Estimate[]> {
  if (rows.length === 0) return []
  const found = await scope.connection.run<EstimateLineRow>(LINES, [scope.orgId, rows.map(({ id }) => id)])
  const lines = Map.groupBy(found, ({ estimate_id }) => estimate_id)
  return withInvoices(scope, rows.map((row) => ({ ...row, lines: lines.get(row.id) ?? [] })))
}

async function withInvoices(scope: Scope, rows: Omit<Estimate, 'invoices'>[]): Promise<Estimate[]> {
  const made = await madeOf(scope, 'estimate', rows.filter(({ status }) => status === 'CONVERTED').map(({ id }) => id))
  return rows.map((row) => ({ ...row, invoices: made.get(row.id) ?? [] }))
}

const LINES = {
  name: 'lines of estimates',
  text: 'SELECT * FROM estimate_lines WHERE org_id = $1 AND estimate_id = ANY ($2) ORDER BY estimate_id, line_no',
}
