// The routes that convert one document into another: each starts a workflow, and waits for its result.
import {
  isStillToDo,
  recordingRefusal,
  requestConversion,
  type ConversionRequest,
} from '../../commands/conversions/conversion-requests.ts'
import type { Books } from '../../commands/books/books.ts'
import { estimateOf } from '../../commands/orders/estimates.ts'
import { purchaseOrderOf } from '../../commands/orders/purchase-orders.ts'
import { salesOrderOf } from '../../commands/orders/sales-orders.ts'
import { hopsOf } from '../../domain/conversion.ts'
import { route, type Answer, type WorkflowRequest, type RequestContext, type WorkflowAnswer } from '../http/route.ts'
import { EstimateConversion, OrderConversion } from '../shapes/conversion.ts'
import { Estimate, showEstimate } from '../shapes/estimate.ts'
import { one } from '../shapes/fields.ts'
import { PurchaseOrder, showPurchaseOrder } from '../shapes/purchase-order.ts'
import { SalesOrder, showSalesOrder } from '../shapes/sales-order.ts'

export const estimateConversion = route({
  method: 'POST',
  path: '/estimates/{estimate_id}/convert',
  tag: 'Estimates',
  does: 'Convert an accepted estimate to a sales order and, on request, to its invoice',
  scope: 'estimates.UPDATE',
  answer: one('estimate', Estimate),
  body: EstimateConversion,
  startWorkflow: (books, { params, body }, request) =>
    converting(books, request, { source: 'ESTIMATE', sourceId: params.estimate_id!, ...body }, async (context, id) => ({
      message: 'Estimate converted.',
      estimate: showEstimate(await estimateOf(context, id)),
    })),
})

export const salesOrderConversion = route({
  method: 'POST',
  path: '/sales_orders/{sales_order_id}/convert',
  tag: 'Sales orders',
  does: 'Convert a sales order, or a part of it, to an invoice',
  scope: 'salesorders.UPDATE',
  answer: one('sales_order', SalesOrder),
  body: OrderConversion,
  startWorkflow: (books, { params, body }, request) =>
    converting(
      books,
      request,
      { source: 'SALES_ORDER', sourceId: params.sales_order_id!, ...body },
      async (context, id) => ({
        message: 'Sales order converted.',
        sales_order: showSalesOrder(await salesOrderOf(context, id)),
      }),
    ),
})

export const purchaseOrderConversion = route({
  method: 'POST',
  path: '/purchase_orders/{purchase_order_id}/convert',
  tag: 'Purchase orders',
  does: 'Convert a purchase order, or a part of it, to a bill',
  scope: 'purchaseorders.UPDATE',
  answer: one('purchase_order', PurchaseOrder),
  body: OrderConversion,
  startWorkflow: (books, { params, body }, request) =>
    converting(
      books,
      request,
      { source: 'PURCHASE_ORDER', sourceId: params.purchase_order_id!, ...body },
      async (context, id) => ({
        message: 'Purchase order converted.',
        purchase_order: showPurchaseOrder(await purchaseOrderOf(context, id)),
      }),
    ),
})

/** Stores the request. The answer waits for the workflow that converts, and shows the source after the conversion. */
async function converting(
  books: Books,
  request: WorkflowRequest,
  input: ConversionRequest,
  show: (context: RequestContext, sourceId: string) => Promise<Answer>,
): Promise<WorkflowAnswer> {
  const conversion = await requestConversion(books, request.id, input, request.isNew)
  const { org_id: orgId, id: conversionId, source_type: source, source_id: sourceId } = conversion
  // A repeated call whose conversion is already done needs no workflow.
  const isDone = conversion.hops === hopsOf(conversion)
  return async (context) => {
    if (!isDone)
      await context.gateways.engine.convert({ orgId, conversionId, source, sourceId }, () =>
        recordingRefusal(context, conversion, context.now, () => isStillToDo(context, conversion)),
      )
    return show(context, sourceId)
  }
}
