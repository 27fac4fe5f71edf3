// Bills and their lines. Amounts are minor units of the bill's currency.
import type { PossibleDuplicate } from '../domain/duplicate-bill.ts'
import type { StatusOf } from '../domain/lifecycle.ts'
import type { Minor } from '../domain/money.ts'
import { hasMany } from './association.ts'
import { DOCUMENT, LINE, REVERSE_CHARGE } from './document.ts'
import type { Lock, Scope } from './find.ts'
import { DATE, MINOR, TEXT, UUID, generated, orNull, textOf, model, type RowOf } from './model.ts'

export type BillStatus = StatusOf<'BILL'>

export const bills = model('bills', {
  ...DOCUMENT,
  bill_number: TEXT,
  /** The sequence that gave the number; null where the caller sent the vendor's number. */
  number_sequence: orNull(TEXT),
  vendor_id: UUID,
  vendor_name: TEXT,
  due_date: DATE,
  payment_made: MINOR,
  vendor_credits_applied: MINOR,
  balance: generated(MINOR),
  status: textOf<BillStatus>(),
  /** The order that the bill was made from. */
  purchase_order_id: orNull(UUID),
})
export type BillRow = RowOf<typeof bills>

export const billLines = model('bill_lines', {
  ...LINE,
  ...REVERSE_CHARGE,
  bill_id: UUID,
  /** The line of the order that this line was made from. */
  purchase_order_line_id: orNull(UUID),
})
export type BillLineRow = RowOf<typeof billLines>

const lines = hasMany(bills, 'lines', billLines, { by: 'bill_id', order: ['line_no'] })

/** A bill with its lines in their order. */
export interface Bill extends BillRow {
  lines: BillLineRow[]
}

export const findBill = (scope: Scope, id: string, lock: Lock = ''): Promise<Bill | null> =>
  lines.findWith(scope, id, lock)

/** Adds their lines to many bills, and reads pages of bills with them. */
export const billParts = lines.parts

/** What possible duplicates have in common. `total` is in minor units of the currency. */
export interface BillIdentity {
  vendor_id: string
  date: string
  total: Minor
  currency_code: string
  /** The order that the bill was made from; bills of the same order are not compared. */
  purchase_order_id: string | null
}

/** The posted bills of this vendor, date and total that are not cancelled, except those of the same order. */
export function findPossibleDuplicates(
  { connection, orgId }: Scope,
  identity: BillIdentity,
): Promise<PossibleDuplicate[]> {
  const { vendor_id, date, total, currency_code, purchase_order_id } = identity
  return connection.run<PossibleDuplicate>(POSTED_ALIKE, [
    orgId,
    vendor_id,
    date,
    total.toString(),
    currency_code,
    purchase_order_id,
  ])
}

const POSTED_ALIKE = {
  name: 'posted bills alike',
  text: `SELECT id, bill_number, reference_number FROM bills
         WHERE org_id = $1 AND vendor_id = $2 AND date = $3 AND total = $4 AND currency_code = $5
           AND status NOT IN ('DRAFT', 'CANCELLED') AND ($6::uuid IS NULL OR purchase_order_id IS DISTINCT FROM $6) ORDER BY created_time, id`,
}
