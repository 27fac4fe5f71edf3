// Converts documents: the quantities and discounts that a conversion takes of each line, and the statuses that follow.
import { decimalPlaces, decimalText, Exact } from './decimal.ts'
import type { KindThatHas } from './documents.ts'
import { fault } from './faults.ts'
import { MOVES, nextStatus, type StatusOf } from './lifecycle.ts'

/** The documents that are converted: an estimate to an order, an order to an invoice or a bill. */
export type Source = KindThatHas<'becomes'>
/** The documents that can be converted in parts. */
export type Order = KindThatHas<'converted'>

/** How many documents a conversion makes, each in a transaction of its own. */
export function hopsOf({ source_type, through }: { source_type: Source; through: 'invoice' | null }): number {
  return source_type === 'ESTIMATE' && through === 'invoice' ? 2 : 1
}

/**
 * Refuses the conversion of a document that is fully converted, or whose state does not allow it (decisions §4).
 * `targets` are the details of conflict.already_converted: the documents that were made from it.
 * Throws conflict.already_converted or conflict.invalid_state.
 */
export function refuseConversion(source: Source, status: string, targets: Record<string, unknown>): void {
  if (status === MOVES[source].convert.to) throw fault('conflict.already_converted', { details: targets })
  nextStatus(source, 'convert', status)
}

/** A line of an order; quantities, rate and discount are decimal text. */
export interface OrderLine {
  id: string
  quantity: string
  rate: string
  discount: string
  /** How much of the quantity is converted already. */
  converted: string
}

/** A part of a line as a caller sends it. */
export interface PartInput {
  line_item_id: string
  quantity: number
}

/** What a conversion takes of a line. */
export interface Part {
  lineId: string
  quantity: string
  discount: string
  /** How much of the line is converted afterwards. */
  converted: string
}

// The decimals of a quantity that a line stores (decisions §4).
const DECIMALS = 6

/** Throws not_found.resource for the first part whose line is not the order's. */
export function refuseUnknownLines(lines: readonly Pick<OrderLine, 'id'>[], input: readonly PartInput[] | null): void {
  const known = new Set(lines.map(({ id }) => id))
  const index = input?.findIndex(({ line_item_id }) => !known.has(line_item_id.toLowerCase())) ?? -1
  if (index !== -1)
    throw fault('not_found.resource', {
      field: `line_items.${index}.line_item_id`,
      message: 'The order has no such line.',
    })
}

/**
 * What a conversion takes of an order, in the order of its lines: everything that is left, or the parts that are sent. Parts of
 * the same line add up. Each part takes its share of the line's discount.
 * Throws not_found.resource for a line that is not the order's, and validation.invalid_value for a quantity that is not
 * above 0, has too many decimals, or is above what is left (details {limit}).
 */
export function partsOf(lines: readonly OrderLine[], input: readonly PartInput[] | null): Part[] {
  const taken = input === null ? leftOf(lines) : takenOf(lines, input)
  return lines.flatMap((line) => {
    const quantity = taken.get(line.id)
    if (quantity === undefined || quantity.isZero()) return []
    const converted = quantity.plus(line.converted)
    return [
      {
        lineId: line.id,
        quantity: decimalText(quantity),
        discount: discountOf(line, converted),
        converted: decimalText(converted),
      },
    ]
  })
}

/** The status of an order whose lines are converted so far. Throws conflict.invalid_state where it cannot be converted. */
export function statusConverted<K extends Order>(order: K, status: string, lines: readonly OrderLine[]): StatusOf<K> {
  return nextStatus(order, lines.every(isWhole) ? 'convert' : 'convertPart', status)
}

/** The status of an order after an invoice or bill of it was deleted or voided. A CLOSED order stays CLOSED. */
export function statusReleased<K extends Order>(
  order: K,
  status: StatusOf<K>,
  lines: readonly OrderLine[],
): StatusOf<K> {
  return (RELEASED[order][status]?.(lines) ?? status) as StatusOf<K>
}

const begunOrOpen = (lines: readonly OrderLine[]) => (lines.some(isBegun) ? 'PARTIALLY_INVOICED' : 'OPEN')
const RELEASED: Record<Order, Record<string, (lines: readonly OrderLine[]) => string>> = {
  SALES_ORDER: { INVOICED: begunOrOpen, PARTIALLY_INVOICED: begunOrOpen },
  PURCHASE_ORDER: { BILLED: () => 'OPEN' },
}

const leftOf = (lines: readonly OrderLine[]) => new Map(lines.map((line) => [line.id, left(line)]))

function takenOf(lines: readonly OrderLine[], input: readonly PartInput[]): Map<string, Exact> {
  refuseUnknownLines(lines, input)
  const known = new Map(lines.map((line) => [line.id, line]))
  const taken = new Map<string, Exact>()
  for (const [index, { line_item_id, quantity }] of input.entries()) {
    const line = known.get(line_item_id.toLowerCase())!
    const before = taken.get(line.id) ?? new Exact(0)
    refuseQuantity(`line_items.${index}.quantity`, quantity, left(line).minus(before))
    taken.set(line.id, before.plus(quantity))
  }
  return taken
}

function refuseQuantity(field: string, quantity: number, limit: Exact): void {
  if (quantity <= 0 || decimalPlaces(quantity) > DECIMALS) {
    throw fault('validation.invalid_value', {
      field,
      message: `A quantity must be above 0 and have at most ${DECIMALS} decimals.`,
    })
  }
  if (limit.greaterThanOrEqualTo(quantity)) return
  throw fault('validation.invalid_value', {
    field,
    message: `Only ${decimalText(limit)} of this line is left to convert.`,
    details: { limit: limit.toNumber() },
  })
}

// The discount of everything converted afterwards, less that of everything converted before, so that the parts add up to the
// whole discount. Rounding may make it larger than a very small part, so it is capped at the value of the part.
function discountOf(line: OrderLine, converted: Exact): string {
  const share = discountUpTo(line, converted).minus(discountUpTo(line, new Exact(line.converted)))
  const gross = converted.minus(line.converted).times(line.rate).toDecimalPlaces(DECIMALS, Exact.ROUND_DOWN)
  return decimalText(Exact.min(share, gross))
}

const discountUpTo = ({ discount, quantity }: OrderLine, converted: Exact) =>
  new Exact(discount).times(converted).div(quantity).toDecimalPlaces(DECIMALS)
const left = ({ quantity, converted }: OrderLine) => new Exact(quantity).minus(converted)
const isWhole = (line: OrderLine) => left(line).isZero()
const isBegun = ({ converted }: OrderLine) => !new Exact(converted).isZero()
