// A page is read with what belongs to its rows in one round trip, as of one moment, and never more of it than fits.
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { creditNoteParts, creditNotes } from '../../models/credit-note.ts'
import type { Scope } from '../../models/find.ts'
import { invoiceParts, invoices } from '../../models/invoice.ts'
import { wholePageOf } from '../../models/whole-rows.ts'
import { creditNoteBody, debitNoteBody, invoiceBody, line } from '../fixtures/bodies.ts'
import { created, openOrganizationWithItem } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const org = await openOrganizationWithItem(service)
const FIRST = { perPage: 50, after: null }
const scopeOf = (orgId: string) => ({ connection: service.database, database: service.database, orgId })
const scope: Scope & { database: typeof service.database } = scopeOf(org.orgId)

beforeAll(async () => {
  const { invoice_id } = await org.sentInvoice()
  await org.openBill()
  await org.payment(org.receiptBody({ amount: 10, allocations: [{ invoice_id, amount: 10 }] }))
  await created(org.client.post('/credit_notes', creditNoteBody(org)))
  await created(org.client.post('/debit_notes', debitNoteBody(org)))
})

const LISTS = ['invoices', 'bills', 'payments', 'credit_notes', 'debit_notes', 'journals', 'estimates', 'sales_orders', 'purchase_orders', 'expenses']
test.each(LISTS)('an ordinary page of %s is one round trip', async (list) => {
  const trips: number[] = []
  // Now and then the caller's token is read too.
  for (let n = 0; n < 5; n += 1) {
    const before = service.pool.roundTrips()
    expect((await org.client.get(`/${list}`)).status).toBe(200)
    trips.push(service.pool.roundTrips() - before)
  }
  expect(Math.min(...trips)).toBe(1)
})

test('a page is read as of one moment, whatever is committed between its statements', async () => {
  const { credit_note: { credit_note_id: id } } = await created(org.client.post('/credit_notes', creditNoteBody(org, { is_draft: true })))
  const KEY = 4711
  const [lock, unlock] = ['pg_advisory_lock', 'pg_advisory_unlock'].map((call) => ({ name: '', text: `SELECT ${call}(${KEY})` }))
  const waits = { name: '', text: `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${KEY} AND NOT granted` }
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holding = service.pool.transaction(async (transaction) => {
    await transaction.run(lock!, [])
    held.resolve()
    await release.promise
    await transaction.run(unlock!, [])
  })
  await held.promise
  // The lines are read only after they and their note have been changed.
  const database = {
    snapshot: async ([head, ...parts]: Parameters<typeof service.database.snapshot>[0]) => {
      const [rows, , ...found] = await service.database.snapshot([head!, [lock!, []], ...parts, [unlock!, []]])
      return [rows!, ...found.slice(0, -1)]
    },
  }
  const reading = wholePageOf({ ...scope, database }, creditNotes, creditNoteParts, FIRST)
  while ((await service.database.run(waits, [])).length === 0) await new Promise((resolve) => setImmediate(resolve))
  const five = { line_items: [line({ quantity: 5 }), line({ rate: 11 })] }
  expect((await org.client.put(`/credit_notes/${id}`, five)).status).toBe(200)
  release.resolve()
  await holding
  const sums = async (page: typeof reading) => {
    const note = (await page).whole.find((one) => one.id === id)!
    return [note.sub_total, note.lines.reduce((sum, { item_total }) => sum + item_total, 0n)]
  }
  expect(await sums(reading)).toEqual([50_000n, 50_000n])
  expect(await sums(wholePageOf(scope, creditNotes, creditNoteParts, FIRST))).toEqual([51_100n, 51_100n])
})

test('of large documents those are read that have at most a thousand lines together, each with all its lines, in their order', async () => {
  const large = await openOrganizationWithItem(service)
  const draw = (count: number) => created(large.client.post('/invoices', invoiceBody(large, {
    auto_approve: false, line_items: Array.from({ length: count }, (_, n) => line({ rate: n + 1 })),
  })))
  for (const count of [3, 401, 400, 400, 200]) await draw(count)
  const read = async (request: object = {}) => {
    const { rows, whole } = await wholePageOf(scopeOf(large.orgId), invoices, invoiceParts, { ...FIRST, ...request })
    for (const { lines } of whole) expect(lines.map(({ rate }) => Number(rate))).toEqual(lines.map((_, n) => n + 1))
    return [rows.length, whole.map(({ lines }) => lines.length)]
  }
  expect(await read()).toEqual([5, [200, 400, 400]])
  expect(await read({ ascending: true })).toEqual([5, [3, 401, 400]])
  expect(await read({ perPage: 2 })).toEqual([2, [200, 400]])
  const { invoices: shown } = await large.get('/invoices')
  expect(shown.map(({ line_items }: { line_items: unknown[] }) => line_items.length)).toEqual([200, 400, 400, 401, 3])
  expect(await wholePageOf(scopeOf(randomUUID()), invoices, invoiceParts, FIRST)).toEqual({ rows: [], whole: [], hasMore: false, end: null })
})
