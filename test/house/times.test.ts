// The table of a run's time: by folder, the longest first, with the names of what was slow.
import { expect, test } from '@jest/globals'
import { timesByFolder } from '../../bin/suite/times.ts'

const file = (name: string, seconds: number, tests: number) =>
  ({ name: `/house/${name}`, startTime: 1_000, endTime: 1_000 + seconds * 1_000, assertionResults: Array<unknown>(tests).fill({}) })

test('folders are added up; files beside them count with the folder of their name', () => {
  const testResults = [
    file('test/api/items.test.ts', 2, 10), file('test/api/bills.test.ts', 6, 5), file('test/api/pages.test.ts', 7.25, 1),
    file('test/kills/kills.test.ts', 90, 4), file('test/house.test.ts', 1, 8), file('test/house/tenants.test.ts', 0.5, 2),
  ]
  expect(timesByFolder({ testResults }, '/house', 60).slice(1)).toEqual([
    'Time by folder     files  tests  seconds  slowest files',
    'test/kills             1      4     90.0  kills 90.0',
    'test/api               3     16     15.3  pages 7.3, bills 6.0',
    'test/house             2     10      1.5',
    'in all                 6     30    106.8  side by side in 60.0',
  ])
})

test('a file that could not be loaded has no tests and took no time', () => {
  const testResults = [{ name: '/house/test/api/broken.test.ts', startTime: 5, endTime: 0, assertionResults: [] }]
  expect(timesByFolder({ testResults }, '/house', 1).slice(2, 3)).toEqual(['test/api               1      0      0.0'])
})
