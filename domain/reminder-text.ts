// The texts of reminders: what stands for what in them, what is refused in them, and those of an organisation that has written none.
import { daysBetween } from './dates.ts'
import { fault } from './faults.ts'
import { inOneLine } from './mail.ts'
import { amountText, escapedHtml } from './mail-text.ts'
import type { Minor } from './money.ts'
import { printedDate } from './print/figures.ts'

/** What a reminder names. */
export interface ReminderFacts {
  number: string
  customerName: string
  organizationName: string
  /** Calendar dates. */
  date: string
  dueDate: string
  today: string
  total: Minor
  balance: Minor
  currency: string
  paymentLink: string | null
  withPdf: boolean
}

/** The texts as they were written, with placeholders; null for those of the service. */
export interface ReminderTemplate {
  subject: string | null
  html: string | null
}

const PLACEHOLDERS: Readonly<Record<string, (facts: ReminderFacts) => string>> = {
  number: ({ number }) => number,
  date: ({ date }) => printedDate(date),
  due_date: ({ dueDate }) => printedDate(dueDate),
  total: ({ total, currency }) => amountText(total, currency),
  amount_due: ({ balance, currency }) => amountText(balance, currency),
  days_overdue: ({ dueDate, today }) => String(Math.max(0, daysBetween(dueDate, today))),
  days_until_due: ({ dueDate, today }) => String(Math.max(0, daysBetween(today, dueDate))),
  customer_name: ({ customerName }) => customerName,
  organization_name: ({ organizationName }) => organizationName,
  payment_link: ({ paymentLink }) => paymentLink ?? '',
}
export const REMINDER_PLACEHOLDERS = Object.keys(PLACEHOLDERS)

/** The most placeholders of a text, so that a filled one has a bound. */
const MAX_PLACEHOLDERS = 100
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g
const MAX_SUBJECT = 500

/** Throws validation.invalid_value, with the list of placeholders, for one that there is not; and for too many. */
export function refuseUnknownPlaceholders(text: string | null | undefined, field: string): void {
  const names = [...(text ?? '').matchAll(PLACEHOLDER)].map(([, name = '']) => name.trim())
  const unknown = names.find((name) => !Object.hasOwn(PLACEHOLDERS, name))
  if (unknown !== undefined) {
    const valid = REMINDER_PLACEHOLDERS.map((name) => `{{${name}}}`)
    const message = `${field}: {{${unknown}}} is not known; use ${valid.join(', ')}.`
    throw fault('validation.invalid_value', { field, message, details: { valid } })
  }
  if (names.length <= MAX_PLACEHOLDERS) return
  const message = `${field} has ${names.length} placeholders; at most ${MAX_PLACEHOLDERS} are filled.`
  throw fault('validation.invalid_value', { field, message, details: { limit: MAX_PLACEHOLDERS } })
}

/** Subject, in one line, and HTML, in which values stand as text of one line. */
export function reminderTexts({ subject, html }: ReminderTemplate, facts: ReminderFacts) {
  const plain = filled(subject ?? ownSubject(facts), facts, (value) => value)
  return {
    subject: inOneLine(plain).slice(0, MAX_SUBJECT),
    // A placeholder without a value may have been all of its paragraph.
    html: filled(html ?? ownHtml(facts), facts, (value) => escapedHtml(inOneLine(value))).replaceAll(
      /<p>\s*<\/p>\n?/g,
      '',
    ),
  }
}

// A placeholder that is not known was stored by a version that did not look; it stays.
function filled(text: string, facts: ReminderFacts, shown: (value: string) => string): string {
  return text.replaceAll(PLACEHOLDER, (whole, name: string) =>
    Object.hasOwn(PLACEHOLDERS, name.trim()) ? shown(PLACEHOLDERS[name.trim()]!(facts)) : whole,
  )
}

const ownSubject = (facts: ReminderFacts) => `Reminder: invoice {{number}} ${dueWords(facts)}`

function ownHtml(facts: ReminderFacts): string {
  const { withPdf, paymentLink, dueDate, today } = facts
  const late = daysBetween(dueDate, today)
  const ago = late > 0 ? `, ${late === 1 ? 'one day' : '{{days_overdue}} days'} ago` : ''
  return [
    '<p>Dear {{customer_name}},</p>',
    `<p>Invoice {{number}} of {{date}} for {{total}} ${dueWords(facts)}${ago}. {{amount_due}} is still to be paid.${withPdf ? ' The invoice is attached.' : ''}</p>`,
    ...(paymentLink === null ? [] : ['<p>It can be paid here: <a href="{{payment_link}}">{{payment_link}}</a></p>']),
    '<p>If you have paid it in the meantime, please disregard this mail.</p>',
    '<p>With kind regards,<br>{{organization_name}}</p>',
  ].join('\n')
}

function dueWords({ dueDate, today }: ReminderFacts): string {
  if (dueDate === today) return 'is due today'
  return dueDate > today ? 'is due on {{due_date}}' : 'was due on {{due_date}}'
}
