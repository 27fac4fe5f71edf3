// Signals to the workflows of schedules: one that fails does not hold up those behind it.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { EngineUnavailable } from '../../gateways/temporal/engine-unavailable.ts'
import { sendSignals } from '../../worker/schedule-signals.ts'
import { scheduleBody } from '../fixtures/bodies.ts'
import { openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let org: TestOrganization
beforeAll(async () => {
  service = await startService()
  org = await openOrganization(service)
})
afterAll(() => service.close())

const START = Date.parse('2030-01-01T00:00:00.000Z')

// A call takes fifteen signals of an organisation.
const CALLS = 3

/** Sends at this time what the engine takes; answers the schedules that it was asked for. */
async function send(afterMs: number, refuse: (scheduleId: string) => Error | null): Promise<string[]> {
  const asked: string[] = []
  const engine = {
    signalSchedule: async ({ scheduleId }: { scheduleId: string }) => {
      asked.push(scheduleId)
      const error = refuse(scheduleId)
      if (error) throw error
    },
  }
  const dependencies = { connection: service.database, engine, log: pino({ level: 'silent' }), clock: () => new Date(START + afterMs) }
  for (let call = 0; call < CALLS; call += 1) {
    await sendSignals(dependencies).catch((error: unknown) => {
      if (!(error instanceof EngineUnavailable)) throw error
    })
  }
  return asked
}
const left = () => service.sql<{ schedule_id: string; attempts: number; last_error: string | null }>(
  'SELECT schedule_id, attempts, last_error FROM recurring_signals ORDER BY schedule_id')

test('more that fail for good than a call takes, then one behind them; they are tried again, ever later', async () => {
  const { recurring_id: first } = (await org.send('POST', '/recurring', scheduleBody(org))).recurring
  await service.sql(
    `INSERT INTO recurring_signals (org_id, id, schedule_id, entity_type, signal, created_time, due_at)
     SELECT org_id, lpad(to_hex(n), 32, '0')::uuid, gen_random_uuid(), 'INVOICE', 'configChanged', now() - interval '1 hour', now() - interval '1 hour'
     FROM recurring_signals, generate_series(1, 20) AS n`)
  const refuse = (id: string) => (id === first ? null : new TypeError('no such thing'))
  expect(await send(0, refuse)).toContain(first)
  const waiting = await left()
  expect([waiting.length, new Set(waiting.map(({ attempts, last_error }) => `${attempts} ${last_error}`))])
    .toEqual([20, new Set(['1 TypeError: no such thing'])])
  // The waits double: a second, two, four.
  expect(await send(999, refuse)).toEqual([])
  expect(await send(1_000, refuse)).toHaveLength(20)
  expect(await send(2_999, refuse)).toEqual([])
  expect(await send(3_000, refuse)).toHaveLength(20)
  await service.sql('UPDATE recurring_signals SET attempts = 40, due_at = $1', new Date(START))
  expect(await send(4_000, refuse)).toHaveLength(20)
  expect(await send(4_000 + 3_600_000 - 1, refuse)).toEqual([])
  expect(await send(4_000 + 3_600_000, () => null)).toHaveLength(20)
  expect(await left()).toEqual([])
})

test('while Temporal is away none of them counts a failure, and none is lost', async () => {
  const { recurring_id: id } = (await org.send('POST', '/recurring', scheduleBody(org))).recurring
  const { recurring_id: other } = (await org.send('POST', '/recurring', scheduleBody(org))).recurring
  expect(await send(0, (each) => (each === id ? new EngineUnavailable(new Error('away')) : null))).toContain(id)
  expect(await left()).toEqual([{ schedule_id: id, attempts: 0, last_error: null }])
  expect(await send(0, () => null)).toEqual([id])
  expect(other).not.toBe(id)
})
