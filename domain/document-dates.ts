// The days that a document tells besides its own date: when it is due, until when it is offered, when its goods move.
import { addDays, parseDocumentDate } from './dates.ts'
import { fault } from './faults.ts'

/** When it is due: as told, else the date plus the payment terms (days). Throws validation.invalid_value before the date. */
export function dueDateOf(sent: string | null | undefined, date: string, paymentTerms: number): string {
  return notBefore(date, 'due_date', sent, 'due_date must not be before date.') ?? addDays(date, paymentTerms)
}

/** Until when it is offered, null where nobody tells. Throws validation.invalid_value before the date. */
export function expiryDateOf(sent: string | null | undefined, date: string): string | null {
  return notBefore(date, 'expiry_date', sent, 'expiry_date must not be before date.')
}

/** The day on which goods leave or come, null where none is told. Throws validation.invalid_value before the order's date. */
export function goodsDateOf(field: string, sent: string | null | undefined, date: string): string | null {
  return notBefore(date, field, sent, `${field} must not be before date.`)
}

function notBefore(date: string, field: string, sent: string | null | undefined, message: string): string | null {
  if (sent == null) return null
  const day = parseDocumentDate(sent)!
  if (day >= date) return day
  throw fault('validation.invalid_value', { field, message })
}
