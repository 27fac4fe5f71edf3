// What sales orders and purchase orders are drawn up with alike: their days, their numbers, and the lines of a changed one.
import { parseDocumentDate } from '../domain/dates.ts'
import { fault } from '../domain/faults.ts'
import { toAmount } from '../domain/money.ts'
import { DOCUMENT_PREFIX } from '../domain/numbering.ts'
import type { DocumentRow, LineRow } from '../models/document.ts'
import type { Books } from './books.ts'
import { changesBetween, type Changes } from './changes.ts'
import type { LineWanted } from './document-lines.ts'
import { today } from './drafting.ts'

/** What an order's amounts and taxes come from, besides its contact: fixed once it is open. */
export const ORDER_TERMS = ['line_items', 'place_of_supply', 'branch_id', 'currency_code', 'exchange_rate', 'tags'] as const

/** What is told of the one whose terms are fixed. */
export const CANCEL_INSTEAD = 'cancel the order and draw up a new one'

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

/** The blank for the next number of the organisation's orders of one kind. */
export function numberOrder(books: Books, kind: 'sales order' | 'purchase order'): string {
  const before = kind === 'sales order' ? DOCUMENT_PREFIX.salesOrder : DOCUMENT_PREFIX.purchaseOrder
  return books.number(kind, { before, padding: 5, after: '' }, kind)
}

/** The terms of an order as a caller would tell them; the rate only while its currency stays. */
export function termsToldOf(order: DocumentRow & { lines: LineRow[] }, sent: { currency_code?: string | null }) {
  const { place_of_supply, branch_id, currency_code, exchange_rate, tags, lines } = order
  const sameCurrency = sent.currency_code === undefined || sent.currency_code === currency_code
  return {
    place_of_supply, branch_id, currency_code, tags,
    exchange_rate: sameCurrency ? Number(exchange_rate) : null,
    line_items: lines.map(lineToldOf),
  }
}

function lineToldOf({ item_id, name, description, hsn_or_sac, quantity, unit, rate, discount, tax_id }: LineRow): LineWanted {
  return { item_id, name, description, hsn_or_sac, quantity: Number(quantity), unit, rate: Number(rate), discount: Number(discount), tax_id }
}

const DECIMALS = new Set(['quantity', 'rate', 'discount', 'tax_percentage'])

/** What drawing up lines anew changes of them, for the activity log: all lines, old and new. Null when nothing does. */
export function changesOfLines(before: LineRow[], drawn: Omit<LineRow, 'org_id' | 'id'>[], currency: string): Changes | null {
  const fields = Object.keys(drawn[0]!)
  const plain = (field: string, value: unknown) => {
    if (typeof value === 'bigint') return toAmount(value, currency)
    return DECIMALS.has(field) ? Number(value) : value
  }
  const said = (line: object) => Object.fromEntries(fields.map((field) => [field, plain(field, (line as Record<string, unknown>)[field])]))
  return changesBetween({ line_items: before.map(said) }, { line_items: drawn.map(said) })
}
