// Invoices and their lines. Amounts are minor units of the invoice's currency.
import type { StatusOf } from '../domain/lifecycle.ts'
import type { Connection } from './database.ts'
import { DOCUMENT, LINE } from './document.ts'
import { askRow, type Lock, type Scope } from './find.ts'
import { DATE, MINOR, TEXT, UUID, generated, orNull, textOf, model, type RowOf } from './model.ts'

export type InvoiceStatus = StatusOf<'INVOICE'>

export const invoices = model('invoices', {
  ...DOCUMENT,
  invoice_number: TEXT,
  series_name: orNull(TEXT),
  customer_id: UUID,
  customer_name: TEXT,
  due_date: DATE,
  salesperson_id: orNull(TEXT),
  payment_made: MINOR,
  credits_applied: MINOR,
  balance: generated(MINOR),
  status: textOf<InvoiceStatus>(),
  /** The order that the invoice was made of, and the estimate that this one was made of. */
  sales_order_id: orNull(UUID),
  estimate_id: orNull(UUID),
})
export type InvoiceRow = RowOf<typeof invoices>

export const invoiceLines = model('invoice_lines', {
  ...LINE,
  invoice_id: UUID,
  /** The line of the order that this one is of. */
  sales_order_line_id: orNull(UUID),
})
export type InvoiceLineRow = RowOf<typeof invoiceLines>

/** An invoice with its lines in their order. */
export interface Invoice extends InvoiceRow {
  lines: InvoiceLineRow[]
}

export async function findInvoice(scope: Scope, id: string, lock: Lock = ''): Promise<Invoice | null> {
  const [[row], lines] = await scope.connection.runBoth<InvoiceRow, InvoiceLineRow>(
    askRow(scope, invoices, id, lock), [LINES, [scope.orgId, [id]]],
  )
  return row ? { ...row, lines } : null
}

/** Puts the lines of many invoices to them, in one query. */
export async function withLines(scope: Scope, rows: InvoiceRow[]): Promise<Invoice[]> {
  if (rows.length === 0) return []
  const lines = Map.groupBy(await linesOfInvoices(scope, rows.map(({ id }) => id)), ({ invoice_id }) => invoice_id)
  return rows.map((row) => ({ ...row, lines: lines.get(row.id) ?? [] }))
}

function linesOfInvoices({ connection, orgId }: { connection: Connection; orgId: string }, ids: string[]): Promise<InvoiceLineRow[]> {
  return connection.run<InvoiceLineRow>(LINES, [orgId, ids])
}

const LINES = {
  name: 'lines of invoices',
  text: 'SELECT * FROM invoice_lines WHERE org_id = $1 AND invoice_id = ANY ($2) ORDER BY invoice_id, line_no',
}
