// What each call on an invoice announces and logs: the events with their fixed schemas, and the activity.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Compile } from 'typebox/compile'
import { deliverySchema, type EventType } from '../../domain/events.ts'
import { invoiceBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let ours: TestOrganization
let endpointId: string
let userId: string

const INVOICE_EVENTS = ['INVOICE_CREATED', 'INVOICE_UPDATED', 'INVOICE_VOIDED']

async function subscribe(org: TestOrganization, events: string[], port = 9): Promise<string> {
  return (await org.send('POST', '/webhooks/endpoints', { url: `http://127.0.0.1:${port}/hook`, events })).endpoint.endpoint_id
}

beforeAll(async () => {
  service = await startService()
  ours = await openOrganization(service)
  endpointId = await subscribe(ours, INVOICE_EVENTS)
  userId = (await ours.get('/whoami')).token.user_id
})
afterAll(() => service.close())

/** The bodies to be delivered to the endpoint about one invoice, oldest first, each checked by its schema. */
async function delivered(invoiceId: string, endpoint = endpointId): Promise<Json[]> {
  const rows = await service.sql<{ id: string; event_type: EventType; payload: string; status: string }>(
    `SELECT d.id, d.event_type, d.payload, d.status FROM webhook_deliveries AS d JOIN webhook_events AS e ON e.org_id = d.org_id AND e.id = d.event_id
     WHERE e.entity_type = 'INVOICE' AND e.entity_id = $1 AND d.endpoint_id = $2 ORDER BY (e.data ->> 'sequence')::integer`, invoiceId, endpoint)
  return rows.map(({ id, event_type, payload, status }) => {
    const body = JSON.parse(payload)
    expect([...Compile(deliverySchema(event_type)).Errors(body)]).toEqual([])
    expect([body.delivery_id, body.event_type, status]).toEqual([id, event_type, 'PENDING'])
    return body
  })
}

const log = async (id: string) => (await ours.get(`/invoices/${id}/activity`)).activity.toReversed()
const told = ({ action, changes }: Json) => [action, changes]

test('from draft to void: one event and one entry a call', async () => {
  const { invoice_id, invoice_number } = await ours.invoice()
  await ours.send('PUT', `/invoices/${invoice_id}`, { notes: 'Fragile', due_date: '2026-12-01' })
  await ours.send('POST', `/invoices/${invoice_id}/approve`)
  await ours.send('POST', `/invoices/${invoice_id}/void`, { reason: 'Wrong customer' })
  const data = { id: invoice_id, number: invoice_number, customer_id: ours.customerId, total: 100 }
  const bodies = await delivered(invoice_id)
  expect(bodies.map(({ event_type, data }) => [event_type, { ...data, changed: data.changed?.toSorted() }])).toEqual([
    ['INVOICE_CREATED', { ...data, status: 'DRAFT', sequence: 1 }],
    ['INVOICE_UPDATED', { ...data, status: 'DRAFT', sequence: 2, changed: ['due_date', 'notes'] }],
    ['INVOICE_UPDATED', { ...data, status: 'SENT', sequence: 3, changed: ['status'] }],
    ['INVOICE_VOIDED', { ...data, status: 'CANCELLED', sequence: 4 }],
  ])
  expect(new Set(bodies.map(({ org_id }) => org_id))).toEqual(new Set([ours.orgId]))
  const entries = await log(invoice_id)
  expect(entries.map(told)).toEqual([
    ['INVOICE_CREATED', null],
    ['INVOICE_UPDATED', { due_date: { old: '2026-11-10', new: '2026-12-01' }, notes: { old: null, new: 'Fragile' } }],
    ['INVOICE_SENT', { status: { old: 'DRAFT', new: 'SENT' } }],
    ['INVOICE_VOIDED', { status: { old: 'SENT', new: 'CANCELLED' } }],
  ])
  for (const entry of entries) {
    expect(entry).toMatchObject({
      entity_type: 'INVOICE', entity_id: invoice_id, entity_ref: invoice_number, actor_user_id: userId,
      metadata: { source: 'PUBLIC_API', ip: expect.any(String), user_agent: expect.any(String), request_id: expect.any(String) },
    })
  }
  expect(entries[3].metadata.reason).toBe('Wrong customer')
})

test('an invoice that is approved at once is created, SENT', async () => {
  const { invoice_id, invoice_number } = await ours.invoice({ auto_approve: true, currency_code: 'USD', exchange_rate: 83 })
  const data = { id: invoice_id, number: invoice_number, customer_id: ours.customerId, total: 100, status: 'SENT', sequence: 1 }
  expect((await delivered(invoice_id)).map(({ event_type, data }) => [event_type, data])).toEqual([['INVOICE_CREATED', data]])
  expect((await log(invoice_id)).map(told)).toEqual([['INVOICE_CREATED', null], ['INVOICE_SENT', { status: { old: 'DRAFT', new: 'SENT' } }]])
})

test('a round-off that an edit computed is logged', async () => {
  const { invoice_id } = await ours.invoice({ round_off: 0.4 })
  await ours.setPreferences({ roundInvoiceTotals: true, roundingMethod: 'nearest' })
  await ours.send('PUT', `/invoices/${invoice_id}`, { notes: 'Round' })
  await ours.setPreferences({ roundInvoiceTotals: false })
  const [, { data }] = await delivered(invoice_id)
  expect([data.total, data.changed.toSorted()]).toEqual([100, ['balance', 'notes', 'round_off', 'total']])
})

test('a deleted draft is in the log, and was announced only when it was made', async () => {
  const { invoice_id, invoice_number } = await ours.invoice()
  await ours.send('DELETE', `/invoices/${invoice_id}`)
  expect((await delivered(invoice_id)).map(({ event_type }) => event_type)).toEqual(['INVOICE_CREATED'])
  const { activity } = await ours.get(`/activity?entity_type=INVOICE&entity_id=${invoice_id}`)
  expect(activity.map(({ action, entity_ref, changes }: Json) => [action, entity_ref, changes]))
    .toEqual([['INVOICE_DELETED', invoice_number, null], ['INVOICE_CREATED', invoice_number, null]])
})

test('a refused call announces nothing', async () => {
  const { invoice_id } = await ours.invoice({ auto_approve: true })
  const counted = async () => service.sql('SELECT (SELECT count(*) FROM webhook_events) AS events, (SELECT count(*) FROM activity) AS entries')
  const before = await counted()
  await ours.refusedInvoice({ place_of_supply: 'Atlantis' })
  await ours.refusedInvoice({ customer_id: 'nobody' })
  for (const [method, path] of [['PUT', ''], ['POST', '/approve'], ['DELETE', '']] as const) await ours.refusal(method, `/invoices/${invoice_id}${path}`, {})
  expect(await counted()).toEqual(before)
})

test('a repeated key announces nothing twice', async () => {
  const body = invoiceBody(ours)
  const [first, again] = [await ours.client.post('/invoices', body, 'once'), await ours.client.post('/invoices', body, 'once')]
  expect(again.text).toBe(first.text)
  expect(await delivered(first.body.invoice.invoice_id)).toHaveLength(1)
  expect(await log(first.body.invoice.invoice_id)).toHaveLength(1)
})

test('an endpoint gets the events that it has subscribed to, of its own organisation, while it is enabled', async () => {
  const theirs = await openOrganization(service)
  const otherKey = await subscribe(theirs, INVOICE_EVENTS)
  const voids = await subscribe(ours, ['INVOICE_VOIDED', 'JOURNAL_POSTED'], 10)
  const disabled = await subscribe(ours, INVOICE_EVENTS, 11)
  await ours.send('POST', `/webhooks/endpoints/${disabled}/disable`)
  const { invoice_id } = await ours.invoice({ auto_approve: true })
  await ours.send('POST', `/invoices/${invoice_id}/void`)
  const heard = async (endpoint: string) => (await delivered(invoice_id, endpoint)).map(({ event_type }) => event_type)
  expect(await heard(endpointId)).toEqual(['INVOICE_CREATED', 'INVOICE_VOIDED'])
  expect(await heard(voids)).toEqual(['INVOICE_VOIDED'])
  expect([await heard(otherKey), await heard(disabled)]).toEqual([[], []])
})

test('contacts are logged with what changed', async () => {
  const { contact: { contact_id } } = await ours.send('POST', '/contacts', { contact_name: 'Lakshmi Stores' })
  await ours.send('PUT', `/contacts/${contact_id}`, { email: 'lakshmi@stores.example', contact_name: 'Lakshmi Stores' })
  await ours.send('PUT', `/contacts/${contact_id}`, { email: 'lakshmi@stores.example' })
  await ours.send('POST', `/contacts/${contact_id}/archive`)
  await ours.send('POST', `/contacts/${contact_id}/archive`)
  await ours.send('DELETE', `/contacts/${contact_id}`)
  const { activity } = await ours.get(`/activity?entity_type=CONTACT&entity_id=${contact_id}`)
  expect(activity.toReversed().map(told)).toEqual([
    ['CONTACT_CREATED', null],
    ['CONTACT_UPDATED', { email: { old: null, new: 'lakshmi@stores.example' } }],
    ['CONTACT_STATUS_CHANGED', { status: { old: 'ACTIVE', new: 'INACTIVE' } }],
    ['CONTACT_DELETED', null],
  ])
})
