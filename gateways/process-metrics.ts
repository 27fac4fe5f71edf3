// The metrics that the API and the worker have alike beside those of PostgreSQL: waits for its connections, and what waits at Temporal.
import { Gauge, Histogram, type Registry } from 'prom-client'
import type { Backlog, TaskQueues } from './temporal/task-queues.ts'

/** What waits for the database: a statement for a connection of the pool, a call that writes for its turn. */
export type WaitedFor = 'connection' | 'writers'

export interface DatabaseWaits {
  /** A wait begins; what is returned is called when it has ended. */
  begin(waitedFor: WaitedFor): () => void
  /** Returns the registry. */
  addTo(registry: Registry): Registry
}

export function createDatabaseWaits(): DatabaseWaits {
  const waits = new Histogram({
    name: 'bahi_database_wait_seconds',
    help: 'Waits for a connection of the pool, with the time to open one, and of calls that write for their turn.',
    labelNames: ['what'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [],
  })
  return {
    begin: (waitedFor) => waits.startTimer({ what: waitedFor }),
    addTo(registry) {
      registry.registerMetric(waits)
      return registry
    },
  }
}

/** Temporal is asked at most this often, and each reader of the metrics waits for it this long. */
const READ_EVERY_MS = 10_000
const PATIENCE_MS = 1_000

/** Adds the gauges of what waits in the task queues. While Temporal does not say they keep their last values. */
export function addBacklogs(registry: Registry, { backlogs }: Pick<TaskQueues, 'backlogs'>): void {
  const read = atMostEvery(READ_EVERY_MS, backlogs, PATIENCE_MS)
  const gauge = (name: string, help: string, value: (backlog: Backlog) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['queue', 'kind'] as const,
      registers: [registry],
      async collect() {
        for (const backlog of (await read()) ?? []) this.labels(backlog.queue, backlog.kind).set(value(backlog))
      },
    })
  gauge('bahi_task_queue_backlog', 'About how many tasks of a queue wait for a worker.', ({ tasks }) => tasks)
  gauge(
    'bahi_task_queue_backlog_age_seconds',
    'About how long the first of them has waited; 0 where none does.',
    ({ ageSeconds }) => ageSeconds,
  )
}

/**
 * A function that reads at most every `everyMs`, and returns the last reading; null while none has succeeded. It waits for a
 * reading that is under way for `patienceMs`.
 */
export function atMostEvery<T>(
  everyMs: number,
  read: () => Promise<T>,
  patienceMs = Number.POSITIVE_INFINITY,
): () => Promise<T | null> {
  let last: T | null = null
  let begunAt = -Infinity
  let reading: Promise<T | null> = Promise.resolve(null)
  const begin = () => {
    begunAt = performance.now()
    reading = read().then(
      (value) => (last = value),
      () => last,
    )
  }
  return async () => {
    if (performance.now() - begunAt >= everyMs) begin()
    if (patienceMs === Number.POSITIVE_INFINITY) return reading
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<T | null>((resolve) => {
      timer = setTimeout(() => resolve(last), patienceMs)
    })
    return Promise.race([reading, late]).finally(() => clearTimeout(timer))
  }
}
