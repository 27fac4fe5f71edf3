// Histories that were recorded once still replay: a story that changed under way would not find its own footsteps.
import { readFile, readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from '@jest/globals'
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker'
import { dataConverterOf } from '../../gateways/temporal/payload-codec.ts'
import { workflowBundle } from '../workflows/bundle.ts'
import { RECORDING_KEY } from './recording-key.ts'

const HISTORIES = fileURLToPath(new URL('./histories/', import.meta.url))
const recorded = (await readdir(HISTORIES)).filter((name) => name.endsWith('.json')).sort()

// The last test provokes what Temporal would complain of.
Runtime.install({
  logger: new DefaultLogger('ERROR', () => undefined),
  telemetryOptions: { logging: { forward: {}, filter: 'OFF' } },
  shutdownSignals: [],
})
let codePath: string
beforeAll(async () => {
  codePath = await workflowBundle()
})

const read = async (name: string) => JSON.parse(await readFile(`${HISTORIES}${name}`, 'utf8'))
const replay = (history: unknown) => Worker.runReplayHistory({ workflowBundle: { codePath }, dataConverter: dataConverterOf(RECORDING_KEY) }, history as never)

test('every way a process can go was recorded', () => {
  expect(recorded).toEqual([
    'bulk-cancelled.json', 'bulk-in-two-runs.json', 'bulk-suspended.json', 'bulk-whole.json',
    'conversion-refused.json', 'conversion-through-invoice.json', 'conversion-whole.json',
    'e-invoice-cancelled.json', 'e-invoice-refused.json', 'e-invoice-registered.json',
    'housekeeping-of-a-zone.json', 'housekeeping.json',
    'mail-refused.json', 'mail-sent-later.json', 'mail-sent.json', 'mail-unknown.json', 'mail-with-pdf.json', 'reconcile-schedules.json', 'remind-customers.json',
    'render-at-a-second-try.json', 'render-cancelled.json', 'render-refused.json', 'render-whole.json', 'render-without-document.json',
    'schedule-changed.json', 'schedule-completed-by-end-date.json', 'schedule-completed-by-max-runs.json', 'schedule-continued-as-new.json',
    'schedule-deleted.json', 'schedule-paused-and-resumed.json', 'schedule-paused-by-failures.json', 'schedule-refused-and-repeated.json',
    'schedule-run-by-hand.json',
    'webhook-delivery-aborted.json', 'webhook-delivery-arrives-late.json', 'webhook-delivery-exhausted.json',
    'webhook-delivery-given-back.json', 'webhook-delivery-retried-by-hand.json', 'webhook-delivery-suspended.json',
    'webhook-delivery-taken-up.json', 'webhook-dispatch-all-arrive.json',
    'webhook-dispatch-refused.json', 'webhook-dispatch-some-refused.json',
  ])
})

test.each(recorded)('%s', async (name) => {
  await expect(replay(await read(name))).resolves.toBeUndefined()
})

test('a history of another workflow is noticed', async () => {
  const history = await read('webhook-delivery-arrives-late.json')
  const scheduled = history.events.find((event: { eventType: string }) => event.eventType === 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED')
  scheduled.activityTaskScheduledEventAttributes.activityType.name = 'somethingElse'
  await expect(replay(history)).rejects.toThrow(/[Nn]ondeterminism/)
})
