// What is asked of a conversion, and how it is carried out: one document after the other, each in open books of its own.
import { hopsOf, type PartInput, type Source } from '../../domain/conversion.ts'
import { notFound } from '../../domain/faults.ts'
import { conversions, findConversion, type ConversionRow } from '../../models/conversion.ts'
import type { Scope } from '../../models/find.ts'
import type { Books } from '../books/books.ts'
import {
  convertEstimate, convertPurchaseOrder, convertSalesOrder, partsToBill, partsToInvoice, refuseEstimate, type Made,
} from './converting.ts'
import { estimateOf } from '../orders/estimates.ts'
import { purchaseOrderOf } from '../orders/purchase-orders.ts'
import { salesOrderOf } from '../orders/sales-orders.ts'

export type { Source }

export interface ConversionRequest {
  source: Source
  sourceId: string
  /** How far an estimate goes; without it, to its order. */
  through?: 'invoice' | null
  /** The part of an order to convert; without it, everything that is left. */
  line_items?: PartInput[] | null
  /** Whether the last document is approved, or the order opened. */
  auto_approve?: boolean | null
}

/**
 * Writes down under `id` what is to be converted, once; asked again under the same id it answers what was written down.
 * `isNew` says that nobody can have asked under this id before.
 * Throws not_found.resource for a source or a line of it that does not exist, conflict.already_converted,
 * conflict.invalid_state, and validation.invalid_value for a quantity that cannot be.
 */
export async function requestConversion(books: Books, id: string, input: ConversionRequest, isNew = false): Promise<ConversionRow> {
  const earlier = isNew ? null : await findConversion(books, id)
  if (earlier) return earlier
  const ofOrder = input.source !== 'ESTIMATE'
  const parts = ofOrder ? input.line_items ?? null : null
  const { id: sourceId } = await convertible(books, input, parts)
  return books.insert(conversions, {
    id,
    source_type: input.source,
    source_id: sourceId,
    through: ofOrder ? null : input.through ?? null,
    line_items: parts,
    auto_approve: input.auto_approve ?? false,
    requested_by: books.caller.userId,
    origin: books.caller.origin,
    hops: 0,
    sales_order_id: null,
    invoice_id: null,
    bill_id: null,
    created_time: books.now,
    last_modified_time: books.now,
  })
}

/**
 * Makes the next document of a conversion; answers how far it has come, and whether it was the last. One that is made is not made again, whoever
 * else carries out the same conversion. Throws as requestConversion does, for what has changed since.
 */
export async function convertNext(books: Books, conversionId: string): Promise<{ finished: boolean; conversion: ConversionRow }> {
  const conversion = await findConversion(books, conversionId, 'FOR UPDATE')
  if (!conversion) throw notFound('conversion')
  const hops = conversion.hops + 1
  if (hops > hopsOf(conversion)) return { finished: true, conversion }
  const made = await make(books, conversion)
  const furthered = books.update<ConversionRow>(conversions, conversion, { ...made, hops, last_modified_time: books.now })
  return { finished: hops === hopsOf(conversion), conversion: furthered }
}

/**
 * Whether a conversion that was asked for is still to be carried out, or to be gone on with: false when all of it is made.
 * Throws what it would be refused with now, because others have come first.
 */
export async function isStillToDo(scope: Scope, { id, source_type, source_id, line_items }: ConversionRow): Promise<boolean> {
  const conversion = await findConversion(scope, id)
  if (!conversion) throw notFound('conversion')
  if (conversion.hops === 0) await convertible(scope, { source: source_type, sourceId: source_id }, line_items)
  return conversion.hops < hopsOf(conversion)
}

// The source as it stands, which is refused here already where it will be refused when it is carried out.
async function convertible(scope: Scope, { source, sourceId }: ConversionRequest, parts: PartInput[] | null): Promise<{ id: string }> {
  switch (source) {
    case 'ESTIMATE': {
      const estimate = await estimateOf(scope, sourceId)
      refuseEstimate(estimate)
      return estimate
    }
    case 'SALES_ORDER': {
      const order = await salesOrderOf(scope, sourceId)
      partsToInvoice(order, parts)
      return order
    }
    case 'PURCHASE_ORDER': {
      const order = await purchaseOrderOf(scope, sourceId)
      partsToBill(order, parts)
      return order
    }
  }
}

function make(books: Books, conversion: ConversionRow): Promise<Made> {
  const { source_type, source_id, sales_order_id, line_items, auto_approve } = conversion
  switch (source_type) {
    case 'ESTIMATE':
      return sales_order_id === null
        ? convertEstimate(books, source_id, auto_approve)
        : convertSalesOrder(books, sales_order_id, null, auto_approve)
    case 'SALES_ORDER':
      return convertSalesOrder(books, source_id, line_items, auto_approve)
    case 'PURCHASE_ORDER':
      return convertPurchaseOrder(books, source_id, line_items, auto_approve)
  }
}
