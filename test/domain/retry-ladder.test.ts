// The waits of the specification's retry schedule, with jitter only upward.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { attemptsOf, waitBefore } from '../../domain/retry-ladder.ts'

const LADDER = [30, 300, 1_800, 7_200, 21_600, 86_400]
const ALMOST_ONE = 1 - Number.EPSILON

test.each([
  [1, 0, 0],
  [2, 30_000, 33_000],
  [3, 300_000, 330_000],
  [4, 1_800_000, 1_980_000],
  [5, 7_200_000, 7_920_000],
  [6, 21_600_000, 23_760_000],
  [7, 86_400_000, 95_040_000],
])('attempt %i waits between %i and %i ms', (attempt, least, most) => {
  expect(waitBefore(attempt, LADDER, 0)).toBe(least)
  expect(waitBefore(attempt, LADDER, 0.5)).toBe((least + most) / 2)
  expect(most - waitBefore(attempt, LADDER, ALMOST_ONE)!).toBeLessThanOrEqual(1)
})

test('there is no eighth attempt', () => {
  expect(attemptsOf(LADDER)).toBe(7)
  expect(waitBefore(8, LADDER, 0)).toBeNull()
})

test('a ladder without steps makes one attempt', () => {
  expect(attemptsOf([])).toBe(1)
  expect(waitBefore(1, [], 0.5)).toBe(0)
  expect(waitBefore(2, [], 0.5)).toBeNull()
})

test('jitter is never downward and never above a tenth', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 12 })
  const random01 = fc.double({ min: 0, max: ALMOST_ONE, noNaN: true })
  fc.assert(fc.property(steps, random01, (ladder, random) => {
    ladder.forEach((seconds, step) => {
      const waitMs = waitBefore(step + 2, ladder, random)!
      expect(waitMs).toBeGreaterThanOrEqual(seconds * 1_000)
      expect(waitMs).toBeLessThanOrEqual(seconds * 1_100)
    })
  }))
})
