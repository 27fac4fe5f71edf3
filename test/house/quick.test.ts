// The quick run of the tests has a file for every resource: one that is missing would be left out in silence.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { quickTests } from '../../bin/suite/quick.ts'
import { someOf } from '../contract/cases.ts'
import { ROOT } from '../fixtures/root.ts'

test('every resource is tested in a file that exists', () => {
  const files = quickTests(ROOT).filter((path) => path.endsWith('.test.ts'))
  expect(files.length).toBeGreaterThan(readdirSync(join(ROOT, 'api', 'resources')).length / 2)
  expect(files.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})

test.each([1, 2, 3, 5, 8, 13])('of %i cases each is gone through with some route, each once and at least one with every route', (count) => {
  const cases = Array.from({ length: count }, (_, n) => n)
  const taken = Array.from({ length: count }, () => someOf(cases, 4))
  expect(new Set(taken.flat())).toEqual(new Set(cases))
  for (const some of taken) expect([some.length, new Set(some).size]).toEqual([Math.ceil(count / 4), some.length])
  expect(someOf(cases, 1)).toEqual(cases)
})
