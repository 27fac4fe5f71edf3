// The generated types of the client are those of the routes as they are.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { clientSchemas } from '../../bin/client-schemas.ts'
import { ROOT } from '../fixtures/root.ts'
import { GENERATED } from '../house/sources.ts'

const files = await clientSchemas()

test.each(files)('%s is what npm run docs writes', (file, text) => {
  const written = readFileSync(join(ROOT, file), 'utf8')
  // The difference of two long texts would take minutes to print.
  const [were, are] = [new Set(written.split('\n')), new Set(text.split('\n'))]
  expect([...are].filter((line) => !were.has(line))).toEqual([])
  expect([...were].filter((line) => !are.has(line))).toEqual([])
  expect(written === text).toBe(true)
})

test('no other file is exempt from the rules of the house', () => {
  expect(files.map(([file]) => file).sort()).toEqual(GENERATED)
})
