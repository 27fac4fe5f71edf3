// How soon a part of the local run that ends again and again is started again.
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { keepAlive, pauseMs, PROBE_MS, type RunPart } from '../../bin/services/keep-alive.ts'
import { PartRefused } from '../../bin/services/part-log.ts'
import type { StartedServer } from '../../bin/services/process.ts'

test('at once at first, and within a few seconds however often it ends', () => {
  expect([1, 2, 3, 4, 5, 100].map(pauseMs)).toEqual([100, 400, 1_600, 4_000, 4_000, 4_000])
  // With the time that it needs to start, it is back within ten seconds after what ended it is over.
  expect(pauseMs(1_000) + PROBE_MS).toBeLessThan(10_000)
})

const ended = (how: string) => ({ url: '', process: { ended: Promise.resolve(how) }, stop: async () => {} }) as unknown as StartedServer

test.each([['ended', () => ended('exit code 1')], ['did not start', () => new Error('it ended at start')]])(
  'a part that %s and says that a repeat would end alike is not started again', async (_how, state) => {
    let starts = 0
    const part: RunPart = {
      name: 'Worker', log: '/dev/null', detail: () => '', refusal: () => 'the namespace serves other books',
      start: async () => ended(`start ${(starts += 1)}`),
    }
    const kept = keepAlive(part, state(), new AbortController().signal)
    await expect(kept).rejects.toThrow(new PartRefused('Worker', 'the namespace serves other books'))
    expect(starts).toBe(0)
  })

test('a part that ended, or did not start, is started again until the run stops', async () => {
  const stopping = new AbortController()
  let starts = 0
  const part: RunPart = {
    name: 'part', log: '/dev/null', detail: () => '',
    async start() {
      starts += 1
      if (starts === 1) throw new Error('its port is taken')
      stopping.abort()
      return ended('code 1')
    },
  }
  await Promise.race([keepAlive(part, ended('signal SIGKILL'), stopping.signal), delay(30_000, null, { ref: false })])
  expect(starts).toBe(2)
})
