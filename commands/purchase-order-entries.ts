// What a purchase order leaves in the books besides itself: its activity entries and its event. It posts no journal.
import { toAmount } from '../domain/money.ts'
import type { PurchaseOrderRow } from '../models/purchase-order.ts'
import type { Books } from './books.ts'
import type { Changes } from './changes.ts'

/** Writes an activity entry on the purchase order. */
export function recordPurchaseOrder(books: Books, order: PurchaseOrderRow, action: string, changes: Changes | null = null, metadata = {}): void {
  books.record({ action, entityType: 'PURCHASE_ORDER', entityId: order.id, entityRef: order.purchase_order_number, changes, metadata })
}

/** Announces a new purchase order (decisions §5). */
export function announcePurchaseOrder(books: Books, order: PurchaseOrderRow): void {
  books.announce({
    type: 'PURCHASE_ORDER_CREATED',
    entityType: 'PURCHASE_ORDER',
    entityId: order.id,
    data: {
      id: order.id,
      number: order.purchase_order_number,
      vendor_id: order.vendor_id,
      total: toAmount(order.total, order.currency_code),
      status: order.status,
      sequence: order.version,
    },
  })
}
