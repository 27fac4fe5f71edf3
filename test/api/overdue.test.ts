// What the nightly sweep does to invoices and bills: what falls due when, what stays as it is, and what it leaves behind.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Compile } from 'typebox/compile'
import { openBooks } from '../../commands/books/open-books.ts'
import { housekeeper, markOverdue, OVERDUE_PAGE, type OverduePage } from '../../commands/documents/overdue.ts'
import { deliverySchema, type EventType } from '../../domain/events.ts'
import { openDatabase } from '../../models/database.ts'
import { lastRestore } from '../../models/restoration.ts'
import type { OrganizationFacts } from '../../models/token.ts'
import { billBody, invoiceBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

/** 00:30 of 21 November in India. */
const NIGHT = '2026-11-20T19:00:00.000Z'
const YESTERDAY = '2026-11-20'

let service: Service
beforeAll(async () => { service = await startService() })
afterAll(() => service.close())

/** One page of the sweep, at this instant. */
async function sweep({ orgId }: { orgId: string }, at = NIGHT, database = service.database): Promise<OverduePage> {
  const [organization] = await service.sql<OrganizationFacts>('SELECT * FROM organizations WHERE id = $1', orgId)
  const context = { database, wakeRelay: () => undefined, forgetCallers: () => undefined, clock: () => new Date(at) }
  return openBooks(context, housekeeper(organization!), markOverdue)
}

const invoiceOf = async (ours: TestOrganization, id: string): Promise<Json> => (await ours.get(`/invoices/${id}`)).invoice
const billOf = async (ours: TestOrganization, id: string): Promise<Json> => (await ours.get(`/bills/${id}`)).bill

describe('the date', () => {
  test('what was due before today falls due; what is due today or later does not', async () => {
    const ours = await openOrganization(service)
    const due = ['2026-11-10', YESTERDAY, '2026-11-21', '2026-11-22']
    const invoices = await Promise.all(due.map((due_date) => ours.sentInvoice({ due_date })))
    const bills = await Promise.all(due.map((due_date) => ours.openBill({ due_date })))
    expect(await sweep(ours)).toEqual({ invoices: 2, bills: 2, more: false })
    const statuses = async () => [
      await Promise.all(invoices.map(async ({ invoice_id }) => (await invoiceOf(ours, invoice_id)).status)),
      await Promise.all(bills.map(async ({ bill_id }) => (await billOf(ours, bill_id)).status)),
    ]
    expect(await statuses()).toEqual([['OVERDUE', 'OVERDUE', 'SENT', 'SENT'], ['OVERDUE', 'OVERDUE', 'OPEN', 'OPEN']])
    // A minute before midnight it is still the same day; by hand the sweep may come at any time.
    expect(await sweep(ours, '2026-11-21T18:29:00.000Z')).toEqual({ invoices: 0, bills: 0, more: false })
    expect(await sweep(ours, '2026-11-21T18:30:00.000Z')).toEqual({ invoices: 1, bills: 1, more: false })
    expect(await statuses()).toEqual([['OVERDUE', 'OVERDUE', 'OVERDUE', 'SENT'], ['OVERDUE', 'OVERDUE', 'OVERDUE', 'OPEN']])
  })

  test.each([
    ['Pacific/Kiritimati', '2026-11-20T10:30:00.000Z'],
    ['Asia/Kolkata', NIGHT],
    ['America/Los_Angeles', '2026-11-21T08:30:00.000Z'],
  ])('is the organisation\'s own: in %s the day after begins before %s', async (time_zone, night) => {
    const ours = await openOrganization(service, { time_zone })
    const { invoice_id } = await ours.invoice({ auto_approve: true, due_date: YESTERDAY })
    const { bill_id } = await ours.bill({ auto_approve: true, due_date: YESTERDAY })
    const dayMs = 24 * 60 * 60 * 1_000
    for (const early of [Date.parse(night) - dayMs, Date.parse(night) - 31 * 60 * 1_000]) {
      expect(await sweep(ours, new Date(early).toISOString())).toEqual({ invoices: 0, bills: 0, more: false })
    }
    expect(await sweep(ours, night)).toEqual({ invoices: 1, bills: 1, more: false })
    expect([(await invoiceOf(ours, invoice_id)).status, (await billOf(ours, bill_id)).status]).toEqual(['OVERDUE', 'OVERDUE'])
  })
})

describe('the state', () => {
  let ours: TestOrganization
  beforeAll(async () => { ours = await openOrganization(service) })
  const due = { due_date: YESTERDAY }

  test('what is paid in part falls due with the rest', async () => {
    const [{ invoice_id }, { bill_id }] = [await ours.sentInvoice(due), await ours.openBill(due)]
    await ours.payment(ours.receiptBody({ amount: 40, allocations: [{ invoice_id, amount: 40 }] }))
    await ours.payment(ours.vendorPaymentBody({ amount: 40, allocations: [{ bill_id, amount: 40 }] }))
    expect(await sweep(ours)).toEqual({ invoices: 1, bills: 1, more: false })
    expect(await invoiceOf(ours, invoice_id)).toMatchObject({ status: 'OVERDUE', payment_made: 40, balance: 60, is_overdue: true })
    expect(await billOf(ours, bill_id)).toMatchObject({ status: 'OVERDUE', payment_made: 40, balance: 60, is_overdue: true })
  })

  test('a draft, what is paid, void, or owes nothing stays as it is', async () => {
    const [draft, paid, voided] = [await ours.invoice(due), await ours.sentInvoice(due), await ours.sentInvoice(due)]
    const free = await ours.sentInvoice({ ...due, line_items: [{ name: 'Sample', quantity: 1, rate: 0 }] })
    const [draftBill, paidBill, voidedBill] = [await ours.bill(due), await ours.openBill(due), await ours.openBill(due)]
    await ours.payment(ours.receiptBody({ allocations: [{ invoice_id: paid.invoice_id, amount: 100 }] }))
    await ours.payment(ours.vendorPaymentBody({ allocations: [{ bill_id: paidBill.bill_id, amount: 100 }] }))
    await ours.send('POST', `/invoices/${voided.invoice_id}/void`)
    await ours.send('POST', `/bills/${voidedBill.bill_id}/void`)
    const unchanged = async () => [
      ...await Promise.all([draft, paid, voided, free].map(({ invoice_id }) => invoiceOf(ours, invoice_id))),
      ...await Promise.all([draftBill, paidBill, voidedBill].map(({ bill_id }) => billOf(ours, bill_id))),
    ]
    const before = await unchanged()
    expect(before.map(({ status }) => status)).toEqual(['DRAFT', 'PAID', 'CANCELLED', 'SENT', 'DRAFT', 'PAID', 'CANCELLED'])
    expect(await sweep(ours)).toEqual({ invoices: 0, bills: 0, more: false })
    expect(await unchanged()).toEqual(before)
  })

  /** Puts so much credit onto an invoice; answers the status that it has then. */
  async function credit(invoice_id: string, amount: number): Promise<string> {
    const body = { customer_id: ours.customerId, date: '2026-11-21', line_items: [{ name: 'Slates', quantity: 1, rate: amount }] }
    const { credit_note } = await ours.send('POST', '/credit_notes', body)
    await ours.send('POST', `/credit_notes/${credit_note.credit_note_id}/apply-to-invoice`, { invoice_id, amount })
    return (await invoiceOf(ours, invoice_id)).status
  }

  test('nor does what a credit has settled move; what it leaves over does', async () => {
    const [whole, part] = [(await ours.sentInvoice(due)).invoice_id, (await ours.sentInvoice(due)).invoice_id]
    expect([await credit(whole, 100), await credit(part, 40)]).toEqual(['CREDIT_APPLIED', 'PARTIALLY_PAID'])
    expect(await sweep(ours)).toEqual({ invoices: 1, bills: 0, more: false })
    expect((await invoiceOf(ours, whole)).status).toBe('CREDIT_APPLIED')
    expect(await invoiceOf(ours, part)).toMatchObject({ status: 'OVERDUE', balance: 60 })
    expect(await credit(part, 60)).toBe('CREDIT_APPLIED')
  })

  test('OVERDUE is paid like any other: in part it owes the rest, which falls due the next night', async () => {
    const [{ invoice_id }, { bill_id }] = [await ours.sentInvoice(due), await ours.openBill(due)]
    await sweep(ours)
    const pay = async (amount: number) => {
      await ours.payment(ours.receiptBody({ amount, allocations: [{ invoice_id, amount }] }))
      await ours.payment(ours.vendorPaymentBody({ amount, allocations: [{ bill_id, amount }] }))
      return [(await invoiceOf(ours, invoice_id)).status, (await billOf(ours, bill_id)).status]
    }
    expect(await pay(40)).toEqual(['PARTIALLY_PAID', 'PARTIALLY_PAID'])
    expect(await sweep(ours)).toEqual({ invoices: 1, bills: 1, more: false })
    expect(await pay(60)).toEqual(['PAID', 'PAID'])
    expect(await sweep(ours)).toEqual({ invoices: 0, bills: 0, more: false })
  })

  test('OVERDUE is voided like any other', async () => {
    const [{ invoice_id }, { bill_id }] = [await ours.sentInvoice(due), await ours.openBill(due)]
    await sweep(ours)
    expect((await ours.send('POST', `/invoices/${invoice_id}/void`)).invoice).toMatchObject({ status: 'CANCELLED', balance: 0 })
    expect((await ours.send('POST', `/bills/${bill_id}/void`)).bill).toMatchObject({ status: 'CANCELLED', balance: 0 })
  })
})

describe('what it leaves behind', () => {
  test('an entry without a user and an event, each held against its schema; a second sweep leaves nothing', async () => {
    const ours = await openOrganization(service)
    await ours.send('POST', '/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook', events: ['INVOICE_UPDATED', 'BILL_UPDATED'] })
    const invoice = await ours.sentInvoice({ due_date: YESTERDAY })
    const bill = await ours.openBill({ due_date: YESTERDAY })
    await sweep(ours)
    const queued = () => service.sql<{ event_type: EventType; payload: string }>('SELECT event_type, payload FROM webhook_deliveries WHERE org_id = $1 ORDER BY event_type DESC', ours.orgId)
    const bodies = (await queued()).map(({ event_type, payload }) => {
      expect([...Compile(deliverySchema(event_type)).Errors(JSON.parse(payload))]).toEqual([])
      return JSON.parse(payload)
    })
    expect(bodies.map(({ event_type, occurred_at, data }) => [event_type, occurred_at, data])).toEqual([
      ['INVOICE_UPDATED', NIGHT, { id: invoice.invoice_id, number: invoice.invoice_number, customer_id: ours.customerId, total: 100, status: 'OVERDUE', sequence: 2, changed: ['status'] }],
      ['BILL_UPDATED', NIGHT, { id: bill.bill_id, number: bill.bill_number, vendor_id: ours.vendorId, total: 100, status: 'OVERDUE', sequence: 2, changed: ['status'] }],
    ])
    const byNobody = async (path: string) => (await ours.get(`${path}/activity`)).activity.filter(({ actor_user_id }: Json) => actor_user_id === null)
    const entries = () => Promise.all([byNobody(`/invoices/${invoice.invoice_id}`), byNobody(`/bills/${bill.bill_id}`)])
    const origin = { request_id: null, ip: null, user_agent: null, source: 'HOUSEKEEPING' }
    const [ofInvoice, ofBill] = await entries()
    expect(ofInvoice).toMatchObject([{ action: 'INVOICE_OVERDUE', occurred_at: NIGHT, entity_ref: invoice.invoice_number, changes: { status: { old: 'SENT', new: 'OVERDUE' } }, metadata: origin }])
    expect(ofBill).toMatchObject([{ action: 'BILL_OVERDUE', occurred_at: NIGHT, entity_ref: bill.bill_number, changes: { status: { old: 'OPEN', new: 'OVERDUE' } }, metadata: origin }])
    expect((await invoiceOf(ours, invoice.invoice_id)).last_modified_time).toBe(NIGHT)

    const [before, queuedBefore] = [[ofInvoice, ofBill], await queued()]
    expect(await sweep(ours)).toEqual({ invoices: 0, bills: 0, more: false })
    expect([await entries(), await queued()]).toEqual([before, queuedBefore])
  })

  test('of another organisation nothing is touched', async () => {
    const [ours, theirs] = [await openOrganization(service), await openOrganization(service)]
    const { invoice_id } = await theirs.sentInvoice({ due_date: YESTERDAY })
    await ours.sentInvoice({ due_date: YESTERDAY })
    expect(await sweep(ours)).toEqual({ invoices: 1, bills: 0, more: false })
    expect((await invoiceOf(theirs, invoice_id)).status).toBe('SENT')
  })
})

describe('many', () => {
  test('come in pages, each four round trips of one transaction', async () => {
    const ours = await openOrganization(service)
    const half = OVERDUE_PAGE / 2 + 5
    await Promise.all(Array.from({ length: half }, () => ours.client.post('/invoices', invoiceBody(ours, { auto_approve: true, due_date: YESTERDAY }))))
    await Promise.all(Array.from({ length: half }, () => ours.client.post('/bills', billBody(ours, { auto_approve: true, due_date: YESTERDAY }))))
    const database = openDatabase({ url: service.databaseUrl, pool: 1, name: 'counted' })
    // A process asks once whether its database was restored.
    await lastRestore(database)
    const before = database.roundTrips()
    const first = await sweep(ours, NIGHT, database)
    expect([first.invoices + first.bills, first.more, database.roundTrips() - before]).toEqual([OVERDUE_PAGE, true, 4])
    const second = await sweep(ours, NIGHT, database)
    expect([second.invoices + second.bills, second.more]).toEqual([10, false])
    await database.close()
    const [counted] = await service.sql(`SELECT (SELECT count(*)::integer FROM invoices WHERE org_id = $1 AND status = 'OVERDUE' AND version = 2) AS invoices,
      (SELECT count(*)::integer FROM bills WHERE org_id = $1 AND status = 'OVERDUE' AND version = 2) AS bills`, ours.orgId)
    expect(counted).toEqual({ invoices: half, bills: half })
  })
})

describe('at once', () => {
  let ours: TestOrganization
  beforeAll(async () => { ours = await openOrganization(service) })
  const now = () => sweep(ours, new Date().toISOString())
  const moves = async (id: string) => (await ours.get(`/invoices/${id}/activity`)).activity.map(({ action }: Json) => action).toReversed()

  test('with a payment of all: paid in the end, whichever came first', async () => {
    for (let round = 0; round < 15; round += 1) {
      const { invoice_id } = await ours.sentInvoice({ due_date: YESTERDAY })
      const payment = ours.receiptBody({ allocations: [{ invoice_id, amount: 100 }] })
      const [answer] = await Promise.all([ours.client.post('/payments', payment), now()])
      expect(answer.status).toBe(201)
      expect(await invoiceOf(ours, invoice_id)).toMatchObject({ status: 'PAID', balance: 0 })
      expect(await sweep(ours)).toEqual({ invoices: 0, bills: 0, more: false })
      expect([['INVOICE_CREATED', 'INVOICE_SENT', 'INVOICE_PAID'], ['INVOICE_CREATED', 'INVOICE_SENT', 'INVOICE_OVERDUE', 'INVOICE_PAID']])
        .toContainEqual(await moves(invoice_id))
    }
  })

  test('with a void: void in the end', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { invoice_id } = await ours.sentInvoice({ due_date: YESTERDAY })
      const [answer] = await Promise.all([ours.client.post(`/invoices/${invoice_id}/void`), now()])
      expect(answer.status).toBe(200)
      expect(await invoiceOf(ours, invoice_id)).toMatchObject({ status: 'CANCELLED', balance: 0 })
    }
  })

  test('two sweeps move each document once', async () => {
    const documents = await Promise.all(Array.from({ length: 20 }, () => ours.sentInvoice({ due_date: YESTERDAY })))
    const pages = await Promise.all([now(), now(), now()])
    expect(pages.reduce((moved, { invoices }) => moved + invoices, 0)).toBe(20)
    for (const { invoice_id } of documents) expect((await moves(invoice_id)).slice(2)).toEqual(['INVOICE_OVERDUE'])
  })
})
