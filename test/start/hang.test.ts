// A part of the local run that lives and does not answer: it takes some probes until that is known.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../bin/machines/port.ts'
import { end, isAlive } from '../../bin/machines/process.ts'
import { childrenOf, type LocalRun, startLocalRun, statusOf, until } from './local-run.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'bahi-hang-'))
let run: LocalRun | undefined
let origin: string
let stopped: number | undefined

beforeAll(async () => {
  const port = await freePort(undefined)
  origin = `http://127.0.0.1:${port}`
  run = startLocalRun(dataDir, port)
  await run.says(/Bahi is ready after/, 90_000)
}, 100_000)

// Also after a start or a test that failed, with the API still stopped: what is stopped is killed like any other.
afterAll(async () => {
  run?.kill('SIGKILL')
  await run?.ended
  const children = existsSync(join(dataDir, 'run.json')) ? childrenOf(dataDir) : []
  for (const child of children.toReversed()) await end(child, { patienceMs: child.pid === stopped ? 0 : 5_000 })
  rmSync(dataDir, { recursive: true, force: true })
}, 60_000)

const api = () => childrenOf(dataDir).find(({ name }) => name === 'API')

test('the API that hangs is ended and comes back', async () => {
  const before = api()!
  stopped = before.pid
  process.kill(before.pid, 'SIGSTOP')
  await until(() => (api()?.pid ?? before.pid) !== before.pid, 90_000, () => `the API stays away:\n${run!.output()}`)
  await until(async () => (await statusOf(`${origin}/health/ready`)) === 200, 30_000, () => `not ready:\n${run!.output()}`)
  expect(run!.output()).toMatch(/API +does not answer \(3 times in a row\); is ended/)
  expect(isAlive(before)).toBe(false)
}, 130_000)
