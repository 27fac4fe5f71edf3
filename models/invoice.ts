// Invoices and their lines. Amounts are minor units of the invoice's currency.
import type { StatusOf } from '../domain/lifecycle.ts'
import type { Connection } from './database.ts'
import { askRow, type Lock, type Scope } from './find.ts'
import { table } from './table.ts'

export type InvoiceStatus = StatusOf<'INVOICE'>

export interface InvoiceRow {
  org_id: string
  id: string
  branch_id: string
  invoice_number: string
  series_name: string | null
  customer_id: string
  customer_name: string
  date: string
  due_date: string
  reference_number: string | null
  salesperson_id: string | null
  place_of_supply: string
  currency_code: string
  exchange_rate: string
  sub_total: bigint
  cgst: bigint
  sgst: bigint
  igst: bigint
  cess: bigint
  tax_total: bigint
  round_off: bigint
  total: bigint
  payment_made: bigint
  credits_applied: bigint
  balance: bigint
  status: InvoiceStatus
  notes: string | null
  tags: string[]
  version: number
  created_time: Date
  last_modified_time: Date
}

export const invoices = table<InvoiceRow>(
  'invoices',
  {
    org_id: 'uuid', id: 'uuid', branch_id: 'uuid', invoice_number: 'text', series_name: 'text', customer_id: 'uuid',
    customer_name: 'text', date: 'date', due_date: 'date', reference_number: 'text', salesperson_id: 'text',
    place_of_supply: 'text', currency_code: 'text', exchange_rate: 'decimal', sub_total: 'minor', cgst: 'minor',
    sgst: 'minor', igst: 'minor', cess: 'minor', tax_total: 'minor', round_off: 'minor', total: 'minor',
    payment_made: 'minor', credits_applied: 'minor', balance: 'minor', status: 'text', notes: 'text', tags: 'uuids',
    version: 'integer', created_time: 'time', last_modified_time: 'time',
  },
  { generated: ['balance'] },
)

/** Quantity, rate, discount and percentage are decimal text. */
export interface InvoiceLineRow {
  org_id: string
  id: string
  invoice_id: string
  line_no: number
  item_id: string | null
  name: string
  description: string | null
  hsn_or_sac: string | null
  quantity: string
  unit: string | null
  rate: string
  discount: string
  tax_id: string | null
  tax_percentage: string
  account_id: string
  item_total: bigint
  cgst: bigint
  sgst: bigint
  igst: bigint
  cess: bigint
}

export const invoiceLines = table<InvoiceLineRow>('invoice_lines', {
  org_id: 'uuid', id: 'uuid', invoice_id: 'uuid', line_no: 'integer', item_id: 'uuid', name: 'text', description: 'text',
  hsn_or_sac: 'text', quantity: 'decimal', unit: 'text', rate: 'decimal', discount: 'decimal', tax_id: 'uuid',
  tax_percentage: 'decimal', account_id: 'uuid', item_total: 'minor', cgst: 'minor', sgst: 'minor', igst: 'minor',
  cess: 'minor',
})

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
