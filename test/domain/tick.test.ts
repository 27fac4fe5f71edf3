// The ticks of recurring schedules: in India, in zones with daylight saving, and spread over a minute.
import { expect, test } from '@jest/globals'
import { addDays } from '../../domain/dates.ts'
import { lastDueDate, MAX_IN_TICK, spreadMs, tickAfter, tickFrom, tickOf } from '../../domain/tick.ts'
import { someOf } from '../contract/cases.ts'

const INDIA = { time: '09:00', zone: 'Asia/Kolkata' }
const DAILY = { ...INDIA, everySeconds: null }
const everyTick = (zones: string[], times: string[]) => zones.flatMap((zone) => times.map((time) => ({ time, zone })))

test.each([
  ['2026-12-01', INDIA, '2026-12-01T03:30:00.000Z'],
  ['2026-12-01', { time: '00:15', zone: 'Asia/Kolkata' }, '2026-11-30T18:45:00.000Z'],
  ['2026-01-15', { time: '09:00', zone: 'America/New_York' }, '2026-01-15T14:00:00.000Z'],
  ['2026-07-15', { time: '09:00', zone: 'America/New_York' }, '2026-07-15T13:00:00.000Z'],
  // The day on which the clocks go forward, before, within and after the hour that is left out.
  ['2026-03-08', { time: '01:59', zone: 'America/New_York' }, '2026-03-08T06:59:00.000Z'],
  ['2026-03-08', { time: '02:30', zone: 'America/New_York' }, '2026-03-08T07:30:00.000Z'],
  ['2026-03-08', { time: '03:00', zone: 'America/New_York' }, '2026-03-08T07:00:00.000Z'],
  // The hour that comes twice counts once, the first time.
  ['2026-11-01', { time: '01:30', zone: 'America/New_York' }, '2026-11-01T05:30:00.000Z'],
  ['2026-11-01', { time: '09:00', zone: 'America/New_York' }, '2026-11-01T14:00:00.000Z'],
  ['2026-10-04', { time: '02:15', zone: 'Australia/Lord_Howe' }, '2026-10-03T15:45:00.000Z'],
  ['2026-06-01', { time: '09:00', zone: 'Pacific/Kiritimati' }, '2026-05-31T19:00:00.000Z'],
  ['9999-12-31', INDIA, '9999-12-31T03:30:00.000Z'],
])('the tick of %s in %o', (date, tick, instant) => {
  expect(tickOf(date, tick)).toBe(instant)
})

test('the first tick at an instant or later', () => {
  expect(tickFrom('2026-12-01T03:30:00.000Z', INDIA)).toBe('2026-12-01T03:30:00.000Z')
  expect(tickFrom('2026-12-01T03:30:00.001Z', INDIA)).toBe('2026-12-02T03:30:00.000Z')
  expect(tickFrom('2026-11-30T20:00:00.000Z', INDIA)).toBe('2026-12-01T03:30:00.000Z')
})

test('the tick after an instant is that of the next day, or in some seconds', () => {
  expect(tickAfter('2026-12-01T03:30:00.000Z', DAILY)).toBe('2026-12-02T03:30:00.000Z')
  expect(tickAfter('2026-12-01T03:29:59.999Z', DAILY)).toBe('2026-12-01T03:30:00.000Z')
  expect(tickAfter('2026-12-01T03:30:00.000Z', { ...INDIA, everySeconds: 2.5 })).toBe('2026-12-01T03:30:02.500Z')
})

test('a date is due from its tick on', () => {
  expect(lastDueDate('2026-12-01T03:29:59.999Z', INDIA)).toBe('2026-11-30')
  expect(lastDueDate('2026-12-01T03:30:00.000Z', INDIA)).toBe('2026-12-01')
})

test('every day of four years has one tick, a day of 23 to 25 hours after the one before', () => {
  const zones = ['America/New_York', 'Europe/London', 'Australia/Lord_Howe', 'America/Santiago', 'Asia/Kolkata']
  for (const { time, zone } of someOf(everyTick(zones, ['00:00', '02:30', '09:00']))) {
    let instant = tickOf('2026-01-01', { time, zone })
    for (let day = 1; day < 1_461; day += 1) {
      const next = tickFrom(new Date(Date.parse(instant) + 1).toISOString(), { time, zone })
      const hours = (Date.parse(next) - Date.parse(instant)) / 3_600_000
      if (hours < 23 || hours > 25) expect([zone, time, instant, hours]).toEqual([zone, time, instant, '23 to 25'])
      instant = next
    }
    expect(instant.slice(0, 4)).toMatch(/^20(29|30)$/)
  }
})

test('also where the clocks change at midnight, a day is due from its tick on and not before', () => {
  for (const tick of someOf(everyTick(['Africa/Cairo', 'America/Nuuk', 'America/Havana'], ['00:00', '23:30']))) {
    for (let day = 0, before = '2025-12-31'; day < 400; day += 1) {
      const date = addDays('2026-01-01', day)
      const at = tickOf(date, tick)
      const justBefore = new Date(Date.parse(at) - 1).toISOString()
      expect([tick, lastDueDate(at, tick), lastDueDate(justBefore, tick)]).toEqual([tick, date, before])
      expect(tickFrom(new Date(Date.parse(tickOf(before, tick)) + 1).toISOString(), tick)).toBe(at)
      before = date
    }
  }
})

test('schedules are spread evenly over the minute, each always at its own second', () => {
  const ids = Array.from({ length: 6_000 }, (_, place) => `019e0000-0000-7000-8000-${place.toString(16).padStart(12, '0')}`)
  const waits = ids.map((id) => spreadMs(id, DAILY))
  expect(waits).toEqual(ids.map((id) => spreadMs(id, DAILY)))
  const ofSecond = Map.groupBy(waits, (ms) => Math.floor(ms / 1_000))
  expect([...ofSecond.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, second) => second))
  expect(Math.max(...[...ofSecond.values()].map((of) => of.length))).toBeLessThan(200)
  expect(spreadMs(ids[0]!, { ...INDIA, everySeconds: 1 })).toBe(0)
  expect(MAX_IN_TICK).toBe(31)
})
