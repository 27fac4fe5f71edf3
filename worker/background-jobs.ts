// What the worker process does of its own accord: relay, sweep, and show that it is alive.
import type { Logger } from 'pino'
import type { Engine } from '../gateways/temporal/engine.ts'
import type { Database } from '../models/database.ts'
import { recordHeartbeat } from '../models/heartbeat.ts'
import { deleteOldAnswers } from '../models/idempotency.ts'
import { listen } from '../models/listener.ts'
import { createRelay } from './relay.ts'
import { startPollLoop } from './poll-loop.ts'
import { createScheduling } from './scheduling.ts'

export interface BackgroundJobsDependencies {
  connection: Database
  databaseUrl: string
  engine: Pick<Engine, 'startDispatch' | 'startDelivery' | 'ensureSchedule' | 'isReachable'>
  ladderSeconds: number[]
  /** Whether the workers of this process take work. */
  arePolling(): boolean
  log: Logger
  clock(): Date
}

export interface BackgroundJobs {
  /** Looks at once for what a commit has queued. */
  wakeRelay(): void
  stop(): Promise<void>
}

const SWEEP_MS = 1_000
/** What is queued meanwhile goes out as one batch: a process for each event would be dearer than the event. */
const REST_MS = 80
/** Refused deliveries have half a minute until their process is needed. */
const PROCESSES_REST_MS = 250
const RECOVER_MS = 30_000
const HOUSEKEEPING_MS = 60_000
const SCHEDULE_MS = 60_000
const HEARTBEAT_MS = 2_000
/** A batch that was claimed so long ago and is not finished may have lost its claimer. */
const UNFINISHED_MS = 60_000
const FORGET_AT_ONCE = 1_000

export function startBackgroundJobs(dependencies: BackgroundJobsDependencies): BackgroundJobs {
  const { connection, engine, log, clock } = dependencies
  const relay = createRelay(dependencies)

  // At the start whatever is claimed may have lost its claimer, however lately.
  let olderThanMs = 0
  const recovering = startPollLoop('recover', RECOVER_MS, log, async () => {
    await relay.recover(olderThanMs)
    olderThanMs = UNFINISHED_MS
  })
  const relaying = startPollLoop('relay', SWEEP_MS, log, () => relay.sweep(), REST_MS)
  const relayingSlow = startPollLoop('slow relay', SWEEP_MS, log, () => relay.sweepSlow(), REST_MS)
  const processing = startPollLoop('processes', SWEEP_MS, log, () => relay.startProcesses(), PROCESSES_REST_MS)
  const outbox = listen(dependencies.databaseUrl, 'outbox', relaying.wake)
  const housekeeping = startPollLoop('housekeeping', HOUSEKEEPING_MS, log, async () => {
    await relay.takeUpOverdue()
    while ((await deleteOldAnswers(connection, clock(), FORGET_AT_ONCE)) === FORGET_AT_ONCE);
  })
  const scheduling = startPollLoop('schedules', SCHEDULE_MS, log, createScheduling(dependencies))
  const heartbeat = startPollLoop('heartbeat', HEARTBEAT_MS, log, async () => {
    if (dependencies.arePolling() && (await engine.isReachable())) await recordHeartbeat(connection, 'worker')
  })

  return {
    wakeRelay() {
      relaying.wake()
      processing.wake()
    },
    async stop() {
      await outbox.close()
      await Promise.all([recovering, relaying, relayingSlow, processing, housekeeping, scheduling, heartbeat].map((round) => round.stop()))
    },
  }
}
