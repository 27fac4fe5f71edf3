// npm start where a repeat would change nothing: it says why and what to do, and ends; with a health port alone it becomes ready.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, jest, test } from '@jest/globals'
import { freePort } from '../../bin/services/port.ts'
import { end, isAlive } from '../../bin/services/process.ts'
import { childrenOf, type LocalRun, startLocalRun, statusOf } from './local-run.ts'

jest.setTimeout(240_000)

const READY = /Bahi is ready after/
const dataDir = mkdtempSync(join(tmpdir(), 'bahi-refused-'))
const port = await freePort(undefined)
let run: LocalRun | undefined

afterAll(async () => {
  run?.kill('SIGKILL')
  await run?.ended
  for (const child of childrenOf(dataDir).toReversed()) await end(child, { patienceMs: 5000 })
  rmSync(dataDir, { recursive: true, force: true })
})

const start = (settings: Record<string, string> = {}) => (run = startLocalRun(dataDir, port, settings))

async function stop(): Promise<void> {
  run!.kill('SIGTERM')
  expect(await run!.ended).toBe(0)
}

/** What a run prints that ends by itself, from the empty line before the reason to the line about the first part that is stopped. */
async function refusal(settings: Record<string, string> = {}): Promise<string[]> {
  const { ended, output } = start(settings)
  expect({ code: await ended, output: output() }).toEqual({ code: 1, output: expect.any(String) })
  expect(childrenOf(dataDir).filter(isAlive)).toEqual([])
  const lines = output().trimEnd().split('\n')
  const said = lines.slice(lines.lastIndexOf('') + 1)
  return said.filter((line) => !/^\S+ +(stopped|started|ready|back) |^Everything is stopped/.test(line))
}

test('a health port alone is where it asks whether it is ready', async () => {
  const healthPort = String(await freePort(undefined))
  await start({ HEALTH_PORT: healthPort, HEALTH_PORT_ONLY: 'true' }).says(READY)
  expect([await statusOf(`http://127.0.0.1:${port}/health/ready`), await statusOf(`http://127.0.0.1:${healthPort}/health/ready`)]).toEqual([404, 200])
  await stop()
  expect(await refusal({ HEALTH_PORT_ONLY: 'true' })).toEqual(['HEALTH_PORT_ONLY needs a HEALTH_PORT, at which health checks and metrics are answered'])
})

test('another key: the message names the file of the right one', async () => {
  const said = await refusal({ ENCRYPTION_KEY: randomBytes(32).toString('base64') })
  expect(said).toEqual([
    expect.stringMatching(/^(API|Worker) does not start: ENCRYPTION_KEY is not the key of this database: /),
    `  Remedy: the key of this data folder is in ${dataDir}/encryption.key, and ENCRYPTION_KEY in the environment is another one: unset ENCRYPTION_KEY, and npm start again`,
  ])
})

test('a Temporal that serves other books, until its data is removed', async () => {
  for (const name of ['postgres', 'postgres.password', 'postgres.service-password', 'demo.json']) rmSync(join(dataDir, name), { recursive: true })
  const said = await refusal()
  expect(said).toEqual([
    expect.stringMatching(/^Worker does not start: Temporal at .* serves other books /),
    `  Remedy: remove ${dataDir}/temporal, and npm start again: what Temporal had to do is taken up from the books`,
  ])
  rmSync(join(dataDir, 'temporal'), { recursive: true })
  await start().says(READY)
  await stop()
})
