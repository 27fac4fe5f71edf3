// The metrics of the worker process: what waits in PostgreSQL, its background jobs, and those of Temporal's SDK.
import { Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import type { Outcome } from '../../domain/delivery.ts'
import type { Probed } from '../../gateways/health-port.ts'
import { addBacklogs, atMostEvery, type DatabaseWaits } from '../../gateways/process-metrics.ts'
import type { TaskQueues } from '../../gateways/temporal/task-queues.ts'
import type { Database } from '../../models/database.ts'
import { queuesServed, type Served } from '../../models/heartbeat.ts'
import { readOperations, type Operations } from '../../models/operations.ts'
import { countWaiting, type Waiting } from '../../models/waiting-deliveries.ts'
import { addAttempts } from './attempts.ts'

export interface WorkerMetricsDependencies {
  database: Pick<Database, 'observe' | 'roundTrips'>
  waits: DatabaseWaits
  engine: Pick<TaskQueues, 'backlogs'>
  queueSuffix: string
  clock(): Date
  /** Whether the workers of this process take work. */
  arePolling(): boolean
  /** When each background job last succeeded. */
  jobsDone(): Record<string, Date>
  /** How many documents the PDF engine has or wait for it. */
  pdfsWaiting(): number
  /** Where Temporal's SDK serves its own metrics on loopback; null where it has none. */
  sdkAddress: string | null
}

export interface WorkerMetrics {
  /** Counts a render of a PDF by its outcome, and the seconds that it took. */
  noteRender(outcome: string, seconds: number): void
  /** Counts an attempt at a delivery. */
  noteAttempt(endpointId: string, outcome: Outcome): void
  /** The answer to GET /metrics. */
  answer(): Promise<Probed>
}

/** PostgreSQL is asked at most this often, however often the metrics are read. */
const READ_EVERY_MS = 10_000
/** A workflow that has not made its attempt by then is restarted by the relay after two minutes; more is a sign of trouble. */
const LATE_MS = 600_000
const SDK_TIMEOUT_MS = 2_000

type Seen = Waiting & Operations & Pick<Served, 'queues'>

export function createWorkerMetrics(dependencies: WorkerMetricsDependencies): WorkerMetrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'bahi_' })
  const read = atMostEvery(READ_EVERY_MS, () => readAll(dependencies))
  addOwn(registry, dependencies)
  addRead(registry, dependencies, read)
  dependencies.waits.addTo(registry)
  addBacklogs(registry, dependencies.engine)
  const renders = new Histogram({
    name: 'bahi_pdf_render_seconds',
    help: 'Renders of PDFs by outcome (rendered, failed, postponed), with their wait for the engine.',
    labelNames: ['outcome'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [registry],
  })
  return {
    noteRender: (outcome, seconds) => renders.observe({ outcome }, seconds),
    noteAttempt: addAttempts(registry, dependencies.clock),
    async answer() {
      // One reading for all gauges, before any of them is collected.
      await read()
      const [own, sdk] = await Promise.all([registry.metrics(), sdkMetrics(dependencies.sdkAddress)])
      return { status: 200, type: registry.contentType, body: `${own}${sdk}` }
    },
  }
}

async function readAll({ database, queueSuffix, clock }: WorkerMetricsDependencies): Promise<Seen> {
  const [waiting, operations, { queues }] = await Promise.all([
    countWaiting(database),
    readOperations(database, clock(), LATE_MS),
    queuesServed(database, queueSuffix),
  ])
  return { ...waiting, ...operations, queues }
}

function addOwn(registry: Registry, { database, arePolling, jobsDone, pdfsWaiting }: WorkerMetricsDependencies): void {
  gauge(registry, 'bahi_pdfs_waiting', 'Documents that the PDF engine converts or that wait for it.', (set) =>
    set(pdfsWaiting()),
  )
  gauge(registry, 'bahi_worker_polling', 'Whether the worker takes work from Temporal: 1 or 0.', (set) =>
    set(arePolling() ? 1 : 0),
  )
  gauge(registry, 'bahi_database_round_trips_total', 'Statements sent to PostgreSQL since the start.', (set) =>
    set(database.roundTrips()),
  )
  labelled(
    registry,
    'bahi_background_job_last_success_timestamp_seconds',
    'When a background job of the worker last succeeded.',
    'name',
    (set) => {
      for (const [job, at] of Object.entries(jobsDone())) set(job, at.getTime() / 1000)
    },
  )
}

function addRead(registry: Registry, { clock }: WorkerMetricsDependencies, read: () => Promise<Seen | null>): void {
  const seen = (name: string, help: string, value: (seen: Seen) => number) =>
    gauge(registry, name, help, async (set) => {
      const latest = await read()
      if (latest) set(value(latest))
    })
  const ageSeconds = (since: Date | null) => (since ? Math.max(0, (clock().getTime() - since.getTime()) / 1000) : 0)
  seen('bahi_webhook_circuits_open', 'Webhook endpoints whose circuit is open or half-open.', (at) => at.circuits_open)
  labelled(
    registry,
    'bahi_webhook_deliveries',
    'Unfinished webhook deliveries by held_by, up to 10,000 each.',
    'held_by',
    async (set) => {
      const latest = await read()
      if (latest) for (const holder of ['queue', 'circuit', 'batch', 'process'] as const) set(holder, latest[holder])
    },
  )
  seen(
    'bahi_outbox_age_seconds',
    'How long the oldest due delivery has waited for the relay; 0 where none is due.',
    (at) => ageSeconds(at.oldest_due_at),
  )
  seen(
    'bahi_webhook_deliveries_overdue',
    'Deliveries whose workflow should have made its attempt ten minutes ago, up to 10,000.',
    (at) => at.overdue_deliveries,
  )
  seen(
    'bahi_recurring_schedules_overdue',
    'Active recurring schedules that should have run ten minutes ago, up to 10,000.',
    (at) => at.overdue_schedules,
  )
  seen('bahi_bulk_age_seconds', 'How long ago the oldest bulk that is under way was accepted; 0 where none is.', (at) =>
    ageSeconds(at.oldest_bulk_at),
  )
  seen('bahi_e_invoices_waiting', 'E-invoices that wait for their portal, up to 10,000.', (at) => at.e_invoices_waiting)
  seen('bahi_e_invoice_age_seconds', 'How long the oldest of them has waited; 0 where none does.', (at) =>
    ageSeconds(at.oldest_e_invoice_at),
  )
  seen('bahi_mails_waiting', 'Mails that are to be sent or being sent, up to 10,000.', (at) => at.mails_waiting)
  seen('bahi_mail_age_seconds', 'How long ago the oldest of them was asked for; 0 where none is.', (at) =>
    ageSeconds(at.oldest_mail_at),
  )
  seen(
    'bahi_organizations_to_remind',
    'Organisations whose invoices are to be looked through for reminders by now, up to 10,000.',
    (at) => at.organizations_to_remind,
  )
  seen(
    'bahi_reminders_age_seconds',
    'How long ago the first of them should have been looked through; 0 where none waits.',
    (at) => ageSeconds(at.oldest_reminders_at),
  )
  seen(
    'bahi_temporal_lost_timestamp_seconds',
    'When a Temporal was last found that had lost its data, or took the place of another one; 0 where none ever was.',
    (at) => (at.temporal_lost_at?.getTime() ?? 0) / 1000,
  )
  addSeen(registry, read)
}

function addSeen(registry: Registry, read: () => Promise<Seen | null>): void {
  labelled(
    registry,
    'bahi_queue_last_seen_timestamp_seconds',
    'When a worker last served a task queue, from PostgreSQL; 0 where none ever did.',
    'queue',
    async (set) => {
      const latest = await read()
      for (const { queue, seenAt } of latest?.queues ?? []) set(queue, (seenAt?.getTime() ?? 0) / 1000)
    },
  )
  labelled(
    registry,
    'bahi_last_seen_timestamp_seconds',
    'When a process or nightly job was last at work, by its name, from PostgreSQL.',
    'name',
    async (set) => {
      const latest = await read()
      for (const [name, at] of Object.entries(latest?.last_seen ?? {})) set(name, Date.parse(at) / 1000)
    },
  )
}

function gauge(
  registry: Registry,
  name: string,
  help: string,
  collect: (set: (value: number) => void) => void | Promise<void>,
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      return collect((value) => this.set(value))
    },
  })
}

function labelled(
  registry: Registry,
  name: string,
  help: string,
  label: string,
  collect: (set: (of: string, value: number) => void) => void | Promise<void>,
): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      return collect((of, value) => this.labels(of).set(value))
    },
  })
}

// Without them the others are still worth reading.
async function sdkMetrics(address: string | null): Promise<string> {
  if (address === null) return ''
  try {
    const response = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(SDK_TIMEOUT_MS) })
    return response.ok ? await response.text() : ''
  } catch {
    return ''
  }
}
