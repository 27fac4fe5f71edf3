// Splits the sums of an account up to a date into whole months and single days.
import { addDays, monthEnd, monthStart } from './dates.ts'

/** The months and days that the sums up to and including a date are added up from. */
export interface Reach {
  /** The first day of the date's month. All months before it are counted whole. */
  month: string
  /** Whether the month itself is counted whole; then the days after the date are subtracted. */
  whole: boolean
  /** The first and the last of the single days, both inclusive; `first` is null when there are none. */
  first: string | null
  last: string
  sign: 1 | -1
}

/** The reach of a date, from the nearer end of its month, so that the entries of at most half a month are added up one by one. */
export function reachOf(date: string): Reach {
  const [month, end] = [monthStart(date), monthEnd(date)]
  if (dayOf(date) * 2 <= dayOf(end)) return { month, whole: false, first: month, last: date, sign: 1 }
  return { month, whole: true, first: date === end ? null : addDays(date, 1), last: end, sign: -1 }
}

const dayOf = (date: string) => Number(date.slice(-2))
