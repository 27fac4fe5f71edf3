// npm run dev: which files are noticed when they change, and what is started again.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { EventEmitter } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunPart } from '../../bin/services/keep-alive.ts'
import { end, launch, type StartedServer } from '../../bin/services/process.ts'
import { readableLines } from '../../bin/services/readable-log.ts'
import { type Changes, restartAt } from '../../bin/services/restart.ts'
import { concerns, watchSource } from '../../bin/services/source-changes.ts'
import { until } from './local-run.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dev-'))
  for (const path of ['api/http', 'domain', 'test', 'node_modules/pino']) mkdirSync(join(folder, path), { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (path: string, text = '') => writeFileSync(join(folder, path), text)

describe('changes of the source', () => {
  const seen: string[] = []
  let watching: { close(): void }
  beforeEach(() => {
    seen.length = 0
    write('api/http/pipeline.ts')
    watching = watchSource(folder, (paths) => seen.push(...paths))
  })
  afterEach(() => watching.close())
  const isSeen = (path: string) => until(() => seen.splice(0).includes(path), 90_000, () => `${path} is not seen`)
  /** A new folder is watched a moment after it was made: the file in it is written again until that is so. */
  const untilWatched = async (path: string) => {
    for (let tries = 0; tries < 20; tries += 1) {
      write(path, String(tries))
      if (await until(() => seen.splice(0).includes(path), 1_000, () => '').then(() => true, () => false)) return
    }
    throw new Error(`${path} is not seen`)
  }

  test('are seen in every folder of the service, and beside them', async () => {
    for (const path of ['api/http/pipeline.ts', 'domain/money.ts', 'settings.ts']) {
      write(path, 'changed')
      await isSeen(path)
    }
  })

  test('are seen each time, however an editor writes the file', async () => {
    for (const text of ['one', 'two', 'three']) {
      write('api/http/.pipeline.ts.swp', text)
      renameSync(join(folder, 'api/http/.pipeline.ts.swp'), join(folder, 'api/http/pipeline.ts'))
      await isSeen('api/http/pipeline.ts')
    }
  })

  test('are seen in folders that are made meanwhile, and made again', async () => {
    for (let n = 0; n < 2; n += 1) {
      mkdirSync(join(folder, 'domain/posting'))
      await untilWatched('domain/posting/invoice.ts')
      rmSync(join(folder, 'domain/posting'), { recursive: true })
      await isSeen('domain/posting/invoice.ts')
    }
  })

  test('of tests, packages, notes and files of an editor are none', async () => {
    for (const path of ['test/a.test.ts', 'node_modules/pino/index.ts', 'domain/notes.md', 'domain/.money.ts.swp', 'domain/money.ts~']) write(path)
    write('domain/last.ts')
    await until(() => seen.includes('domain/last.ts'), 90_000, () => 'nothing is seen')
    expect(seen).toEqual(['domain/last.ts'])
  })
})

test.each([
  ['api/routes.ts', true, false],
  ['worker/relay.ts', false, true],
  ['workflows/index.ts', false, true],
  ['commands/sales/invoices.ts', true, true],
  ['models/migrations/0001_tokens.sql', true, true],
  ['settings.ts', true, true],
])('%s concerns the API: %s, the worker: %s', (path, api, worker) => {
  expect([concerns('API', path), concerns('Worker', path)]).toEqual([api, worker])
})

describe('a part', () => {
  const stopping = new AbortController()
  let changes: Changes
  let starts: StartedServer[]
  let failure: Error | null
  let watched: Promise<void>
  let said: string[]
  let part: RunPart

  beforeEach(async () => {
    changes = new EventEmitter()
    starts = []
    // The part of the test before may still say that it has ended.
    const lines: string[] = []
    said = lines
    failure = null
    part = {
      name: 'API',
      log: join(folder, 'api.log'),
      async start() {
        if (failure) throw failure
        const process = await launch({
          name: 'API', command: globalThis.process.execPath, args: ['-e', 'setInterval(() => undefined, 1000)'], log: part.log, env: {},
        })
        starts.push({ url: '', process, stop: () => end(process) })
        return starts.at(-1)!
      },
      detail: () => '',
    }
    watched = restartAt(changes, (...line) => lines.push(line.slice(0, 2).join(' ')))(part, await part.start(), stopping.signal)
  })
  afterEach(async () => {
    for (const server of starts) await server.stop()
  })
  const started = (count: number) => until(() => starts.length === count, 90_000, () => `${starts.length} starts instead of ${count}`)

  test('is ended and started again by a change of its own, once for several', async () => {
    changes.emit('change', ['domain/money.ts', 'api/routes.ts'])
    changes.emit('change', ['domain/gst.ts'])
    changes.emit('change', ['workflows/index.ts'])
    await started(2)
    expect(await starts[0]!.process.ended).toBe('signal SIGTERM')
    expect(starts[1]!.process.hasEnded()).toBe(false)
    await until(() => said.length > 1, 90_000, () => 'it does not say that it is back')
    expect(said).toEqual(['API restarting: domain/gst.ts has changed', 'API back'])
  })

  test('that has ended or does not start waits for the next change', async () => {
    await starts[0]!.stop()
    failure = new Error('it ended at start (exit code 1); the last lines of its log')
    changes.emit('change', ['api/routes.ts'])
    await until(() => said.length === 3, 90_000, () => said.join('; '))
    expect(starts.length).toBe(1)
    expect(said).toEqual([
      'API ended (signal SIGTERM); restarts after the next change',
      'API restarting: api/routes.ts has changed',
      'API does not start: it ended at start (exit code 1); retried after the next change',
    ])
    failure = null
    changes.emit('change', ['api/routes.ts'])
    await started(2)
  })

  test('is watched until the run stops', async () => {
    stopping.abort()
    await watched
  })
})

test('lines of the log are readable, and what is none stays as it is', () => {
  const readable = readableLines(false)
  const at = { time: Date.UTC(2026, 10, 21, 10), process: 'api' }
  expect(readable(JSON.stringify({ level: 30, ...at, method: 'POST', route: '/invoices', status: 201, duration_ms: 4.2, msg: 'request' })))
    .toMatch(/^\[\d\d:\d\d:\d\d\.000\] INFO: POST \/invoices 201 in 4\.2 ms$/)
  expect(readable(JSON.stringify({ level: 40, ...at, dropped: 3, msg: 'log lines were dropped' }))).toMatch(/ WARN: log lines were dropped \{"dropped":3\}$/)
  expect(readable('SyntaxError: Unexpected token')).toBe('SyntaxError: Unexpected token')
})
