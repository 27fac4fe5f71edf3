// What is kept for a time goes when the settings say, and no sooner; of events the beginning alone, and who missed any is told.
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { deleteOldBulks } from '../../models/bulk.ts'
import type { Connection } from '../../models/connection.ts'
import { removeOldConversions } from '../../models/conversion.ts'
import { removeOldEvents } from '../../models/event-retention.ts'
import { forgetDeletedEndpoints, forgetOldAnswers, forgetOldConversions, forgetOldEvents } from '../../worker/retention.ts'
import { inTurn } from '../../worker/poll-loop.ts'
import { estimateSource, salesOrderSource } from '../fixtures/conversions.ts'
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
const job = (clock = LATER) => ({ connection: service.database, clock, isStopping: () => false })
const forget = (retainEventsDays = 90, clock = LATER) => forgetOldEvents({ ...job(clock), retainEventsDays })
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

describe('conversions', () => {
  const forgetConversions = (retainConversionsDays: number) => forgetOldConversions({ ...job(), retainConversionsDays })
  const kept = async (): Promise<string[]> =>
    (await service.sql<{ id: string }>('SELECT id FROM conversions WHERE org_id = $1 ORDER BY id', ours.orgId)).map(({ id }) => id)
  const accepted = async () => estimateSource(await ours.acceptedEstimate())
  const throughInvoice = async () => ({ ...(await accepted()), through: 'invoice' as const })

  test('those that have ended go once they are old; what waits, or has an order and no invoice yet, stays', async () => {
    const [waits, half] = [await ours.requestConversion(await accepted()), await ours.requestConversion(await throughInvoice())]
    expect(await ours.convertNext(half.id)).toBe(false)
    const refused = await ours.requestConversion(await accepted())
    await service.sql(`UPDATE conversions SET refusal = 'conflict.invalid_state' WHERE id = $1`, refused.id)
    const ended = [refused.id, await ours.convert(await accepted()), await ours.convert(await throughInvoice())]
    const underWay = [waits.id, half.id].sort()
    await forgetConversions(0)
    await forgetConversions(92)
    expect(await kept()).toEqual([...underWay, ...ended].sort())
    await forgetConversions(90)
    expect(await kept()).toEqual(underWay)
    for (const id of underWay) while (!await ours.convertNext(id));
  })

  test('documents keep their links, are not made again, and the audit knows which may lack their conversion', async () => {
    const estimate = await throughInvoice()
    await ours.convert(estimate)
    const order = await ours.salesOrder()
    await ours.convert(salesOrderSource(order))
    const linked = async () => {
      const { estimate: { status, converted_to_sales_order_id, invoices } } = await ours.get(`/estimates/${estimate.sourceId}`)
      return [status, converted_to_sales_order_id, invoices, (await ours.get(`/sales_orders/${order.sales_order_id}`)).sales_order.invoices]
    }
    const before = await linked()
    await forgetConversions(90)
    expect([await kept(), await linked()]).toEqual([[], before])
    expect(await ours.refusalOf(ours.convert(estimate))).toMatchObject({ code: 'conflict.already_converted' })
    expect(await service.audit()).toEqual([])

    // One that was made since has to have its conversion.
    const id = await ours.convert(await throughInvoice())
    const [gone] = await service.sql<{ row: object }>('DELETE FROM conversions AS c WHERE id = $1 RETURNING to_jsonb(c) AS row', id)
    expect(await service.audit()).toHaveLength(2)
    await service.sql('INSERT INTO conversions SELECT * FROM jsonb_populate_record(NULL::conversions, $1)', JSON.stringify(gone!.row))
    expect(await service.audit()).toEqual([])
  })

  test('a step removes so many at most, and two workers at once remove different ones', async () => {
    const sources = await Promise.all([accepted(), accepted(), accepted()])
    for (const source of sources) await ours.convert(source)
    expect(await removeOldConversions(service.database, LATER(), 1)).toBe(1)
    const steps = await Promise.all([1, 2].map(() => removeOldConversions(service.database, LATER(), 1)))
    expect([steps.reduce((sum, removed) => sum + removed, 0) > 0, await removeOldConversions(service.database, new Date(0), 9)]).toEqual([true, 0])
    await forgetConversions(90)
    expect(await kept()).toEqual([])
  })
})

test('answers are removed after the days of the setting, and repeated for the first day however long they are kept', async () => {
  const key = randomUUID()
  const echo = async () => (await ours.client.post('/echo', {}, key)).headers['idempotency-replay'] === 'true'
  const age = (by: string) => service.sql('UPDATE idempotent_answers SET created_time = now() - $2::interval WHERE key = $1', key, by)
  const forgetAnswers = async (retainIdempotencyDays: number) => {
    await forgetOldAnswers({ ...job(() => new Date()), retainIdempotencyDays })
    return (await service.sql('SELECT FROM idempotent_answers WHERE key = $1', key)).length
  }
  expect([await echo(), await echo()]).toEqual([false, true])
  await age('23 hours 59 minutes')
  expect([await forgetAnswers(1), await echo()]).toEqual([1, true])
  await age('47 hours')
  expect([await forgetAnswers(0), await forgetAnswers(2), await echo(), await echo()]).toEqual([1, 1, false, true])
  await age('24 hours 1 second')
  expect([await forgetAnswers(1), await echo()]).toEqual([0, false])
  // One with a secret goes whatever the setting.
  await service.sql('UPDATE idempotent_answers SET sealed = true WHERE key = $1', key)
  await age('23 hours 59 minutes')
  expect(await forgetAnswers(0)).toBe(1)
  await age('24 hours 1 second')
  expect(await forgetAnswers(0)).toBe(0)
})

test('an organisation whose events cannot be removed holds up no other', async () => {
  const other = await openOrganization(service)
  for (const organization of [ours, other]) for (let n = 0; n < 2; n += 1) await organization.invoice()
  await service.sql(`CREATE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$`)
  await service.sql(`CREATE TRIGGER refuse_removal BEFORE DELETE ON webhook_events FOR EACH ROW WHEN (OLD.org_id = '${ours.orgId}') EXECUTE FUNCTION refuse_removal()`)
  await expect(forget()).rejects.toThrow('not this one')
  expect([(await positions()).length, (await other.get(FEED)).events.length]).toEqual([2, 1])
  await service.sql('DROP FUNCTION refuse_removal CASCADE')
  await expect(inTurn([() => Promise.reject(new Error('first')), forget])).rejects.toThrow('first')
  expect((await positions()).length).toBe(1)
})

test('a deleted endpoint is removed when it is old and its deliveries are gone; others stay', async () => {
  await delivered(2)
  const [{ endpoint_id: endpointId }] = (await ours.get('/webhooks/endpoints')).endpoints
  await service.sql(`INSERT INTO webhook_circuits (org_id, id, state, failures, opened, slow, releasing) VALUES ($1, $2, 'CLOSED', 1, 0, false, false)`, ours.orgId, endpointId)
  const endpoints = async (retainEventsDays = 90) => {
    await forgetDeletedEndpoints({ ...job(), retainEventsDays })
    return [await count('webhook_endpoints'), await count('webhook_circuits')]
  }
  expect(await endpoints()).toEqual([1, 1])
  await ours.send('DELETE', `/webhooks/endpoints/${endpointId}`)
  expect(await endpoints()).toEqual([1, 1])
  await ours.bill()
  await forget()
  expect(await count('webhook_deliveries')).toBe(0)
  expect([await endpoints(0), await endpoints(92), await endpoints()]).toEqual([[1, 1], [1, 1], [0, 0]])
})

test('a step removes a bulk, or several that are small together', async () => {
  for (const [hours, total] of [[4, 900], [3, 90], [2, 10], [1, 1]])
    await service.sql(
      `INSERT INTO bulks (org_id, id, entity_type, total, status, succeeded, failed, origin, created_time, completed_time)
       VALUES ($1, gen_random_uuid(), 'INVOICE', $2, 'COMPLETED', 0, $2, '{}', now() - interval '1 day', now() - make_interval(hours => $3))`, ours.orgId, total, hours)
  const step = () => deleteOldBulks(service.database, LATER(), 100)
  expect([await step(), await step(), await step(), await step()]).toEqual([1, 2, 1, 0])
})
