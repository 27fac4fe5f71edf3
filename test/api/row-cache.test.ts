// Documents are answered as they were last rendered while PostgreSQL says that they have not changed, and never otherwise.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { renderedPage, renderedRow, type Rendering } from '../../api/http/cached-rows.ts'
import type { Rendered } from '../../api/http/rendered.ts'
import type { RequestContext } from '../../api/http/route.ts'
import { createRowCache, type RowCache } from '../../api/http/row-cache.ts'
import { todayAt } from '../../api/http/today.ts'
import { showInvoice } from '../../api/shapes/invoice.ts'
import { invoiceParts, invoices, type Invoice, type InvoiceRow } from '../../models/invoice.ts'
import { invoiceBody, line } from '../fixtures/bodies.ts'
import { created, openOrganizationWithItem } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const org = await openOrganizationWithItem(service)
const MEGABYTE = 2 ** 20

const rendering: Rendering<InvoiceRow, Invoice> = {
  kind: 'INVOICE', table: invoices, parts: invoiceParts, shownWith: todayAt,
  show: (rows, context) => rows.map((row) => showInvoice(row, todayAt(context))),
}

function contextOf(rowCache: RowCache, orgId = org.orgId, now = new Date()): RequestContext {
  const { database } = service
  return { database, connection: database, orgId, now, rowCache, caller: { organization: { time_zone: 'Asia/Kolkata' } } } as unknown as RequestContext
}

async function tripsOf<Result>(work: () => Promise<Result>): Promise<[trips: number, result: Result]> {
  const before = service.database.roundTrips()
  const result = await work()
  return [service.database.roundTrips() - before, result]
}

const draft = async (changes: object = {}): Promise<string> =>
  (await created(org.client.post('/invoices', invoiceBody(org, { auto_approve: false, ...changes })))).invoice.invoice_id

test('a row that is remembered costs a look at its version; one that changed in any way is read again', async () => {
  const id = await draft({ line_items: [line({ name: 'Slates' })] })
  const context = contextOf(createRowCache(MEGABYTE))
  const read = async () => JSON.parse((await renderedRow(context, rendering, id)).json)
  expect((await tripsOf(read))[1]).toEqual((await org.client.get(`/invoices/${id}`)).body.invoice)
  // What no call does: the lines change, and their invoice does not.
  await service.sql('UPDATE invoice_lines SET name = $2 WHERE invoice_id = $1', id, 'Chalk')
  expect((await tripsOf(read))).toMatchObject([1, { line_items: [{ name: 'Slates' }] }])
  await service.sql('UPDATE invoices SET notes = notes WHERE id = $1', id)
  expect((await tripsOf(read))).toMatchObject([2, { line_items: [{ name: 'Chalk' }] }])
  expect((await tripsOf(read))[0]).toBe(1)
  expect((await org.client.delete(`/invoices/${id}`)).status).toBe(200)
  await expect(read()).rejects.toMatchObject({ code: 'not_found.resource', message: 'There is no such invoice.' })
  for (const other of ['x', randomUUID()]) await expect(renderedRow(context, rendering, other)).rejects.toMatchObject({ code: 'not_found.resource' })
})

test('what is overdue is shown anew each day', async () => {
  const { invoice_id: id } = await org.sentInvoice({ date: '2026-11-01', due_date: '2026-11-05' })
  const memory = createRowCache(MEGABYTE)
  const on = async (day: string) => {
    const { is_overdue, days_overdue } = JSON.parse((await renderedRow(contextOf(memory, org.orgId, new Date(`${day}T06:00:00Z`)), rendering, id)).json)
    return [is_overdue, days_overdue]
  }
  for (const _again of [1, 2]) {
    expect([await on('2026-11-05'), await on('2026-11-06'), await on('2026-11-09')]).toEqual([[false, 0], [true, 1], [true, 4]])
  }
})

test('no organisation sees what is remembered of another', async () => {
  const id = await draft()
  const memory = createRowCache(MEGABYTE)
  await renderedRow(contextOf(memory), rendering, id)
  await expect(renderedRow(contextOf(memory, randomUUID()), rendering, id)).rejects.toMatchObject({ code: 'not_found.resource' })
  const key = { orgId: 'a', table: 'invoices', id: 'x' }
  memory.keep(key, '1', '{}')
  for (const other of [{ orgId: 'b' }, { table: 'bills' }, { id: 'y' }]) {
    expect([memory.find({ ...key, ...other }, '1'), memory.has({ ...key, ...other })]).toEqual([undefined, false])
  }
  expect([memory.find(key, '1'), memory.find(key, '2')]).toEqual(['{}', undefined])
})

test('a page is one round trip from the start; it is read by versions once the page before it was remembered', async () => {
  const large = await openOrganizationWithItem(service)
  const draw = async (count: number) => (await created(large.client.post('/invoices', invoiceBody(large, {
    auto_approve: false, line_items: Array.from({ length: count }, (_, n) => line({ rate: n + 1 })),
  })))).invoice.invoice_id as string
  for (let n = 0; n < 6; n += 1) await draw(2)
  const context = contextOf(createRowCache(MEGABYTE), large.orgId)
  const read = async (_limit = Infinity) => {
    const { rows, ready = 0, show } = await renderedPage(context, rendering, { perPage: 50, after: null })
    const shown = [...await show(rows.slice(0, ready)), ...rows.length > ready ? await show(rows.slice(ready, ready + _limit)) : []] as Rendered[]
    return shown.map(({ json }) => JSON.parse(json))
  }
  const right = async () => (await large.client.get('/invoices')).body.invoices
  for (const trips of [1, 1, 1, 1]) expect(await tripsOf(read)).toEqual([trips, await right()])
  // Versions, and the two that are new.
  const added = [await draw(3), await draw(1)]
  expect(await tripsOf(read)).toEqual([2, await right()])
  expect(await tripsOf(read)).toEqual([1, await right()])
  // More lines than are read at once: those that do not fit are read when they are shown.
  for (const count of [400, 400, 400]) added.push(await draw(count))
  const page = await right()
  expect(page.slice(0, 3).map(({ line_items }: { line_items: unknown[] }) => line_items.length)).toEqual([400, 400, 400])
  expect(await tripsOf(read)).toEqual([3, page])
  expect((await large.client.delete(`/invoices/${added[0]}`)).status).toBe(200)
  expect(await read()).toEqual(await right())
})

test('the memory has a bound, whatever is put into it, and forgets what was not asked for longest', () => {
  const memory = createRowCache(MEGABYTE)
  const key = (n: number, orgId = 'org') => ({ orgId, table: 'invoices', id: String(n) })
  for (let n = 0; n < 5_000; n += 1) {
    memory.keep(key(n, randomUUID()), '1', 'x'.repeat(n))
    memory.keep(key(n), '1', 'अ'.repeat(n % 700))
    expect(memory.find(key(0), '1')).toBe('')
    expect(memory.bytes()).toBeLessThanOrEqual(MEGABYTE)
  }
  expect(memory.bytes()).toBeGreaterThan(MEGABYTE / 2)
  expect([memory.has(key(1)), memory.has(key(4_999))]).toEqual([false, true])
  // One that would take much of it is not kept, nor is its former version.
  memory.keep(key(4_999), '2', 'x'.repeat(MEGABYTE / 20))
  expect(memory.has(key(4_999))).toBe(false)
  // Replacing a row again and again takes no more room.
  const before = memory.bytes()
  for (let n = 0; n < 100; n += 1) memory.keep(key(0), String(n), '')
  expect(memory.bytes()).toBe(before)
  const none = createRowCache(0)
  none.keep(key(1), '1', '')
  none.notePage(key(1), { rows: 1, found: 1 })
  expect([none.bytes(), none.has(key(1)), none.isWorthwhile(key(1))]).toEqual([0, false, false])
})
