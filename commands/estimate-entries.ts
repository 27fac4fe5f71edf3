// What an estimate leaves in the books besides itself: its activity entries, its events. It posts no journal.
import type { AnnouncedEvent } from '../domain/events.ts'
import { toAmount } from '../domain/money.ts'
import type { EstimateRow } from '../models/estimate.ts'
import type { Books } from './books.ts'
import type { Changes } from './changes.ts'

/** Writes an activity entry on the estimate. */
export function recordEstimate(books: Books, estimate: EstimateRow, action: string, changes: Changes | null = null, metadata = {}): void {
  books.record({ action, entityType: 'ESTIMATE', entityId: estimate.id, entityRef: estimate.estimate_number, changes, metadata })
}

type EstimateEvent = Extract<AnnouncedEvent['type'], `ESTIMATE_${string}`>

/** Announces an estimate as it now is. */
export function announceEstimate(books: Books, type: EstimateEvent, estimate: EstimateRow): void {
  const data = {
    id: estimate.id,
    number: estimate.estimate_number,
    customer_id: estimate.customer_id,
    total: toAmount(estimate.total, estimate.currency_code),
    status: estimate.status,
    sequence: estimate.version,
    converted_to_sales_order_id: estimate.converted_to_sales_order_id,
  }
  books.announce({ type, entityType: 'ESTIMATE', entityId: estimate.id, data })
}
