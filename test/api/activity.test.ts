// The activity log over HTTP: its filters, its own codes, and each document's part of it.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { activity } from '../../models/activity.ts'
import type { Json } from '../fixtures/client.ts'
import { openEmptyOrganization, type EmptyOrganization } from '../fixtures/empty-organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let ours: EmptyOrganization
const actor = randomUUID()
const [first, second] = [randomUUID(), randomUUID()]

// A log of known times: one entry a minute.
const ENTRIES = [
  ['CONTACT_CREATED', 'CONTACT', first, actor], ['CONTACT_UPDATED', 'CONTACT', first, null], ['ITEM_CREATED', 'ITEM', second, actor],
  ['CONTACT_DELETED', 'CONTACT', first, null],
] as const

beforeAll(async () => {
  service = await startService()
  ours = await openEmptyOrganization(service)
  await ours.write((books) => ENTRIES.forEach(([action, entityType, entityId, actorId], minute) => books.insert(activity, {
    id: books.newId(), action, entity_type: entityType, entity_id: entityId, entity_ref: `No. ${minute}`, actor_user_id: actorId,
    changes: minute === 1 ? { email: { old: null, new: 'a@b.example' } } : null, metadata: { source: 'DASHBOARD' },
    occurred_at: new Date(`2026-01-01T10:0${minute}:00.000Z`),
  })))
})
afterAll(() => service.close())

const UNTIL = 'until=2026-01-31'
const listed = async (query: string) => (await ours.get(`/activity?${query}`)).activity.map(({ entity_ref }: Json) => entity_ref)

test('an entry says what was done to what, by whom, when, and what changed', async () => {
  const { activity: [, , entry] } = await ours.get(`/activity?${UNTIL}`)
  expect(entry).toEqual({
    event_id: expect.any(String), action: 'CONTACT_UPDATED', entity_type: 'CONTACT', entity_id: first, entity_ref: 'No. 1',
    actor_user_id: null, changes: { email: { old: null, new: 'a@b.example' } }, metadata: { source: 'DASHBOARD' },
    occurred_at: '2026-01-01T10:01:00.000Z',
  })
})

test.each([
  ['', ['No. 3', 'No. 2', 'No. 1', 'No. 0']],
  ['entity_type=ITEM', ['No. 2']],
  ['entity_type=EXPENSE', []],
  [`entity_id=${first}`, ['No. 3', 'No. 1', 'No. 0']],
  ['entity_id=INV-001', []],
  [`actor_user_id=${actor}`, ['No. 2', 'No. 0']],
  ['since=2026-01-01T10:02:00Z', ['No. 3', 'No. 2']],
  ['since=2026-01-01', ['No. 3', 'No. 2', 'No. 1', 'No. 0']],
  ['since=2026-01-02', []],
])('%s, the newest first', async (query, refs) => {
  expect(await listed(`${UNTIL}&${query}`)).toEqual(refs)
})

test('since and until are inclusive, so that a page backwards begins where the last one ended', async () => {
  expect(await listed('since=2026-01-01T10:01:00.000Z&until=2026-01-01T10:02:00.000Z')).toEqual(['No. 2', 'No. 1'])
  expect(await listed('until=2026-01-01T15:31:00%2B05:30')).toEqual(['No. 1', 'No. 0'])
})

test('a limit is kept and answered', async () => {
  const { page_context } = await ours.get(`/activity?${UNTIL}&limit=3`)
  expect(page_context).toEqual({ limit: 3, returned: 3, has_more_page: true })
  expect((await ours.get(`/activity?${UNTIL}&limit=4`)).page_context).toEqual({ limit: 4, returned: 4, has_more_page: false })
  expect((await ours.get(`/activity?${UNTIL}`)).page_context).toEqual({ limit: 100, returned: 4, has_more_page: false })
})

test.each([['limit', '0'], ['limit', '501'], ['since', 'yesterday'], ['until', '2026-02-30']])('%s=%s is refused', async (field, value) => {
  expect(await ours.refusal('GET', `/activity?${field}=${value}`)).toEqual({ status: 400, code: 'validation.invalid_value', field })
})

test('the error of an unknown entity type lists the valid ones', async () => {
  expect(await ours.refusal('GET', '/activity?entity_type=NOBODY')).toEqual({
    status: 400, code: 'validation.invalid_value', field: 'entity_type',
    details: {
      valid: [
        'INVOICE', 'BILL', 'ESTIMATE', 'CREDIT_NOTE', 'DEBIT_NOTE', 'SALES_ORDER', 'PURCHASE_ORDER', 'PAYMENT', 'RECEIPT', 'EXPENSE',
        'JOURNAL', 'CONTACT', 'ITEM', 'ATTACHMENT',
        'ACCOUNTING_PERIOD', 'BRANCH', 'BULK', 'COST_CENTER', 'EXCHANGE_RATE', 'NUMBER_SERIES', 'ORGANIZATION', 'RECURRING', 'USER', 'WEBHOOK_DELIVERY', 'WEBHOOK_ENDPOINT',
      ],
    },
  })
})

test('the log has its own codes for a bad token and a missing scope', async () => {
  for (const path of ['/activity', `/invoices/${first}/activity`]) {
    const bad = await service.call('GET', path, { token: 'svc_pat_of_nobody_at_all' })
    expect([bad.status, (bad.body as Json).code]).toEqual([401, 'authn.token_invalid'])
  }
  const narrow = await openEmptyOrganization(service, { scopes: ['Svc.invoices.READ'] })
  for (const path of ['/activity', `/invoices/${first}/activity`]) {
    expect(await narrow.refusal('GET', path)).toMatchObject({ status: 403, code: 'authz.scope_missing' })
  }
})

test('an invoice has its own part of the log', async () => {
  const { contact } = await ours.send('POST', '/contacts', { contact_name: 'School' })
  const { invoice } = await ours.send('POST', '/invoices', {
    customer_id: contact.contact_id, date: '2026-04-01', place_of_supply: 'IN-KA', line_items: [{ name: 'Slates', quantity: 1, rate: 10 }],
  })
  await ours.send('POST', `/invoices/${invoice.invoice_id}/approve`)
  const { activity: entries, page_context } = await ours.get(`/invoices/${invoice.invoice_id}/activity?limit=1`)
  expect(page_context).toEqual({ limit: 1, returned: 1, has_more_page: true })
  expect(entries[0]).toMatchObject({
    action: 'INVOICE_SENT', entity_type: 'INVOICE', entity_id: invoice.invoice_id, entity_ref: invoice.invoice_number,
    changes: { status: { old: 'DRAFT', new: 'SENT' } }, metadata: { source: 'PUBLIC_API', ip: expect.any(String), request_id: expect.any(String) },
  })
  const theirs = await openEmptyOrganization(service)
  expect(await theirs.refusal('GET', `/invoices/${invoice.invoice_id}/activity`)).toEqual({ status: 404, code: 'not_found.resource' })
  expect(await ours.refusal('GET', '/invoices/none/activity')).toEqual({ status: 404, code: 'not_found.resource' })
})

test('nothing is posted to the log', async () => {
  expect(await ours.refusal('POST', '/activity', {})).toEqual({ status: 405, code: 'request.method_not_allowed' })
})
