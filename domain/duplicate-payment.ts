// When a payment looks like one that was recorded already.
import { daysBetween } from './dates.ts'

/** How far apart two payments may be dated to look like one (specification, "Limits"). */
export const LOOK_BACK_DAYS = 7

export interface PaymentIdentity {
  date: string
  reference_number: string | null
}

/**
 * True when two payments of one contact, flow and amount look like one: dated at most 7 days apart, and no references
 * that tell them apart (decisions §4).
 */
export function isPossibleDuplicate(a: PaymentIdentity, b: PaymentIdentity): boolean {
  if (Math.abs(daysBetween(a.date, b.date)) > LOOK_BACK_DAYS) return false
  const [one, other] = [referenceOf(a), referenceOf(b)]
  return one === other || one === '' || other === ''
}

const referenceOf = ({ reference_number }: PaymentIdentity) => (reference_number ?? '').trim().toLowerCase()
