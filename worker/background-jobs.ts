// The background jobs of the worker process: the relay, recovery, bulks, housekeeping and schedules.
import type { Logger } from 'pino'
import type { TickTime } from '../domain/tick.ts'
import type { BlobStore } from '../gateways/storage/blobs.ts'
import type { Engine } from '../gateways/temporal/engine.ts'
import type { Database } from '../models/database.ts'
import { listen } from '../models/listener.ts'
import { startBulksLeft } from './bulks.ts'
import { startEInvoices, takeUpLostEInvoices } from './e-invoices.ts'
import { forgetOldMails, startMailsLeft } from './mails.ts'
import { answerResetRequests } from './password-resets.ts'
import { createRelay } from './relay.ts'
import { inTurn, startPollLoop, type PollLoop } from './poll-loop.ts'
import { createFileRetention } from './files/rendered.ts'
import { createAttachmentSweep } from './files/attachments.ts'
import { createRestoreMarks } from './restore-marks.ts'
import {
  forgetDeletedEndpoints,
  forgetEndedOAuth,
  forgetOldAnswers,
  forgetOldBulks,
  forgetOldConversions,
  forgetOldEvents,
  forgetOldRequests,
  forgetUsedTokens,
  type Retention,
} from './retention.ts'
import { reconcileSchedules, sendSignals } from './schedule-signals.ts'
import { createKeeping, createScheduling } from './scheduling.ts'
import { createTakingUp } from './namespace/taking-up.ts'

export interface BackgroundJobsDependencies extends Retention {
  connection: Database
  databaseUrl: string
  engine: Pick<
    Engine,
    | 'attendEInvoice'
    | 'startBulk'
    | 'startDispatch'
    | 'startDelivery'
    | 'startMail'
    | 'ensureSchedule'
    | 'keepDailyReconcile'
    | 'keepReminders'
    | 'signalSchedule'
  >
  ladderSeconds: number[]
  /** How long mails are kept, in days; 0 for ever. */
  retainMailDays: number
  /** Whether mail is on. */
  sendsMail: boolean
  blobs: Pick<BlobStore, 'list' | 'read' | 'remove' | 'write'>
  /** How long rendered files are kept, in days; 0 for ever. */
  retainPdfDays: number
  /** The time of the tick of recurring schedules. */
  tick: TickTime
  log: Logger
  clock(): Date
}

export interface BackgroundJobs {
  /** Looks at once for deliveries that a commit has queued. */
  wakeRelay(): void
  /** Takes up what the Temporal before the mark of this generation remembered, where no other process does. */
  takeUp(generation: string): Promise<void>
  /** When each job last succeeded, by its name. */
  lastSuccesses(): Record<string, Date>
  stop(): Promise<void>
}

const SWEEP_MS = 1_000
/** Deliveries that are queued during this pause become one batch: a workflow for each event would cost more than the event. */
const REST_MS = 80
/** A refused delivery waits half a minute before its next attempt, so its process is not urgent. */
const PROCESSES_REST_MS = 250
const RECOVER_MS = 30_000
const BULKS_MS = 20_000
const MAILS_MS = 10_000
/** Every commit with events wakes the loop, and most of them have no mail. */
const MAILS_REST_MS = 500
const HOUSEKEEPING_MS = 60_000
const SCHEDULE_MS = 60_000
const RECONCILE_MS = 60_000
const MARKS_MS = 60_000
const RETENTION_MS = 5 * 60 * 1_000
/** A batch that was claimed longer ago than this and is not finished may belong to a process that died. */
const UNFINISHED_MS = 60_000

export function startBackgroundJobs(dependencies: BackgroundJobsDependencies): BackgroundJobs {
  const { log } = dependencies
  const relay = createRelay(dependencies)

  // At the start, every claimed batch may belong to a process that died, however recent it is.
  let olderThanMs = 0
  const recovering = startPollLoop('recover', RECOVER_MS, log, async () => {
    await relay.recover(olderThanMs)
    olderThanMs = UNFINISHED_MS
  })
  const relaying = startPollLoop('relay', SWEEP_MS, log, () => relay.sweep(), REST_MS)
  const relayingSlow = startPollLoop('slow relay', SWEEP_MS, log, () => relay.sweepSlow(), REST_MS)
  const processing = startPollLoop('processes', SWEEP_MS, log, () => relay.startProcesses(), PROCESSES_REST_MS)
  const signalling = startPollLoop('schedule signals', SWEEP_MS, log, () => sendSignals(dependencies), REST_MS)
  const eInvoicing = startPollLoop('e-invoices', SWEEP_MS, log, () => startEInvoices(dependencies), REST_MS)
  const reconciling = startPollLoop('reconcile schedules', RECONCILE_MS, log, async () => {
    const signalled = await reconcileSchedules(dependencies)
    if (signalled > 0) log.warn({ signalled }, 'recurring schedules were overdue; their workflows were signalled')
  })
  const mailing = startPollLoop('mails', MAILS_MS, log, mailsOf(dependencies), MAILS_REST_MS)
  const outbox = listen(dependencies.databaseUrl, 'outbox', () => {
    relaying.wake()
    signalling.wake()
    eInvoicing.wake()
    mailing.wake()
  })
  const bulks = startPollLoop('bulks', BULKS_MS, log, () => startBulksLeft(dependencies))
  let stopping = false
  const isStopping = () => stopping
  const keepingHouse = () => keepHouse(relay, { ...dependencies, isStopping })
  const housekeeping = startPollLoop('housekeeping', HOUSEKEEPING_MS, log, keepingHouse)
  const retention = startPollLoop('retention', RETENTION_MS, log, createRetention({ ...dependencies, isStopping }))
  const scheduling = startPollLoop('schedules', SCHEDULE_MS, log, createScheduling(dependencies))
  const keeping = startPollLoop('daily reconcile', SCHEDULE_MS, log, createKeeping(dependencies))

  const loops: Record<string, PollLoop> = {
    recover: recovering,
    relay: relaying,
    slow_relay: relayingSlow,
    processes: processing,
    schedule_signals: signalling,
    e_invoices: eInvoicing,
    reconcile_schedules: reconciling,
    bulks,
    mails: mailing,
    housekeeping,
    retention,
    schedules: scheduling,
    daily_reconcile: keeping,
    restore_marks: startPollLoop('restore marks', MARKS_MS, log, createRestoreMarks(dependencies)),
  }

  return {
    wakeRelay() {
      relaying.wake()
      processing.wake()
    },
    takeUp: createTakingUp({
      ...dependencies,
      isStopping,
      async recoverBatches(ms) {
        await relay.recover(ms)
        // Those that are younger now.
        olderThanMs = ms
        setTimeout(recovering.wake, ms).unref()
      },
    }),
    lastSuccesses: () => lastSuccessesOf(loops),
    async stop() {
      stopping = true
      await outbox.close()
      await Promise.all(Object.values(loops).map((loop) => loop.stop()))
    },
  }
}

// A request of a password reset becomes a mail, which is then started with the others.
const mailsOf = (dependencies: BackgroundJobsDependencies) => () =>
  inTurn([() => answerResetRequests(dependencies), () => startMailsLeft(dependencies)])

interface Stopping {
  isStopping(): boolean
}

function createRetention(dependencies: BackgroundJobsDependencies & Stopping): () => Promise<void> {
  const forgetOldFiles = createFileRetention(dependencies)
  const sweepAttachmentFiles = createAttachmentSweep(dependencies)
  return () =>
    inTurn([
      () => forgetOldEvents(dependencies),
      () => forgetDeletedEndpoints(dependencies),
      () => forgetOldConversions(dependencies),
      () => forgetOldBulks(dependencies),
      () => forgetOldRequests(dependencies),
      () => forgetEndedOAuth(dependencies),
      forgetOldFiles,
      sweepAttachmentFiles,
    ])
}

function keepHouse(relay: ReturnType<typeof createRelay>, dependencies: BackgroundJobsDependencies & Stopping) {
  return inTurn([
    () => relay.takeUpOverdue(),
    () => takeUpLostEInvoices(dependencies),
    () => forgetOldAnswers(dependencies),
    () => forgetUsedTokens(dependencies),
    () => forgetOldMails(dependencies),
  ])
}

function lastSuccessesOf(loops: Record<string, PollLoop>): Record<string, Date> {
  return Object.fromEntries(
    Object.entries(loops).flatMap(([name, loop]) => {
      const at = loop.lastSuccess()
      return at ? [[name, at]] : []
    }),
  )
}
