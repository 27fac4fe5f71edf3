// The last lines of a process: written before it ends, whatever was being written, unless its log takes nothing.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import { MAX_WAITING_BYTES } from '../../gateways/log-output.ts'
import { ROOT } from '../fixtures/root.ts'

// More than a group has, so a write is under way when the last line comes, and it ends before the process does.
const PROGRAM = `
  import { openLog } from './gateways/log-output.ts'
  const { log, exit } = openLog('test', 'info')
  for (let n = 0; n < Number(process.argv[1]); n += 1) log.info({ n }, 'x'.repeat(1000))
  log.fatal('the last line')
  await exit(7)
`
const startProgram = (stdout: number | 'pipe', lines: number) =>
  spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, String(lines)], { cwd: ROOT, stdio: ['ignore', stdout, 'inherit'] })
const lastOf = (said: string) => (JSON.parse(said.trimEnd().split('\n').at(-1)!) as { msg: string }).msg
const temporary = (name: string) => join(mkdtempSync(join(tmpdir(), 'bahi-log-')), name)

test.each([0, 5, 100])('after %d lines, to a reader', async (lines) => {
  const child = startProgram('pipe', lines)
  const ended = once(child, 'exit')
  const said = await text(child.stdout!)
  expect([(await ended)[0], said.trimEnd().split('\n').length, lastOf(said)]).toEqual([7, lines + 1, 'the last line'])
})

test('after more than a pipe holds, to a reader who is not held up', async () => {
  const [path, code] = [temporary('log'), temporary('code')]
  execFileSync('sh', ['-c', '{ "$0" --input-type=module -e "$1" 3000; echo $? > "$3"; } | cat > "$2"', process.execPath, PROGRAM, path, code], { cwd: ROOT })
  const said = readFileSync(path, 'utf8')
  expect([readFileSync(code, 'utf8').trim(), said.trimEnd().split('\n').length, lastOf(said)]).toEqual(['7', 3001, 'the last line'])
})

test('to a file', async () => {
  const path = temporary('log')
  const file = openSync(path, 'w')
  const child = startProgram(file, 5)
  closeSync(file)
  expect([(await once(child, 'exit'))[0], lastOf(readFileSync(path, 'utf8'))]).toEqual([7, 'the last line'])
})

test('not into a pipe that nobody reads', async () => {
  const path = temporary('pipe')
  execFileSync('mkfifo', [path])
  const pipe = openSync(path, constants.O_RDWR)
  const child = startProgram(pipe, Math.ceil(MAX_WAITING_BYTES / 1000))
  expect((await once(child, 'exit'))[0]).toBe(7)
  closeSync(pipe)
})

test('not to a reader that is gone', async () => {
  const child = startProgram('pipe', 5)
  child.stdout!.destroy()
  expect((await once(child, 'exit'))[0]).toBe(7)
})
