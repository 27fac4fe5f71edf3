// What the local run reads in the log of a part: why it is refused, and what a person can read.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { plainLine, refusalIn } from '../../bin/services/part-log.ts'
import { lastLines } from '../../bin/services/process.ts'

const folder = mkdtempSync(join(tmpdir(), 'bahi-log-'))
const log = join(folder, 'part.log')
afterAll(() => rmSync(folder, { recursive: true }))

const line = (level: number, msg: string, more = {}) => `${JSON.stringify({ level, time: 1, process: 'api', ...more, msg })}\n`
const FINAL = line(60, 'The key is not that of the database', { isFinal: true })
const STACK = { type: 'Error', message: 'it broke', stack: 'Error: it broke\n    at f (/a.ts:1:2)' }

test.each([
  ['a last line that is final', line(30, 'listening') + FINAL, 'The key is not that of the database'],
  ['a final line before others', FINAL + line(40, 'closing'), 'The key is not that of the database'],
  ['invalid settings', 'Invalid settings:\n  PORT: must be <= 65535\n', 'Invalid settings:\n  PORT: must be <= 65535'],
  ['an error that a repeat may mend', line(60, 'the API could not start', { err: STACK }), null],
  ['a port that is taken', line(60, 'PORT 1 is taken', { isFinal: false }), null],
  ['nothing', '', null],
  ['what is no JSON', '{ "isFinal": true\nSegmentation fault\n', null],
])('%s', (_what, text, why) => {
  writeFileSync(log, text)
  expect(refusalIn(log, 0)).toBe(why)
})

test('what an earlier process has logged is none of this one, and only the end of a long log is read', () => {
  writeFileSync(log, FINAL + line(30, 'listening'))
  expect(refusalIn(log, FINAL.length)).toBe(null)
  writeFileSync(log, FINAL + line(30, 'a request').repeat(5_000) + FINAL)
  expect(refusalIn(log, FINAL.length)).toBe('The key is not that of the database')
})

test('lines of a log are read without JSON and without stacks', () => {
  writeFileSync(log, `${line(60, 'worker ended', { err: STACK })}${line(40, 'waits', { reason: 'no answer' })}${line(40, 'waits', { err: 'refused' })}Error: plain\n    at g (/b.ts:1:2)\n`)
  expect(lastLines(log).split('\n')).toEqual(['    worker ended: it broke', '    waits: no answer', '    waits: refused', '    Error: plain'])
  expect(['2026-11-23 LOG: ready', '{broken', '    at f (/a.ts:1:2)'].map(plainLine)).toEqual(['2026-11-23 LOG: ready', '{broken', null])
})
