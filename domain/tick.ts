// The ticks of recurring schedules: the time of day at which they run, in its time zone, daylight saving included.
import { addDays, dateInZone } from './dates.ts'

/** The time of the daily tick, and its IANA zone: 09:00 in Asia/Kolkata unless it is set (decisions §9). */
export interface TickTime {
  /** `HH:MM`. */
  time: string
  zone: string
}

/** When schedules are looked at: at the daily tick, or every few seconds, for tests and demonstrations. */
export interface TickPlan extends TickTime {
  /** Null for the daily tick alone. */
  everySeconds: number | null
}

/** At most this many occurrences of a schedule are generated in one tick (decisions §6). */
export const MAX_IN_TICK = 31
/** How many documents the ticks of a worker generate at once, in all and of one organisation. */
export const TICK_PLACES = { total: 4, each: 2 }
/** After so many failed ticks in a row a schedule is paused (decisions §6). */
export const MAX_FAILURES = 3
const SPREAD_MS = 60_000

const DAY_MS = 86_400_000

/** The instant of the tick of a date, in UTC with milliseconds. A time that the clocks skip is as long after the change as it would be before. */
export function tickOf(date: string, { time, zone }: TickTime): string {
  const local = Date.parse(`${date}T${time}:00.000Z`)
  const [before, after] = [offsetAt(local - DAY_MS, zone), offsetAt(local + DAY_MS, zone)]
  const found = [before, after].find((offset) => offsetAt(local - offset, zone) === offset)
  return new Date(local - (found ?? before)).toISOString()
}

const RECONCILE_MINUTES = 10

/** The time of day of the daily reconcile, in the zone of the tick: ten minutes after it (docs/operating.md). */
export function reconcileTime({ time }: TickTime): { hour: number; minute: number } {
  const minutes = (Number(time.slice(0, 2)) * 60 + Number(time.slice(3)) + RECONCILE_MINUTES) % (24 * 60)
  return { hour: Math.floor(minutes / 60), minute: minutes % 60 }
}

/** The first daily tick at this instant or later. */
export function tickFrom(instant: string, tick: TickTime): string {
  const date = dateInZone(instant, tick.zone)
  const today = tickOf(date, tick)
  return today >= instant ? today : tickOf(addDays(date, 1), tick)
}

/** The first tick after this instant: of the next day, or in as many seconds as are set. */
export function tickAfter(instant: string, plan: TickPlan): string {
  const ms = Date.parse(instant)
  if (plan.everySeconds !== null) return new Date(ms + plan.everySeconds * 1_000).toISOString()
  return tickFrom(new Date(ms + 1).toISOString(), plan)
}

/** The last date whose tick has come by this instant: what falls on it or before is due. */
export function lastDueDate(instant: string, tick: TickTime): string {
  let date = dateInZone(instant, tick.zone)
  // Where the clocks skip the end of a day, its tick is on the next one.
  while (tickOf(date, tick) > instant) date = addDays(date, -1)
  return date
}

/**
 * How long after its tick a schedule is looked at: 0 to 60 seconds, always the same for one id, so that schedules that are due
 * in the same minute do not all begin at once. None where ticks come every few seconds.
 */
export function spreadMs(scheduleId: string, { everySeconds }: TickPlan): number {
  if (everySeconds !== null) return 0
  let hash = 0
  // FNV-1a: the ids of schedules that were created together differ in few characters.
  for (const letter of scheduleId) hash = Math.imul(hash ^ letter.charCodeAt(0), 16_777_619) >>> 0
  return hash % SPREAD_MS
}

const clocks = new Map<string, Intl.DateTimeFormat>()

// How far the zone's clocks are ahead of UTC at this time, in milliseconds.
function offsetAt(ms: number, zone: string): number {
  let clock = clocks.get(zone)
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    clocks.set(zone, clock)
  }
  const parts = Object.fromEntries(clock.formatToParts(new Date(ms)).map(({ type, value }) => [type, value]))
  const { year = '', month, day, hour, minute, second } = parts
  const shown = Date.parse(`${year.padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}.000Z`)
  return shown - Math.floor(ms / 1_000) * 1_000
}
