// The posting of a manual journal: its lines, and the difference between the sides:
//   Dr, Cr                    each line as it is sent
//      Cr Round Off           a difference of at most 0.01 (a debit where the credits exceed)
import { fault } from '../faults.ts'
import { minorDigits, refuseTooLarge, sum, toAmount, magnitude, type Minor } from '../money.ts'
import { assertBalanced, credit, debitBalance, type PostingLine } from './posting.ts'

export interface ManualEntry {
  lines: readonly PostingLine[]
  /** The organisation's currency. */
  currency: string
  /** Null where the organisation has no account named Round Off or Rounding. */
  roundOff: string | null
}

/** The largest difference between the sides, in minor units: 0.01 of the currency, 0 if it has fewer than two decimals. */
export function journalTolerance(currency: string): Minor {
  const digits = minorDigits(currency)
  return digits < 2 ? 0n : 10n ** BigInt(digits - 2)
}

/**
 * The lines of a manual journal, exactly balanced (decisions §3): the difference goes to Round Off, or without one to
 * the first line's account. Throws validation.invalid_value, field lines, where the sides differ by more than 0.01, and
 * for a total that is too large.
 */
export function manualPosting({ lines, currency, roundOff }: ManualEntry): PostingLine[] {
  refuseTooLarge(sum(lines.map((line) => line.debit)), currency)
  refuseTooLarge(sum(lines.map((line) => line.credit)), currency)
  const difference = sum(lines.map(debitBalance))
  if (magnitude(difference) > journalTolerance(currency)) {
    throw fault('validation.invalid_value', {
      field: 'lines',
      message: 'Debits and credits must be equal.',
      details: { difference: toAmount(difference, currency), limit: toAmount(journalTolerance(currency), currency) },
    })
  }
  const posted =
    difference === 0n
      ? [...lines]
      : [...lines, credit(roundOff ?? lines[0]!.accountId, difference, { description: 'Round off' })]
  assertBalanced(posted)
  return posted
}
