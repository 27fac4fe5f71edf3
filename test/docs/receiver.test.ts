// The receiver of the documents, run as printed: it takes real deliveries, and nothing that is forged or old.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { DefaultLogger, Runtime } from '@temporalio/worker'
import { pino } from 'pino'
import { startWorker, type RunningWorker } from '../../worker/worker.ts'
import { freePort } from '../../bin/services/port.ts'
import { signature } from '../../gateways/webhook/signature.ts'
import { readSettings } from '../../settings.ts'
import type { Client } from '../fixtures/client.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { workflowBundle } from '../workflows/bundle.ts'
import { removeSchedules } from '../workflows/schedules.ts'
import { ROOT } from './examples.ts'

jest.setTimeout(60_000)
Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] })

let service: Service
let worker: RunningWorker
let suffix: string
let org: Client
let receiver: ChildProcess
let lines: AsyncIterator<string>
let secret: string
let url: string

beforeAll(async () => {
  service = await startService()
  suffix = new URL(service.databaseUrl).pathname.replaceAll(/[^A-Za-z0-9]/g, '')
  worker = await startWorker(readSettings({ ...service.env, TEMPORAL_QUEUE_SUFFIX: suffix, WORKFLOW_BUNDLE: await workflowBundle() }), pino({ level: 'silent' }))
  org = await service.organization()
  const port = await freePort(undefined)
  url = `http://127.0.0.1:${port}/`
  const registered = await org.post('/webhooks/endpoints', { url, events: ['INVOICE_CREATED'] })
  secret = registered.body.endpoint.secret
  receiver = spawn(process.execPath, [join(ROOT, 'docs', 'examples', 'receiver.mjs')], {
    env: { WEBHOOK_SECRET: secret, PORT: String(port) }, stdio: ['ignore', 'pipe', 'inherit'],
  })
  lines = createInterface({ input: receiver.stdout! })[Symbol.asyncIterator]()
  expect((await lines.next()).value).toBe(`listening on ${port}`)
})

afterAll(async () => {
  worker?.stop()
  await worker?.ended
  await removeSchedules(service.database, service.env.TEMPORAL_ADDRESS!, suffix)
  if (receiver?.exitCode === null) {
    receiver.kill()
    await once(receiver, 'exit')
  }
  await service?.close()
})

test('a booked invoice arrives, and is believed', async () => {
  const customer = await org.post('/contacts', { contact_name: 'Meenakshi Traders' })
  const created = await org.post('/invoices', {
    customer_id: customer.body.contact.contact_id, date: '2026-11-21', place_of_supply: 'IN-TN', auto_approve: true,
    line_items: [{ name: 'Notebook ₹', quantity: 2, rate: 60 }],
  })
  const [, delivery, body] = /^(\S+) (.*)$/.exec((await lines.next()).value)!
  const event = JSON.parse(body!)
  expect(event).toMatchObject({ event_type: 'INVOICE_CREATED', delivery_id: delivery, org_id: org.orgId })
  expect(event.data.id).toBe(created.body.invoice.invoice_id)
  await expect(statusOf(delivery!)).resolves.toBe('DELIVERED')
})

// The receiver has answered before its line is read; the outcome is written a moment later.
async function statusOf(delivery: string): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    const { status } = (await org.get(`/webhooks/deliveries/${delivery}`)).body.delivery
    if (status === 'DELIVERED' || tries === 100) return status
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const NOW = () => Math.floor(Date.now() / 1000)
const BODY = Buffer.from('{"event_type":"INVOICE_CREATED"}')

test.each([
  ['signed with the secret', () => signature([secret], NOW(), BODY), 204],
  ['signed with an old and a new secret', () => signature(['svc_whsec_old', secret], NOW(), BODY), 204],
  ['signed with another secret', () => signature(['svc_whsec_other'], NOW(), BODY), 401],
  ['signed over another body', () => signature([secret], NOW(), Buffer.from('{}')), 401],
  ['signed too long ago', () => signature([secret], NOW() - 310, BODY), 401],
  ['signed for later', () => signature([secret], NOW() + 310, BODY), 401],
  ['with another time than was signed', () => signature([secret], NOW() - 10, BODY).replace(/^t=\d+/, `t=${NOW()}`), 401],
  ['without a time', () => signature([secret], NOW(), BODY).replace(/^t=\d+,/, ''), 401],
  ['without a signature', () => '', 401],
  ['with a signature that is none', () => `t=${NOW()},v1=zz`, 401],
])('a post %s', async (_how, header, status) => {
  const answer = await fetch(url, { method: 'POST', body: BODY, headers: { 'X-Svc-Signature': header() } })
  expect(answer.status).toBe(status)
})
