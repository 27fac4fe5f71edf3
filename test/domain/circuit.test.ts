// The circuit of an endpoint: when it opens, how its trials grow apart, and what closes it.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { circuitAfter, CLOSED, closed, waitOf, type Circuit, type Verdict } from '../../domain/circuit.ts'
import { attemptsOf } from '../../domain/retry-ladder.ts'
import { readSettings } from '../../settings.ts'

const RULES = { failures: 20, firstWaitMs: 30_000, longestWaitMs: 3_600_000 }
const AT = new Date('2026-11-22T09:00:00Z')
const later = (ms: number) => new Date(AT.getTime() + ms)
const verdict = (changes: Partial<Verdict> = {}): Verdict => ({ answered: false, failures: 1, slow: false, at: AT, ...changes })
const success = verdict({ answered: true, failures: 0 })
const turn = (circuit: Circuit, given: Verdict, random01 = 0) => circuitAfter(circuit, given, RULES, random01)
const open: Circuit = { ...CLOSED, state: 'OPEN', failures: 20, opened: 1, nextTryAt: later(30_000) }
const halfOpen: Circuit = { ...open, state: 'HALF_OPEN', nextTryAt: later(300_000) }

describe('what an outcome makes of it', () => {
  test.each<[string, Circuit, Verdict, Partial<Circuit>]>([
    ['a failure is counted', CLOSED, verdict(), { state: 'CLOSED', failures: 1, nextTryAt: null }],
    ['the nineteenth does not open it', { ...CLOSED, failures: 18 }, verdict(), { state: 'CLOSED', failures: 19 }],
    ['the twentieth opens it', { ...CLOSED, failures: 19 }, verdict(), { state: 'OPEN', failures: 20, opened: 1, nextTryAt: later(30_000) }],
    ['many at once open it', CLOSED, verdict({ failures: 50 }), { state: 'OPEN', failures: 50, opened: 1 }],
    ['a success begins the count anew', { ...CLOSED, failures: 19 }, success, { state: 'CLOSED', failures: 0, releasing: false }],
    ['only failures after the success count', { ...CLOSED, failures: 19 }, verdict({ answered: true, failures: 2 }), { state: 'CLOSED', failures: 2 }],
    ['attempts that were under way do not push the trial away', open, verdict({ failures: 7, at: later(9_000) }), { state: 'OPEN', opened: 1, nextTryAt: later(30_000) }],
    ['a failed trial opens it for longer', halfOpen, verdict(), { state: 'OPEN', opened: 2, nextTryAt: later(60_000) }],
    ['a trial that arrives closes it', halfOpen, success, { state: 'CLOSED', failures: 0, opened: 0, nextTryAt: null, releasing: true }],
    ['a success that was under way closes it too', open, success, { state: 'CLOSED', opened: 0, nextTryAt: null, releasing: true }],
    ['slow answers are remembered', CLOSED, verdict({ answered: true, failures: 0, slow: true }), { state: 'CLOSED', slow: true }],
    ['and forgotten with a quick one', { ...CLOSED, slow: true }, success, { slow: false }],
  ])('%s', (_name, circuit, given, expected) => expect(turn(circuit, given)).toMatchObject(expected))

  test('closing by hand keeps that deliveries are to be released', () => {
    expect(closed(open)).toEqual({ ...CLOSED, releasing: true })
    expect(closed({ ...CLOSED, failures: 3 })).toEqual(CLOSED)
    expect(closed({ ...CLOSED, releasing: true })).toMatchObject({ releasing: true })
  })
})

test('the trials grow apart from half a minute to an hour', () => {
  const seconds = Array.from({ length: 10 }, (_, opened) => waitOf(opened + 1, RULES, 0) / 1_000)
  expect(seconds).toEqual([30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600])
  fc.assert(fc.property(fc.integer({ min: 1, max: 10_000 }), fc.double({ min: 0, max: 0.999999, noNaN: true }), (opened, random01) => {
    const [least, wait] = [waitOf(opened, RULES, 0), waitOf(opened, RULES, random01)]
    expect(wait).toBeGreaterThanOrEqual(least)
    expect(wait).toBeLessThanOrEqual(least * 1.1)
  }))
})

test('two deliveries that climb the whole ladder alone never open it', () => {
  const settings = readSettings({ DATABASE_URL: 'postgres://x', ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') })
  expect(2 * attemptsOf(settings.webhookLadderSeconds)).toBeLessThan(settings.webhookCircuitFailures)
})

test('whatever comes, it is closed exactly when it waits for no trial, and only failures keep it open', () => {
  const outcome = fc.record({ answered: fc.boolean(), failures: fc.integer({ min: 0, max: 30 }), slow: fc.boolean(), tries: fc.boolean() })
  fc.assert(fc.property(fc.array(outcome, { maxLength: 40 }), (outcomes) => {
    let circuit = CLOSED
    let streak = 0
    for (const { answered, failures, slow, tries } of outcomes) {
      if (tries && circuit.state === 'OPEN') circuit = { ...circuit, state: 'HALF_OPEN' }
      circuit = turn(circuit, verdict({ answered, failures, slow }))
      streak = (answered ? 0 : streak) + failures
      expect(circuit.state === 'CLOSED').toBe(circuit.nextTryAt === null)
      expect(circuit.failures).toBe(streak)
      if (streak < RULES.failures) expect([circuit.state, streak]).toEqual(['CLOSED', streak])
    }
  }))
})
