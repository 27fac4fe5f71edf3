// What every document is drawn up with: its parties, its dates, its currency.
import { addDays, dateInZone, parseDocumentDate } from '../domain/dates.ts'
import { decimalText, Exact } from '../domain/decimal.ts'
import { fault } from '../domain/faults.ts'
import { isId } from '../domain/ids.ts'
import { minorDigits, refuseExchangeRate } from '../domain/money.ts'
import type { Basis } from '../models/basis.ts'
import type { Books } from './books.ts'

/** Today in the organisation's zone. */
export function today(books: Books): string {
  return dateInZone(books.now.toISOString(), books.organization.time_zone)
}

/** The ids in the form that they are kept in. Throws not_found.resource for text that can be no id. */
export function knownIds(ids: string[], field: string): string[] {
  if (!ids.every(isId)) throw fault('not_found.resource', { field, message: 'There is no such record.' })
  return [...new Set(ids.map((id) => id.toLowerCase()))]
}

/** The customer of a sale. Throws not_found.resource, or validation.invalid_value for one who is only a vendor. */
export function customerOf({ contact }: Basis): NonNullable<Basis['contact']> {
  if (!contact) throw fault('not_found.resource', { field: 'customer_id', message: 'There is no such contact.' })
  if (contact.contact_type === 'VENDOR') {
    throw fault('validation.invalid_value', { field: 'customer_id', message: 'This contact is a vendor, not a customer.' })
  }
  return contact
}

/** The vendor of a purchase. Throws not_found.resource, or validation.invalid_value for one who is only a customer. */
export function vendorOf({ contact }: Basis): NonNullable<Basis['contact']> {
  if (!contact) throw fault('not_found.resource', { field: 'vendor_id', message: 'There is no such contact.' })
  if (contact.contact_type === 'CUSTOMER') {
    throw fault('validation.invalid_value', { field: 'vendor_id', message: 'This contact is a customer, not a vendor.' })
  }
  return contact
}

export function branchOf({ branch }: Basis): NonNullable<Basis['branch']> {
  if (!branch) throw fault('not_found.resource', { field: 'branch_id', message: 'There is no such branch.' })
  return branch
}

/** When it is due: as told, else the date plus the payment terms (days). Throws validation.invalid_value before the date. */
export function dueDateOf(told: string | null | undefined, date: string, paymentTerms: number): string {
  if (told == null) return addDays(date, paymentTerms)
  const dueDate = parseDocumentDate(told)!
  if (dueDate >= date) return dueDate
  throw fault('validation.invalid_value', { field: 'due_date', message: 'A document cannot be due before its date.' })
}

// As many as the books keep of an exchange rate.
const RATE_DECIMALS = 10

/** Currency and rate, the books' own at 1 where nothing is told. Throws validation.invalid_value for what cannot be. */
export function currencyOf(
  books: Books, told: { currency_code?: string | null; exchange_rate?: number | null },
): { currency: string; exchangeRate: string } {
  const base = books.organization.currency_code
  const currency = told.currency_code ?? base
  minorDigits(currency)
  // Rounded before it is used, so that what is answered, posted and kept is one rate.
  const exchangeRate = decimalText(new Exact(told.exchange_rate ?? 1).toDecimalPlaces(RATE_DECIMALS))
  refuseExchangeRate(currency, exchangeRate, base)
  return { currency, exchangeRate }
}

/** Throws validation.invalid_value for the first field sent that may not change in this state (decisions §10, Documents). */
export function refuseFixed(sent: Record<string, unknown>, fixed: readonly string[]): void {
  const field = fixed.find((name) => sent[name] !== undefined)
  if (field === undefined) return
  throw fault('validation.invalid_value', { field, message: `${field} cannot change; void the document and draw up a new one.` })
}
