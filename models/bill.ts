// Bills and their lines. Amounts are minor units of the bill's currency.
import type { PostedAlike } from '../domain/duplicate-bill.ts'
import type { StatusOf } from '../domain/lifecycle.ts'
import type { Minor } from '../domain/money.ts'
import { findRow, type Lock, type Scope } from './find.ts'
import { table } from './table.ts'

export type BillStatus = StatusOf<'BILL'>

export interface BillRow {
  org_id: string
  id: string
  branch_id: string
  bill_number: string
  /** The sequence that gave the number; null where the vendor's own was sent. */
  number_sequence: string | null
  vendor_id: string
  vendor_name: string
  date: string
  due_date: string
  reference_number: string | null
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
  vendor_credits_applied: bigint
  balance: bigint
  status: BillStatus
  notes: string | null
  tags: string[]
  version: number
  created_time: Date
  last_modified_time: Date
}

export const bills = table<BillRow>(
  'bills',
  {
    org_id: 'uuid', id: 'uuid', branch_id: 'uuid', bill_number: 'text', number_sequence: 'text', vendor_id: 'uuid',
    vendor_name: 'text', date: 'date', due_date: 'date', reference_number: 'text', place_of_supply: 'text',
    currency_code: 'text', exchange_rate: 'decimal', sub_total: 'minor', cgst: 'minor', sgst: 'minor', igst: 'minor',
    cess: 'minor', tax_total: 'minor', round_off: 'minor', total: 'minor', payment_made: 'minor',
    vendor_credits_applied: 'minor', balance: 'minor', status: 'text', notes: 'text', tags: 'uuids',
    version: 'integer', created_time: 'time', last_modified_time: 'time',
  },
  { generated: ['balance'] },
)

/** Quantity, rate, discount and percentage are decimal text. */
export interface BillLineRow {
  org_id: string
  id: string
  bill_id: string
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
  /** What the buyer assesses upon itself under reverse charge. */
  rcm_cgst: bigint
  rcm_sgst: bigint
  rcm_igst: bigint
  rcm_cess: bigint
}

export const billLines = table<BillLineRow>('bill_lines', {
  org_id: 'uuid', id: 'uuid', bill_id: 'uuid', line_no: 'integer', item_id: 'uuid', name: 'text', description: 'text',
  hsn_or_sac: 'text', quantity: 'decimal', unit: 'text', rate: 'decimal', discount: 'decimal', tax_id: 'uuid',
  tax_percentage: 'decimal', account_id: 'uuid', item_total: 'minor', cgst: 'minor', sgst: 'minor', igst: 'minor',
  cess: 'minor', rcm_cgst: 'minor', rcm_sgst: 'minor', rcm_igst: 'minor', rcm_cess: 'minor',
})

/** A bill with its lines in their order. */
export interface Bill extends BillRow {
  lines: BillLineRow[]
}

export async function findBill(scope: Scope, id: string, lock: Lock = ''): Promise<Bill | null> {
  const row = await findRow(scope, bills, id, lock)
  return row === null ? null : { ...row, lines: await linesOfBills(scope, [id]) }
}

/** Puts the lines of many bills to them, in one query. */
export async function withBillLines(scope: Scope, rows: BillRow[]): Promise<Bill[]> {
  if (rows.length === 0) return []
  const lines = Map.groupBy(await linesOfBills(scope, rows.map(({ id }) => id)), ({ bill_id }) => bill_id)
  return rows.map((row) => ({ ...row, lines: lines.get(row.id) ?? [] }))
}

/** What makes two bills look like one. `total` is in minor units of the currency. */
export interface BillLikeness {
  vendor_id: string
  date: string
  total: Minor
  currency_code: string
}

/** The posted bills of this vendor, date and total that are not cancelled. */
export function findPostedAlike({ connection, orgId }: Scope, likeness: BillLikeness): Promise<PostedAlike[]> {
  const { vendor_id, date, total, currency_code } = likeness
  return connection.run<PostedAlike>(POSTED_ALIKE, [orgId, vendor_id, date, total.toString(), currency_code])
}

function linesOfBills({ connection, orgId }: Scope, ids: string[]): Promise<BillLineRow[]> {
  return connection.run<BillLineRow>(LINES, [orgId, ids])
}

const LINES = {
  name: 'lines of bills',
  text: 'SELECT * FROM bill_lines WHERE org_id = $1 AND bill_id = ANY ($2) ORDER BY bill_id, line_no',
}
const POSTED_ALIKE = {
  name: 'posted bills alike',
  text: `SELECT id, bill_number, reference_number FROM bills
         WHERE org_id = $1 AND vendor_id = $2 AND date = $3 AND total = $4 AND currency_code = $5
           AND status NOT IN ('DRAFT', 'CANCELLED') ORDER BY created_time, id`,
}
