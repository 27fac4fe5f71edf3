// Tells PostgreSQL which queues this process serves, while it takes work from Temporal.
import type { Logger } from 'pino'
import type { Queue } from '../domain/task-queues.ts'
import type { Engine } from '../gateways/temporal/engine.ts'
import type { Database } from '../models/database.ts'
import { recordQueues } from '../models/heartbeat.ts'
import { startPollLoop } from './poll-loop.ts'

export interface HeartbeatDependencies {
  database: Database
  engine: Pick<Engine, 'isReachable'>
  queues: readonly Queue[]
  queueSuffix: string
  /** Whether the workers of this process take work. */
  arePolling(): boolean
  log: Logger
}

const EVERY_MS = 2_000

export interface Heartbeat {
  lastSuccesses(): { heartbeat?: Date }
  stop(): Promise<void>
}

export function startHeartbeat(dependencies: HeartbeatDependencies): Heartbeat {
  const { database, engine, queues, queueSuffix, arePolling, log } = dependencies
  const loop = startPollLoop('heartbeat', EVERY_MS, log, async () => {
    if (arePolling() && (await engine.isReachable())) await recordQueues(database, queues, queueSuffix)
  })
  return {
    lastSuccesses() {
      const heartbeat = loop.lastSuccess()
      return heartbeat ? { heartbeat } : {}
    },
    stop: () => loop.stop(),
  }
}
