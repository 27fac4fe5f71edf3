// One trace from the request of a caller to the attempts at its webhooks, and of what else workflows do for it.
import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { freePort } from '../../bin/services/port.ts'
import { invoiceBody } from '../fixtures/bodies.ts'
import { callAt, type Answered } from '../fixtures/client.ts'
import { acceptedItemEstimate } from '../fixtures/orders.ts'
import { openOrganizationWithItem, type OrganizationWithItem } from '../fixtures/organization.ts'
import { ROOT } from '../fixtures/root.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { openTraceCollector, type CollectedSpan, type TraceCollector } from '../fixtures/trace-collector.ts'
import { openWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts'
import { kill, spawnWorker } from '../fixtures/worker.ts'
import { until } from '../start/local-run.ts'
import { removeSchedules } from './schedules.ts'

jest.setTimeout(180_000)

let collector: TraceCollector
let service: Service
let org: OrganizationWithItem
let receiver: WebhookServer
let base: string
const children: ChildProcess[] = []
beforeAll(async () => {
  collector = await openTraceCollector()
  service = await startService()
  org = await openOrganizationWithItem(service)
  const port = await freePort(undefined)
  base = `http://127.0.0.1:${port}/api/public/v1`
  const env = { ...service.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  children.push(spawn(process.execPath, [join(ROOT, 'api/server.ts')], { env: { ...process.env, ...env, PORT: String(port), LOG_LEVEL: 'error' }, stdio: ['ignore', 'ignore', 'inherit'] }))
  children.push(await spawnWorker(env))
  await until(() => fetch(`${base}/ping`).then(({ ok }) => ok, () => false), 90_000, () => 'the API does not answer')
  const { endpoint } = await org.send('POST', '/webhooks/endpoints', { url: 'http://127.0.0.1:9/', events: ['INVOICE_CREATED'] })
  receiver = await openWebhookServer(endpoint.secret)
  await org.send('PUT', `/webhooks/endpoints/${endpoint.endpoint_id}`, { url: receiver.url })
})
afterAll(async () => {
  await Promise.all(children.map(kill))
  await receiver.close()
  await removeSchedules(service.database, service.env.TEMPORAL_ADDRESS!, service.env.TEMPORAL_QUEUE_SUFFIX!)
  await service.close()
  await collector.close()
})

/** A call to the traced API as a caller with a trace of their own. */
async function post(path: string, body: unknown): Promise<{ traceId: string; callerSpan: string; answer: Answered }> {
  const [traceId, callerSpan] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  const { token } = org.client
  const answer = await callAt(base)('POST', path, { token, body, key: randomBytes(8).toString('hex'), headers: { traceparent: `00-${traceId}-${callerSpan}-01` } })
  expect(answer.status).toBeLessThan(300)
  return { traceId, callerSpan, answer }
}

/** The spans of a trace, once those of these names are among them. */
async function traced(traceId: string, ...names: string[]): Promise<Map<string, CollectedSpan>> {
  const found = () => new Map(collector.spans.filter((span) => span.traceId === traceId).map((span) => [span.name, span]))
  await until(() => names.every((name) => found().has(name)), 90_000, () => `only ${[...found().keys()].join(', ')}`)
  return found()
}

test('from the request of an invoice to the attempt at its webhook', async () => {
  const { traceId, callerSpan } = await post('/invoices', invoiceBody(org))
  const spans = await traced(traceId, 'POST /invoices', 'command', 'start webhookDispatch', 'activity attemptBatch', 'webhook attempt')
  const of = (name: string) => spans.get(name)!
  expect(of('POST /invoices')).toMatchObject({ service: 'bahi-api', parentSpanId: callerSpan })
  expect(of('command').parentSpanId).toBe(of('POST /invoices').spanId)
  expect(of('start webhookDispatch')).toMatchObject({ service: 'bahi-worker', parentSpanId: of('command').spanId })
  expect(of('activity attemptBatch').parentSpanId).toBe(of('start webhookDispatch').spanId)
  expect(of('webhook attempt')).toMatchObject({ parentSpanId: of('activity attemptBatch').spanId, attributes: { 'event.type': 'INVOICE_CREATED', 'http.response.status_code': 200 } })
})

test('of several events in one batch, each attempt in the trace of its own call', async () => {
  const calls = await Promise.all(Array.from({ length: 6 }, () => post('/invoices', invoiceBody(org))))
  for (const { traceId } of calls) {
    const { parentSpanId, links } = (await traced(traceId, 'command', 'webhook attempt')).get('webhook attempt')!
    const parent = collector.spans.find(({ spanId }) => spanId === parentSpanId)
    expect(parent).toMatchObject({ traceId })
    // In the trace of another call, the activity of the batch is linked.
    if (parent!.name === 'command') expect(links).toHaveLength(1)
  }
})

test('a conversion, through its workflow, and the events of what it has made', async () => {
  const { estimate_id } = await acceptedItemEstimate(org)
  const { traceId } = await post(`/estimates/${estimate_id}/convert`, { through: 'invoice', auto_approve: true })
  const spans = await traced(traceId, 'POST /estimates/{estimate_id}/convert', 'activity convertNext', 'webhook attempt')
  expect(spans.get('activity convertNext')).toMatchObject({ service: 'bahi-worker', attributes: { 'workflow.type': 'convertDocument' } })
})

test('without a collector no trace is kept', async () => {
  const { invoice } = await org.send('POST', '/invoices', invoiceBody(org))
  expect(await service.sql('SELECT traceparent FROM webhook_events WHERE entity_id = $1', invoice.invoice_id)).toEqual([{ traceparent: null }])
})
