// The workflow of a recurring schedule: wakes when the schedule falls due or was changed, and runs it.
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import { ActivityFailure, ApplicationFailure } from '@temporalio/common'
import type { Activities } from '../activities/create.ts'
import {
  RUN_NOW,
  SCHEDULE_SIGNALS,
  type ManualRun,
  type RunRequest,
  type ScheduleInput,
  type ScheduleTick,
} from '../domain/schedule.ts'
import { SEARCH_ATTRIBUTES, searchPairs } from '../domain/search-attributes.ts'
import { queueBeside } from '../domain/task-queues.ts'

export const state = defineQuery<ScheduleTick | null>('state')
export const runNow = defineUpdate<ManualRun, [RunRequest]>(RUN_NOW)

// Every error of an activity but a refusal is one of our own, such as an unavailable database, and is retried.
const retry = { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' } as const

const LONGEST_WAIT_MS = 30 * 24 * 60 * 60 * 1_000

export async function recurringSchedule(input: ScheduleInput): Promise<ScheduleTick['state']> {
  const options = { startToCloseTimeout: '10 minutes', heartbeatTimeout: '15 seconds', retry } as const
  const { runScheduleNow } = proxyActivities<Activities['core']>(options)
  // Beside the queue of the workflows, because what one organisation has due may take all the slots of a queue for long.
  const taskQueue = queueBeside(workflowInfo().taskQueue, 'recurring')
  const { runSchedule } = proxyActivities<Activities['recurring']>({ ...options, taskQueue })
  let changed = false
  let last: ScheduleTick | null = null

  // The row in PostgreSQL is the truth, so a signal only says that it has to be read again.
  for (const name of SCHEDULE_SIGNALS) {
    setHandler(defineSignal(name), () => void (changed = true), { description: 'Read the row again.' })
  }
  setHandler(state, () => last, { description: 'How the last tick ended, and when the next one is.' })
  setHandler(runNow, async (ask) => {
    try {
      return await runScheduleNow.executeWithOptions(
        { summary: ask.retryOf === null ? 'run by hand' : 'failed run again' },
        [input, ask],
      )
    } catch (error) {
      throw refusalIn(error) ?? error
    } finally {
      changed = true
    }
  })

  setCurrentDetails(`${input.entityType}: has not been looked at yet`)
  for (;;) {
    changed = false
    last = await runSchedule.executeWithOptions({ summary: 'tick' }, [input])
    show(last)
    const isOver = last.state === 'DELETED' || last.state === 'COMPLETED'
    if (isOver && !changed && allHandlersFinished()) return last.state
    const waitMs = waitOf(last)
    const woken = () => changed || (isOver && allHandlersFinished())
    if (waitMs === null) await condition(woken)
    else if (waitMs > 0) await condition(woken, waitMs, { summary: `next run ${last.nextRunAt}` })
    if (workflowInfo().continueAsNewSuggested) {
      await condition(allHandlersFinished)
      await continueAsNew<typeof recurringSchedule>(input)
    }
  }
}

// The servers' timers end in the year 2262 at the latest, so a schedule that is due much later is looked at in between.
function waitOf({ wakeAt, waitMs }: ScheduleTick): number | null {
  if (wakeAt === null) return null
  return Math.min(LONGEST_WAIT_MS, waitMs ?? Math.max(0, Date.parse(wakeAt) - Date.now()))
}

function show({ state: now, wakeAt, nextRunAt, runCount, generated, error }: ScheduleTick): void {
  const nextAt = wakeAt === null ? null : new Date(wakeAt)
  upsertSearchAttributes([...searchPairs({ state: now }), { key: SEARCH_ATTRIBUTES.nextAt, value: nextAt }])
  const runs = `${runCount} generated in all, ${generated} in the last tick`
  setCurrentDetails(
    [
      `${now}: ${runs}`,
      ...(nextRunAt ? [`next run ${nextRunAt}`] : []),
      ...(error ? [`last refusal: ${error}`] : []),
    ].join('\n'),
  )
}

// A command has refused: the update fails with the same failure, so that the caller gets the same refusal.
function refusalIn(error: unknown): ApplicationFailure | null {
  const { cause } = error instanceof ActivityFailure ? error : {}
  return cause instanceof ApplicationFailure && cause.category === 'BENIGN' ? cause : null
}
