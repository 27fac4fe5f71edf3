// Sends deliveries again: one, or what an endpoint has missed in a period.
import { MAX_SERIES, RESENDABLE, type FormerSeries } from '../../domain/delivery.ts'
import { endOfDate, parseInstant } from '../../domain/dates.ts'
import { fault, invalidState } from '../../domain/faults.ts'
import { existingRow, findRow } from '../../models/find.ts'
import { resendGivenUp } from '../../models/resending.ts'
import { webhookDeliveries, webhookEndpoints, type WebhookDeliveryRow } from '../../models/webhook.ts'
import type { Books } from '../books/books.ts'
import { endpointOf } from './endpoints.ts'

/** The most deliveries that one call sends again, so that its transaction stays short however many there are. */
const MAX_RECOVERED = 1_000

export interface ResentDelivery {
  delivery: WebhookDeliveryRow
  url: string
}

/**
 * Begins a new series of attempts at a delivery, the first of them now. Where an attempt is under way, the series begins if
 * that one fails. `endFormer` is called after the commit where the process of the series before may still wait for its next
 * attempt. Throws not_found.resource, conflict.invalid_state for a delivery that is not in RESENDABLE or whose endpoint is not
 * enabled, and conflict.limit_reached after MAX_SERIES.
 */
export async function retryDelivery(
  books: Books,
  id: string,
  endFormer: (former: FormerSeries) => void,
): Promise<ResentDelivery> {
  const delivery = await existingRow(books, webhookDeliveries, id, 'webhook delivery', 'FOR UPDATE')
  if (!RESENDABLE.includes(delivery.status)) {
    throw invalidState(`A delivery that is ${delivery.status} cannot be retried.`, delivery.status, RESENDABLE)
  }
  // Shared: it stays enabled until the new series is committed.
  const endpoint = await findRow(books, webhookEndpoints, delivery.endpoint_id, 'FOR SHARE')
  refuseUnlessEnabled(endpoint!.status)
  if (delivery.series >= MAX_SERIES - 1) {
    throw fault('conflict.limit_reached', {
      message: `A delivery is sent again at most ${MAX_SERIES - 1} times.`,
      details: { limit: MAX_SERIES - 1 },
    })
  }
  books.record({
    action: 'WEBHOOK_DELIVERY_RETRIED',
    entityType: 'WEBHOOK_DELIVERY',
    entityId: id,
    entityRef: endpoint!.url,
    metadata: { endpoint_id: endpoint!.id, status: delivery.status },
  })
  const isAttempted = delivery.held_by === 'BATCH' || delivery.held_by === 'ATTEMPT'
  const retried = books.update(webhookDeliveries, delivery, {
    status: 'RETRYING',
    series: delivery.series + 1,
    last_modified_time: new Date(Math.max(books.now.getTime(), delivery.last_modified_time.getTime())),
    // What holds a delivery during an attempt lets go of it when that ends, and nothing else may.
    ...(isAttempted ? {} : { held_by: 'QUEUE', batch_id: null, next_attempt_at: books.now }),
  })
  if (delivery.status === 'RETRYING')
    books.afterCommit.push(() => endFormer({ deliveryId: id, series: delivery.series }))
  return { delivery: retried, url: endpoint!.url }
}

export interface RecoveryInput {
  since: string
  until?: string | null
}

/** `more`: deliveries are left that the next call sends again. */
export interface Recovered {
  recovered: number
  more: boolean
}

/**
 * Begins new series of attempts at the FAILED and SKIPPED deliveries of an endpoint whose events are of the period, the
 * oldest first, up to `limit`. Throws not_found.resource, conflict.invalid_state for an endpoint that is not enabled, and
 * validation.invalid_value for a period that ends before it begins.
 */
export async function recoverDeliveries(
  books: Books,
  id: string,
  { since, until }: RecoveryInput,
  limit = MAX_RECOVERED,
): Promise<Recovered> {
  const period = { since: new Date(parseInstant(since)!), until: until ? new Date(endOfDate(until)!) : books.now }
  if (until && period.since > period.until) {
    throw fault('validation.invalid_value', { field: 'since', message: 'since must not be after until.' })
  }
  const endpoint = await endpointOf(books, id, 'FOR SHARE')
  refuseUnlessEnabled(endpoint.status)
  const resent = await resendGivenUp(books, { endpointId: id, ...period, limit, now: books.now })
  if (resent.recovered > 0) {
    books.record({
      action: 'WEBHOOK_ENDPOINT_RECOVERED',
      entityType: 'WEBHOOK_ENDPOINT',
      entityId: id,
      entityRef: endpoint.url,
      metadata: { since: period.since, until: period.until, recovered: resent.recovered },
    })
  }
  return resent
}

// Deliveries to a disabled endpoint would be SKIPPED again.
function refuseUnlessEnabled(status: string): void {
  if (status !== 'ENABLED') throw invalidState('Enable the endpoint first.', status, ['ENABLED'])
}
