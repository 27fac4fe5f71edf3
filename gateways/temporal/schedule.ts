// Creates and removes the nightly schedules in Temporal, one for each time zone.
import { ScheduleAlreadyRunning, ScheduleNotFoundError, type Client, type Connection } from '@temporalio/client'
import { zoneName } from '../../domain/dates.ts'
import { housekeepingId, NIGHTLY, type HousekeepingInput } from '../../domain/housekeeping.ts'
import { searchPairs } from '../../domain/search-attributes.ts'
import { queueName } from '../../domain/task-queues.ts'
import { EngineUnavailable, isEngineUnavailable } from './engine-unavailable.ts'

const SCHEDULE_MS = 5_000

export interface SchedulerDependencies {
  client: Client
  connection: Connection
  queueSuffix: string
}

/**
 * Returns a function that creates the schedule of a time zone where it is missing, and returns whether it did. An existing
 * schedule is left as it is, also when an operator has paused or changed it. The function throws EngineUnavailable, and
 * another error where Temporal refuses, for example a time zone that it does not know.
 */
export function createScheduler({
  client,
  connection,
  queueSuffix,
}: SchedulerDependencies): (timeZone: string) => Promise<boolean> {
  async function create(timeZone: string, spelled: string): Promise<void> {
    const id = housekeepingId(timeZone, queueSuffix)
    const input: HousekeepingInput = { timeZone }
    await connection.withDeadline(Date.now() + SCHEDULE_MS, () =>
      client.schedule.create({
        scheduleId: id,
        spec: { calendars: [NIGHTLY], timezone: spelled },
        // A sweep also does the work of the sweeps that were skipped or missed before it.
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
      }),
    )
  }

  return async (timeZone) => {
    try {
      // Temporal knows time zones only in their exact spelling; organisations may have them in any case.
      await create(timeZone, timeZone).catch((error) => {
        if (!/unknown time zone/.test(String(error))) throw error
        return create(timeZone, zoneName(timeZone))
      })
      return true
    } catch (error) {
      if (error instanceof ScheduleAlreadyRunning) return false
      throw isEngineUnavailable(error) ? new EngineUnavailable(error) : error
    }
  }
}

/** Returns a function that removes the schedule of a time zone; it does nothing where there is none. It throws EngineUnavailable. */
export function createUnscheduler({
  client,
  connection,
  queueSuffix,
}: SchedulerDependencies): (timeZone: string) => Promise<void> {
  return async (timeZone) => {
    try {
      const handle = client.schedule.getHandle(housekeepingId(timeZone, queueSuffix))
      await connection.withDeadline(Date.now() + SCHEDULE_MS, () => handle.delete())
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) return
      throw isEngineUnavailable(error) ? new EngineUnavailable(error) : error
    }
  }
}
