// The engine's connection to Temporal: a call that is retried when the engine closes is not retried on the closed connection.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'

// In a process of its own, because an error in a timer would end it.
const run = () => promisify(execFile)(process.execPath, [join(import.meta.dirname, 'closing-engine.ts')])

test('an engine that closes while a call is retried sends nothing more, and fails in no timer', async () => {
  const { stdout } = await run()
  const { atClose, afterwards, outcome } = JSON.parse(stdout) as { atClose: number; afterwards: number; outcome: string }
  expect(atClose).toBeGreaterThanOrEqual(3)
  expect(afterwards).toBe(atClose)
  expect(outcome).toBe('EngineUnavailable')
})
