// Events are kept as long as the setting says: only the beginning of a feed is removed, and a reader that has missed something is told.
import { beforeEach, expect, test } from '@jest/globals'
import type { Connection } from '../../models/connection.ts'
import { removeOldEvents } from '../../models/event-retention.ts'
import { forgetOldEvents } from '../../worker/retention.ts'
import { estimateSource } from '../fixtures/conversions.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

// The audit at its end knows what may be missing.
const service = await useService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', WEBHOOK_ALLOW_HTTP: 'true' })
let ours: TestOrganization
beforeEach(async () => {
  ours = await openOrganization(service)
})

const DAY_MS = 24 * 3_600_000
const LATER = () => new Date(Date.now() + 91 * DAY_MS)
const forget = (retainEventsDays = 90, clock = LATER) =>
  forgetOldEvents({ connection: service.database, retainEventsDays, clock, isStopping: () => false })
const removeStep = (connection: Connection = service.database) => removeOldEvents(connection, ours.orgId, LATER())

const FEED = '/webhooks/events'
const feed = (query = '') => ours.get(`${FEED}?${query}`)
const positions = async (query = ''): Promise<number[]> => (await feed(`per_page=200&${query}`)).events.map(({ position }: Json) => position)
const cursorBehind = async (count: number): Promise<string> => (await feed(`per_page=${count}`)).page_context.next_cursor
const GONE = (reason: string) => ({ status: 410, body: { code: 'gone.cursor', field: 'cursor', details: { reason } } })
const count = async (table: string): Promise<number> =>
  (await service.sql<{ count: number }>(`SELECT count(*)::integer AS count FROM ${table} WHERE org_id = $1`, ours.orgId))[0]!.count

/** Invoices, each announced to an endpoint, and every delivery ended after an attempt. */
async function delivered(invoices: number): Promise<void> {
  await ours.send('POST', '/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook', events: ['INVOICE_CREATED'] })
  for (let n = 0; n < invoices; n += 1) await ours.invoice()
  await service.sql(`UPDATE webhook_deliveries SET status = 'FAILED', held_by = NULL, attempts_made = 1 WHERE org_id = $1`, ours.orgId)
  await service.sql(`INSERT INTO webhook_attempts (org_id, delivery_id, series, attempt, started_at, duration_ms, error)
    SELECT org_id, id, 0, 1, now(), 5, 'refused' FROM webhook_deliveries WHERE org_id = $1`, ours.orgId)
}
const deliveryAt = `(SELECT d.id FROM webhook_deliveries AS d JOIN webhook_events AS e ON e.org_id = d.org_id AND e.id = d.event_id WHERE d.org_id = $1 AND e.position = $2)`

test('all but the newest event is removed once it is old, positions go on, and a cursor from before is gone', async () => {
  const beginning = (await feed()).page_context.next_cursor
  for (let n = 0; n < 4; n += 1) await ours.invoice()
  const [early, last] = [await cursorBehind(1), await cursorBehind(3)]
  await forget(0)
  await forget(90, () => new Date())
  expect(await positions()).toEqual([1, 2, 3, 4])
  await forget()
  expect(await positions()).toEqual([4])
  await ours.bill()
  expect(await positions()).toEqual([4, 5])
  for (const cursor of [beginning, early]) expect(await ours.client.get(`${FEED}?cursor=${cursor}`)).toMatchObject(GONE('REMOVED'))
  // Who has read the last that was removed has missed nothing.
  expect(await positions(`cursor=${last}`)).toEqual([4, 5])
  await forget()
  expect(await positions()).toEqual([5])
})

test('the last event that was removed is known: a reader whose event at its position is another one is told', async () => {
  for (let n = 0; n < 3; n += 1) await ours.invoice()
  const last = await cursorBehind(2)
  await forget()
  // As if the books had been restored, and the position given again, before it was removed.
  await service.sql('UPDATE removed_events SET id = gen_random_uuid() WHERE org_id = $1', ours.orgId)
  expect(await ours.client.get(`${FEED}?cursor=${last}`)).toMatchObject(GONE('RESTORED'))
})

test('documents of every kind whose events are gone: the audit is silent', async () => {
  const [sent, paid] = [await ours.sentInvoice(), await ours.sentInvoice()]
  await ours.send('POST', `/invoices/${sent.invoice_id}/void`, {})
  await ours.payment(ours.receiptBody({ allocations: [{ invoice_id: paid.invoice_id, amount: paid.total }], amount: paid.total }))
  const bill = await ours.openBill()
  await ours.send('POST', `/bills/${bill.bill_id}/void`, {})
  await ours.acceptedEstimate()
  await ours.convert({ ...estimateSource(await ours.acceptedEstimate()), through: 'invoice' })
  const note = await ours.creditNote()
  await ours.send('POST', `/credit_notes/${note.credit_note_id}/void`, {})
  await ours.debitNote()
  await ours.purchaseOrder()
  expect(await service.audit()).toEqual([])
  await forget()
  expect((await positions()).length).toBe(1)
  expect(await service.audit()).toEqual([])
})

test('a delivery under way stops the removal, and with each event its deliveries and attempts go', async () => {
  await delivered(4)
  await service.sql(`UPDATE webhook_deliveries SET status = 'RETRYING', held_by = 'PROCESS' WHERE org_id = $1 AND id = ${deliveryAt}`, ours.orgId, 3)
  await forget()
  expect(await positions()).toEqual([3, 4])
  expect([await count('webhook_deliveries'), await count('webhook_attempts')]).toEqual([2, 2])
  await service.sql(`UPDATE webhook_deliveries SET status = 'FAILED', held_by = NULL WHERE org_id = $1 AND id = ${deliveryAt}`, ours.orgId, 3)
  await forget()
  expect([await positions(), await count('webhook_deliveries'), await count('webhook_attempts')]).toEqual([[4], 1, 1])
})

test('a delivery that is being sent again counts as under way', async () => {
  await delivered(4)
  await service.database.transaction(async (connection) => {
    await connection.run({ name: '', text: `SELECT FROM webhook_deliveries WHERE org_id = $1 AND id = ${deliveryAt} FOR UPDATE` }, [ours.orgId, 2])
    expect([await removeStep(), await removeStep()]).toEqual([1, 0])
  })
  expect(await positions()).toEqual([2, 3, 4])
})

test('an event that is not old enough stops the removal, although later ones are old', async () => {
  for (let n = 0; n < 4; n += 1) await ours.invoice()
  // A slow call: it began before the event of the position before was committed.
  await service.sql(`UPDATE webhook_events SET occurred_at = occurred_at + interval '30 days' WHERE org_id = $1 AND position = 3`, ours.orgId)
  await forget()
  expect(await positions()).toEqual([3, 4])
  await service.sql(`UPDATE webhook_events SET occurred_at = occurred_at - interval '30 days' WHERE org_id = $1 AND position = 3`, ours.orgId)
})

test('much is removed in steps, and two workers at once remove each event once', async () => {
  await ours.invoice()
  await service.sql(`INSERT INTO webhook_events (org_id, id, event_type, entity_type, entity_id, data, occurred_at)
    SELECT $1, gen_random_uuid(), 'BILL_UPDATED', 'BILL', gen_random_uuid(), '{}', now() FROM generate_series(1, 1700)`, ours.orgId)
  expect(await removeStep()).toBe(200)
  await Promise.all([forget(), forget()])
  expect(await positions()).toEqual([1701])
})

test('a step removes few rows, however many attempts there are, and at least one event', async () => {
  await delivered(4)
  await service.sql(`UPDATE webhook_deliveries SET attempts_made = CASE WHEN id = ${deliveryAt} THEN 5000 ELSE 700 END WHERE org_id = $1`, ours.orgId, 1)
  expect([await removeStep(), await removeStep(), await removeStep()]).toEqual([1, 2, 0])
})
