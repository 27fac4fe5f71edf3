// Tells PostgreSQL which queues this process serves, while it takes work from Temporal; and which those of an earlier version do.
import type { Logger } from 'pino'
import type { Queue } from '../domain/task-queues.ts'
import type { Engine } from '../gateways/temporal/engine.ts'
import type { Database } from '../models/database.ts'
import { queuesServed, recordEarlier, recordQueues } from '../models/heartbeat.ts'
import { startPollLoop } from './poll-loop.ts'

export interface HeartbeatDependencies {
  database: Database
  engine: Pick<Engine, 'isReachable' | 'servedByEarlier'>
  queues: readonly Queue[]
  queueSuffix: string
  /** Whether the workers of this process take work. */
  arePolling(): boolean
  log: Logger
}

const EVERY_MS = 2_000
/** Every fifth time it looks for workers of an earlier version. */
const LOOKS_EVERY = 5

export interface Heartbeat {
  lastSuccesses(): { heartbeat?: Date }
  stop(): Promise<void>
}

export function startHeartbeat(dependencies: HeartbeatDependencies): Heartbeat {
  const { database, engine, queues, queueSuffix, arePolling, log } = dependencies
  let beats = 0
  const loop = startPollLoop('heartbeat', EVERY_MS, log, async () => {
    if (!arePolling() || !(await engine.isReachable())) return
    await recordQueues(database, queues, queueSuffix)
    beats += 1
    if (queues.includes('core') && beats % LOOKS_EVERY === 1) await recordForEarlier(dependencies)
  })
  return {
    lastSuccesses() {
      const heartbeat = loop.lastSuccess()
      return heartbeat ? { heartbeat } : {}
    },
    stop: () => loop.stop(),
  }
}

// While workers are replaced, those of the version before serve queues and say nothing of it.
async function recordForEarlier({ database, engine, queueSuffix, log }: HeartbeatDependencies): Promise<void> {
  const { queues } = await queuesServed(database, queueSuffix)
  const silent = queues.filter(({ isTold }) => !isTold).map(({ queue }) => queue)
  if (silent.length === 0) return
  await engine.servedByEarlier(silent).then(
    (earlier) => recordEarlier(database, earlier, queueSuffix),
    (error: Error) => log.warn({ err: error.message }, 'Temporal does not say who serves a queue'),
  )
}
