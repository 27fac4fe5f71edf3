// How a schedule moves on: its next occurrence after a run, a pause or a change of its rule, and when it is completed.
import { addDays } from './dates.ts'
import {
  isPastEnd,
  occurrenceDate,
  occurrenceFrom,
  recurrenceFrom,
  type Bounds,
  type Frequency,
  type MonthAnchor,
  type Recurrence,
} from './recurrence.ts'
import type { ScheduleStatus } from './schedule.ts'
import { lastDueDate, tickOf, type TickTime } from './tick.ts'

/** The columns of a schedule that say where it is. */
export interface ScheduleState {
  frequency: Frequency
  interval_count: number
  month_anchor: MonthAnchor
  start_date: string
  end_date: string | null
  max_runs: number | null
  status: ScheduleStatus
  run_count: number
  anchor_date: string
  anchor_occurrence: number
  next_occurrence: number
  last_date: string | null
}

/** The columns that a step changes. */
export type StateChanges = Partial<ScheduleState> & { status: ScheduleStatus; next_run_at: Date | null }

export const ruleOf = (state: ScheduleState): Recurrence => ({
  frequency: state.frequency,
  interval: state.interval_count,
  monthAnchor: state.month_anchor,
  anchorDate: state.anchor_date,
  anchorOccurrence: state.anchor_occurrence,
})

export const boundsOf = ({ end_date, max_runs, run_count }: ScheduleState): Bounds => ({
  endDate: end_date,
  runsLeft: max_runs === null ? null : max_runs - run_count,
})

/** The date of the next occurrence; null where the schedule has come to its end. */
export function nextDate(state: ScheduleState): string | null {
  const date = occurrenceDate(ruleOf(state), state.next_occurrence)
  return isPastEnd(date, boundsOf(state)) ? null : date
}

/** The changes with the status and next_run_at that follow from them: COMPLETED at the end, PAUSED where the end was moved away. */
export function settled<Changes extends Partial<ScheduleState>>(
  state: ScheduleState,
  changes: Changes,
  tick: TickTime,
): Changes & StateChanges {
  const after = { ...state, ...changes }
  const date = nextDate(after)
  if (date === null) return { ...changes, status: 'COMPLETED', next_run_at: null }
  const status = after.status === 'COMPLETED' ? 'PAUSED' : after.status
  return { ...changes, status, next_run_at: new Date(tickOf(date, tick)) }
}

/** After a run of the next occurrence: one document more, and one interval further. */
export function advanced(state: ScheduleState, tick: TickTime): StateChanges {
  const { next_occurrence: done, run_count } = state
  const changes = {
    run_count: run_count + 1,
    next_occurrence: done + 1,
    last_date: occurrenceDate(ruleOf(state), done),
  }
  return settled(state, changes, tick)
}

/** A failed run that is repeated: its occurrence, and the date on which its period begins. */
export interface RepeatedRun {
  occurrence: number
  period_start: string
}

/**
 * After the repeat of a failed run: one document more. Where it is of the occurrence that the schedule waits at, one interval
 * further. A rule that was changed since may have given its number to another date: that date gets the next number.
 */
export function repeated(
  state: ScheduleState,
  { occurrence, period_start: date }: RepeatedRun,
  tick: TickTime,
): StateChanges {
  if (occurrence !== state.next_occurrence) return settled(state, { run_count: state.run_count + 1 }, tick)
  if (occurrenceDate(ruleOf(state), occurrence) === date) return advanced(state, tick)
  const { run_count, anchor_occurrence: anchor } = state
  const changes = { run_count: run_count + 1, next_occurrence: occurrence + 1, anchor_occurrence: anchor + 1 }
  return settled(state, changes, tick)
}

/** The schedule as its preview shows it: a paused one as it will be once it is resumed, at this instant. */
export const previewed = (state: ScheduleState, now: string, tick: TickTime): ScheduleState =>
  state.status === 'PAUSED' ? { ...state, ...skippedPast({ ...state, status: 'ACTIVE' }, now, tick) } : state

/** Without what is due at this instant: the next occurrence is the first one whose tick has yet to come. */
export function skippedPast(state: ScheduleState, now: string, tick: TickTime): StateChanges {
  const rule = ruleOf(state)
  const next = occurrenceFrom(rule, state.next_occurrence, addDays(lastDueDate(now, tick), 1))
  // The calendar ends before: so does the schedule.
  if (next === null) return { status: 'COMPLETED', next_run_at: null }
  if (next === state.next_occurrence) return settled(state, {}, tick)
  return settled(state, { next_occurrence: next, last_date: occurrenceDate(rule, next - 1) }, tick)
}

/**
 * After a change of the rule (specification, PUT /recurring): counted anew from the start date. Once the schedule has run,
 * no occurrence falls before `today`, nor on a date up to that of its latest run, so that no period is billed twice.
 */
export function recounted(state: ScheduleState, today: string, tick: TickTime): StateChanges {
  const { start_date, last_date } = state
  const notBefore = last_date === null ? start_date : laterOf(today, addDays(last_date, 1))
  return countedFrom(state, start_date, notBefore, tick)
}

/** After an explicit next_run_at: the rule counts from that date (decisions §6). */
export function movedTo(state: ScheduleState, date: string, tick: TickTime): StateChanges {
  return countedFrom(state, date, date, tick)
}

function countedFrom(state: ScheduleState, anchorDate: string, notBefore: string, tick: TickTime): StateChanges {
  const rule = recurrenceFrom({ ...ruleOf(state), anchorDate }, state.next_occurrence, notBefore)
  if (rule === null) return { status: 'COMPLETED', next_run_at: null }
  return settled(state, { anchor_date: rule.anchorDate, anchor_occurrence: rule.anchorOccurrence }, tick)
}

const laterOf = (one: string, other: string) => (one > other ? one : other)
