// The dates of what a schedule generates: its own, and a due date as many days later as in the template.
import { addDays, daysBetween, parseDocumentDate } from './dates.ts'
import { fault } from './faults.ts'

/** A template's body as far as its dates go. */
interface Dated {
  date?: unknown
  due_date?: unknown
}

const dateIn = (value: unknown): string | null => (typeof value === 'string' ? parseDocumentDate(value) : null)

/** How many days after the date a template is due, null where it does not say. Throws validation.invalid_value for a due date before the date. */
export function daysUntilDue({ date, due_date }: Dated, startDate: string): number | null {
  const due = dateIn(due_date)
  if (due === null) return null
  const days = daysBetween(dateIn(date) ?? startDate, due)
  if (days >= 0) return days
  throw fault('validation.invalid_value', {
    field: 'template_payload.due_date',
    message:
      'template_payload.due_date must not be before template_payload.date, or start_date where that is left out.',
  })
}

/** The body with this date, and the due date that follows from it. `startDate` stands in for a template without a date. */
export function datedBody<Body extends Dated>(body: Body, startDate: string, date: string): Body & { date: string } {
  const days = daysUntilDue(body, startDate)
  return { ...body, date, ...(days === null ? {} : { due_date: addDays(date, days) }) }
}
