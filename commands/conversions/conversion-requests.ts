// Stores the request of a conversion and carries it out: one document after the other, each in a transaction of its own.
import { hopsOf, type PartInput, type Source } from '../../domain/conversion.ts'
import { Fault, notFound } from '../../domain/faults.ts'
import { conversions, findConversion, recordRefusal, type ConversionRow } from '../../models/conversion.ts'
import type { Scope } from '../../models/find.ts'
import type { Books } from '../books/books.ts'
import {
  convertEstimate,
  convertPurchaseOrder,
  convertSalesOrder,
  partsToBill,
  partsToInvoice,
  refuseEstimate,
  type Made,
} from './convert-documents.ts'
import { estimateOf } from '../orders/estimates.ts'
import { purchaseOrderOf } from '../orders/purchase-orders.ts'
import { salesOrderOf } from '../orders/sales-orders.ts'

export type { Source }

export interface ConversionRequest {
  source: Source
  sourceId: string
  /** 'invoice' converts an estimate to an order and that to an invoice; without it, to the order alone. */
  through?: 'invoice' | null
  /** The parts of the lines of an order to convert; without them, everything that is left. */
  line_items?: PartInput[] | null
  /** Whether the last document is approved; for an order, opened. */
  auto_approve?: boolean | null
}

/**
 * Stores the request of a conversion under `id`. Returns the stored one if the id exists already; `isNew` says that it cannot.
 * Throws not_found.resource for a source or a line of it that does not exist, conflict.already_converted,
 * conflict.invalid_state, and validation.invalid_value for a quantity that cannot be.
 */
export async function requestConversion(
  books: Books,
  id: string,
  input: ConversionRequest,
  isNew = false,
): Promise<ConversionRow> {
  const earlier = isNew ? null : await findConversion(books, id)
  if (earlier) return earlier
  const ofOrder = input.source !== 'ESTIMATE'
  const parts = ofOrder ? (input.line_items ?? null) : null
  const { id: sourceId } = await convertible(books, input, parts)
  return books.insert(conversions, {
    id,
    source_type: input.source,
    source_id: sourceId,
    through: ofOrder ? null : (input.through ?? null),
    line_items: parts,
    auto_approve: input.auto_approve ?? false,
    requested_by: books.caller.userId,
    origin: books.caller.origin,
    hops: 0,
    refusal: null,
    sales_order_id: null,
    invoice_id: null,
    bill_id: null,
    created_time: books.now,
    last_modified_time: books.now,
  })
}

/**
 * Makes the next document of a conversion. Returns the conversion as it is then, and whether that was the last document.
 * The row of the conversion is locked, so that each document is made once, even when several processes carry it out.
 * Throws as requestConversion does, where the source has changed since.
 */
export async function convertNext(
  books: Books,
  conversionId: string,
): Promise<{ finished: boolean; conversion: ConversionRow }> {
  const conversion = await findConversion(books, conversionId, 'FOR UPDATE')
  if (!conversion) throw notFound('conversion')
  const hops = conversion.hops + 1
  if (hops > hopsOf(conversion)) return { finished: true, conversion }
  const made = await make(books, conversion)
  const updated = books.update<ConversionRow>(conversions, conversion, {
    ...made,
    hops,
    refusal: null,
    last_modified_time: books.now,
  })
  return { finished: hops === hopsOf(conversion), conversion: updated }
}

/** Does the work of a conversion; a refusal is recorded with the request, so that it is not taken for one that waits. */
export async function recordingRefusal<Result>(
  scope: Scope,
  conversion: Pick<ConversionRow, 'id' | 'hops'>,
  now: Date,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Fault && error.status < 500) await recordRefusal(scope, conversion, error.code, now)
    throw error
  }
}

/**
 * Whether documents of a requested conversion are still to be made. While none is made, throws what requestConversion would
 * throw now, such as conflict.already_converted when another conversion of the source came first.
 */
export async function isStillToDo(
  scope: Scope,
  { id, source_type, source_id, line_items }: ConversionRow,
): Promise<boolean> {
  const conversion = await findConversion(scope, id)
  if (!conversion) throw notFound('conversion')
  if (conversion.hops === 0) await convertible(scope, { source: source_type, sourceId: source_id }, line_items)
  return conversion.hops < hopsOf(conversion)
}

// Reads the source. Throws now what carrying out the conversion would throw later.
async function convertible(
  scope: Scope,
  { source, sourceId }: ConversionRequest,
  parts: PartInput[] | null,
): Promise<{ id: string }> {
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
