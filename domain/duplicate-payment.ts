// The check for duplicate payments.
import { daysBetween } from './dates.ts'

/** Payments whose dates are further apart than this are not duplicates (specification, "Limits"). */
export const LOOK_BACK_DAYS = 7

export interface PaymentIdentity {
  date: string
  reference_number: string | null
}

/**
 * True when two payments of the same contact, flow and amount may be duplicates: their dates are at most LOOK_BACK_DAYS
 * apart, and their references are equal or at least one is missing (decisions §4).
 */
export function isPossibleDuplicate(a: PaymentIdentity, b: PaymentIdentity): boolean {
  if (Math.abs(daysBetween(a.date, b.date)) > LOOK_BACK_DAYS) return false
  const [one, other] = [referenceOf(a), referenceOf(b)]
  return one === other || one === '' || other === ''
}

const referenceOf = ({ reference_number }: PaymentIdentity) => (reference_number ?? '').trim().toLowerCase()
