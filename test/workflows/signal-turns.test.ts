// The signals of schedules are sent in turns of the organisations: one that adds many at once does not keep the others waiting.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pino } from 'pino'
import type { ScheduleInput } from '../../domain/schedule.ts'
import { sendSignals } from '../../worker/schedule-signals.ts'
import { scheduleBody } from '../fixtures/bodies.ts'
import { openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let flooding: TestOrganization
let other: TestOrganization
beforeAll(async () => {
  service = await startService()
  ;[flooding, other] = [await openOrganization(service), await openOrganization(service)]
})
afterAll(() => service.close())

test('a few of each organisation, whoever came first; all of them in the end, each once', async () => {
  for (let count = 0; count < 35; count += 1) await flooding.send('POST', '/recurring', scheduleBody(flooding))
  const { recurring_id: last } = (await other.send('POST', '/recurring', scheduleBody(other))).recurring
  const signalled: ScheduleInput[] = []
  const send = () => sendSignals({
    connection: service.database, log: pino({ level: 'silent' }), clock: () => new Date(),
    engine: { signalSchedule: async (input) => void signalled.push(input) },
  })
  const left = () => service.sql('SELECT 1 FROM recurring_signals')
  while ((await left()).length > 0) await send()
  expect(signalled.findIndex(({ scheduleId }) => scheduleId === last)).toBeLessThanOrEqual(15)
  expect(new Set(signalled.map(({ scheduleId }) => scheduleId)).size).toBe(36)
  expect(signalled).toHaveLength(36)
})
