// The traces that deliveries belong to: those of the calls whose events they deliver.
import type { Connection } from './connection.ts'
import type { Scope } from './find.ts'

/** The traceparent of the event of a delivery; null where none was recorded. */
export async function traceparentOfDelivery({ connection, orgId }: Scope, id: string): Promise<string | null> {
  const [row] = await connection.run<{ traceparent: string | null }>(OF_DELIVERY, [orgId, id])
  return row?.traceparent ?? null
}

/** The traceparent of the first event of a batch that has one; null where none has. */
export async function traceparentOfBatch(connection: Connection, batchId: string): Promise<string | null> {
  const [row] = await connection.run<{ traceparent: string }>(OF_BATCH, [batchId])
  return row?.traceparent ?? null
}

const OF_DELIVERY = {
  name: 'traceparent of delivery',
  text: `SELECT e.traceparent FROM webhook_deliveries AS d JOIN webhook_events AS e ON e.org_id = d.org_id AND e.id = d.event_id
    WHERE d.org_id = $1 AND d.id = $2`,
}
const OF_BATCH = {
  name: 'traceparent of batch',
  text: `SELECT e.traceparent FROM webhook_deliveries AS d JOIN webhook_events AS e ON e.org_id = d.org_id AND e.id = d.event_id
    WHERE d.batch_id = $1 AND e.traceparent IS NOT NULL ORDER BY e.occurred_at, e.id LIMIT 1`,
}
