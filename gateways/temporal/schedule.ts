// The nightly schedules in Temporal, one a time zone.
import { ScheduleAlreadyRunning, ScheduleNotFoundError, type Client, type Connection } from '@temporalio/client'
import { zoneName } from '../../domain/dates.ts'
import { housekeepingId, NIGHTLY, type HousekeepingInput } from '../../domain/housekeeping.ts'
import { searchPairs } from '../../domain/search-attributes.ts'
import { queueName } from '../../domain/task-queues.ts'
import { EngineUnavailable, isAway } from './engine-unavailable.ts'

const SCHEDULE_MS = 5_000

export interface SchedulerDependencies {
  client: Client
  connection: Connection
  queueSuffix: string
}

/**
 * Answers how a zone's schedule is made where it is missing: true when it was. One that is there is left as it is,
 * paused or changed by an operator though it may be. Throws EngineUnavailable; an error of another kind where Temporal
 * refuses, as it does a zone that it does not know.
 */
export function createScheduler({ client, connection, queueSuffix }: SchedulerDependencies): (timeZone: string) => Promise<boolean> {
  async function create(timeZone: string, spelled: string): Promise<void> {
    const id = housekeepingId(timeZone, queueSuffix)
    const input: HousekeepingInput = { timeZone }
    await connection.withDeadline(Date.now() + SCHEDULE_MS, () => client.schedule.create({
      scheduleId: id,
      spec: { calendars: [NIGHTLY], timezone: spelled },
      // A sweep does the work of the one that it finds running, or of those that were missed meanwhile.
      policies: { overlap: 'SKIP', catchupWindow: '1 day' },
      action: {
        type: 'startWorkflow',
        workflowType: 'housekeeping',
        workflowId: id,
        args: [input],
        taskQueue: queueName('core', queueSuffix),
        typedSearchAttributes: searchPairs({ entityType: 'HOUSEKEEPING' }),
        staticSummary: `nightly housekeeping of ${timeZone}`,
      },
    }))
  }

  return async (timeZone) => {
    try {
      // Temporal knows zones by their names alone; people write them in letters of any case.
      await create(timeZone, timeZone).catch((error) => {
        if (!/unknown time zone/.test(String(error))) throw error
        return create(timeZone, zoneName(timeZone))
      })
      return true
    } catch (error) {
      if (error instanceof ScheduleAlreadyRunning) return false
      throw isAway(error) ? new EngineUnavailable(error) : error
    }
  }
}

/** Answers how the schedule of a zone is removed; one that is not there is left at that. Throws EngineUnavailable. */
export function createUnscheduler({ client, connection, queueSuffix }: SchedulerDependencies): (timeZone: string) => Promise<void> {
  return async (timeZone) => {
    try {
      const handle = client.schedule.getHandle(housekeepingId(timeZone, queueSuffix))
      await connection.withDeadline(Date.now() + SCHEDULE_MS, () => handle.delete())
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) return
      throw isAway(error) ? new EngineUnavailable(error) : error
    }
  }
}
