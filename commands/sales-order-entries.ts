// What a sales order leaves in the books besides itself: its activity entries and its event. It posts no journal.
import { toAmount } from '../domain/money.ts'
import type { SalesOrderRow } from '../models/sales-order.ts'
import type { Books } from './books.ts'
import type { Changes } from './changes.ts'

/** Writes an activity entry on the sales order. */
export function recordSalesOrder(books: Books, order: SalesOrderRow, action: string, changes: Changes | null = null, metadata = {}): void {
  books.record({ action, entityType: 'SALES_ORDER', entityId: order.id, entityRef: order.sales_order_number, changes, metadata })
}

/** Announces a new sales order (decisions §5). */
export function announceSalesOrder(books: Books, order: SalesOrderRow): void {
  books.announce({
    type: 'SALES_ORDER_CREATED',
    entityType: 'SALES_ORDER',
    entityId: order.id,
    data: {
      id: order.id,
      number: order.sales_order_number,
      customer_id: order.customer_id,
      total: toAmount(order.total, order.currency_code),
      status: order.status,
      sequence: order.version,
    },
  })
}
