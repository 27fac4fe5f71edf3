// The sweep of reminders: looks through some invoices of an organisation, and queues a reminder of each that is due today.
import { dateInZone } from '../../domain/dates.ts'
import { isUnregistered } from '../../domain/e-invoice/state.ts'
import { UNDELIVERABLE } from '../../domain/mail-delivery.ts'
import {
  addressOfCustomer,
  canBeReminded,
  isReminderDue,
  isReminderTime,
  nextReminders,
  remindersDue,
} from '../../domain/reminders.ts'
import { contacts, type ContactRow } from '../../models/contact.ts'
import { countMails, undeliverableAmong } from '../../models/email.ts'
import { findRows, lockRows } from '../../models/find.ts'
import { invoices, type InvoiceRow } from '../../models/invoice.ts'
import {
  countReminders,
  invoicesToRemind,
  lockReminderSweep,
  remindersOf,
  reminderSweeps,
  type ReminderSweepRow,
} from '../../models/reminder.ts'
import type { Books } from '../books/books.ts'
import { dailyLimitOf, type MailPolicy } from './document-mail.ts'
import { enterReminder, reminderPolicyOf, templateOf, type ReminderPolicy } from './reminders.ts'

/** Invoices in one transaction: few, so that calls wait only briefly for the locks. */
const REMINDER_PAGE = 50

/** What a page has come to, and whether there may be another one today. */
export interface ReminderPage {
  reminded: number
  unreachable: number
  beyondLimit: boolean
  more: boolean
}

const NOTHING: ReminderPage = { reminded: 0, unreachable: 0, beyondLimit: false, more: false }

/**
 * Looks through the next REMINDER_PAGE invoices of the organisation, and says in its row when it is to be looked at again: at
 * once where there may be more, else when the next day of reminders begins. Two at once wait for each other, and each reminder is
 * queued once; does nothing where another has done the work meanwhile.
 */
export async function remindPage(books: Books, policy: MailPolicy | null): Promise<ReminderPage> {
  const { time_zone: zone, status } = books.organization
  const sweep = await lockReminderSweep(books)
  if (!sweep || sweep.next_at > books.now) return NOTHING
  const now = books.now.toISOString()
  if (status !== 'ACTIVE' || !isReminderTime(now, zone))
    return over(books, sweep, NOTHING, { swept_at: sweep.swept_at })
  const day = dateInZone(now, zone)
  const preferences = await reminderPolicyOf(books)
  const room = await roomOf(books, preferences, policy, day)
  const after = sweep.looked_through?.day === day ? sweep.looked_through : null
  const found = await invoicesToRemind(books, remindersDue(preferences.reminders, day), after, REMINDER_PAGE)
  const page = await remindOf(
    books,
    found.map(({ id }) => id),
    { preferences, policy, day, room },
  )
  if (page.beyondLimit) return over(books, sweep, page, { swept_at: sweep.swept_at })
  const last = found.at(-1)
  if (found.length < REMINDER_PAGE || !last) return over(books, sweep, page, { swept_at: books.now })
  const lookedThrough = { day, due_date: last.due_date, id: last.id }
  books.update<ReminderSweepRow>(reminderSweeps, sweep, { next_at: books.now, looked_through: lookedThrough })
  return { ...page, more: true }
}

function over(
  books: Books,
  sweep: ReminderSweepRow,
  page: ReminderPage,
  { swept_at }: Pick<ReminderSweepRow, 'swept_at'>,
): ReminderPage {
  const next = new Date(nextReminders(books.now.toISOString(), books.organization.time_zone))
  books.update<ReminderSweepRow>(reminderSweeps, sweep, { next_at: next, looked_through: null, swept_at })
  return page
}

/** How many reminders may be queued now: at most half of the day's mails, so that people can still send theirs. */
async function roomOf(books: Books, { mail }: ReminderPolicy, policy: MailPolicy | null, day: string): Promise<number> {
  const limit = dailyLimitOf(mail, policy)
  const of = { day, zone: books.organization.time_zone }
  const mails = await countMails(books, 'OTHER', of, 'lock')
  return Math.min(limit - mails, Math.ceil(limit / 2) - (await countReminders(books, of)))
}

interface Reminding {
  preferences: ReminderPolicy
  policy: MailPolicy | null
  day: string
  room: number
}

async function remindOf(books: Books, ids: string[], { preferences, policy, day, room }: Reminding) {
  const locked = await lockRows(books, invoices, ids)
  const history = await remindersOf(books, ids, day)
  const due = locked.filter((invoice) => {
    const known = history.get(invoice.id)
    const isDue = isReminderDue(preferences.reminders, invoice.due_date, known?.reminded_on ?? null, day)
    return isDue && !known?.tried_today && canBeReminded(invoice) && !isUnregistered(invoice.e_invoice)
  })
  const addresses = await addressesOf(books, due)
  const { mail, reminders } = preferences
  const page: ReminderPage = { ...NOTHING }
  for (const invoice of due) {
    const address = addresses.get(invoice.customer_id)
    const refused = refusalOf(address)
    if (!refused && page.reminded >= room) return { ...page, beyondLimit: true }
    const id = books.newId()
    enterReminder(books, {
      id,
      invoice,
      recipients: address ? [{ kind: 'TO', address: address.address }] : [],
      template: templateOf(reminders),
      attach: reminders.attach_pdf,
      mail,
      policy,
      ...(refused && { refused }),
    })
    if (!refused) page.reminded += 1
    else {
      page.unreachable += 1
      if (!history.get(invoice.id)?.unreachable.includes(refused.refusal))
        recordUnreachable(books, invoice, id, refused)
    }
  }
  return page
}

interface Reached {
  address: string
  isUndeliverable: boolean
}
type Refused = { refusal: 'NO_ADDRESS' | 'UNDELIVERABLE'; reason: string }

/** The address of each of the customers that has one. */
async function addressesOf(books: Books, of: InvoiceRow[]): Promise<Map<string, Reached>> {
  const customers: ContactRow[] = await findRows(books, contacts, [
    ...new Set(of.map(({ customer_id }) => customer_id)),
  ])
  const found = customers.flatMap((customer) => {
    const address = addressOfCustomer(customer)
    return address ? [{ id: customer.id, address }] : []
  })
  const failed = await undeliverableAmong(
    books,
    found.map(({ address }) => address),
    UNDELIVERABLE,
  )
  const undeliverable = new Set(failed.map(({ address }) => address.toLowerCase()))
  return new Map(
    found.map(({ id, address }) => [id, { address, isUndeliverable: undeliverable.has(address.toLowerCase()) }]),
  )
}

function refusalOf(reached: Reached | undefined): Refused | null {
  if (!reached) return { refusal: 'NO_ADDRESS', reason: 'The customer has no e-mail address.' }
  if (!reached.isUndeliverable) return null
  return { refusal: 'UNDELIVERABLE', reason: `Earlier mail did not arrive at ${reached.address}.` }
}

// Once for each reason, not on each day of the policy.
function recordUnreachable(books: Books, invoice: InvoiceRow, emailId: string, { refusal, reason }: Refused): void {
  books.record({
    action: 'REMINDER_NOT_SENT',
    entityType: 'INVOICE',
    entityId: invoice.id,
    entityRef: invoice.invoice_number,
    metadata: { email_id: emailId, cause: refusal, reason },
  })
}
