// The quick run of the tests has a file for every resource: one that is missing would be left out in silence.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { lintedFiles } from '../../bin/suite/linted.ts'
import { quickTests } from '../../bin/suite/quick.ts'
import { someOf, someRows } from '../contract/cases.ts'
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

test.each([1, 2, 3, 5, 8, 13])('of %i routes each is taken by one of three tests, and every test takes some', (count) => {
  const rows = Array.from({ length: count }, (_, n) => n)
  const taken = Array.from({ length: 3 }, () => someRows(rows, 3))
  expect(new Set(taken.flat())).toEqual(new Set(rows))
  for (const some of taken) expect(some.length === 1 || (some.length > 0 && some.length <= Math.ceil(count / 3))).toBe(true)
  expect(someRows(rows, 1)).toEqual(rows)
})

test('every route of the contract is called as it is meant to be, whatever else a quick run leaves out', () => {
  expect(readFileSync(join(ROOT, 'test', 'contract', 'answers.test.ts'), 'utf8')).toContain("test.each(each())('%s', async")
})

test('the linter checks what has changed since it passed, and everything where its rules have changed or nobody knows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'linted-'))
  const [root, noteFile] = [join(folder, 'checkout'), join(folder, 'cache', 'linter.json')]
  mkdirSync(root)
  const write = (name: string, text: string) => writeFileSync(join(root, name), text)
  const changed = () => lintedFiles(root, noteFile).changed
  try {
    for (const name of ['biome.jsonc', 'package-lock.json', 'tsconfig.json', 'one.ts', 'other.ts', 'README.md']) write(name, '{}')
    expect(changed()).toBeNull()
    expect(lintedFiles(ROOT, noteFile).changed).toBeNull()
    execFileSync('git', ['init', '--quiet'], { cwd: root })
    expect(changed()).toBeNull()
    lintedFiles(root, noteFile).notePassed()
    expect(changed()).toEqual([])
    // A file that failed stays changed; one that is there no more is not checked.
    write('other.ts', '{ }')
    write('new.ts', '')
    write('README.md', '')
    rmSync(join(root, 'one.ts'))
    expect(changed()).toEqual(['new.ts', 'other.ts'])
    expect(changed()).toEqual(['new.ts', 'other.ts'])
    lintedFiles(root, noteFile).notePassed()
    expect(changed()).toEqual([])
    write('biome.jsonc', '{ }')
    expect(changed()).toBeNull()
  } finally {
    rmSync(folder, { recursive: true })
  }
})
