// The sales orders' routes.
import { Type } from 'typebox'
import {
  cancelSalesOrder,
  changeSalesOrder,
  closeSalesOrder,
  createSalesOrder,
  openSalesOrder,
} from '../../commands/orders/sales-orders.ts'
import {
  salesOrders,
  salesOrderParts,
  type SalesOrder as SalesOrderWithLines,
  type SalesOrderRow,
} from '../../models/sales-order.ts'
import { dateFrom, dateTo, equals, listing, sameId, tagged } from '../http/listing.ts'
import { renderedRow, type Rendering } from '../http/cached-rows.ts'
import { route } from '../http/route.ts'
import { one } from '../shapes/fields.ts'
import { changedLineProblems, lineProblems } from '../shapes/line-item.ts'
import {
  NewSalesOrder,
  SalesOrder,
  SALES_ORDER_STATUSES,
  SalesOrderChanges,
  showSalesOrder,
} from '../shapes/sales-order.ts'

const tag = 'Sales orders'
const answer = one('sales_order', SalesOrder)
const shown = (message: string, order: SalesOrderWithLines) => ({ message, sales_order: showSalesOrder(order) })

const rendering: Rendering<SalesOrderRow, SalesOrderWithLines> = {
  kind: 'SALES_ORDER',
  table: salesOrders,
  parts: salesOrderParts,
  show: (rows) => rows.map(showSalesOrder),
  shownWith: () => '',
}

export const salesOrderRoutes = [
  listing({
    path: '/sales_orders',
    tag,
    does: 'List sales orders',
    scope: 'salesorders.READ',
    key: 'sales_orders',
    ...rendering,
    shape: SalesOrder,
    filters: {
      status: equals(Type.Enum(SALES_ORDER_STATUSES)),
      customer_id: sameId(),
      date_from: dateFrom(),
      date_to: dateTo(),
      tag: tagged(),
      reference_number: equals(),
    },
  }),
  route({
    method: 'POST',
    path: '/sales_orders',
    tag,
    does: 'Create a sales order',
    scope: 'salesorders.CREATE',
    status: 201,
    answer,
    warns: true,
    body: NewSalesOrder,
    alsoCheck: lineProblems,
    write: async (books, { body }) => shown('Sales order created.', await createSalesOrder(books, body)),
  }),
  route({
    method: 'GET',
    path: '/sales_orders/{sales_order_id}',
    tag,
    does: 'Read a sales order',
    scope: 'salesorders.READ',
    answer,
    read: async (context, { params }) => ({
      sales_order: await renderedRow(context, rendering, params.sales_order_id!),
    }),
  }),
  route({
    method: 'PUT',
    path: '/sales_orders/{sales_order_id}',
    tag,
    scope: 'salesorders.UPDATE',
    does: "Change a draft, or an open order's dates, reference or notes",
    answer,
    warns: true,
    body: SalesOrderChanges,
    alsoCheck: changedLineProblems,
    write: async (books, { params, body }) =>
      shown('Sales order updated.', await changeSalesOrder(books, params.sales_order_id!, body, showSalesOrder)),
  }),
  route({
    method: 'POST',
    path: '/sales_orders/{sales_order_id}/open',
    tag,
    does: 'Open a draft',
    scope: 'salesorders.UPDATE',
    answer,
    write: async (books, { params }) =>
      shown('Sales order opened.', await openSalesOrder(books, params.sales_order_id!)),
  }),
  route({
    method: 'POST',
    path: '/sales_orders/{sales_order_id}/close',
    tag,
    does: 'Close an open order: the rest can no longer be invoiced',
    scope: 'salesorders.UPDATE',
    answer,
    write: async (books, { params }) =>
      shown('Sales order closed.', await closeSalesOrder(books, params.sales_order_id!)),
  }),
  route({
    method: 'POST',
    path: '/sales_orders/{sales_order_id}/cancel',
    tag,
    does: 'Cancel an order of which nothing is invoiced',
    scope: 'salesorders.UPDATE',
    answer,
    write: async (books, { params }) =>
      shown('Sales order cancelled.', await cancelSalesOrder(books, params.sales_order_id!)),
  }),
]
