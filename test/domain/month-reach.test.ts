// How a date is reached by whole months and some days.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { reachOf } from '../../domain/month-reach.ts'
import { addDays, monthEnd, monthStart } from '../../domain/dates.ts'

/** Any date of the calendar, ends of months and of the calendar more often than others. */
const dates = fc.oneof(
  fc.integer({ min: 0, max: 3_652_058 }).map((days) => addDays('0001-01-01', days)),
  fc.integer({ min: 0, max: 800 }).map((days) => addDays('2026-04-01', days)),
  fc.integer({ min: 0, max: 800 }).map((days) => monthEnd(addDays('2026-04-01', days))),
  fc.constantFrom('0001-01-01', '0001-01-31', '9999-12-01', '9999-12-31', '2028-02-29', '2100-02-28'),
)

describe('months', () => {
  test.each([
    ['2026-04-15', '2026-04-01', '2026-04-30'], ['2026-02-28', '2026-02-01', '2026-02-28'], ['2028-02-01', '2028-02-01', '2028-02-29'],
    ['2100-02-10', '2100-02-01', '2100-02-28'], ['0001-01-01', '0001-01-01', '0001-01-31'], ['9999-12-31', '9999-12-01', '9999-12-31'],
  ])('%s is of the month from %s to %s', (date, start, end) => {
    expect([monthStart(date), monthEnd(date)]).toEqual([start, end])
  })
})

describe('the reach of a date', () => {
  test.each([
    ['2026-04-01', { month: '2026-04-01', whole: false, first: '2026-04-01', last: '2026-04-01', sign: 1 }],
    ['2026-04-15', { month: '2026-04-01', whole: false, first: '2026-04-01', last: '2026-04-15', sign: 1 }],
    ['2026-04-16', { month: '2026-04-01', whole: true, first: '2026-04-17', last: '2026-04-30', sign: -1 }],
    ['2026-04-30', { month: '2026-04-01', whole: true, first: null, last: '2026-04-30', sign: -1 }],
    ['9999-12-31', { month: '9999-12-01', whole: true, first: null, last: '9999-12-31', sign: -1 }],
  ] as const)('%s', (date, reach) => expect(reachOf(date)).toEqual(reach))

  test('takes in what is dated on it or before, once, and nothing else', () => {
    fc.assert(fc.property(dates, dates, fc.integer({ min: -40, max: 40 }), (asOf, far, days) => {
      const { month, whole, first, last, sign } = reachOf(asOf)
      for (const date of [far, addDays(asOf, days)]) {
        const inMonths = monthStart(date) < month || (whole && monthStart(date) === month) ? 1 : 0
        const inDays = first !== null && first <= date && date <= last ? sign : 0
        expect([asOf, date, inMonths + inDays]).toEqual([asOf, date, date <= asOf ? 1 : 0])
      }
    }), { numRuns: 500 })
  })

  test('adds up no more than half a month by days', () => {
    fc.assert(fc.property(dates, (asOf) => {
      const { first, last } = reachOf(asOf)
      if (first !== null) expect(Number(last.slice(-2)) - Number(first.slice(-2)) + 1).toBeLessThanOrEqual(15)
    }))
  })
})
