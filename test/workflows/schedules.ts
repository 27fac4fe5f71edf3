// Pauses the nightly schedules of a test's worker, and takes them away again: the tests' Temporal server outlives the test.
import { ScheduleNotFoundError } from '@temporalio/client'
import { housekeepingId } from '../../domain/housekeeping.ts'
import { markId } from '../../domain/namespace-mark.ts'
import { remindersId } from '../../domain/reminders.ts'
import { reconcileId } from '../../domain/schedule.ts'
import { openEngine, type Engine } from '../../gateways/temporal/engine.ts'
import type { Connection } from '../../models/connection.ts'
import { zonesInUse } from '../../models/overdue.ts'

/** Makes and pauses the schedules of these zones, so that nothing is swept because of the hour at which the tests run. */
export async function pauseSchedules(engine: Engine, queueSuffix: string, zones: string[]): Promise<void> {
  for (const zone of zones) {
    const schedule = engine.client.schedule.getHandle(housekeepingId(zone, queueSuffix))
    await engine.ensureSchedule(zone)
    await schedule.pause('swept by the tests alone')
    while ((await schedule.describe()).info.runningActions.length > 0) await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Removes the schedules of every zone in the database, those of the daily reconcile and of reminders, and the mark of the namespace; to be called when no worker is left to make them. */
export async function removeSchedules(database: Connection, address: string, queueSuffix: string): Promise<void> {
  const engine = openEngine({ address, namespace: 'default', queueSuffix })
  const zones = await zonesInUse(database)
  for (const id of [markId(queueSuffix), reconcileId(queueSuffix), remindersId(queueSuffix), ...zones.map((zone) => housekeepingId(zone, queueSuffix))]) {
    await engine.client.schedule.getHandle(id).delete().catch((error: unknown) => {
      if (!(error instanceof ScheduleNotFoundError)) throw error
    })
  }
  await engine.close()
}
