// A part of the local run that lives and does not answer: it takes some probes until that is known.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../bin/services/port.ts'
import { end, isAlive } from '../../bin/services/process.ts'
import { childrenOf, type LocalRun, startLocalRun, statusOf, until } from './local-run.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'bahi-hang-'))
let run: LocalRun | undefined
let origin: string
const stopped = new Set<number>()

beforeAll(async () => {
  const port = await freePort(undefined)
  origin = `http://127.0.0.1:${port}`
  run = startLocalRun(dataDir, port)
  await run.says(/Bahi is ready after/, 90_000)
}, 100_000)

// Also after a start or a test that failed, with the API or the worker still stopped: what is stopped is killed like any other.
afterAll(async () => {
  run?.kill('SIGKILL')
  await run?.ended
  const children = existsSync(join(dataDir, 'run.json')) ? childrenOf(dataDir) : []
  for (const child of children.toReversed()) await end(child, { patienceMs: stopped.has(child.pid) ? 0 : 5_000 })
  rmSync(dataDir, { recursive: true, force: true })
})

const part = (name: string) => childrenOf(dataDir).find((child) => child.name === name)

test('an API and a worker that hang are ended and come back', async () => {
  const before = ['API', 'Worker'].map((name) => part(name)!)
  for (const { pid } of before) {
    stopped.add(pid)
    process.kill(pid, 'SIGSTOP')
  }
  for (const { name, pid } of before) {
    await until(() => (part(name)?.pid ?? pid) !== pid, 90_000, () => `${name} stays away:\n${run!.output()}`)
    expect(run!.output()).toMatch(new RegExp(`${name} +does not answer \\(3 times in a row\\); is ended`))
  }
  await until(async () => (await statusOf(`${origin}/health/ready`)) === 200, 90_000, () => `not ready:\n${run!.output()}`)
  expect(before.filter(isAlive)).toEqual([])
}, 200_000)
