// On which day a reminder is due: the policy's days, days that were missed, what ends reminders, and the hours of a zone.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { addDays, dateInZone, daysBetween } from '../../domain/dates.ts'
import { canBeReminded, isReminderDue, isReminderTime, LATEST_DAYS, nextReminders, remindersAfterFailure, remindersDue, type Remindable } from '../../domain/reminders.ts'

const INVOICE: Remindable = { status: 'SENT', balance: 100n, dispute: null }
const DUE = '2026-11-20'
const POLICY = { enabled: true, days: [-3, 0, 7] }

describe('the day of a reminder', () => {
  test.each([
    ['2026-11-16', false], ['2026-11-17', true], ['2026-11-19', true], ['2026-11-20', true], ['2026-11-22', true], ['2026-11-23', false],
    ['2026-11-26', false], ['2026-11-27', true], ['2026-11-29', true], ['2026-11-30', false], ['2027-11-27', false],
  ])('%s: %s', (today, is) => expect(isReminderDue(POLICY, DUE, null, today)).toBe(is))

  test.each([
    ['of the day itself', '2026-11-17', '2026-11-17', false],
    ['of the day before, which was late', '2026-11-17', '2026-11-18', false],
    ['by hand since the day of the policy', '2026-11-18', '2026-11-19', false],
    ['of the day before that of the policy', '2026-11-19', '2026-11-20', true],
    ['of an earlier day of the policy', '2026-11-17', '2026-11-20', true],
  ])('after a reminder %s', (_what, remindedOn, today, is) => expect(isReminderDue(POLICY, DUE, remindedOn, today)).toBe(is))

  test('is never while the policy is off', () => expect(remindersDue({ ...POLICY, enabled: false }, DUE)).toEqual([]))

  test('the due dates of a day, each with the day since which its reminder is due', () => {
    expect(remindersDue({ enabled: true, days: [0, 1] }, '2026-11-20')).toEqual([
      { due_date: '2026-11-17', since: '2026-11-18' }, { due_date: '2026-11-18', since: '2026-11-19' },
      { due_date: '2026-11-19', since: '2026-11-20' }, { due_date: '2026-11-20', since: '2026-11-20' },
    ])
  })
})

test.each<[Partial<Remindable>, boolean]>([
  [{}, true],
  [{ status: 'PARTIALLY_PAID' }, true],
  [{ status: 'OVERDUE' }, true],
  [{ status: 'PAID', balance: 0n }, false],
  [{ balance: 0n }, false],
  [{ status: 'CANCELLED' }, false],
  [{ status: 'CREDIT_APPLIED', balance: 0n }, false],
  [{ status: 'DRAFT' }, false],
  [{ dispute: { reason: 'Torn' } }, false],
])('an invoice with %p may be reminded of: %s', (changes, may) => expect(canBeReminded({ ...INVOICE, ...changes })).toBe(may))

const days = fc.uniqueArray(fc.integer({ min: -60, max: 365 }), { minLength: 1, maxLength: 20 })

test('a sweep every day reminds once for each day of the policy, on that day', () => {
  fc.assert(fc.property(days, (policyDays) => {
    let last: string | null = null
    const reminded: number[] = []
    for (let after = -61; after <= 370; after += 1) {
      const today = addDays(DUE, after)
      if (!isReminderDue({ enabled: true, days: policyDays }, DUE, last, today)) continue
      last = today
      reminded.push(after)
    }
    expect(reminded).toEqual(policyDays.toSorted((one, other) => one - other))
  }), { numRuns: 30 })
})

test('whatever sweeps are missed, and however the policy changes between them, nobody is reminded on a day twice, nor later than it may be', () => {
  const sweeps = fc.array(fc.tuple(fc.integer({ min: -61, max: 370 }), days), { maxLength: 60 }).map((list) => list.toSorted(([one], [other]) => one - other))
  fc.assert(fc.property(sweeps, (swept) => {
    let last: string | null = null
    for (const [after, policyDays] of swept) {
      const today = addDays(DUE, after)
      if (!isReminderDue({ enabled: true, days: policyDays }, DUE, last, today)) continue
      expect(last).not.toBe(today)
      const late = Math.min(...policyDays.filter((day) => day <= after).map((day) => after - day))
      expect(late).toBeLessThanOrEqual(LATEST_DAYS)
      expect(last === null || daysBetween(last, today) > late).toBe(true)
      last = today
    }
  }))
})

describe('the time of day', () => {
  test.each([
    ['in India, without summer time', 'Asia/Kolkata', '2026-11-20T03:29:59.999Z', false, '2026-11-20T03:30:00.000Z'],
    ['at nine', 'Asia/Kolkata', '2026-11-20T03:30:00.000Z', true, '2026-11-21T03:30:00.000Z'],
    ['before six', 'Asia/Kolkata', '2026-11-20T12:29:59.999Z', true, '2026-11-21T03:30:00.000Z'],
    ['at six', 'Asia/Kolkata', '2026-11-20T12:30:00.000Z', false, '2026-11-21T03:30:00.000Z'],
    ['with a quarter of an hour', 'Asia/Kathmandu', '2026-11-20T03:15:00.000Z', true, '2026-11-21T03:15:00.000Z'],
    ['before the clocks go forward', 'America/New_York', '2026-03-07T14:00:00.000Z', true, '2026-03-08T13:00:00.000Z'],
    ['on the day on which they do', 'America/New_York', '2026-03-08T13:00:00.000Z', true, '2026-03-09T13:00:00.000Z'],
    ['an hour before that', 'America/New_York', '2026-03-08T12:59:59.999Z', false, '2026-03-08T13:00:00.000Z'],
    ['on the day on which they go back', 'America/New_York', '2026-11-01T13:30:00.000Z', false, '2026-11-01T14:00:00.000Z'],
    ['the day after', 'America/New_York', '2026-11-02T14:00:00.000Z', true, '2026-11-03T14:00:00.000Z'],
    ['on another date than in UTC', 'Pacific/Kiritimati', '2026-11-19T19:00:00.000Z', true, '2026-11-20T19:00:00.000Z'],
    ['behind UTC', 'Pacific/Pago_Pago', '2026-11-20T19:59:59.999Z', false, '2026-11-20T20:00:00.000Z'],
  ])('%s', (_what, zone, instant, is, next) => {
    expect([isReminderTime(instant, zone), nextReminders(instant, zone)]).toEqual([is, next])
  })
})

test.each([
  ['by day', '2026-11-20T07:00:00.000Z', '2026-11-20'],
  ['before nine', '2026-11-20T03:00:00.000Z', '2026-11-19'],
  ['in the evening', '2026-11-20T17:00:00.000Z', '2026-11-20'],
])('after a failure %s, what may have been sent is not sent again, and everything later is', (_when, failedAt, lastBegun) => {
  const zone = 'Asia/Kolkata'
  const policy = { enabled: true, days: [0] }
  const goesOn = remindersAfterFailure(failedAt, zone)
  expect(isReminderTime(goesOn, zone)).toBe(true)
  const today = dateInZone(goesOn, zone)
  const around = Array.from({ length: 12 }, (_, day) => addDays(lastBegun, day - 6)).filter((date) => date <= today)
  expect(around.filter((dueDate) => isReminderDue(policy, dueDate, null, today))).toEqual(around.filter((date) => date > lastBegun))
  expect(around.filter((date) => date > lastBegun)).toHaveLength(LATEST_DAYS + 1)
})
