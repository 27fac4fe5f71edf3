// The quick run of the tests has a file for every resource: one that is missing would be left out in silence.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { quickTests } from '../../bin/suite/quick.ts'
import { ROOT } from '../fixtures/root.ts'

test('every resource is tested in a file that exists', () => {
  const files = quickTests(ROOT).filter((path) => path.endsWith('.test.ts'))
  expect(files.length).toBeGreaterThan(readdirSync(join(ROOT, 'api', 'resources')).length / 2)
  expect(files.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})
