// Keeps the Temporal Schedules of the whole installation: the daily reconcile of recurring schedules, and that of reminders.
import { ScheduleAlreadyRunning, type Client, type Connection, type ScheduleOptions } from '@temporalio/client'
import { zoneName } from '../../domain/dates.ts'
import { REMINDERS_EVERY_MINUTES, remindersId } from '../../domain/reminders.ts'
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

type Kept = 'created' | 'updated' | 'kept'

/**
 * Each creates a schedule where it is missing. With `update`, one that exists gets what this version says of it; what an operator
 * has paused stays paused. Returns what was done. Throws EngineUnavailable, and another error where Temporal refuses.
 */
export interface KeptSchedules {
  keepDailyReconcile(tick: TickTime, update: boolean): Promise<Kept>
  keepReminders(update: boolean): Promise<Kept>
}

interface Described {
  scheduleId: string
  spec: ScheduleOptions['spec']
  workflowType: string
  entityType: string
  staticSummary: string
}

export function createKeptSchedules({ client, connection, queueSuffix }: Dependencies): KeptSchedules {
  const optionsOf = ({ scheduleId, spec, workflowType, entityType, staticSummary }: Described): ScheduleOptions => ({
    scheduleId,
    spec,
    // A run also does the work of those that were missed before it.
    policies: { overlap: 'SKIP', catchupWindow: '1 day' },
    action: {
      type: 'startWorkflow',
      workflowType,
      workflowId: scheduleId,
      args: [],
      taskQueue: queueName('core', queueSuffix),
      typedSearchAttributes: searchPairs({ entityType }),
      staticSummary,
    },
  })

  async function keep(options: ScheduleOptions, update: boolean): Promise<Kept> {
    try {
      await client.schedule.create(options)
      return 'created'
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error
      if (!update) return 'kept'
      const { spec, policies, action } = options
      const handle = client.schedule.getHandle(options.scheduleId)
      await handle.update((before) => ({ ...before, spec, policies, action }) as typeof before)
      return 'updated'
    }
  }

  async function withinDeadline(described: Described, update: boolean): Promise<Kept> {
    try {
      return await connection.withDeadline(Date.now() + SCHEDULE_MS, () => keep(optionsOf(described), update))
    } catch (error) {
      throw isEngineUnavailable(error) ? new EngineUnavailable(error) : error
    }
  }

  return {
    keepDailyReconcile: (tick, update) =>
      withinDeadline(
        {
          scheduleId: reconcileId(queueSuffix),
          spec: { calendars: [reconcileTime(tick)], timezone: zoneName(tick.zone) },
          workflowType: 'reconcileSchedules',
          entityType: 'RECURRING',
          staticSummary: 'daily reconcile of recurring schedules',
        },
        update,
      ),
    keepReminders: (update) =>
      withinDeadline(
        {
          scheduleId: remindersId(queueSuffix),
          spec: { intervals: [{ every: `${REMINDERS_EVERY_MINUTES} minutes`, offset: '2 minutes' }] },
          workflowType: 'remindCustomers',
          entityType: 'REMINDERS',
          staticSummary: 'reminders of unpaid invoices',
        },
        update,
      ),
  }
}
