// Reminders of unpaid invoices: on which day one is due, at which time of day, and of which invoices nobody is reminded.
import { addDays, dateInZone, daysBetween } from './dates.ts'
import { invalidState } from './faults.ts'
import { MOVES, nextStatus } from './lifecycle.ts'
import { mailAddress } from './mail-address.ts'
import type { Minor } from './money.ts'
import type { ReminderPreferences } from './preferences.ts'
import { tickFrom, tickOf } from './tick.ts'

/** The columns of an invoice that decide whether its customer may be reminded. */
export interface Remindable {
  status: string
  balance: Minor
  /** Null unless the customer disputes it. */
  dispute: unknown
}

type Policy = Pick<ReminderPreferences, 'enabled' | 'days'>

/** A reminder that was not sent on its day is sent late by so many days at most; after that it is left out. */
export const LATEST_DAYS = 2

/** The hours of the day, in the zone of the organisation, at which customers are reminded without anybody's asking. */
const HOURS = { from: '09:00', to: '18:00' }

/** The statuses in which an invoice is owed. */
const REMINDED_STATUSES: readonly string[] = MOVES.INVOICE.remind.from

/** Whether anybody may be reminded of the invoice: it is owed, and not disputed. */
export function canBeReminded({ status, balance, dispute }: Remindable): boolean {
  return balance > 0n && dispute === null && REMINDED_STATUSES.includes(status)
}

/** Throws conflict.invalid_state for an invoice that is not owed, or is disputed. */
export function refuseReminder(invoice: Remindable): void {
  nextStatus('INVOICE', 'remind', invoice.status)
  if (canBeReminded(invoice)) return
  const [message, cause] =
    invoice.dispute === null
      ? ['Nothing of the invoice is to be paid.', { balance: 0 }]
      : ['The customer disputes the invoice; resolve the dispute first.', { dispute: invoice.dispute }]
  throw invalidState(message, invoice.status, MOVES.INVOICE.remind.from, cause)
}

/** The address that a customer is reminded at: the contact's own, else that of the primary person, else of the first one that has any. */
export function addressOfCustomer({ email, contact_persons: persons }: ReachedCustomer): string | null {
  const byRank = [...persons.filter(({ is_primary }) => is_primary), ...persons]
  const found = [email, ...byRank.map((person) => person.email)].map((text) => text && mailAddress(text))
  return found.find((address) => address) ?? null
}

interface ReachedCustomer {
  email: string | null
  contact_persons: readonly { email: string | null; is_primary: boolean }[]
}

/** Invoices due on `due_date` are to be reminded of today, unless that was done on the day `since` or later. */
export interface DueReminder {
  due_date: string
  since: string
}

/** The due dates of the invoices that the policy has a reminder for today, in their order. */
export function remindersDue(policy: Policy, today: string): DueReminder[] {
  const dueDates = policy.days.flatMap((day) =>
    Array.from({ length: LATEST_DAYS + 1 }, (_, late) => addDays(today, -day - late)),
  )
  return [...new Set(dueDates)].sort().flatMap((dueDate) => {
    const since = dueSince(policy, dueDate, today)
    return since === null ? [] : [{ due_date: dueDate, since }]
  })
}

/**
 * Whether the policy has a reminder of an invoice of this due date today. `remindedOn`: the last day on which its customer was
 * reminded, by the policy or by hand; null where that never happened.
 */
export function isReminderDue(policy: Policy, dueDate: string, remindedOn: string | null, today: string): boolean {
  const since = dueSince(policy, dueDate, today)
  return since !== null && (remindedOn === null || remindedOn < since)
}

// Days count from the due date: -3 is three days before it. Of several that have come, the latest counts alone: those before it
// that were missed are left out.
function dueSince({ enabled, days }: Policy, dueDate: string, today: string): string | null {
  const come = days.filter((day) => day <= daysBetween(dueDate, today))
  if (!enabled || come.length === 0) return null
  const since = addDays(dueDate, Math.max(...come))
  return addDays(since, LATEST_DAYS) >= today ? since : null
}

/** What a sweep has come to: reminders that were queued, invoices whose customers could not be reached, and in how many organisations. */
export interface RemindersSwept {
  organizations: number
  reminded: number
  unreachable: number
  /** Organisations that had sent the mails of their day before all were reminded. */
  beyond_limit: number
}

export const NO_REMINDERS: RemindersSwept = { organizations: 0, reminded: 0, unreachable: 0, beyond_limit: 0 }

/** The id of the Temporal Schedule of reminders, and of the workflows that it starts. A suffix separates two installations. */
export const remindersId = (suffix: string): string => (suffix === '' ? 'reminders' : `reminders-${suffix}`)

/** How often organisations whose reminders are due are looked for; a day of reminders begins at most so much late. */
export const REMINDERS_EVERY_MINUTES = 30

/** Whether customers are reminded at this instant: by day, where the organisation is. */
export function isReminderTime(instant: string, zone: string): boolean {
  const date = dateInZone(instant, zone)
  return tickOf(date, { time: HOURS.from, zone }) <= instant && instant < tickOf(date, { time: HOURS.to, zone })
}

/**
 * When reminders go on in books that were restored after a failure at this instant: once those whose day had begun are too late to be
 * sent, because they probably were; those of the days after it are then sent late.
 */
export function remindersAfterFailure(instant: string, zone: string): string {
  const next = dateInZone(nextReminders(instant, zone), zone)
  return tickOf(addDays(next, LATEST_DAYS), { time: HOURS.from, zone })
}

/** The next instant at which a day of reminders begins: later today, or tomorrow. */
export function nextReminders(instant: string, zone: string): string {
  return tickFrom(new Date(Date.parse(instant) + 1).toISOString(), { time: HOURS.from, zone })
}
