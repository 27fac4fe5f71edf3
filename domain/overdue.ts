// When an invoice or a bill is overdue, and when the nightly sweep moves it to OVERDUE (decisions §4).
import { daysBetween } from './dates.ts'
import { kindsThatHave } from './documents.ts'
import { MOVES, type SettledKind } from './lifecycle.ts'
import type { Minor } from './money.ts'

/** The columns that decide whether a document is overdue. */
export interface Dues {
  status: string
  /** A calendar date, or null where there is none. */
  due_date: string | null
  balance: Minor
}

/** The statuses of a kind in which it can be overdue: those in which it can be paid. */
export const owedStatuses = (document: SettledKind): readonly string[] => MOVES[document].pay.from

/** The statuses from which the nightly housekeeping moves a document to OVERDUE. */
export const fallingDueStatuses = (document: SettledKind): readonly string[] => MOVES[document].fallDue.from

const OWED: ReadonlySet<string> = new Set(kindsThatHave('settledBy').flatMap(owedStatuses))

/** True when a document has a balance after its due date (decisions §4, OVERDUE); `today` is the date in the organisation's zone. */
export function isOverdue({ status, due_date, balance }: Dues, today: string): boolean {
  return due_date !== null && OWED.has(status) && balance > 0n && due_date < today
}

/** Days since the due date of an overdue document, 0 for any other. */
export function daysOverdue(dues: Dues, today: string): number {
  return dues.due_date !== null && isOverdue(dues, today) ? daysBetween(dues.due_date, today) : 0
}

/**
 * True for a document that the housekeeping moves to OVERDUE: it has a balance after the due date, and is not OVERDUE
 * yet. `today` is the date in the organisation's zone.
 */
export function fallsDue(document: SettledKind, dues: Dues, today: string): boolean {
  return isOverdue(dues, today) && fallingDueStatuses(document).includes(dues.status)
}
