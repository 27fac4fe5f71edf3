// A semaphore that is shared fairly: so many at once, so many for one, and turns for those who wait.
import { expect, test } from '@jest/globals'
import { fairSemaphore } from '../../gateways/semaphore.ts'

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
