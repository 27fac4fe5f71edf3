// A partner's app, written with the typed client: it opens the books of a client, bills by orders, and hears of payments by webhook and by feed.
import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Bahi, verifyWebhook, SignatureError, type WebhookEvent } from '../../client/src/index.ts'
import { BASE_PATH } from '../../api/server.ts'
import { TODAY } from '../fixtures/organization.ts'
import { startService } from '../fixtures/service.ts'
import { openWebhookServer } from '../fixtures/webhook-server.ts'
import { kill, spawnWorker } from '../fixtures/worker.ts'
import { removeSchedules } from '../workflows/schedules.ts'

const service = await startService()
const receiver = await openWebhookServer('')
const baseUrl = service.origin + BASE_PATH
const secrets: string[] = []
let worker: ChildProcess
let books: Bahi
let customerId: string

// With its background jobs, which send webhooks.
beforeAll(async () => void (worker = await spawnWorker(service.env)), 120_000)
afterAll(async () => {
  await receiver.close()
  await kill(worker)
  await removeSchedules(service.database, service.env.TEMPORAL_ADDRESS!, service.env.TEMPORAL_QUEUE_SUFFIX!)
  await service.close()
})

test('the app opens the books of a client', async () => {
  const partner = new Bahi({ baseUrl, partnerKey: service.partnerKey })
  const { organization, token } = await partner.post('/partner/organizations', { body: { name: 'Mysuru Papers', state_code: 'IN-KA' } })
  books = new Bahi({ baseUrl, token: token.token })
  expect((await books.get('/whoami')).organization.org_id).toBe(organization.org_id)
  customerId = (await books.post('/contacts', { body: { contact_name: 'Devaraja School', place_of_contact: 'IN-KA' } })).contact.contact_id
  const { endpoint } = await books.post('/webhooks/endpoints', { body: { url: receiver.url, events: ['INVOICE_CREATED', 'INVOICE_PAID'] } })
  secrets.push(endpoint.secret)
})

const bill = (order: string, rate: number) => books.post('/invoices', {
  idempotencyKey: order,
  body: { customer_id: customerId, date: TODAY, place_of_supply: 'IN-KA', reference_number: order, auto_approve: true, line_items: [{ name: 'Ruled notebook', quantity: 10, rate }] },
})

test('each order is billed once, however often the app is told of it', async () => {
  const orders = ['order-1', 'order-2', 'order-1', 'order-3', 'order-2']
  const billed = await Promise.all(orders.map((order) => bill(order, 50)))
  expect(new Set(billed.map(({ invoice }) => invoice.invoice_id)).size).toBe(3)
  const { invoice } = await bill('order-1', 80)
  expect(invoice.total).toBe(500)
  expect(await Array.fromAsync(books.pages('/invoices', { query: { per_page: 2 } }))).toHaveLength(3)
})

test('the school pays, and the app hears of it, by the new secret as by the former one', async () => {
  await receiver.received(3)
  const endpoints = await Array.fromAsync(books.pages('/webhooks/endpoints'))
  const { endpoint } = await books.post('/webhooks/endpoints/{endpoint_id}/rotate_secret', { path: { endpoint_id: endpoints[0]!.endpoint_id } })
  secrets.push(endpoint.secret)
  const [invoice] = await Array.fromAsync(books.pages('/invoices', { query: { reference_number: 'order-2' } }))
  await books.post('/payments', {
    body: { flow: 'INCOMING', contact_id: customerId, date: TODAY, amount: 500, mode: 'UPI', allocations: [{ invoice_id: invoice!.invoice_id, amount: 500 }] },
  })
  const arrivals = await receiver.received(4)
  const events: WebhookEvent[] = []
  for (const { body, headers } of arrivals) events.push(await verifyWebhook(body, headers, secrets))
  expect(events.map(({ event_type }) => event_type).sort()).toEqual(['INVOICE_CREATED', 'INVOICE_CREATED', 'INVOICE_CREATED', 'INVOICE_PAID'])
  const paid = events.find((event) => event.event_type === 'INVOICE_PAID')
  expect(paid?.data).toMatchObject({ id: invoice!.invoice_id, number: invoice!.invoice_number, total: 500 })
  // The webhook of the payment is signed with both secrets, those before with the first alone.
  const [first, last] = [arrivals[0]!, arrivals.find(({ eventType }) => eventType === 'INVOICE_PAID')!]
  for (const secret of secrets) expect(await verifyWebhook(last.body, last.headers, secret)).toEqual(paid)
  await expect(verifyWebhook(first.body, first.headers, secrets[1]!)).rejects.toThrow(SignatureError)
})

test('what was missed is in the feed, from where the app has read', async () => {
  const { page_context } = await books.get('/webhooks/events', { query: { start: 'latest' } })
  const [open] = await Array.fromAsync(books.pages('/invoices', { query: { status: 'SENT', per_page: 1 } }))
  await books.post('/invoices/{invoice_id}/void', { path: { invoice_id: open!.invoice_id }, body: { reason: 'Ordered twice' } })
  const missed = await Array.fromAsync(books.pages('/webhooks/events', { query: { cursor: page_context.next_cursor! } }))
  expect(missed.map(({ event_type, entity_id }) => [event_type, entity_id])).toEqual([['INVOICE_VOIDED', open!.invoice_id]])
})
