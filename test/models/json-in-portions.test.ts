// Long lists are serialised as JSON.stringify does, and other work has its turn meanwhile.
import { expect, test } from '@jest/globals'
import { jsonInPortions } from '../../models/json-in-portions.ts'

const asText = (_key: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)
const jsonOf = (value: unknown) => JSON.stringify(value, asText)

test.each<[string, Record<string, unknown[]>]>([
  ['nothing', {}],
  ['empty lists', { p0: [], p1: [] }],
  ['values of every kind', { p0: [1, 'a"b', null, { a: 1n, b: new Date(0), c: undefined }], '"': [[1n], true] }],
])('%s', async (_name, lists) => {
  expect(await jsonInPortions(lists, jsonOf)).toBe(jsonOf(lists))
})

test('other work goes on between portions', async () => {
  let turns = 0
  let isOver = false
  const other = () => {
    turns += 1
    if (!isOver) setImmediate(other)
  }
  other()
  const lists = { p0: Array.from({ length: 40 }, (_, n) => ({ n, text: 'x'.repeat(100_000) })) }
  const text = await jsonInPortions(lists, jsonOf)
  isOver = true
  expect(text).toBe(JSON.stringify(lists))
  expect(turns).toBeGreaterThan(5)
})
