// The receivers of the documents, run as printed: they take real deliveries, and nothing that is forged or old.
import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { DefaultLogger, Runtime } from '@temporalio/worker'
import { pino } from 'pino'
import { startWorker, type RunningWorker } from '../../worker/worker.ts'
import { onPath } from '../../bin/services/process.ts'
import { freePort } from '../../bin/services/port.ts'
import { signature } from '../../gateways/webhook/signature.ts'
import { readLocalRun, readSettings } from '../../settings.ts'
import type { Client } from '../fixtures/client.ts'
import { startService, type Service } from '../fixtures/service.ts'
import { workflowBundle } from '../workflows/bundle.ts'
import { removeSchedules } from '../workflows/schedules.ts'
import { ROOT } from './examples.ts'

Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] })

const local = readLocalRun()
const python = onPath('python3', local.path)
const RECEIVERS: [file: string, command: string][] = [['receiver.mjs', process.execPath], ['receiver.ts', process.execPath]]
// With CI=true a missing python3 is a failure, not a reason to pass.
if (python || local.ci) RECEIVERS.push(['receiver.py', python ?? 'python3'])
else console.warn('python3 is not installed: docs/examples/receiver.py is NOT tried (apt-get install python3).')

interface Receiver {
  child: ChildProcess
  url: string
  secret: string
  lines: AsyncIterator<string>
}

let service: Service
let worker: RunningWorker
let suffix: string
let org: Client
const receivers = new Map<string, Receiver>()
let invoiceId: string

beforeAll(async () => {
  service = await startService()
  suffix = new URL(service.databaseUrl).pathname.replaceAll(/[^A-Za-z0-9]/g, '')
  worker = await startWorker(readSettings({ ...service.env, TEMPORAL_QUEUE_SUFFIX: suffix, WORKFLOW_BUNDLE: await workflowBundle() }), pino({ level: 'silent' }))
  org = await service.organization()
  for (const [file, command] of RECEIVERS) receivers.set(file, await startReceiver(file, command))
  const customer = await org.post('/contacts', { contact_name: 'Meenakshi Traders' })
  const created = await org.post('/invoices', {
    customer_id: customer.body.contact.contact_id, date: '2026-11-21', place_of_supply: 'IN-TN', auto_approve: true,
    line_items: [{ name: 'Notebook ₹', quantity: 2, rate: 60 }],
  })
  invoiceId = created.body.invoice.invoice_id
})

async function startReceiver(file: string, command: string): Promise<Receiver> {
  const port = await freePort(undefined)
  const url = `http://127.0.0.1:${port}/`
  const { secret } = (await org.post('/webhooks/endpoints', { url, events: ['INVOICE_CREATED'] })).body.endpoint
  const child = spawn(command, [join(ROOT, 'docs', 'examples', file)], {
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port), PYTHONUTF8: '1' }, stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  expect((await lines.next()).value).toBe(`listening on ${port}`)
  return { child, url, secret, lines }
}

afterAll(async () => {
  worker?.stop()
  await worker?.ended
  await removeSchedules(service.database, service.env.TEMPORAL_ADDRESS!, suffix)
  for (const { child } of receivers.values()) {
    if (child.exitCode !== null) continue
    child.kill()
    await once(child, 'exit')
  }
  await service?.close()
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

describe.each(RECEIVERS)('%s', (file) => {
  const receiver = () => receivers.get(file)!
  const post = (headers: Record<string, string>, body = BODY) => fetch(receiver().url, { method: 'POST', body, headers })

  test('a booked invoice arrives, and is believed', async () => {
    const [, delivery, body] = /^(\S+) (.*)$/.exec((await receiver().lines.next()).value)!
    const event = JSON.parse(body!)
    expect(event).toMatchObject({ event_type: 'INVOICE_CREATED', delivery_id: delivery, org_id: org.orgId })
    expect(event.data.id).toBe(invoiceId)
    await expect(statusOf(delivery!)).resolves.toBe('DELIVERED')
  })

  test.each([
    ['signed with the secret', (secret: string) => signature([secret], NOW(), BODY), 204],
    ['signed with an old and a new secret', (secret: string) => signature(['svc_whsec_old', secret], NOW(), BODY), 204],
    ['signed with another secret', () => signature(['svc_whsec_other'], NOW(), BODY), 401],
    ['signed over another body', (secret: string) => signature([secret], NOW(), Buffer.from('{}')), 401],
    ['signed too long ago', (secret: string) => signature([secret], NOW() - 310, BODY), 401],
    ['signed for later', (secret: string) => signature([secret], NOW() + 310, BODY), 401],
    ['with another time than was signed', (secret: string) => signature([secret], NOW() - 10, BODY).replace(/^t=\d+/, `t=${NOW()}`), 401],
    ['without a time', (secret: string) => signature([secret], NOW(), BODY).replace(/^t=\d+,/, ''), 401],
    ['with a time that is no number', (secret: string) => signature([secret], NOW(), BODY).replace(/^t=\d+/, 't=now'), 401],
    ['without a signature', () => '', 401],
    ['with a signature that is none', () => `t=${NOW()},v1=zz`, 401],
  ])('a post %s', async (_how, header, status) => {
    expect((await post({ 'X-Svc-Signature': header(receiver().secret) })).status).toBe(status)
  })
})

// receiver.mjs keeps to what must be verified.
describe.each(RECEIVERS.filter(([file]) => file !== 'receiver.mjs'))('%s', (file) => {
  test('takes a delivery that comes again once, and acknowledges it each time', async () => {
    const { url, secret, lines } = receivers.get(file)!
    const [first, second] = [randomUUID(), randomUUID()]
    const body = Buffer.from('{"number":"INV-१"}')
    for (const delivery of [first, first, second]) {
      const headers = { 'X-Svc-Delivery': delivery, 'X-Svc-Signature': signature([secret], NOW(), body) }
      expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(204)
    }
    const seen: string[] = []
    // The posts without an id before are one delivery to it.
    while (!seen.includes(second)) seen.push(String((await lines.next()).value).split(' ')[0]!)
    expect(seen.filter((delivery) => delivery === first)).toHaveLength(1)
  })
})
