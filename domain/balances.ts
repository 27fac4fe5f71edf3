// How the sums of an account up to a date are made of whole months and some days.
import { addDays, monthEnd, monthStart } from './dates.ts'

/** How the sums up to and including a date are made of whole months and some days. */
export interface Reach {
  /** The date's month, by its first day: the months before it count whole. */
  month: string
  /** Whether it counts whole itself: then the days behind the date are taken off again. */
  whole: boolean
  /** The days, both inclusive; null for none. */
  first: string | null
  last: string
  sign: 1 | -1
}

/** The reach of a date: from the nearer end of its month, so that at most half a month is added up entry by entry. */
export function reachOf(date: string): Reach {
  const [month, end] = [monthStart(date), monthEnd(date)]
  if (dayOf(date) * 2 <= dayOf(end)) return { month, whole: false, first: month, last: date, sign: 1 }
  return { month, whole: true, first: date === end ? null : addDays(date, 1), last: end, sign: -1 }
}

const dayOf = (date: string) => Number(date.slice(-2))
