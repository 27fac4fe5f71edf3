// Estimates and their lines. Amounts are minor units of the estimate's currency.
import type { StatusOf } from '../domain/lifecycle.ts'
import { hasMany } from './association.ts'
import { documentsMade, documentsMadeFrom } from './conversion.ts'
import { DOCUMENT, LINE } from './document.ts'
import type { Lock, Scope } from './find.ts'
import { invoices } from './invoice.ts'
import { DATE, TEXT, UUID, orNull, textOf, model, type RowOf } from './model.ts'
import type { Parts } from './whole-rows.ts'

export type EstimateStatus = StatusOf<'ESTIMATE'>

export const estimates = model('estimates', {
  ...DOCUMENT,
  estimate_number: TEXT,
  customer_id: UUID,
  customer_name: TEXT,
  expiry_date: orNull(DATE),
  status: textOf<EstimateStatus>(),
  /** The order that was made from the estimate. */
  converted_to_sales_order_id: orNull(UUID),
})
export type EstimateRow = RowOf<typeof estimates>

export const estimateLines = model('estimate_lines', {
  ...LINE,
  estimate_id: UUID,
})
export type EstimateLineRow = RowOf<typeof estimateLines>

const lines = hasMany(estimates, 'lines', estimateLines, { by: 'estimate_id', order: ['line_no'] })
const invoicesMade = documentsMade(invoices, 'estimate_id')

/** An estimate with its lines in their order, and the ids of the invoices that were made from its order. */
export interface Estimate extends EstimateRow {
  lines: EstimateLineRow[]
  invoices: string[]
}

export async function findEstimate(scope: Scope, id: string, lock: Lock = ''): Promise<Estimate | null> {
  const found = await lines.findWith(scope, id, lock)
  return found && (await withInvoices(scope, [found]))[0]!
}

/** Adds to many estimates, and to pages of them, their lines and the ids of what was made from them. */
export const estimateParts: Parts<EstimateRow, Estimate> = {
  all: [...lines.parts.all, invoicesMade.part],
  group(rows, [foundLines, foundMade]) {
    const madeFrom = invoicesMade.idsOf(foundMade!)
    return lines.group(rows, foundLines as EstimateLineRow[]).map((row) => ({ ...row, invoices: madeFrom(row.id) }))
  },
  addTo: async (scope, rows) => withInvoices(scope, await lines.addTo(scope, rows)),
}

async function withInvoices(scope: Scope, rows: Omit<Estimate, 'invoices'>[]): Promise<Estimate[]> {
  const made = await documentsMadeFrom(
    scope,
    'estimate',
    rows.filter(({ status }) => status === 'CONVERTED').map(({ id }) => id),
  )
  return rows.map((row) => ({ ...row, invoices: made.get(row.id) ?? [] }))
}
