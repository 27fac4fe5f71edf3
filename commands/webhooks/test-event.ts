// Sends the test event to a webhook endpoint, by the way of every other delivery.
import { randomUUID } from 'node:crypto'
import { TEST_EVENT } from '../../domain/events.ts'
import { invalidState } from '../../domain/faults.ts'
import type { Books } from '../books/books.ts'
import { endpointOf } from './endpoints.ts'

/** A queued test event, as the answer shows it. */
export interface QueuedTest {
  deliveryId: string
  endpointId: string
  url: string
  /** The body, as it is sent. */
  payload: string
  at: Date
}

/**
 * Queues webhook.test for one endpoint, whatever it subscribes to. Throws not_found.resource, and conflict.invalid_state for
 * a disabled endpoint.
 */
export async function testEndpoint(books: Books, id: string): Promise<QueuedTest> {
  // Shared: it stays enabled until the delivery is committed.
  const { status, url } = await endpointOf(books, id, 'FOR SHARE')
  if (status !== 'ENABLED') throw invalidState('This endpoint is disabled; enable it first.', status, ['ENABLED'])
  const deliveryId = randomUUID()
  const payload = books.announce({
    type: TEST_EVENT,
    data: { id },
    entityType: 'WEBHOOK_ENDPOINT',
    entityId: id,
    to: { endpointId: id, deliveryId },
  })
  books.record({ action: 'WEBHOOK_ENDPOINT_TESTED', entityType: 'WEBHOOK_ENDPOINT', entityId: id, entityRef: url })
  return { deliveryId, endpointId: id, url, payload, at: books.now }
}
