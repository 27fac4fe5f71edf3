// The purchase orders' routes.
import { Type } from 'typebox'
import {
  cancelPurchaseOrder,
  changePurchaseOrder,
  createPurchaseOrder,
  deletePurchaseOrder,
  openPurchaseOrder,
} from '../../commands/orders/purchase-orders.ts'
import {
  purchaseOrders,
  purchaseOrderParts,
  type PurchaseOrder as PurchaseOrderWithLines,
  type PurchaseOrderRow,
} from '../../models/purchase-order.ts'
import { dateFrom, dateTo, equals, listing, sameId, tagged } from '../http/listing.ts'
import { renderedRow, type Rendering } from '../http/cached-rows.ts'
import { route } from '../http/route.ts'
import { one } from '../shapes/fields.ts'
import { changedLineProblems, lineProblems } from '../shapes/line-item.ts'
import {
  NewPurchaseOrder,
  PurchaseOrder,
  PURCHASE_ORDER_STATUSES,
  PurchaseOrderChanges,
  showPurchaseOrder,
} from '../shapes/purchase-order.ts'

const tag = 'Purchase orders'
const answer = one('purchase_order', PurchaseOrder)
const shown = (message: string, order: PurchaseOrderWithLines) => ({
  message,
  purchase_order: showPurchaseOrder(order),
})

const rendering: Rendering<PurchaseOrderRow, PurchaseOrderWithLines> = {
  kind: 'PURCHASE_ORDER',
  table: purchaseOrders,
  parts: purchaseOrderParts,
  show: (rows) => rows.map(showPurchaseOrder),
  shownWith: () => '',
}

export const purchaseOrderRoutes = [
  listing({
    path: '/purchase_orders',
    tag,
    does: 'List purchase orders',
    scope: 'purchaseorders.READ',
    key: 'purchase_orders',
    ...rendering,
    shape: PurchaseOrder,
    filters: {
      status: equals(Type.Enum(PURCHASE_ORDER_STATUSES)),
      vendor_id: sameId(),
      date_from: dateFrom(),
      date_to: dateTo(),
      tag: tagged(),
      reference_number: equals(),
    },
  }),
  route({
    method: 'POST',
    path: '/purchase_orders',
    tag,
    does: 'Create a purchase order',
    scope: 'purchaseorders.CREATE',
    status: 201,
    answer,
    warns: true,
    body: NewPurchaseOrder,
    alsoCheck: lineProblems,
    write: async (books, { body }) => shown('Purchase order created.', await createPurchaseOrder(books, body)),
  }),
  route({
    method: 'GET',
    path: '/purchase_orders/{purchase_order_id}',
    tag,
    does: 'Read a purchase order',
    scope: 'purchaseorders.READ',
    answer,
    read: async (context, { params }) => ({
      purchase_order: await renderedRow(context, rendering, params.purchase_order_id!),
    }),
  }),
  route({
    method: 'PUT',
    path: '/purchase_orders/{purchase_order_id}',
    tag,
    scope: 'purchaseorders.UPDATE',
    does: "Change a draft, or an open order's dates, reference or notes",
    answer,
    warns: true,
    body: PurchaseOrderChanges,
    alsoCheck: changedLineProblems,
    write: async (books, { params, body }) =>
      shown(
        'Purchase order updated.',
        await changePurchaseOrder(books, params.purchase_order_id!, body, showPurchaseOrder),
      ),
  }),
  route({
    method: 'POST',
    path: '/purchase_orders/{purchase_order_id}/open',
    tag,
    does: 'Open a draft',
    scope: 'purchaseorders.UPDATE',
    answer,
    write: async (books, { params }) =>
      shown('Purchase order opened.', await openPurchaseOrder(books, params.purchase_order_id!)),
  }),
  route({
    method: 'POST',
    path: '/purchase_orders/{purchase_order_id}/cancel',
    tag,
    does: 'Cancel an order of which nothing is billed',
    scope: 'purchaseorders.UPDATE',
    answer,
    write: async (books, { params }) =>
      shown('Purchase order cancelled.', await cancelPurchaseOrder(books, params.purchase_order_id!)),
  }),
  route({
    method: 'DELETE',
    path: '/purchase_orders/{purchase_order_id}',
    tag,
    does: 'Delete a draft',
    scope: 'purchaseorders.DELETE',
    answer: Type.Object({}),
    async write(books, { params }) {
      await deletePurchaseOrder(books, params.purchase_order_id!)
      return { message: 'Purchase order deleted.' }
    },
  }),
]
