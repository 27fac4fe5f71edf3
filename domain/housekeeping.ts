// The nightly housekeeping: when it comes round, what it is started with, which documents fall due in it.
import { fallingDueStatuses, isOverdue, type Dues, type SettledKind } from './lifecycle.ts'

/** The time of day at which it comes round, in every organisation's own zone (decisions §4, OVERDUE). */
export const NIGHTLY = { hour: 0, minute: 30 }

/** What `housekeeping` is started with. */
export interface HousekeepingInput {
  /** The zone whose organisations are looked after; those of every zone where none is told. */
  timeZone?: string
}

/** What a sweep has moved to OVERDUE, and in how many organisations. */
export interface Swept {
  organizations: number
  invoices: number
  bills: number
}

export const NOTHING_SWEPT: Swept = { organizations: 0, invoices: 0, bills: 0 }

/** The id of a zone's schedule, and of the workflows that it starts. A suffix keeps two installations apart. */
export function housekeepingId(timeZone: string, suffix: string): string {
  return `${suffix === '' ? 'housekeeping' : `housekeeping-${suffix}`}/${timeZone}`
}

/** What was swept, for operators: `2 invoices and 1 bill overdue, in 1 organisation`. */
export function sweptText({ organizations, invoices, bills }: Swept): string {
  return `${count(invoices, 'invoice')} and ${count(bills, 'bill')} overdue, in ${count(organizations, 'organisation')}`
}

/**
 * True for a document that the sweep moves to OVERDUE: something is owed after the due date, and its status does not
 * say so yet. `today` is the date in the organisation's zone.
 */
export function fallsDue(document: SettledKind, dues: Dues, today: string): boolean {
  return isOverdue(dues, today) && fallingDueStatuses(document).includes(dues.status)
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`
