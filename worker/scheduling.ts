// Keeps the schedules in Temporal: the nightly one of every time zone that an organisation is in, and the daily reconcile.
import type { Logger } from 'pino'
import type { TickTime } from '../domain/tick.ts'
import type { Engine } from '../gateways/temporal/engine.ts'
import { EngineUnavailable } from '../gateways/temporal/engine-unavailable.ts'
import type { Connection } from '../models/connection.ts'
import { zonesInUse } from '../models/overdue.ts'

export interface SchedulingDependencies {
  connection: Connection
  engine: Pick<Engine, 'ensureSchedule'>
  log: Logger
}

/** Every so many calls all zones are looked at again: the Temporal server may have lost its data since. */
const ALL_AGAIN = 10

/**
 * Returns a function to call at intervals, which schedules the time zones that are new since the last call, and every tenth
 * time those that are missing again. A zone that Temporal refuses is logged once, does not stop the others, and is tried
 * again at the next call.
 */
export function createScheduling({ connection, engine, log }: SchedulingDependencies): () => Promise<void> {
  const ensured = new Set<string>()
  const refused = new Set<string>()
  let calls = 0

  async function ensure(timeZone: string): Promise<void> {
    try {
      const isNew = await engine.ensureSchedule(timeZone)
      ensured.add(timeZone)
      if (isNew) log.info({ time_zone: timeZone }, 'nightly housekeeping scheduled')
    } catch (error) {
      if (error instanceof EngineUnavailable) throw error
      if (!refused.has(timeZone))
        log.error({ err: error, time_zone: timeZone }, 'nightly housekeeping could not be scheduled')
      refused.add(timeZone)
    }
  }

  return async () => {
    if (calls % ALL_AGAIN === 0) ensured.clear()
    calls += 1
    for (const zone of await zonesInUse(connection)) if (!ensured.has(zone)) await ensure(zone)
  }
}

export interface KeptSchedulesDependencies {
  engine: Pick<Engine, 'keepDailyReconcile' | 'keepReminders'>
  tick: TickTime
  log: Logger
}

/**
 * Returns a function to call at intervals, which keeps the daily reconcile of recurring schedules, and the schedule of reminders:
 * the first call gives the reconcile the time of the settings, later ones create what is missing, because the Temporal server may
 * have lost its data.
 */
export function createKeeping({ engine, tick, log }: KeptSchedulesDependencies): () => Promise<void> {
  let update = true
  return async () => {
    const done = await engine.keepDailyReconcile(tick, update)
    if (done === 'created')
      log.info({ after: tick.time, time_zone: tick.zone }, 'daily reconcile of schedules scheduled')
    if ((await engine.keepReminders(update)) === 'created') log.info('reminders scheduled')
    update = false
  }
}

/**
 * Writes all schedules in Temporal anew, as this version creates them, encrypted with the first key. Those of the time zones
 * are no longer paused or changed by hand then. Returns how many there are. Throws EngineUnavailable.
 */
export async function renewTemporalSchedules(
  connection: Connection,
  engine: Pick<Engine, 'ensureSchedule' | 'removeSchedule' | 'keepDailyReconcile' | 'keepReminders'>,
  tick: TickTime,
): Promise<number> {
  const zones = await zonesInUse(connection)
  for (const zone of zones) {
    await engine.removeSchedule(zone)
    await engine.ensureSchedule(zone)
  }
  await engine.keepDailyReconcile(tick, true)
  await engine.keepReminders(true)
  return zones.length + 2
}
