// The lines of a document: each filled from the item master, with what the caller says winning.
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

/** By the place of a line among those that are wanted: the line of the document that it is, nothing where it is new. */
export type ExistingLines = readonly (LineRow | null)[]

/** A line with nothing left open but its price. */
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

/** The ids that lines name, for the reading of the basis. */
export function idsOf(lines: LineInput[]): { itemIds: string[]; taxIds: string[] } {
  return { itemIds: ids(lines.map((line) => line.item_id)), taxIds: ids(lines.map((line) => line.tax_id)) }
}

/** The accounts that lines of a purchase name; those of a sale name none, whatever else a body holds. */
export const accountIdsOf = (lines: LineInput[]): string[] => ids(lines.map((line) => line.account_id))

const ids = (named: (string | null | undefined)[]) => [...new Set(named.filter((id): id is string => id != null && isId(id)))]

/** What the item master says of a line in one trade: its price, and the account that it goes to. */
export interface Trade {
  rateOf(item: ContextItem): string
  /** `item` is null for a line of no item; `field` is the path of the line. */
  accountOf(item: ContextItem | null, line: LineInput, field: string): string
}

/**
 * Fills the lines of a document of the trade (specification, "Line item"); those that exist are told whole.
 * Throws not_found.resource for an item or tax that is not the organisation's, and validation.failed for lines that
 * name neither an item nor a name with a rate.
 */
export function fillLines(context: DocumentContext, input: LineInput[], { rateOf, accountOf }: Trade, existing: ExistingLines = []): FilledLine[] {
  refuseIncomplete(input)
  const items = new Map(context.items.map((item) => [item.id, item]))
  const taxes = new Map(context.taxes.map((tax) => [tax.id, tax]))
  return input.map((line, index) => {
    const item = found(items, line.item_id, `line_items.${index}.item_id`, 'item')
    // A line that exists keeps what it was drawn up with, whatever its item says by now (decisions §11).
    const standing = existing[index] ?? null
    const filler = standing ? null : item
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
      account_id: standing && line.account_id?.toLowerCase() === standing.account_id
        ? standing.account_id
        : accountOf(item, line, `line_items.${index}`),
    }
  })
}

function refuseIncomplete(input: LineInput[]): void {
  const errors = input.flatMap((line, index) => missingOf(line).map((field) => (
    { field: `line_items.${index}.${field}`, code: 'required', message: 'is required without item_id' }
  )))
  if (errors.length > 0) throw fault('validation.failed', { errors })
}

function found<T>(all: Map<string, T>, id: string | null | undefined, field: string, what: string): T | null {
  if (id == null) return null
  const one = all.get(id.toLowerCase())
  if (one === undefined) throw notFound(what, field)
  return one
}

const taxOfItem = (item: ContextItem | null, taxes: Map<string, Tax & { id: string }>) =>
  (item?.tax_id ? taxes.get(item.tax_id) ?? null : null)
