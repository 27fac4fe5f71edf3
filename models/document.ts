// Columns that the rows of every sale and purchase have, and columns of their lines; amounts are minor units.
import { DATE, DECIMAL, INTEGER, MINOR, TEXT, UUID, UUIDS, VERSIONED, orNull, type RowOf } from './model.ts'

export const DOCUMENT = {
  org_id: UUID,
  id: UUID,
  branch_id: UUID,
  date: DATE,
  reference_number: orNull(TEXT),
  place_of_supply: TEXT,
  currency_code: TEXT,
  /** Units of the organisation's currency for one unit of `currency_code`. */
  exchange_rate: DECIMAL,
  sub_total: MINOR,
  cgst: MINOR,
  sgst: MINOR,
  igst: MINOR,
  cess: MINOR,
  tax_total: MINOR,
  round_off: MINOR,
  total: MINOR,
  notes: orNull(TEXT),
  tags: UUIDS,
  ...VERSIONED,
}
export type DocumentRow = RowOf<typeof DOCUMENT>

/** Quantity, rate, discount and percentage are decimal text. */
export const LINE = {
  org_id: UUID,
  id: UUID,
  line_no: INTEGER,
  item_id: orNull(UUID),
  name: TEXT,
  description: orNull(TEXT),
  hsn_or_sac: orNull(TEXT),
  quantity: DECIMAL,
  unit: orNull(TEXT),
  rate: DECIMAL,
  discount: DECIMAL,
  tax_id: orNull(UUID),
  tax_percentage: DECIMAL,
  account_id: UUID,
  item_total: MINOR,
  cgst: MINOR,
  sgst: MINOR,
  igst: MINOR,
  cess: MINOR,
}
export type LineRow = RowOf<typeof LINE>

/** The tax that the buyer owes instead of the vendor under reverse charge, on the line of a purchase. */
export const REVERSE_CHARGE = {
  rcm_cgst: MINOR,
  rcm_sgst: MINOR,
  rcm_igst: MINOR,
  rcm_cess: MINOR,
}
export type ReverseCharge = RowOf<typeof REVERSE_CHARGE>
