// The turns of the rows of a bulk: written in their order, and no row keeps another from beginning again.
import { expect, test } from '@jest/globals'
import { BeginAgain, RowTurn } from '../../activities/row-turns.ts'

test('a row is written when the row before it is decided, and not earlier', async () => {
  const first = new RowTurn(null)
  const second = new RowTurn(first)
  first.begin()
  await first.waitToWrite()
  second.begin()
  const seen: string[] = []
  const waiting = second.waitToWrite().then(() => seen.push('written'))
  await second.hasRead
  expect(seen).toEqual([])
  first.decide()
  await waiting
  expect(seen).toEqual(['written'])
})

test('a row that waits gives up when the row before it begins again, before or while it waits', async () => {
  const first = new RowTurn(null)
  const [early, late] = [new RowTurn(first), new RowTurn(first)]
  first.begin()
  const waiting = early.waitToWrite()
  first.begin()
  await expect(waiting).rejects.toThrow(BeginAgain)
  await expect(late.waitToWrite()).rejects.toThrow(BeginAgain)
  const after = late.afterBefore()
  first.decide()
  await after
  await expect(late.waitToWrite()).resolves.toBeUndefined()
})

test('a row that cannot be decided keeps all rows after it from being written', async () => {
  const first = new RowTurn(null)
  const second = new RowTurn(first)
  const third = new RowTurn(second)
  first.fail(new Error('away'))
  await expect(second.waitToWrite()).rejects.toThrow('away')
  await expect(second.afterBefore()).rejects.toThrow('away')
  second.fail(new Error('away'))
  await expect(third.waitToWrite()).rejects.toThrow('away')
})
