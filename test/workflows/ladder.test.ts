// The whole ladder of the specification, step by step: its waits are read from the timers in the history.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { openWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts'
import { timersOf, untilTimer } from './history.ts'
import { SECRET, openWorkflowSetup, type WorkflowSetup } from './setup.ts'

let setup: WorkflowSetup
let customer: WebhookServer
beforeAll(async () => {
  setup = await openWorkflowSetup()
  await setup.startWorker()
})
afterAll(() => setup.close())
beforeEach(async () => {
  customer = await openWebhookServer(SECRET)
})
afterEach(() => customer.close())

const SECONDS = [30, 300, 1_800, 7_200, 21_600, 86_400]
// Times are rounded to milliseconds on the way.
const ROUNDING_MS = 5

test('seven attempts, each wait of the schedule with up to a tenth more, then FAILED', async () => {
  customer.answer = () => 500
  await setup.addEndpoint(customer.url)
  await setup.announce()
  const [delivery] = await setup.until(({ attempts_made }) => attempts_made === 1)
  const id = `webhook/${delivery!.id}`
  const handle = setup.engine.client.workflow.getHandle(id)
  const due: number[] = []
  for (const [step, seconds] of SECONDS.entries()) {
    await untilTimer(setup.engine, id, `retry ${step + 1} of 6`)
    const progress = await handle.query<{ nextAttemptAt: string }>('progress')
    expect(progress).toMatchObject({ state: 'RETRYING', attempt: step + 2, attempts: 7 })
    const [row] = await setup.deliveries()
    expect(row).toMatchObject({ status: 'RETRYING', attempts_made: step + 1 })
    due.push(row!.next_attempt_at!.getTime())
    const attempt = (await setup.attempts(delivery!.id)).at(-1)!
    expect(due[step]! - attempt.started_at.getTime() - attempt.duration_ms!).toBeGreaterThanOrEqual(seconds * 1_000 - ROUNDING_MS)
    // The process counts its wait from when it hears of the attempt's end, so it is never early.
    expect(Date.parse(progress.nextAttemptAt)).toBeGreaterThanOrEqual(due[step]! - ROUNDING_MS)
    await handle.signal('retryNow')
  }
  expect(await handle.result()).toBe('FAILED')
  expect(customer.arrivals).toHaveLength(7)
  expect(new Set(customer.arrivals.map(({ deliveryId }) => deliveryId))).toEqual(new Set([delivery!.id]))

  const timers = await timersOf(setup.engine, id)
  expect(timers.map(({ summary }) => summary)).toEqual(SECONDS.map((_, step) => `retry ${step + 1} of 6`))
  timers.forEach(({ ms, at }, step) => {
    const least = SECONDS[step]! * 1_000
    // What passes between the end of the first attempt and the start of its process counts into the first wait.
    if (step > 0) expect(ms).toBeGreaterThanOrEqual(least)
    expect(at + ms).toBeGreaterThanOrEqual(due[step]! - ROUNDING_MS)
    expect(ms).toBeLessThanOrEqual(least * 1.1)
  })
  expect((await setup.attempts(delivery!.id)).map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7])
})

test('an operator finds a delivery by its invoice, and sees when it is tried next', async () => {
  customer.answer = () => 500
  const endpointId = await setup.addEndpoint(customer.url)
  const [invoiceId] = await setup.announce()
  await setup.until(({ status }) => status !== 'PENDING')
  const query = `SvcEntityType = 'INVOICE' AND SvcEntityId = '${invoiceId}' AND SvcEndpointId = '${endpointId}'
    AND SvcState = 'RETRYING' AND SvcAttempt = 2 AND SvcNextAt > '${new Date().toISOString()}'`
  const last = Date.now() + 40_000
  const { workflow } = setup.engine.client
  const found: { type: string; workflowId: string }[] = []
  while (found.length === 0) {
    expect(Date.now()).toBeLessThan(last)
    for await (const { type, workflowId } of workflow.list({ query: query.replaceAll('\n', ' ') })) found.push({ type, workflowId })
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect(found.map(({ type }) => type)).toEqual(['webhookDelivery'])
  const described = await workflow.getHandle(found[0]!.workflowId).describe()
  expect(await described.staticSummary()).toBe(`retries of a webhook about INVOICE ${invoiceId}`)
  await workflow.getHandle(found[0]!.workflowId).signal('abort')
})
