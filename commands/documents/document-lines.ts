// Fills the lines of a document from the item master; values that the caller sends win.
import { decimalText } from '../../domain/decimal.ts'
import { fault, notFound } from '../../domain/faults.ts'
import { taxPercentage, type Tax } from '../../domain/gst.ts'
import { isId } from '../../domain/ids.ts'
import { missingOf } from '../../domain/line-item.ts'
import type { DocumentContext, ContextItem } from '../../models/document-context.ts'
import type { LineRow } from '../../models/document.ts'

/** A line as a caller sends it: an item, or a name and a rate. */
export interface LineInput {
  item_id?: string | null
  name?: string | null
  description?: string | null
  hsn_or_sac?: string | null
  quantity: number
  unit?: string | null
  rate?: number | null
  discount?: number | null
  tax_id?: string | null
  /** The account that a purchase is debited to; a sale's is the item's own. */
  account_id?: string | null
}

/** For each line of the input, by its index: the existing line of the document that it changes, or null for a new line. */
export type ExistingLines = readonly (LineRow | null)[]

/** A complete line, not priced yet. */
export interface FilledLine {
  item_id: string | null
  name: string
  description: string | null
  hsn_or_sac: string | null
  quantity: string
  unit: string | null
  rate: string
  discount: string
  tax_id: string | null
  tax: Tax | null
  tax_percentage: string
  account_id: string
}

/** The ids of items and taxes that lines name, to read the document context with. */
export function idsOf(lines: LineInput[]): { itemIds: string[]; taxIds: string[] } {
  return { itemIds: ids(lines.map((line) => line.item_id)), taxIds: ids(lines.map((line) => line.tax_id)) }
}

/** The accounts that the lines of a purchase name. Lines of a sale have no account_id; one in a body is ignored. */
export const accountIdsOf = (lines: LineInput[]): string[] => ids(lines.map((line) => line.account_id))

const ids = (named: (string | null | undefined)[]) => [
  ...new Set(named.filter((id): id is string => id != null && isId(id))),
]

/** How sales, or purchases, take the rate and the account of a line from the item master. */
export interface Trade {
  rateOf(item: ContextItem): string
  /** `item` is null for a line without an item; `field` is the path of the line, for errors. */
  accountOf(item: ContextItem | null, line: LineInput, field: string): string
}

/**
 * Fills the lines of a sale or a purchase (specification, "Line item"). Existing lines must be complete.
 * Throws not_found.resource for an item or tax that is not the organisation's, and validation.failed for lines that
 * name neither an item nor a name with a rate.
 */
export function fillLines(
  context: DocumentContext,
  input: LineInput[],
  { rateOf, accountOf }: Trade,
  existing: ExistingLines = [],
): FilledLine[] {
  refuseIncomplete(input)
  const items = new Map(context.items.map((item) => [item.id, item]))
  const taxes = new Map(context.taxes.map((tax) => [tax.id, tax]))
  return input.map((line, index) => {
    const item = found(items, line.item_id, `line_items.${index}.item_id`, 'item')
    // An existing line keeps its values, even if its item has changed since (decisions §11).
    const row = existing[index] ?? null
    const filler = row ? null : item
    const tax = found(taxes, line.tax_id, `line_items.${index}.tax_id`, 'tax') ?? taxOfItem(filler, taxes)
    return {
      item_id: item?.id ?? null,
      name: line.name ?? item!.item_name,
      description: line.description ?? filler?.description ?? null,
      hsn_or_sac: line.hsn_or_sac ?? filler?.hsn_or_sac ?? null,
      quantity: decimalText(line.quantity),
      unit: line.unit ?? filler?.unit ?? null,
      rate: line.rate == null ? rateOf(item!) : decimalText(line.rate),
      discount: decimalText(line.discount ?? 0),
      tax_id: tax?.id ?? null,
      tax,
      tax_percentage: tax ? taxPercentage(tax) : '0',
      account_id:
        row && line.account_id?.toLowerCase() === row.account_id
          ? row.account_id
          : accountOf(item, line, `line_items.${index}`),
    }
  })
}

function refuseIncomplete(input: LineInput[]): void {
  const errors = input.flatMap((line, index) =>
    missingOf(line).map((field) => ({
      field: `line_items.${index}.${field}`,
      code: 'required',
      message: 'is required without item_id',
    })),
  )
  if (errors.length > 0) throw fault('validation.failed', { errors })
}

function found<T>(all: Map<string, T>, id: string | null | undefined, field: string, what: string): T | null {
  if (id == null) return null
  const one = all.get(id.toLowerCase())
  if (one === undefined) throw notFound(what, field)
  return one
}

const taxOfItem = (item: ContextItem | null, taxes: Map<string, Tax & { id: string }>) =>
  item?.tax_id ? (taxes.get(item.tax_id) ?? null) : null
