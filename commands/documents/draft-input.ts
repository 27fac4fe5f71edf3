// Merges a PUT into the terms and lines of a draft, and writes the changed lines.
import type { CreditSide } from '../../domain/credit.ts'
import { placesAmong, refusalWithin, type Refusal } from '../../domain/fixed-fields.ts'
import { toAmount } from '../../domain/money.ts'
import type { DocumentRow, LineRow } from '../../models/document.ts'
import type { ModelOf } from '../../models/model.ts'
import type { Books } from '../books/books.ts'
import { changesBetween, type Changes } from '../books/changes.ts'
import type { ExistingLines, LineInput } from './document-lines.ts'

/** A line of a PUT: with an id it changes that line, and fields that are left out stay; without an id it is a new line. */
export type LineChanges = Partial<LineInput> & { line_item_id?: string | null }

/** The terms of a PUT that need a merge. */
export interface TermsChanges {
  currency_code?: string | null
  line_items?: LineChanges[]
}

/** A document with its lines, and the columns that distinguish a sale from a purchase. */
export type Lined = DocumentRow & { lines: LineRow[]; customer_id?: string; vendor_id?: string; type?: CreditSide }

/** The priced lines of a changed draft, and the existing line that each of them replaces. */
export interface RepricedLines<PricedLine> {
  lines: PricedLine[]
  existing: ExistingLines
  currency: string
}

/** The fields of a line that may change; its amounts are computed from them. */
const LINE_FIELDS = [
  'item_id',
  'name',
  'description',
  'hsn_or_sac',
  'quantity',
  'unit',
  'rate',
  'discount',
  'tax_id',
] as const satisfies (keyof LineInput)[]

/**
 * The terms of a document in the form of a request body, with the lines that the PUT leaves. The exchange rate is kept only
 * while the currency stays. `answered` is the document as responses show it; `refusal` is of a fixed field of a line.
 * Throws as linesOf does.
 */
export function draftInputOf(document: Lined, sent: TermsChanges, answered: object) {
  const { place_of_supply, branch_id, currency_code, exchange_rate, tags } = document
  const sameCurrency = sent.currency_code === undefined || sent.currency_code === currency_code
  const { line_items, existing, refusal } = linesOf(document, sent.line_items, answered)
  const terms = {
    place_of_supply,
    branch_id,
    currency_code,
    tags,
    exchange_rate: sameCurrency ? Number(exchange_rate) : null,
    line_items,
  }
  return { terms, existing, refusal }
}

/**
 * The lines that a PUT leaves; all existing ones where it sends no line_items. Throws not_found.resource for a line that the
 * document does not have, and validation.invalid_value for one that is sent twice.
 */
function linesOf(
  document: Lined,
  sent: LineChanges[] | undefined,
  answered: object,
): { line_items: LineInput[]; existing: ExistingLines; refusal: Refusal } {
  const { lines } = document
  if (sent === undefined) return { line_items: lines.map(lineInputOf), existing: lines, refusal: null }
  const fields = changeableOf(document)
  const shown = (answered as { line_items: object[] }).line_items
  const places = placesOf(lines, sent)
  let refusal: Refusal = null
  const line_items = sent.map((line, index) => {
    const place = places[index]!
    // The shape of the body has checked that a new line is complete.
    if (place === null) return line as LineInput
    const row = lines[place]!
    refusal ??= refusalWithin(line, shown[place]!, fields, `line_items.${index}.`)
    return { ...lineInputOf(row), ...line }
  })
  return { line_items, existing: places.map((place) => (place === null ? null : lines[place]!)), refusal }
}

/** The index of each sent line among the existing ones, null for a new one. Throws as placesAmong does. */
export function placesOf(lines: { id: string }[], sent: { line_item_id?: string | null }[]): (number | null)[] {
  const words = { list: 'line_items', id: 'line_item_id', missing: 'The document has no such line.', member: 'line' }
  return placesAmong(
    lines.map(({ id }) => id),
    sent.map(({ line_item_id }) => line_item_id),
    words,
  )
}

// Lines of purchases also have an account, lines of notes also `restock`.
function changeableOf({ lines: [line], vendor_id, type }: Lined): readonly string[] {
  const isPurchase = vendor_id !== undefined || type === 'vendor'
  return [...LINE_FIELDS, ...(isPurchase ? ['account_id'] : []), ...('restock' in line! ? ['restock'] : [])]
}

function lineInputOf(row: LineRow): LineInput {
  const { item_id, name, description, hsn_or_sac, quantity, unit, rate, discount, tax_id, account_id } = row
  return {
    item_id,
    name,
    description,
    hsn_or_sac,
    quantity: Number(quantity),
    unit,
    rate: Number(rate),
    discount: Number(discount),
    tax_id,
    account_id,
    ...('restock' in row ? { restock: row.restock } : {}),
  }
}

const DECIMALS = new Set(['quantity', 'rate', 'discount', 'tax_percentage'])

/**
 * Writes the priced lines of a changed draft: updates those that replace an existing line, inserts new ones with `insert`,
 * deletes the rest. Returns the lines as they are then, and all old and new lines for the activity log; `changes` is null
 * where responses show the same lines as before.
 */
export function writeRepricedLines<Line extends LineRow, PricedLine extends Partial<Line>>(
  books: Books,
  table: ModelOf<Line>,
  { lines: before, currency_code }: { lines: Line[]; currency_code: string },
  { lines: drafted, existing, currency }: RepricedLines<PricedLine>,
  insert: (line: PricedLine) => Line,
): { lines: Line[]; changes: Changes | null } {
  const rows = new Map(before.map((line) => [line.id, line]))
  const kept = existing.map((line) => (line ? rows.get(line.id)! : null))
  const fields = ['id', ...Object.keys(drafted[0]!)]
  const staysSame = (currencyShown: string) =>
    kept.length === before.length &&
    kept.every(
      (row, index) =>
        row &&
        changesBetween(
          loggedLine(row, fields, currency_code),
          loggedLine({ ...row, ...drafted[index] }, fields, currencyShown),
        ) === null,
    )
  // Compares the stored amounts, in one currency: 200 rupees (20000 minor units) and 200 yen (200) are both answered as 200.
  if (staysSame(currency_code)) return { lines: before, changes: null }
  const stays = new Set(kept)
  for (const line of before) if (!stays.has(line)) books.delete<Line>(table, line)
  const lines = drafted.map((line, index) =>
    kept[index] ? books.update<Line>(table, kept[index], line) : insert(line),
  )
  return {
    lines,
    changes: staysSame(currency)
      ? null
      : {
          line_items: {
            old: before.map((line) => loggedLine(line, fields, currency_code)),
            new: lines.map((line) => loggedLine(line, fields, currency)),
          },
        },
  }
}

function loggedLine(line: object, fields: string[], currency: string): Record<string, unknown> {
  return Object.fromEntries(
    fields.map((field) => {
      const value = (line as Record<string, unknown>)[field]
      if (typeof value === 'bigint') return [field, toAmount(value, currency)]
      return [field === 'id' ? 'line_item_id' : field, DECIMALS.has(field) ? Number(value) : value]
    }),
  )
}
