// What sales orders and purchase orders are drawn up with alike: their day, and which of their terms are fixed.
import { parseDocumentDate } from '../domain/dates.ts'
import type { Books } from './books.ts'
import { today } from './drafting.ts'

/** What an order's amounts and taxes come from, besides its contact: fixed once it is open. */
export const ORDER_TERMS = ['line_items', 'place_of_supply', 'branch_id', 'currency_code', 'exchange_rate', 'tags'] as const

/** What callers are told to do instead. */
export const ANOTHER_ORDER = 'cancel the order and draw up a new one'

/** The order's date: as told, else today in the organisation's zone. */
export function orderDateOf(books: Books, told: string | null | undefined): string {
  return told == null ? today(books) : parseDocumentDate(told)!
}
