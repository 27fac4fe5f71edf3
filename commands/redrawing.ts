// A draft that is drawn up anew: its terms as a caller would tell them, and what becomes of its lines.
import { toAmount } from '../domain/money.ts'
import type { DocumentRow, LineRow } from '../models/document.ts'
import type { Table } from '../models/table.ts'
import type { Books } from './books.ts'
import { changesBetween, type Changes } from './changes.ts'
import type { LineWanted } from './document-lines.ts'

/** The terms of a document as a caller would tell them; the rate only while its currency stays. */
export function termsToldOf(document: DocumentRow & { lines: LineRow[] }, sent: { currency_code?: string | null }) {
  const { place_of_supply, branch_id, currency_code, exchange_rate, tags, lines } = document
  const sameCurrency = sent.currency_code === undefined || sent.currency_code === currency_code
  return {
    place_of_supply, branch_id, currency_code, tags,
    exchange_rate: sameCurrency ? Number(exchange_rate) : null,
    line_items: lines.map(lineToldOf),
  }
}

function lineToldOf({ item_id, name, description, hsn_or_sac, quantity, unit, rate, discount, tax_id, account_id }: LineRow): LineWanted {
  return { item_id, name, description, hsn_or_sac, quantity: Number(quantity), unit, rate: Number(rate), discount: Number(discount), tax_id, account_id }
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

/**
 * Lays the drawn lines into the books. `insert` enters one that was sent, all of which stand in the place of the old; it is
 * null where none was sent: then they are the same lines at another price.
 */
export function redrawLines<Line extends LineRow, Drawn extends Partial<Line>>(
  books: Books, table: Table<Line>, before: Line[], drawn: Drawn[], insert: ((line: Drawn) => Line) | null,
): Line[] {
  if (insert === null) return before.map((line, index) => books.update<Line>(table, line, drawn[index]!))
  for (const line of before) books.delete<Line>(table, line)
  return drawn.map(insert)
}
