// A semaphore that is shared fairly: so many at once, so many for one, and turns for those who wait.
import { expect, test } from '@jest/globals'
import { fairSemaphore, NoPlace } from '../../gateways/semaphore.ts'

/** Work that is under way until it is let go, with the order in which it was begun. */
function works() {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<void>((resolve) => ends.push(resolve))
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  const endOne = async () => {
    ends.shift()!()
    await settled()
  }
  return { begun, work, endOne, settled }
}

test('those who wait are served in turns, however many one of them has', async () => {
  const { begun, work, endOne, settled } = works()
  const semaphore = fairSemaphore({ places: 2 })
  for (let n = 1; n <= 5; n += 1) void semaphore.through('hostile', work(`h${n}`))
  for (let n = 1; n <= 2; n += 1) void semaphore.through('victim', work(`v${n}`))
  await settled()
  expect(begun).toEqual(['h1', 'h2'])
  while (begun.length < 7) await endOne()
  expect(begun).toEqual(['h1', 'h2', 'h3', 'v1', 'h4', 'v2', 'h5'])
})

test('one key has no more than its own places, although others are free', async () => {
  const { begun, work, endOne, settled } = works()
  const semaphore = fairSemaphore({ places: 5, placesPerKey: 2 })
  for (let n = 1; n <= 4; n += 1) void semaphore.through('hostile', work(`h${n}`))
  void semaphore.through('victim', work('v1'))
  await settled()
  expect(begun).toEqual(['h1', 'h2', 'v1'])
  await endOne()
  expect(begun).toEqual(['h1', 'h2', 'v1', 'h3'])
})

test('work that fails gives its place back', async () => {
  const semaphore = fairSemaphore({ places: 1 })
  await expect(semaphore.through('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await semaphore.through('b', async () => 7)).toBe(7)
})

test('work that is given up before its turn is not begun, and holds up nobody', async () => {
  const { begun, work, endOne, settled } = works()
  const semaphore = fairSemaphore({ places: 1 })
  const [mind, other] = [new AbortController(), new AbortController()]
  void semaphore.through('a', work('a1'), mind.signal)
  const givenUp = semaphore.through('a', work('a2'), mind.signal)
  void semaphore.through('a', work('a3'), other.signal)
  void semaphore.through('b', work('b1'))
  await settled()
  mind.abort()
  await expect(givenUp).rejects.toThrow(NoPlace)
  await expect(semaphore.through('a', work('a4'), mind.signal)).rejects.toThrow(NoPlace)
  await endOne()
  await endOne()
  other.abort()
  expect(begun).toEqual(['a1', 'a3', 'b1'])
  await endOne()
  expect(await semaphore.through('c', async () => 7)).toBe(7)
})

test('no more of one key waits than its bound, and others wait beside it', async () => {
  const { begun, work, endOne, settled } = works()
  const semaphore = fairSemaphore({ places: 1, mostWaitingPerKey: 2 })
  for (let n = 1; n <= 3; n += 1) void semaphore.through('hostile', work(`h${n}`))
  await expect(semaphore.through('hostile', work('h4'))).rejects.toThrow(NoPlace)
  void semaphore.through('victim', work('v1'))
  await settled()
  await endOne()
  void semaphore.through('hostile', work('h5'))
  await settled()
  while (begun.length < 5) await endOne()
  expect(begun).toEqual(['h1', 'h2', 'v1', 'h3', 'h5'])
})
