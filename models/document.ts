// What the rows of every sale and purchase have in common, and those of their lines; amounts are minor units.
import type { Columns } from './table.ts'

export interface DocumentRow {
  org_id: string
  id: string
  branch_id: string
  date: string
  reference_number: string | null
  place_of_supply: string
  currency_code: string
  /** Units of the organisation's currency for one unit of `currency_code`. */
  exchange_rate: string
  sub_total: bigint
  cgst: bigint
  sgst: bigint
  igst: bigint
  cess: bigint
  tax_total: bigint
  round_off: bigint
  total: bigint
  notes: string | null
  tags: string[]
  version: number
  created_time: Date
  last_modified_time: Date
}

export const DOCUMENT: Columns<DocumentRow> = {
  org_id: 'uuid', id: 'uuid', branch_id: 'uuid', date: 'date', reference_number: 'text', place_of_supply: 'text',
  currency_code: 'text', exchange_rate: 'decimal', sub_total: 'minor', cgst: 'minor', sgst: 'minor', igst: 'minor',
  cess: 'minor', tax_total: 'minor', round_off: 'minor', total: 'minor', notes: 'text', tags: 'uuids',
  version: 'integer', created_time: 'time', last_modified_time: 'time',
}

/** Quantity, rate, discount and percentage are decimal text. */
export interface LineRow {
  org_id: string
  id: string
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

export const LINE: Columns<LineRow> = {
  org_id: 'uuid', id: 'uuid', line_no: 'integer', item_id: 'uuid', name: 'text', description: 'text', hsn_or_sac: 'text',
  quantity: 'decimal', unit: 'text', rate: 'decimal', discount: 'decimal', tax_id: 'uuid', tax_percentage: 'decimal',
  account_id: 'uuid', item_total: 'minor', cgst: 'minor', sgst: 'minor', igst: 'minor', cess: 'minor',
}

/** What the buyer assesses upon itself under reverse charge, on the line of a purchase. */
export interface ReverseCharge {
  rcm_cgst: bigint
  rcm_sgst: bigint
  rcm_igst: bigint
  rcm_cess: bigint
}

export const REVERSE_CHARGE: Columns<ReverseCharge> = { rcm_cgst: 'minor', rcm_sgst: 'minor', rcm_igst: 'minor', rcm_cess: 'minor' }
