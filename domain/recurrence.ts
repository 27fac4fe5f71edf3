// When a schedule falls due: the dates of its occurrences, the periods between them, and the first one after a pause.
import { addDays, daysBetween, isDate, monthEnd, parseDocumentDate } from './dates.ts'

export const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'YEARLY'] as const
export type Frequency = (typeof FREQUENCIES)[number]

/** START_DAY keeps the day of the first date (31 Jan, 28 Feb, 31 Mar); LAST_DAY is the last day of each month. */
export const MONTH_ANCHORS = ['START_DAY', 'LAST_DAY'] as const
export type MonthAnchor = (typeof MONTH_ANCHORS)[number]

/** The rule that gives every occurrence its date. Occurrences are numbered from 1; a changed rule goes on with the numbers. */
export interface Recurrence {
  frequency: Frequency
  /** In units of the frequency, 1 or more. */
  interval: number
  monthAnchor: MonthAnchor
  /** The date that the others are counted from, and the number of the occurrence on it, which may be below 1. */
  anchorDate: string
  anchorOccurrence: number
}

/** The days that an occurrence stands for: from its date to the day before the next one. */
export interface Period {
  start: string
  end: string
}

/** The date of a schedule, in any of the forms that bodies may send; the shape of the body has checked it. */
export const scheduleDate = (text: string): string => parseDocumentDate(text)!

const DAYS: Partial<Record<Frequency, number>> = { DAILY: 1, WEEKLY: 7 }
const MONTHS: Partial<Record<Frequency, number>> = { MONTHLY: 1, QUARTERLY: 3, YEARLY: 12 }
const LAST_DATE = '9999-12-31'

/** True for frequencies that count months, to which LAST_DAY applies. */
export const countsMonths = (frequency: Frequency): boolean => frequency in MONTHS

/**
 * The date of an occurrence (decisions §6): the anchor plus a multiple of the interval, always counted from the anchor, so
 * that a short month does not shorten those after it. Null beyond the year 9999.
 */
export function occurrenceDate(rule: Recurrence, occurrence: number): string | null {
  const steps = (occurrence - rule.anchorOccurrence) * rule.interval
  const days = DAYS[rule.frequency]
  return days === undefined
    ? monthsLater(rule.anchorDate, steps * MONTHS[rule.frequency]!, rule.monthAnchor)
    : daysLater(rule.anchorDate, steps * days)
}

/** The period of an occurrence; of the last one that the calendar has, to its end. Null beyond the year 9999. */
export function occurrencePeriod(rule: Recurrence, occurrence: number): Period | null {
  const start = occurrenceDate(rule, occurrence)
  if (start === null) return null
  const next = occurrenceDate(rule, occurrence + 1)
  return { start, end: next === null ? LAST_DATE : addDays(next, -1) }
}

/** The first occurrence from number `from` on whose date is `date` or later; null where the calendar ends before. */
export function occurrenceFrom(rule: Recurrence, from: number, date: string): number | null {
  let occurrence = Math.max(from, estimate(rule, date))
  for (;;) {
    const its = occurrenceDate(rule, occurrence)
    if (its === null || its >= date) return its === null ? null : occurrence
    occurrence += 1
  }
}

// Never above the occurrence that is looked for, and at most a step or two below it.
function estimate({ frequency, interval, anchorDate, anchorOccurrence }: Recurrence, date: string): number {
  if (date <= anchorDate) return anchorOccurrence
  const days = DAYS[frequency]
  const units =
    days === undefined ? monthsBetween(anchorDate, date) / MONTHS[frequency]! : daysBetween(anchorDate, date) / days
  return anchorOccurrence + Math.max(0, Math.floor(units / interval) - 1)
}

/**
 * The rule counted anew from `anchorDate`: its first date that is `notBefore` or later gets the number `next`. Null where
 * the calendar ends before.
 */
export function recurrenceFrom(
  rule: Omit<Recurrence, 'anchorOccurrence'>,
  next: number,
  notBefore: string,
): Recurrence | null {
  const from = occurrenceFrom({ ...rule, anchorOccurrence: 0 }, 0, notBefore)
  return from === null ? null : { ...rule, anchorOccurrence: next - from }
}

/** What ends a schedule: its last date, which still counts, and how many documents it may still make. Null for no bound. */
export interface Bounds {
  endDate: string | null
  runsLeft: number | null
}

/** Whether an occurrence of this date (null beyond the calendar) is not generated any more. */
export function isPastEnd(date: string | null, { endDate, runsLeft }: Bounds): boolean {
  return date === null || (endDate !== null && date > endDate) || (runsLeft !== null && runsLeft <= 0)
}

/** The next occurrences from number `from` on, at most `count`, as far as the bounds allow. */
export function upcoming(
  rule: Recurrence,
  from: number,
  count: number,
  { endDate, runsLeft }: Bounds,
): { occurrence: number; date: string }[] {
  const found: { occurrence: number; date: string }[] = []
  for (let place = 0; place < count; place += 1) {
    const date = occurrenceDate(rule, from + place)
    const left = runsLeft === null ? null : runsLeft - place
    if (date === null || isPastEnd(date, { endDate, runsLeft: left })) break
    found.push({ occurrence: from + place, date })
  }
  return found
}

function daysLater(date: string, days: number): string | null {
  return days > daysBetween(date, LAST_DATE) ? null : addDays(date, days)
}

function monthsLater(date: string, months: number, anchor: MonthAnchor): string | null {
  const place = monthOf(date) + months
  if (place >= 10_000 * 12) return null
  const first = `${String(Math.floor(place / 12)).padStart(4, '0')}-${String((place % 12) + 1).padStart(2, '0')}-01`
  const sameDay = `${first.slice(0, 8)}${date.slice(8)}`
  return anchor === 'START_DAY' && isDate(sameDay) ? sameDay : monthEnd(first)
}

const monthOf = (date: string) => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1
const monthsBetween = (from: string, to: string) => monthOf(to) - monthOf(from)
