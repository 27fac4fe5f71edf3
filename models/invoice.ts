// Invoices and their lines. Amounts are minor units of the invoice's currency.
import type { StatusOf } from '../domain/lifecycle.ts'
import type { Connection } from './database.ts'
import { DOCUMENT, LINE, type DocumentRow, type LineRow } from './document.ts'
import { askRow, type Lock, type Scope } from './find.ts'
import { table } from './table.ts'

export type InvoiceStatus = StatusOf<'INVOICE'>

export interface InvoiceRow extends DocumentRow {
  invoice_number: string
  series_name: string | null
  customer_id: string
  customer_name: string
  due_date: string
  salesperson_id: string | null
  payment_made: bigint
  credits_applied: bigint
  balance: bigint
  status: InvoiceStatus
  /** The order that the invoice was made of, and the estimate that this one was made of. */
  sales_order_id: string | null
  estimate_id: string | null
}

export const invoices = table<InvoiceRow>(
  'invoices',
  {
    ...DOCUMENT, invoice_number: 'text', series_name: 'text', customer_id: 'uuid', customer_name: 'text',
    due_date: 'date', salesperson_id: 'text', payment_made: 'minor', credits_applied: 'minor', balance: 'minor',
    status: 'text', sales_order_id: 'uuid', estimate_id: 'uuid',
  },
  { generated: ['balance'] },
)

export interface InvoiceLineRow extends LineRow {
  invoice_id: string
  /** The line of the order that this one is of. */
  sales_order_line_id: string | null
}

export const invoiceLines = table<InvoiceLineRow>('invoice_lines', { ...LINE, invoice_id: 'uuid', sales_order_line_id: 'uuid' })

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
