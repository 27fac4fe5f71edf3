// The nightly housekeeping: when it runs, and what it is started with.

/** The time of day at which it runs, in the zone of each organisation (decisions §4, OVERDUE). */
export const NIGHTLY = { hour: 0, minute: 30 }

/** The input of the workflow `housekeeping`. */
export interface HousekeepingInput {
  /** The zone whose organisations are processed; without it, the organisations of every zone. */
  timeZone?: string
}

/** How many documents a run moved to OVERDUE, and in how many organisations. */
export interface Swept {
  organizations: number
  invoices: number
  bills: number
}

export const NOTHING_SWEPT: Swept = { organizations: 0, invoices: 0, bills: 0 }

/** The id of a zone's schedule, and of the workflows that it starts. A suffix separates two installations. */
export function housekeepingId(timeZone: string, suffix: string): string {
  return `${suffix === '' ? 'housekeeping' : `housekeeping-${suffix}`}/${timeZone}`
}

/** The counts as text, for operators: `2 invoices and 1 bill overdue, in 1 organisation`. */
export function sweptText({ organizations, invoices, bills }: Swept): string {
  return `${count(invoices, 'invoice')} and ${count(bills, 'bill')} overdue, in ${count(organizations, 'organisation')}`
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`
