// The access log: one JSON line for each request, and its Prometheus metrics; no secrets, no bodies.
import type { Logger } from 'pino'
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import type { Excess } from './connections.ts'

export interface RequestRecord {
  requestId: string
  orgId: string | null
  subject: string | null
  ip: string | null
  method: string
  /** The declared path, not the one sent: it contains no ids or secrets, and keeps the number of labels small. */
  route: string
  status: number
  durationMs: number
}

export interface AccessLog {
  request(record: RequestRecord): void
  unhandledError(error: unknown, requestId: string): void
  /** Counts a connection that was refused or closed, and logs a warning at most once in ten seconds. */
  refusedConnection(why: RefusalReason, address: string): void
  registry: Registry
}

export type RefusalReason = Excess | 'pipelining'

/** Values that are counted elsewhere and read by each GET /metrics. */
export interface Measured {
  roundTrips(): number
  rowMemoryBytes(): number
  connections(): number
  droppedLines(): number
  /** Whether the processes count rate limits together, in Redis. */
  limits(): 'up' | 'away' | 'not configured'
}

const REFUSED_EVERY_MS = 10_000

/** Writes to `log`, and counts in a new registry. */
export function createAccessLog(log: Logger, measured: Measured): AccessLog {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'bahi_' })
  const labels = ['method', 'route', 'status'] as const
  const durations = new Histogram({
    name: 'bahi_request_duration_seconds',
    help: 'Duration of requests in seconds, by route and status.',
    labelNames: labels,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  const unhandledErrors = new Counter({
    name: 'bahi_unhandled_errors_total',
    help: 'Errors answered with 500.',
    registers: [registry],
  })
  const refused = new Counter({
    name: 'bahi_connections_refused_total',
    help: 'Connections refused or closed: too many in total, of one address, or with too many unanswered requests.',
    labelNames: ['reason'],
    registers: [registry],
  })
  measure(registry, measured)
  let lastLine = { at: -Infinity, unlogged: 0 }
  return {
    registry,
    request(record) {
      const { method, route, status, durationMs } = record
      durations.labels(method, route, String(status)).observe(durationMs / 1000)
      log.info(
        {
          request_id: record.requestId,
          org_id: record.orgId,
          subject: record.subject,
          ip: record.ip,
          method,
          route,
          status,
          duration_ms: Math.round(durationMs * 100) / 100,
        },
        'request',
      )
    },
    unhandledError(error, requestId) {
      unhandledErrors.inc()
      log.error({ request_id: requestId, err: error }, 'unhandled error')
    },
    refusedConnection(why, address) {
      refused.labels(why).inc()
      lastLine.unlogged += 1
      const now = performance.now()
      if (now - lastLine.at < REFUSED_EVERY_MS) return
      log.warn({ reason: why, address, refused: lastLine.unlogged }, 'connections refused')
      lastLine = { at: now, unlogged: 0 }
    },
  }
}

function measure(
  registry: Registry,
  { roundTrips, rowMemoryBytes, connections, droppedLines, limits }: Measured,
): void {
  const gauge = (name: string, help: string, value: () => number | null) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const now = value()
        if (now === null) this.remove()
        else this.set(now)
      },
    })
  gauge('bahi_row_memory_bytes', 'Memory of remembered documents.', rowMemoryBytes)
  gauge('bahi_database_round_trips_total', 'Statements sent to PostgreSQL since the start.', roundTrips)
  gauge('bahi_connections', 'Open client connections.', connections)
  gauge('bahi_log_lines_dropped_total', 'Log lines dropped since the start.', droppedLines)
  const shared = 'Whether the API processes count rate limits together, in Redis: 1 or 0; absent without Redis.'
  gauge('bahi_rate_limits_shared', shared, () => ({ up: 1, away: 0, 'not configured': null })[limits()])
}
