// The further dates of a document: due date, expiry date, and the date of shipment or delivery.
import { addDays, parseDocumentDate } from './dates.ts'
import { fault } from './faults.ts'

/** The due date: the one that is sent, else the date plus the payment terms in days. Throws validation.invalid_value when it is before the date. */
export function dueDateOf(sent: string | null | undefined, date: string, paymentTerms: number): string {
  return notBefore(date, 'due_date', sent, 'due_date must not be before date.') ?? addDays(date, paymentTerms)
}

/** The expiry date of an offer, null where none is sent. Throws validation.invalid_value when it is before the date. */
export function expiryDateOf(sent: string | null | undefined, date: string): string | null {
  return notBefore(date, 'expiry_date', sent, 'expiry_date must not be before date.')
}

/** The date on which goods are shipped or expected, null where none is sent. Throws validation.invalid_value when it is before the date of the order. */
export function goodsDateOf(field: string, sent: string | null | undefined, date: string): string | null {
  return notBefore(date, field, sent, `${field} must not be before date.`)
}

function notBefore(date: string, field: string, sent: string | null | undefined, message: string): string | null {
  if (sent == null) return null
  const day = parseDocumentDate(sent)!
  if (day >= date) return day
  throw fault('validation.invalid_value', { field, message })
}
