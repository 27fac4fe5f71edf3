// The gauges of what waits for workers, read from PostgreSQL by each GET /metrics: deliveries, open circuits, queues.
import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../../models/database.ts'
import { queuesServed } from '../../models/heartbeat.ts'
import { countWaiting, type Waiting } from '../../models/waiting-deliveries.ts'

/** Adds the gauges. While PostgreSQL is unavailable they keep their last values, and the other metrics work. */
export function addWaitingMetrics(registry: Registry, database: Pick<Database, 'observe'>, queueSuffix: string): void {
  let counted: Promise<Waiting | null> = Promise.resolve(null)
  // Gauges are collected in the order of their creation, so one query serves both.
  new Gauge({
    name: 'bahi_webhook_circuits_open',
    help: 'Webhook endpoints whose circuit is open or half-open.',
    registers: [registry],
    async collect() {
      counted = countWaiting(database).catch(() => null)
      const counts = await counted
      if (counts) this.set(counts.circuits_open)
    },
  })
  new Gauge({
    name: 'bahi_webhook_deliveries',
    help: 'Unfinished webhook deliveries by held_by, up to 10,000 each.',
    labelNames: ['held_by'] as const,
    registers: [registry],
    async collect() {
      const { circuits_open: _open, ...byHolder } = (await counted) ?? { circuits_open: 0 }
      for (const [holder, count] of Object.entries(byHolder)) this.labels(holder).set(count)
    },
  })
  new Gauge({
    name: 'bahi_queue_last_seen_timestamp_seconds',
    help: 'When a worker last served a task queue, from PostgreSQL; 0 where none ever did.',
    labelNames: ['queue'] as const,
    registers: [registry],
    async collect() {
      const served = await queuesServed(database, queueSuffix).catch(() => null)
      for (const { queue, seenAt } of served?.queues ?? []) this.labels(queue).set((seenAt?.getTime() ?? 0) / 1000)
    },
  })
}
