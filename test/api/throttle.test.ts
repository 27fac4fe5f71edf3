// The throttle of answers that use up no budget: none waits while they are few, all of a flood are spread and bounded.
import { expect, test } from '@jest/globals'
import { createThrottle, LONGEST_DELAY_MS, UNPAID_PER_SECOND } from '../../api/http/throttle.ts'
import { useService } from '../fixtures/use-service.ts'

/** A throttle whose clock moves only by `pass`, and the waits that it has requested. */
function throttled() {
  let nowMs = 5_000
  const waits: number[] = []
  const throttle = createThrottle(() => nowMs, async (ms) => void waits.push(ms))
  return { throttle, waits, pass: (ms: number) => (nowMs += ms) }
}

async function times(count: number, work: () => Promise<void>): Promise<void> {
  for (let done = 0; done < count; done += 1) await work()
}

test('nobody waits while there are few', async () => {
  const { throttle, waits, pass } = throttled()
  await times(UNPAID_PER_SECOND, throttle)
  for (let second = 0; second < 5; second += 1) {
    pass(1_000)
    await times(UNPAID_PER_SECOND - 1, throttle)
  }
  expect(waits).toEqual([])
})

test('a flood is spread over time, each one later than the one before, and nobody waits longer than the bound', async () => {
  const { throttle, waits, pass } = throttled()
  await times(UNPAID_PER_SECOND * 10, throttle)
  const spread = waits.slice(0, UNPAID_PER_SECOND)
  expect(spread.every((ms, place) => place === 0 || ms > spread[place - 1]!)).toBe(true)
  expect(spread.at(-1)).toBeGreaterThan(900)
  expect(Math.max(...waits)).toBe(LONGEST_DELAY_MS)
  // What a flood has left behind is over with it: it is not worked off for longer than the bound.
  pass(LONGEST_DELAY_MS + 1_000)
  const before = waits.length
  await throttle()
  expect(waits).toHaveLength(before)
})

test.each([
  ['refusals by the rate limit', '/whoami', 429], ['what anyone may call', '/ping', 200], ['unmatched routes', '/nothing', 404],
])('%s are all answered, however many come at once', async (_name, path, status) => {
  const answers = await Promise.all(Array.from({ length: UNPAID_PER_SECOND + 100 }, () => service.call('GET', path)))
  expect(new Set(answers.slice(1).map((answer) => answer.status))).toEqual(new Set([status]))
  expect(answers.every(({ headers }) => headers['x-request-id'] !== undefined)).toBe(true)
})

const service = await useService({ RATE_LIMIT_DEFAULT: '1' })

