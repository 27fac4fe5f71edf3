// Calendar dates and instants: what callers may write, and what it means in India.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  addDays, dateInZone, daysBetween, endOfDate, isDate, isInstant, isZone, parseDocumentDate, parseInstant, showDate, zoneName,
} from '../../domain/dates.ts'
import { financialYear, missingYears, nextFinancialYear, yearsAfter } from '../../domain/financial-year.ts'

const anyDate = fc
  .date({ min: new Date('1950-01-01T00:00:00Z'), max: new Date('2199-12-31T00:00:00Z'), noInvalidDate: true })
  .map(date => date.toISOString().slice(0, 10))

describe('a document’s date', () => {
  test.each<[string, string | null]>([
    ['2026-04-01', '2026-04-01'],
    ['2028-02-29', '2028-02-29'],
    ['2026-02-29', null],
    ['2026-02-30', null],
    ['2026-04-31', null],
    ['2026-13-01', null],
    ['2026-00-10', null],
    ['2026-01-00', null],
    ['0000-01-01', null],
    ['2026-11-01T18:29:59.999Z', '2026-11-01'],
    ['2026-11-01T18:30:00Z', '2026-11-02'],
    ['2026-04-01T00:00:00.000Z', '2026-04-01'],
    ['2026-04-01T00:00:00+05:30', '2026-04-01'],
    ['2026-04-01T00:00:00+0530', '2026-04-01'],
    ['2026-03-31T20:00:00-05:00', '2026-04-01'],
    ['2026-04-01T23:59:59', '2026-04-01'],
    ['2026-04-01T00:00', '2026-04-01'],
    ['2026-04-01 10:30:00Z', '2026-04-01'],
    ['2026-12-31t18:30:00z', '2027-01-01'],
    ['9999-12-31T23:00:00Z', null],
    ['2026-02-30T10:00:00Z', null],
    ['2026-04-01T24:00:00Z', null],
    ['2026-04-01T10:60:00Z', null],
    ['2026-04-01T10:00:00+25:00', null],
    ['2026-4-1', null],
    ['01-04-2026', null],
    ['20260401', null],
    ['2026-04-01 ', null],
    ['', null],
    ['tomorrow', null],
    ['1775001600000', null],
  ])('%j means %s', (text, date) => {
    expect(parseDocumentDate(text)).toBe(date)
  })

  test('shown and read again is the same date', () => {
    fc.assert(fc.property(anyDate, date => {
      expect(isDate(date)).toBe(true)
      expect(parseDocumentDate(date)).toBe(date)
      expect(parseDocumentDate(showDate(date))).toBe(date)
    }))
  })

  test('of an instant is its date on India’s clock', () => {
    fc.assert(fc.property(
      fc.date({ min: new Date('1950-01-01T00:00:00Z'), max: new Date('2199-12-31T00:00:00Z'), noInvalidDate: true }),
      instant => {
        expect(parseDocumentDate(instant.toISOString())).toBe(dateInZone(instant.toISOString(), 'Asia/Kolkata'))
      },
    ))
  })
})

describe('bounds in time', () => {
  test.each<[string, string | null, string | null]>([
    ['2026-04-01', '2026-03-31T18:30:00.000Z', '2026-04-01T18:29:59.999Z'],
    ['2026-04-01T10:00:00Z', '2026-04-01T10:00:00.000Z', '2026-04-01T10:00:00.000Z'],
    ['2026-04-01T10:00:00', '2026-04-01T04:30:00.000Z', '2026-04-01T04:30:00.000Z'],
    ['2026-04-01T10:00:00.123456+05:30', '2026-04-01T04:30:00.123Z', '2026-04-01T04:30:00.123Z'],
    ['2026-04-01T10:00:00.5-03:00', '2026-04-01T13:00:00.500Z', '2026-04-01T13:00:00.500Z'],
    ['2026-02-30', null, null],
    ['yesterday', null, null],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59-01:00', null, null],
    ['0001-01-01', null, '0001-01-01T18:29:59.999Z'],
  ])('%j runs from %s, until %s', (text, from, until) => {
    expect(parseInstant(text)).toBe(from)
    expect(endOfDate(text)).toBe(until)
  })

  test('a date alone is no instant', () => {
    expect(isInstant('2026-04-01')).toBe(false)
    expect(isInstant('2026-04-01T10:00:00Z')).toBe(true)
    expect(isInstant('2026-02-30T10:00:00Z')).toBe(false)
  })
})

describe('the calendar', () => {
  test.each<[string, number, string]>([
    ['2026-01-31', 1, '2026-02-01'],
    ['2028-02-28', 1, '2028-02-29'],
    ['2026-03-01', -1, '2026-02-28'],
    ['2026-12-31', 30, '2027-01-30'],
    ['9999-12-31', 30, '9999-12-31'],
    ['0001-01-01', -1, '0001-01-01'],
  ])('%s and %d days is %s', (date, days, expected) => {
    expect(addDays(date, days)).toBe(expected)
  })

  test('days added are the days between', () => {
    fc.assert(fc.property(anyDate, fc.integer({ min: -20_000, max: 20_000 }), (date, days) => {
      expect(daysBetween(date, addDays(date, days))).toBe(days)
    }))
  })

  test('an impossible date is our own mistake', () => {
    expect(() => addDays('2026-02-30', 1)).toThrow('not a calendar date')
  })

  test.each<[string, string, string]>([
    ['2026-03-31T18:30:00.000Z', 'Asia/Kolkata', '2026-04-01'],
    ['2026-03-31T18:29:59.999Z', 'Asia/Kolkata', '2026-03-31'],
    ['2026-04-01T03:00:00.000Z', 'America/New_York', '2026-03-31'],
    ['2026-04-01T03:00:00.000Z', 'UTC', '2026-04-01'],
    ['2026-04-01T12:00:00.000Z', 'Pacific/Kiritimati', '2026-04-02'],
  ])('at %s it is, in %s, %s', (now, zone, date) => {
    expect(dateInZone(now, zone)).toBe(date)
  })

  test('zones are those of the IANA database', () => {
    expect(isZone('Asia/Kolkata')).toBe(true)
    expect(isZone('Asia/Atlantis')).toBe(false)
    expect(isZone('+05:30')).toBe(false)
    expect(isZone('asia/kolkata')).toBe(true)
    expect(isZone('')).toBe(false)
  })
})

test.each([
  ['Asia/Kolkata', 'Asia/Kolkata'], ['asia/kolkata', 'Asia/Kolkata'], ['Asia/Calcutta', 'Asia/Kolkata'], ['ASIA/CALCUTTA', 'Asia/Kolkata'],
  ['Asia/Katmandu', 'Asia/Kathmandu'], ['Asia/Kathmandu', 'Asia/Kathmandu'], ['Europe/Kiev', 'Europe/Kyiv'], ['US/Pacific', 'America/Los_Angeles'],
  ['GMT', 'UTC'], ['etc/utc', 'UTC'], ['Pacific/Kiritimati', 'Pacific/Kiritimati'], ['America/Argentina/ComodRivadavia', 'America/Argentina/Catamarca'],
])('the zone %s is called %s', (zone, name) => {
  expect(zoneName(zone)).toBe(name)
})

test('every zone has one name, which is a zone and its own name', () => {
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const name = zoneName(zone)
    expect([isZone(name), zoneName(name), zoneName(name.toUpperCase())]).toEqual([true, name, name])
  }
})

describe('missing financial years', () => {
  const labels = (periods: [string, string][], today: string, month: number) =>
    missingYears(periods.map(([start_date, end_date]) => ({ start_date, end_date })), today, month).map(({ label }) => label)
  const fy26: [string, string] = ['2026-04-01', '2027-03-31']
  const fy27: [string, string] = ['2027-04-01', '2028-03-31']

  test.each<[string, [string, string][], string, number, string[]]>([
    ['a new organisation', [], '2026-11-21', 4, ['2026-27', '2027-28']],
    ['the last day of the year', [fy26, fy27], '2027-03-31', 4, []],
    ['the first day of the next', [fy26, fy27], '2027-04-01', 4, ['2028-29']],
    ['two years asleep', [fy26, fy27], '2029-06-01', 4, ['2028-29', '2029-30', '2030-31']],
    ['a year missing in between', [fy26, ['2028-04-01', '2029-03-31']], '2027-06-01', 4, ['2027-28']],
    ['January', [['2026-01-01', '2026-12-31'], ['2027-01-01', '2027-12-31']], '2027-01-01', 1, ['2028']],
    ['July', [['2026-07-01', '2027-06-30'], ['2027-07-01', '2028-06-30']], '2027-06-30', 7, []],
    ['periods that begin in the future', [fy27], '2026-11-21', 4, ['2026-27']],
    ['a year that a period covers in part', [['2026-07-01', '2027-06-30']], '2026-11-21', 4, []],
  ])('%s', (_what, periods, today, month, expected) => {
    expect(labels(periods, today, month)).toEqual(expected)
  })

  test.each([['2026-11-21', 4, 0, '2026-27'], ['2026-11-21', 4, -1, '2025-26'], ['2026-11-21', 1, 1, '2027'], ['2026-11-30', 12, 1, '2026-27']])(
    'the year of %s from month %d and %d is %s', (date, month, years, label) => {
      expect(yearsAfter(date, month, years).label).toBe(label)
    })
})

describe('financial years', () => {
  test.each([
    ['2026-04-01', 4, '2026-04-01', '2027-03-31', '2026-27', '2627'],
    ['2026-03-31', 4, '2025-04-01', '2026-03-31', '2025-26', '2526'],
    ['2026-08-15', 4, '2026-04-01', '2027-03-31', '2026-27', '2627'],
    ['2099-12-31', 4, '2099-04-01', '2100-03-31', '2099-00', '9900'],
    ['2028-02-29', 3, '2027-03-01', '2028-02-29', '2027-28', '2728'],
    ['2026-08-15', 1, '2026-01-01', '2026-12-31', '2026', '26'],
    ['2026-11-30', 12, '2025-12-01', '2026-11-30', '2025-26', '2526'],
  ])('%s, beginning in month %d, lies in %s to %s', (date, startMonth, start, end, label, short) => {
    expect(financialYear(date, startMonth)).toEqual({ start, end, label, short })
  })

  test('follow one another without a gap, and hold their dates', () => {
    fc.assert(fc.property(anyDate, fc.integer({ min: 1, max: 12 }), (date, startMonth) => {
      const year = financialYear(date, startMonth)
      expect(year.start <= date && date <= year.end).toBe(true)
      expect(nextFinancialYear(date, startMonth).start).toBe(addDays(year.end, 1))
      expect([365, 366]).toContain(daysBetween(year.start, year.end) + 1)
    }))
  })

  test('begin in one of twelve months', () => {
    for (const month of [0, 13, 1.5, NaN]) expect(() => financialYear('2026-04-01', month)).toThrow('from 1 to 12')
  })
})
