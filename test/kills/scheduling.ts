// A writer that adds schedules that are due, has some run by hand, and finds one document for each of their occurrences.
import { expect } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { addDays } from '../../domain/dates.ts'
import { expenseBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { TODAY } from '../fixtures/organization.ts'
import { until } from '../start/local-run.ts'
import type { LoadedOrganization } from './organization.ts'
import type { CheckedCaller, Writer } from './writers.ts'

/** Schedules of a round, and the documents of each: all but the one that is run by hand are due when it is added. */
const AT_ONCE = 2
const RUNS = 4
const LIMIT_MS = 240_000

export function scheduling({ accounts }: LoadedOrganization, caller: CheckedCaller): Writer {
  const added: string[] = []
  const byHand: { path: string; key: string; answer: Json }[] = []
  const { date: _date, ...template_payload } = expenseBody({ accounts })

  async function add(): Promise<string> {
    const body = {
      entity_type: 'EXPENSE', name: `Schedule ${added.length}`, frequency: 'DAILY', start_date: addDays(TODAY, 1 - RUNS), max_runs: RUNS,
      template_payload: { ...template_payload, description: 'Day {{occurrence}}' },
    }
    const { recurring } = await caller.post('/recurring', body)
    added.push(recurring.recurring_id)
    return recurring.recurring_id
  }

  return {
    name: 'scheduling',
    async round() {
      const [first] = await Promise.all(Array.from({ length: AT_ONCE }, add))
      // What is due may be generated before: then it is completed, and not run by hand any more.
      const path = `/recurring/${first}/run`
      const key = randomUUID()
      const { status, body, text } = await caller.answer('POST', path, { key })
      if (status === 200) byHand.push({ path, key, answer: body })
      else if (status !== 400) throw new Error(`POST ${path} answered ${status}: ${text}`)
    },
    async check() {
      for (const id of added) await checkSchedule(caller, id)
      for (const { path, key, answer } of byHand) expect((await caller.answer('POST', path, { key })).body).toEqual(answer)
    },
  }
}

async function checkSchedule(caller: CheckedCaller, id: string): Promise<void> {
  // Before 09:00 the occurrence of today is not due yet, and a run by hand may have used it up.
  let schedule: Json = {}
  const isThrough = async () => {
    schedule = (await caller.get(`/recurring/${id}`)).recurring
    return schedule.status === 'COMPLETED' || new Date(schedule.next_run_at) > new Date()
  }
  await until(isThrough, LIMIT_MS, () => `schedule ${id} has not generated what is due: ${JSON.stringify(schedule)}`)
  const { runs } = await caller.get(`/recurring/${id}/runs?per_page=200`)
  expect(schedule.run_count).toBeGreaterThanOrEqual(RUNS - 1)
  expect(runs.map(({ occurrence, status }: Json) => [occurrence, status]).toSorted())
    .toEqual(Array.from({ length: schedule.run_count }, (_, place) => [place + 1, 'SUCCEEDED']))
  const made = new Set(runs.map(({ generated_entity_id: made }: Json) => made))
  expect(made.size).toBe(schedule.run_count)
  for (const entity of made) expect(await caller.countActivity('EXPENSE', String(entity), 'CREATED')).toBe(1)
}
