// The turns of the batches of a bulk: written in their order, and no batch keeps another from beginning again.
import { expect, test } from '@jest/globals'
import { BeginAgain, BatchTurn } from '../../activities/batch-turns.ts'

test('a batch is written when the batch before it is decided, and not earlier', async () => {
  const first = new BatchTurn(null)
  const second = new BatchTurn(first)
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

test('a batch that waits gives up when the batch before it begins again, before or while it waits', async () => {
  const first = new BatchTurn(null)
  const [early, late] = [new BatchTurn(first), new BatchTurn(first)]
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

test('a batch that cannot be decided keeps all batches after it from being written', async () => {
  const first = new BatchTurn(null)
  const second = new BatchTurn(first)
  const third = new BatchTurn(second)
  first.fail(new Error('away'))
  await expect(second.waitToWrite()).rejects.toThrow('away')
  await expect(second.afterBefore()).rejects.toThrow('away')
  second.fail(new Error('away'))
  await expect(third.waitToWrite()).rejects.toThrow('away')
})
