// Keeps the daily reconcile of recurring schedules as a Temporal Schedule, ten minutes after the tick.
import { ScheduleAlreadyRunning, type Client, type Connection, type ScheduleOptions } from '@temporalio/client'
import { zoneName } from '../../domain/dates.ts'
import { reconcileId } from '../../domain/schedule.ts'
import { searchPairs } from '../../domain/search-attributes.ts'
import { queueName } from '../../domain/task-queues.ts'
import { reconcileTime, type TickTime } from '../../domain/tick.ts'
import { EngineUnavailable, isEngineUnavailable } from './engine-unavailable.ts'

const SCHEDULE_MS = 5_000

interface Dependencies {
  client: Client
  connection: Connection
  queueSuffix: string
}

/**
 * Creates the schedule where it is missing. With `update`, one that exists gets the time of the settings; what an operator has
 * paused stays paused. Returns what was done. Throws EngineUnavailable, and another error where Temporal refuses.
 */
export type KeepDailyReconcile = (tick: TickTime, update: boolean) => Promise<'created' | 'updated' | 'kept'>

export function createDailyReconcile({ client, connection, queueSuffix }: Dependencies): KeepDailyReconcile {
  const scheduleId = reconcileId(queueSuffix)
  const optionsOf = (tick: TickTime): ScheduleOptions => ({
    scheduleId,
    spec: { calendars: [reconcileTime(tick)], timezone: zoneName(tick.zone) },
    // One reconcile also does the work of those that were missed before it.
    policies: { overlap: 'SKIP', catchupWindow: '1 day' },
    action: {
      type: 'startWorkflow',
      workflowType: 'reconcileSchedules',
      workflowId: scheduleId,
      args: [],
      taskQueue: queueName('core', queueSuffix),
      typedSearchAttributes: searchPairs({ entityType: 'RECURRING' }),
      staticSummary: 'daily reconcile of recurring schedules',
    },
  })

  async function keep(tick: TickTime, update: boolean): Promise<'created' | 'updated' | 'kept'> {
    const options = optionsOf(tick)
    try {
      await client.schedule.create(options)
      return 'created'
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error
      if (!update) return 'kept'
      const { spec, policies, action } = options
      await client.schedule.getHandle(scheduleId).update((before) => ({ ...before, spec, policies, action }))
      return 'updated'
    }
  }

  return async (tick, update) => {
    try {
      return await connection.withDeadline(Date.now() + SCHEDULE_MS, () => keep(tick, update))
    } catch (error) {
      throw isEngineUnavailable(error) ? new EngineUnavailable(error) : error
    }
  }
}
