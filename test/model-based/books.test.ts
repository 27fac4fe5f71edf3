// Any sequence of calls, legal or not, leaves the books as a small model computes them, to the paisa.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { useService } from '../fixtures/use-service.ts'
import type { Rounding } from './books.ts'
import { compareAll } from './compare.ts'
import { openModel } from './open.ts'
import { STEPS } from './steps.ts'
import type { Session } from './step.ts'

// A longer hunt: MODEL_RUNS=500. A run seen before: MODEL_SEED, MODEL_PATH and MODEL_REPLAY (the replayPath) as they are
// printed where it fails. MODEL_TELL=1 prints the outcomes of each kind of call.
const { MODEL_RUNS: runs, MODEL_SEED: seed, MODEL_PATH: path, MODEL_REPLAY: replayPath, MODEL_TELL } = process.env

// How long new runs are begun on a slow machine, unless so many of them are asked for; how long a failure is made shorter.
const BEGINNING_MS = 40_000
const SHORTENING_MS = 60_000

const service = await useService()
await service.startWorker()

test.each([['money', 15], ['credits', 15], ['orders', 15], ['names', 15]] as const)('whatever is done with %s, the service answers what the model says', async (what, usual) => {
  const outcomes: Session['outcomes'] = new Map()
  const numRuns = runs ? Number(runs) : usual
  let end = runs ? Infinity : Date.now() + BEGINNING_MS
  let isFailed = false
  // Without bias, which would make most of so few runs short.
  const commands = fc.noBias(fc.commands(STEPS[what], { maxCommands: 120, size: 'max', ...(replayPath ? { replayPath } : {}) }))
  const rounding = fc.constantFrom<Rounding | null>(null, null, 'nearest', 'up', 'down')
  await fc.assert(fc.asyncProperty(rounding, commands, async (preferred, done) => {
    if (Date.now() > end) return
    try {
      const { books, session } = await openModel(service, outcomes, preferred)
      await fc.asyncModelRun(() => ({ model: books, real: session }), done)
      await compareAll(books, session)
    } catch (error) {
      if (!isFailed) end = Date.now() + SHORTENING_MS
      isFailed = true
      throw error
    }
  }), { numRuns, ...(seed ? { seed: Number(seed) } : {}), ...(path ? { path, endOnFailure: true } : {}) })
  if (MODEL_TELL) console.log([...outcomes].sort().map(([outcome, count]) => `${count}\t${outcome}`).join('\n'))
  // A run that met no refusals would say little.
  const refused = [...outcomes.keys()].filter((outcome) => / 4\d\d /.test(outcome))
  expect([outcomes.size > 15, refused.length > 5]).toEqual([true, true])
}, 120_000 + 10_000 * Number(runs ?? 0))
