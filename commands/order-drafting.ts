// What sales orders and purchase orders are drawn up with alike: their days, and which of their terms are fixed.
import { parseDocumentDate } from '../domain/dates.ts'
import { fault } from '../domain/faults.ts'
import type { Books } from './books.ts'
import type { Changeable } from './changeable.ts'
import { today } from './drafting.ts'

/** What an order's amounts and taxes come from, besides its contact: fixed once it is open. */
export const ORDER_TERMS = ['line_items', 'place_of_supply', 'branch_id', 'currency_code', 'exchange_rate', 'tags'] as const

/** What may change of an order in this state: of a draft all, of an open one no terms. */
export function changeableOrder<Term extends string, Remark extends string>(
  status: string, terms: readonly Term[], remarks: readonly Remark[],
): Changeable<Term | Remark> {
  if (status === 'DRAFT') return { fields: [...terms, ...remarks] }
  return { fields: remarks, instead: { fields: terms, advice: 'cancel the order and draw up a new one' } }
}

/** The order's date: as told, else today in the organisation's zone. */
export function orderDateOf(books: Books, told: string | null | undefined): string {
  return told == null ? today(books) : parseDocumentDate(told)!
}

/** The day on which goods leave or come, null where none is told. Throws validation.invalid_value before the order's date. */
export function goodsDateOf(field: string, told: string | null | undefined, date: string): string | null {
  if (told == null) return null
  const day = parseDocumentDate(told)!
  if (day >= date) return day
  throw fault('validation.invalid_value', { field, message: 'Goods cannot move before the date of their order.' })
}
