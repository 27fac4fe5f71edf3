// The check for duplicate bills.
import { fault } from './faults.ts'

/** A posted bill of the same vendor, date and total. */
export interface PossibleDuplicate {
  id: string
  bill_number: string
  reference_number: string | null
}

/**
 * Refuses a bill when posted bills have the same vendor, date and total, unless its reference differs from theirs
 * (specification, "Bills"; decisions §10). Throws validation.invalid_value, field reference_number; details name the
 * first posted bill with the same reference, or the first of all when the new bill has none.
 */
export function refuseDuplicateBill(reference: string | null, posted: readonly PossibleDuplicate[]): void {
  const own = trimmed(reference)
  const same = posted.find((bill) => own === '' || trimmed(bill.reference_number) === own)
  if (!same) return
  throw fault('validation.invalid_value', {
    field: 'reference_number',
    message:
      'A bill with the same vendor, date and total is on the books; another one needs a different reference_number.',
    details: { bill_id: same.id, bill_number: same.bill_number },
  })
}

const trimmed = (reference: string | null) => reference?.trim() ?? ''
