// The duplicate guard of bills: is this one on the books already?
import { fault } from './faults.ts'

/** A posted bill of the same vendor, date and total. */
export interface PossibleDuplicate {
  id: string
  bill_number: string
  reference_number: string | null
}

/**
 * Refuses a bill that looks like posted ones of its vendor, date and total, unless it carries a reference that none
 * of them has (specification, "Bills"; decisions §10). Throws validation.invalid_value, field reference_number, with
 * the first of those that it cannot be told from.
 */
export function refuseDuplicateBill(reference: string | null, posted: readonly PossibleDuplicate[]): void {
  const said = spoken(reference)
  const same = posted.find(bill => said === '' || spoken(bill.reference_number) === said)
  if (!same) return
  throw fault('validation.invalid_value', {
    field: 'reference_number',
    message: 'A bill with the same vendor, date and total is on the books; another one needs a different reference_number.',
    details: { bill_id: same.id, bill_number: same.bill_number },
  })
}

const spoken = (reference: string | null) => reference?.trim() ?? ''
