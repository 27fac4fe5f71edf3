// The dates of recurring schedules: every unit, short months, leap years, long pauses, and the end of the calendar.
import { describe, expect, test } from '@jest/globals'
import { addDays, daysBetween, isDate, monthEnd } from '../../domain/dates.ts'
import {
  FREQUENCIES, occurrenceDate, occurrenceFrom, occurrencePeriod, recurrenceFrom, upcoming, type Frequency, type MonthAnchor, type Recurrence,
} from '../../domain/recurrence.ts'
import { someOf } from '../contract/cases.ts'

const rule = (frequency: Frequency, anchorDate: string, interval = 1, monthAnchor: MonthAnchor = 'START_DAY'): Recurrence =>
  ({ frequency, interval, monthAnchor, anchorDate, anchorOccurrence: 1 })
const dates = (of: Recurrence, count: number) => Array.from({ length: count }, (_, place) => occurrenceDate(of, place + 1))

test.each<[string, Recurrence, string[]]>([
  ['daily over a leap day', rule('DAILY', '2028-02-28'), ['2028-02-28', '2028-02-29', '2028-03-01']],
  ['every third day', rule('DAILY', '2026-12-30', 3), ['2026-12-30', '2027-01-02', '2027-01-05']],
  ['fortnightly', rule('WEEKLY', '2026-12-25', 2), ['2026-12-25', '2027-01-08', '2027-01-22']],
  ['monthly on the 31st: short months have their last day, and do not shorten the next', rule('MONTHLY', '2027-01-31'),
    ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31']],
  ['monthly on the 30th, in a leap year', rule('MONTHLY', '2027-12-30'), ['2027-12-30', '2028-01-30', '2028-02-29', '2028-03-30']],
  ['every fifth month', rule('MONTHLY', '2026-10-31', 5), ['2026-10-31', '2027-03-31', '2027-08-31', '2028-01-31', '2028-06-30']],
  ['quarterly', rule('QUARTERLY', '2026-11-30'), ['2026-11-30', '2027-02-28', '2027-05-30', '2027-08-30', '2027-11-30', '2028-02-29']],
  ['half-yearly', rule('QUARTERLY', '2026-04-01', 2), ['2026-04-01', '2026-10-01', '2027-04-01']],
  ['yearly on 29 February', rule('YEARLY', '2028-02-29'), ['2028-02-29', '2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29']],
  ['on the last day of the month, from the middle of one', rule('MONTHLY', '2028-01-15', 1, 'LAST_DAY'), ['2028-01-31', '2028-02-29', '2028-03-31', '2028-04-30']],
  ['on the last day of the month, from a short month', rule('MONTHLY', '2026-02-28', 1, 'LAST_DAY'), ['2026-02-28', '2026-03-31', '2026-04-30']],
])('%s', (_case, of, expected) => {
  expect(dates(of, expected.length)).toEqual(expected)
})

test('a period goes to the day before the next date', () => {
  expect(occurrencePeriod(rule('MONTHLY', '2026-12-01'), 1)).toEqual({ start: '2026-12-01', end: '2026-12-31' })
  expect(occurrencePeriod(rule('MONTHLY', '2027-01-31'), 2)).toEqual({ start: '2027-02-28', end: '2027-03-30' })
  expect(occurrencePeriod(rule('DAILY', '2026-12-01'), 3)).toEqual({ start: '2026-12-03', end: '2026-12-03' })
  expect(occurrencePeriod(rule('YEARLY', '2026-04-01'), 1)).toEqual({ start: '2026-04-01', end: '2027-03-31' })
})

test('the calendar ends with the year 9999', () => {
  for (const frequency of FREQUENCIES) {
    const of = rule(frequency, '9999-12-31')
    expect(occurrenceDate(of, 1)).toBe('9999-12-31')
    expect(occurrenceDate(of, 2)).toBeNull()
    expect(occurrencePeriod(of, 1)).toEqual({ start: '9999-12-31', end: '9999-12-31' })
    expect(occurrenceFrom(of, 2, '9999-12-31')).toBeNull()
  }
  expect(occurrenceDate(rule('YEARLY', '2026-04-01', 1_000), 9)).toBeNull()
  expect(recurrenceFrom(rule('YEARLY', '9000-01-01', 1_000), 5, '9500-01-01')).toBeNull()
})

describe('of any rule', () => {
  // A small generator of our own, so that a failing case can be repeated.
  let seed = 20261122
  const upTo = (most: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % most
  const rules = someOf(Array.from({ length: 400 }, () => rule(
    FREQUENCIES[upTo(5)]!, addDays('2020-01-01', upTo(4_000)), 1 + upTo(14), upTo(2) === 0 ? 'START_DAY' : 'LAST_DAY',
  )))

  test('dates exist and ascend, and periods cover the calendar without a gap', () => {
    for (const of of rules) {
      for (let occurrence = 1; occurrence <= 40; occurrence += 1) {
        const [date, next] = [occurrenceDate(of, occurrence)!, occurrenceDate(of, occurrence + 1)!]
        expect([isDate(date), date < next]).toEqual([true, true])
        const { start, end } = occurrencePeriod(of, occurrence)!
        expect([start, addDays(end, 1)]).toEqual([date, next])
      }
    }
  })

  test('months keep the day of the start, or the last day of a shorter month', () => {
    for (const of of rules.filter(({ frequency }) => !['DAILY', 'WEEKLY'].includes(frequency))) {
      for (let occurrence = 1; occurrence <= 40; occurrence += 1) {
        const date = occurrenceDate(of, occurrence)!
        const wanted = of.monthAnchor === 'LAST_DAY' ? '31' : of.anchorDate.slice(8)
        expect(date.slice(8)).toBe(wanted <= monthEnd(date).slice(8) ? wanted : monthEnd(date).slice(8))
      }
    }
  })

  test('days and weeks are as many days apart', () => {
    for (const of of rules.filter(({ frequency }) => ['DAILY', 'WEEKLY'].includes(frequency))) {
      expect(daysBetween(occurrenceDate(of, 7)!, occurrenceDate(of, 8)!)).toBe(of.interval * (of.frequency === 'DAILY' ? 1 : 7))
    }
  })

  test('the first occurrence from a date on is the first, however long the pause was', () => {
    for (const of of rules) {
      const date = addDays(of.anchorDate, upTo(40_000))
      const found = occurrenceFrom(of, 1, date)!
      expect(occurrenceDate(of, found)! >= date).toBe(true)
      if (found > 1) expect(occurrenceDate(of, found - 1)! < date).toBe(true)
      expect(occurrenceFrom(of, found + 3, date)).toBe(found + 3)
    }
  })

  test('counted anew, the numbers go on and the dates are those of the new start', () => {
    for (const of of rules) {
      const [next, notBefore] = [1 + upTo(50), addDays(of.anchorDate, upTo(2_000))]
      const anew = recurrenceFrom(of, next, notBefore)!
      const date = occurrenceDate(anew, next)!
      expect(date >= notBefore).toBe(true)
      expect(occurrenceDate(of, occurrenceFrom(of, 1, notBefore)!)).toBe(date)
    }
  })
})

test('the next dates end at the end date, which still counts, and after the last run', () => {
  const monthly = rule('MONTHLY', '2026-12-31')
  expect(upcoming(monthly, 2, 3, { endDate: null, runsLeft: null })).toEqual([
    { occurrence: 2, date: '2027-01-31' }, { occurrence: 3, date: '2027-02-28' }, { occurrence: 4, date: '2027-03-31' },
  ])
  expect(upcoming(monthly, 1, 10, { endDate: '2027-01-31', runsLeft: null }).map(({ date }) => date)).toEqual(['2026-12-31', '2027-01-31'])
  expect(upcoming(monthly, 1, 10, { endDate: '2027-01-30', runsLeft: null })).toHaveLength(1)
  expect(upcoming(monthly, 4, 10, { endDate: null, runsLeft: 2 })).toHaveLength(2)
  expect(upcoming(monthly, 1, 10, { endDate: null, runsLeft: 0 })).toEqual([])
})
