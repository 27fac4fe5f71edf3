// Takes the nightly schedules of a test's worker away again: the tests' Temporal server outlives the test.
import { ScheduleNotFoundError } from '@temporalio/client'
import { housekeepingId } from '../../domain/housekeeping.ts'
import { openEngine } from '../../gateways/temporal/engine.ts'
import type { Connection } from '../../models/connection.ts'
import { zonesInUse } from '../../models/overdue.ts'

/** Removes the schedules of every zone in the database; to be called when no worker is left to make them. */
export async function removeSchedules(database: Connection, address: string, queueSuffix: string): Promise<void> {
  const engine = openEngine({ address, namespace: 'default', queueSuffix })
  for (const zone of await zonesInUse(database)) {
    await engine.client.schedule.getHandle(housekeepingId(zone, queueSuffix)).delete().catch((error: unknown) => {
      if (!(error instanceof ScheduleNotFoundError)) throw error
    })
  }
  await engine.close()
}
