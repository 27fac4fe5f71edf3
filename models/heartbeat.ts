// Records when each process, queue and nightly job of the service was last at work, for the readiness check and for operators.
import { QUEUES, queueName, type Queue } from '../domain/task-queues.ts'
import type { Statement } from './connection.ts'
import type { Database } from './database.ts'
import { TEXT, TIME, model, type RowOf } from './model.ts'

export const heartbeats = model(
  'process_heartbeats',
  {
    name: TEXT,
    seen_at: TIME,
  },
  { key: ['name'] },
)
export type HeartbeatRow = RowOf<typeof heartbeats>

type Runs = Pick<Database, 'run'>

/** Records that the process or job is at work now, by the database's clock. A nightly job calls it at its end. */
export async function recordHeartbeat(connection: Runs, name: string): Promise<void> {
  await connection.run(BEAT, [[name]])
}

/**
 * Records that somebody serves these queues now; a process that serves `core` is the `worker` too. Whoever serves a queue calls
 * it every two seconds, and its row is written about as often, however many do: an API of an earlier version counts the `worker`
 * as away after six.
 */
export async function recordQueues(connection: Runs, queues: readonly Queue[], suffix: string): Promise<void> {
  if (queues.includes('core')) await connection.run(BEGIN, [])
  const names = queues.map((queue) => heartbeatOf(queue, suffix))
  await connection.run(BEAT_SELDOM, [queues.includes('core') ? [...names, WORKER] : names])
}

/** Records that workers of an earlier version, which do not do so, serve these queues. */
export async function recordEarlier(connection: Runs, queues: readonly Queue[], suffix: string): Promise<void> {
  if (queues.length > 0) await connection.run(BEAT_SELDOM, [queues.map((queue) => earlierOf(queue, suffix))])
}

/** A queue, when it was last served, and whether it still counts as served. */
export interface ServedQueue {
  queue: Queue
  /** Null where it never was. */
  seenAt: Date | null
  isServed: boolean
  /** Whether a worker of this version is known to serve it. */
  isTold: boolean
}

export interface Served {
  /** The time of the database. */
  now: Date
  /** Whether a process that serves `core` was at work. */
  hasWorker: boolean
  /** Since when one has been, without a pause in which the queue counts as left alone; null where that is not known. */
  since: Date | null
  queues: ServedQueue[]
}

/** A queue that nobody has served for longer counts as left alone: a worker that is replaced by another is back sooner. */
export const SERVED_MS = 30_000

/** Which queues of an installation with this suffix are served, by the database's clock. */
export async function queuesServed({ observe }: Pick<Database, 'observe'>, suffix: string): Promise<Served> {
  const [row] = await observe<{ now: Date; seen: Record<string, string> }>(SEEN, [])
  const { now, seen } = row!
  const at = (name: string) => (seen[name] ? new Date(seen[name]) : null)
  const isFresh = (time: Date | null) => time !== null && now.getTime() - time.getTime() <= SERVED_MS
  const worker = at(WORKER)
  const cores = Object.keys(seen).filter((name) => name.startsWith(heartbeatOf('core', '')))
  const core = latest(...cores.map(at))
  // A worker of an earlier version says nothing of its queues. Where only such ones serve `core`, nobody asks Temporal which.
  const isEarlier = worker !== null && worker.getTime() - (core?.getTime() ?? 0) > ALONE_MS
  const queues = QUEUES.map((queue) => {
    const told = at(heartbeatOf(queue, suffix))
    const seenAt = latest(told, at(earlierOf(queue, suffix)), isEarlier ? worker : null)
    return { queue, seenAt, isServed: isFresh(seenAt), isTold: isFresh(told) }
  })
  const hasWorker = isFresh(worker)
  return { now, hasWorker, since: hasWorker ? at(SINCE) : null, queues }
}

/** Workers of this version are recorded as the `worker` and for their queues at the same time. */
const ALONE_MS = 10_000

function latest(...times: (Date | null)[]): Date | null {
  const known = times.filter((time) => time !== null)
  return known.length > 0 ? new Date(Math.max(...known.map(Number))) : null
}

const WORKER = 'worker'
// Named so that processes of the version before, and what lists who was at work, read past it.
const SINCE = 'queue/since'
const heartbeatOf = (queue: Queue, suffix: string) => `queue/${queueName(queue, suffix)}`
// Named so that processes of the version before read past them.
const earlierOf = (queue: Queue, suffix: string) => `queue/earlier/${queueName(queue, suffix)}`

const beat = (name: string, condition: string): Statement => ({
  name,
  // In one order, so that two processes wait for each other in one direction only.
  text: `INSERT INTO process_heartbeats (name, seen_at)
    SELECT n.name, clock_timestamp() FROM unnest($1::text[]) AS n(name) ORDER BY n.name
    ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at ${condition}`,
})
const BEAT = beat('beat', '')
const BEGIN = {
  name: 'begin to be at work',
  text: `INSERT INTO process_heartbeats (name, seen_at) SELECT '${SINCE}', clock_timestamp()
    WHERE NOT EXISTS (SELECT FROM process_heartbeats WHERE name = '${WORKER}' AND seen_at > clock_timestamp() - interval '${SERVED_MS} milliseconds')
    ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at`,
}
const BEAT_SELDOM = beat('beat seldom', `WHERE process_heartbeats.seen_at < excluded.seen_at - interval '1 second'`)

const SEEN = {
  name: 'queues seen',
  text: `SELECT clock_timestamp() AS now, (SELECT coalesce(jsonb_object_agg(h.name, h.seen_at), '{}') FROM process_heartbeats AS h
    WHERE h.name = '${WORKER}' OR h.name LIKE 'queue/%') AS seen`,
}
