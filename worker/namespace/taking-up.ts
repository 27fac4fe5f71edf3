// Takes up from PostgreSQL what a Temporal that has lost its data remembered alone: it goes back into the queues that each kind of work has.
import { setTimeout as delay } from 'node:timers/promises'
import { v4 as uuidv4, v7 as uuidv7 } from 'uuid'
import type { Logger } from 'pino'
import type { TickTime } from '../../domain/tick.ts'
import type { Engine } from '../../gateways/temporal/engine.ts'
import type { Database } from '../../models/database.ts'
import {
  LOSS_BEGINNING,
  queueEInvoicesAnew,
  releaseLadders,
  schedulesBySoonest,
  signalAnew,
} from '../../models/taking-up.ts'
import { endTakingUp, takeTurn } from '../../models/temporal-marks.ts'
import { createKeeping, createScheduling } from '../scheduling.ts'

export interface TakingUpDependencies {
  connection: Database
  engine: Pick<Engine, 'ensureSchedule' | 'keepDailyReconcile' | 'keepReminders'>
  tick: TickTime
  log: Logger
  clock(): Date
  isStopping(): boolean
  /** Starts batches again that were claimed so many ms ago, and, as many later, those that were younger. */
  recoverBatches(olderThanMs: number): Promise<void>
}

/** Attempts of a batch that is younger are probably still being made. */
const BATCH_MS = 15_000
/** Rows of a step, and the pause after it: the calls of organisations go on meanwhile. */
const PAGE = 200
const REST_MS = 100
/** Signals of schedules are sent organisations in turns, about as many in a second as are queued. */
const SIGNALS = 100
const SIGNALS_REST_MS = 1_000

interface Steps {
  /** Whether this process goes on: another one may have the turn by now, or this one stops. */
  goesOn(): Promise<boolean>
}

/**
 * Returns a function that takes up what was lost before the mark of this generation, where no other process does. What has its
 * own queue or is looked for at short intervals anyway needs nothing: bulks, mails, and what a caller repeats.
 */
export function createTakingUp(dependencies: TakingUpDependencies): (generation: string) => Promise<void> {
  const worker = uuidv4()
  return async (generation) => {
    const { connection, log, isStopping } = dependencies
    const steps = { goesOn: async () => !isStopping() && (await takeTurn(connection, generation, worker)) }
    if (!(await steps.goesOn())) return
    log.warn('Temporal has lost its data, or is another one: its work is taken up from PostgreSQL')
    const begun = performance.now()
    await createScheduling(dependencies)()
    await createKeeping(dependencies)()
    await dependencies.recoverBatches(BATCH_MS)
    const deliveries = await takeUpLadders(dependencies, steps)
    const eInvoices = await takeUpEInvoices(dependencies, steps)
    const schedules = await takeUpSchedules(dependencies, steps)
    if (!(await steps.goesOn())) return
    await endTakingUp(connection, generation)
    const seconds = Math.round((performance.now() - begun) / 1_000)
    log.info({ deliveries, e_invoices: eInvoices, schedules, seconds }, 'the work of the lost Temporal is taken up')
  }
}

/** Deliveries that waited in workflows wait in the queue again, for the same time: the relay starts their workflows anew, in turns. */
async function takeUpLadders({ connection }: TakingUpDependencies, { goesOn }: Steps): Promise<number> {
  let taken = 0
  for (let after = LOSS_BEGINNING; await goesOn(); await delay(REST_MS)) {
    const { released, last } = await releaseLadders(connection, after, PAGE)
    taken += released
    if (!last) break
    after = last
  }
  return taken
}

async function takeUpEInvoices({ connection, clock }: TakingUpDependencies, { goesOn }: Steps): Promise<number> {
  const begun = clock()
  let taken = 0
  for (let after = LOSS_BEGINNING; await goesOn(); await delay(REST_MS)) {
    const { queued, last } = await queueEInvoicesAnew(connection, after, begun, PAGE)
    taken += queued
    if (!last) break
    after = last
  }
  return taken
}

/** The soonest first. A signal too many only makes a workflow read its row again. */
async function takeUpSchedules({ connection, clock }: TakingUpDependencies, { goesOn }: Steps): Promise<number> {
  let taken = 0
  for (let after = LOSS_BEGINNING; await goesOn(); await delay(SIGNALS_REST_MS)) {
    const page = await schedulesBySoonest(connection, after, SIGNALS)
    await signalAnew(
      connection,
      page.map((schedule) => ({ ...schedule, signal_id: uuidv7() })),
      clock(),
    )
    taken += page.length
    const last = page.at(-1)
    if (!last || page.length < SIGNALS) break
    after = { at: last.due_at, id: last.id }
  }
  return taken
}
