// One JSON line a request, and the same counted for Prometheus; no secrets, no bodies.
import type { Logger } from 'pino'
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import type { Database } from '../../models/database.ts'

export interface Passage {
  requestId: string
  orgId: string | null
  subject: string | null
  ip: string | null
  method: string
  /** The declared path, never the sent one: ids and secrets stay out, and the labels stay few. */
  route: string
  status: number
  durationMs: number
}

export interface AccessLog {
  passed(passage: Passage): void
  mishap(error: unknown, requestId: string): void
  registry: Registry
}

/** Writes to `log` and counts in a registry of its own. */
export function createAccessLog(log: Logger, database: Pick<Database, 'roundTrips'>): AccessLog {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'bahi_' })
  const labels = ['method', 'route', 'status'] as const
  const durations = new Histogram({
    name: 'bahi_request_duration_seconds',
    help: 'How long requests took, by route and status.',
    labelNames: labels,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  const mishaps = new Counter({ name: 'bahi_mishaps_total', help: 'Errors answered with 500.', registers: [registry] })
  new Gauge({
    name: 'bahi_database_round_trips_total',
    help: 'Statements sent to PostgreSQL since the start.',
    registers: [registry],
    collect() {
      this.set(database.roundTrips())
    },
  })
  return {
    registry,
    passed(passage) {
      const { method, route, status, durationMs } = passage
      durations.labels(method, route, String(status)).observe(durationMs / 1000)
      log.info({
        request_id: passage.requestId, org_id: passage.orgId, subject: passage.subject, ip: passage.ip,
        method, route, status, duration_ms: Math.round(durationMs * 100) / 100,
      }, 'request')
    },
    mishap(error, requestId) {
      mishaps.inc()
      log.error({ request_id: requestId, err: error }, 'mishap')
      log.flush()
    },
  }
}
