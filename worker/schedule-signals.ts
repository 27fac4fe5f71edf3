// Starts and signals the workflows of schedules: what commands have written down, and what should have run and has not.
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ScheduleInput } from '../domain/schedule.ts'
import type { Engine } from '../gateways/temporal/engine.ts'
import { EngineUnavailable } from '../gateways/temporal/engine-unavailable.ts'
import type { Database } from '../models/database.ts'
import {
  deleteSignals,
  findPendingSignals,
  putSignalOff,
  schedulesActive,
  schedulesOpen,
  schedulesOverdue,
  type PendingSignal,
  type StandingSchedule,
} from '../models/recurring-queue.ts'

export interface ScheduleSignalsDependencies {
  connection: Database
  engine: Pick<Engine, 'signalSchedule'>
  log: Logger
  clock(): Date
}

const PAGE = 100
const OF_ONE = 15
const SECOND_MS = 1_000
const AT_ONCE = 8
/** A reconcile of all schedules leaves as much of the server to the other workflows. */
const RECONCILED_IN_SECOND = 30
/** The daily reconcile comes ten minutes after the tick, and must see what has missed it. */
export const MISSED_TICK_MS = 5 * 60 * 1_000
/** Longer than the spread of a tick and the queue of many schedules that are due in the same minute. */
const OVERDUE_MS = 10 * 60 * 1_000
/** The waits after a signal that failed double from the first one up to the longest. */
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60 * 60 * 1_000
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

const inputOf = ({ org_id, id, entity_type }: StandingSchedule): ScheduleInput => ({
  orgId: org_id,
  scheduleId: id,
  entityType: entity_type,
})

/** Does `work` for each of `all`, a few at once. Throws the first error, once none is under way. */
async function each<One>(all: One[], work: (one: One) => Promise<void>): Promise<void> {
  const left = [...all]
  const ends = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, async () => {
      for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one)
    }),
  )
  const failed = ends.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

/**
 * Sends what is written down, the oldest of each organisation first, and of one organisation at most fifteen a second: each
 * starts or wakes a workflow, and those of others wait behind it. Then the rest is left to the next call. Sent twice, after a
 * crash, a signal changes nothing. One that fails is put off, so that those behind it do not wait for it; while Temporal is
 * unavailable all of them wait.
 */
export async function sendSignals({ connection, engine, log, clock }: ScheduleSignalsDependencies): Promise<void> {
  for (;;) {
    const begun = performance.now()
    const pending = await findPendingSignals(connection, clock(), { most: PAGE, ofOne: OF_ONE })
    if (pending.length === 0) return
    const sent: PendingSignal[] = []
    try {
      await each(pending, async (one) => {
        try {
          await engine.signalSchedule(
            { orgId: one.org_id, scheduleId: one.schedule_id, entityType: one.entity_type },
            one.signal,
          )
          sent.push(one)
        } catch (error) {
          if (error instanceof EngineUnavailable) throw error
          const { schedule_id, attempts } = one
          log.error(
            { err: error, schedule_id, attempts: attempts + 1 },
            'the workflow of a schedule could not be signalled',
          )
          const waitMs = Math.min(FIRST_WAIT_MS * 2 ** attempts, LONGEST_WAIT_MS)
          await putSignalOff(connection, one, new Date(clock().getTime() + waitMs), String(error))
        }
      })
    } finally {
      if (sent.length > 0) await deleteSignals(connection, sent)
    }
    const ofEach = Map.groupBy(pending, ({ org_id }) => org_id).values()
    const isFlood = [...ofEach].some(({ length }) => length >= OF_ONE)
    if (!isFlood) continue
    await delay(Math.max(0, SECOND_MS - (performance.now() - begun)))
    return
  }
}

/**
 * Starts or signals the workflows of schedules that should have run ten minutes ago, or `overdueMs`; with `all`, of every
 * active schedule; thirty a second. The rows alone decide what is generated, so a workflow too many does nothing. One that
 * Temporal refuses is logged, and holds up no other. Returns how many were signalled. Throws EngineUnavailable.
 */
export async function reconcileSchedules(
  { connection, engine, log, clock }: ScheduleSignalsDependencies,
  all = false,
  overdueMs = OVERDUE_MS,
): Promise<number> {
  const before = new Date(clock().getTime() - overdueMs)
  return paced(
    (after) => (all ? schedulesActive(connection, after, PAGE) : schedulesOverdue(connection, before, after, PAGE)),
    (one) => engine.signalSchedule(inputOf(one), 'configChanged'),
    log,
  )
}

/**
 * Starts the workflow of every schedule anew, so that its history is encrypted with the first key; thirty a second. One that
 * Temporal refuses is logged, and holds up no other. Returns how many were started. Throws EngineUnavailable.
 */
export const renewSchedules = (
  { connection, log }: Pick<ScheduleSignalsDependencies, 'connection' | 'log'>,
  { renewSchedule }: Pick<Engine, 'renewSchedule'>,
): Promise<number> =>
  paced(
    (after) => schedulesOpen(connection, after, PAGE),
    (one) => renewSchedule(inputOf(one)),
    log,
  )

async function paced(
  pageAfter: (id: string) => Promise<StandingSchedule[]>,
  work: (one: StandingSchedule) => Promise<void>,
  log: Logger,
): Promise<number> {
  let done = 0
  for (let after = FIRST_ID; ; ) {
    const begun = performance.now()
    const page = await pageAfter(after)
    await each(page, async (one) => {
      try {
        await work(one)
        done += 1
      } catch (error) {
        if (error instanceof EngineUnavailable) throw error
        log.error({ err: error, schedule_id: one.id }, 'the workflow of a schedule could not be signalled')
      }
    })
    if (page.length < PAGE) return done
    after = page.at(-1)!.id
    log.info({ schedules: done }, 'schedules are being reconciled')
    await delay(Math.max(0, (PAGE * SECOND_MS) / RECONCILED_IN_SECOND - (performance.now() - begun)))
  }
}
