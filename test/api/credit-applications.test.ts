// Credit that settles invoices and bills, over HTTP: limits, states, beside money, at other rates.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Compile } from 'typebox/compile'
import { deliverySchema, type EventType } from '../../domain/events.ts'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { creditState } from '../fixtures/credit.ts'
import { addContact, openOrganization, TODAY, type TestOrganization } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let ours: TestOrganization
let endpointId: string

beforeAll(async () => {
  service = await startService()
  ours = await openOrganization(service)
  endpointId = (await ours.send('POST', '/webhooks/endpoints', {
    url: 'http://127.0.0.1:9/hook', events: ['INVOICE_PAID', 'INVOICE_UPDATED', 'BILL_PAID', 'BILL_UPDATED'],
  })).endpoint.endpoint_id
})
afterAll(() => service.close())

const BAD = { status: 400, code: 'validation.invalid_value' }
const NONE = { status: 404, code: 'not_found.resource' }
const STATE = { status: 409, code: 'conflict.invalid_state' }
const limited = (limit: number) => ({ ...BAD, field: 'amount', details: { limit } })
const owing = ({ status, payment_made, credits_applied, vendor_credits_applied, balance }: Json) => (
  [status, payment_made, credits_applied ?? vendor_credits_applied, balance]
)

async function told(id: string): Promise<Json[]> {
  const rows = await service.sql<{ event_type: EventType; payload: string }>(
    `SELECT d.event_type, d.payload FROM webhook_deliveries AS d JOIN webhook_events AS e ON e.org_id = d.org_id AND e.id = d.event_id
     WHERE e.entity_id = $1 AND d.endpoint_id = $2 ORDER BY (e.data ->> 'sequence')::integer`, id, endpointId)
  for (const { event_type, payload } of rows) expect([...Compile(deliverySchema(event_type)).Errors(JSON.parse(payload))]).toEqual([])
  return rows.map(({ event_type, payload }) => [event_type, JSON.parse(payload).data])
}

test('an invoice takes a part, then the rest', async () => {
  const { invoice_id, invoice_number } = await ours.sentInvoice()
  const note = await ours.creditNote({ invoice_id, line_items: [line({ rate: 150 })] })
  const first = await ours.applyCredit(note.credit_note_id, { invoice_id }, 40.5)
  expect(first).toEqual({
    code: 0, message: 'Credit applied.',
    credit_note: { credit_note_id: note.credit_note_id, applied_amount: 40.5, balance_amount: 109.5, status: 'ISSUED' },
    invoice: { invoice_id, balance: 59.5, status: 'PARTIALLY_PAID', paid_amount: 40.5 },
  })
  expect(owing(await ours.getInvoice(invoice_id))).toEqual(['PARTIALLY_PAID', 0, 40.5, 59.5])
  const { invoice } = await ours.applyCredit(note.credit_note_id, { invoice_id }, 59.5)
  expect(invoice).toEqual({ invoice_id, balance: 0, status: 'CREDIT_APPLIED', paid_amount: 100 })
  expect(owing(await ours.getInvoice(invoice_id))).toEqual(['CREDIT_APPLIED', 0, 100, 0])
  const now = await ours.getCreditNote(note.credit_note_id)
  expect(creditState(now)).toEqual(['ISSUED', 100, 50])
  const day = `${TODAY}T00:00:00.000Z`
  expect(now.applications).toEqual([40.5, 59.5].map((amount) => ({ application_id: expect.any(String), invoice_id, bill_id: null, amount, date: day })))

  const data = { id: invoice_id, number: invoice_number, customer_id: ours.customerId, total: 100 }
  expect(await told(invoice_id)).toEqual([
    ['INVOICE_UPDATED', { ...data, status: 'PARTIALLY_PAID', sequence: 2, changed: ['credits_applied', 'balance', 'status'] }],
    ['INVOICE_PAID', { ...data, status: 'CREDIT_APPLIED', sequence: 3 }],
  ])
  const { activity } = await ours.get(`/invoices/${invoice_id}/activity`)
  expect(activity.slice(0, 2).map(({ action, metadata }: Json) => [action, metadata.credit_note_id]))
    .toEqual([['INVOICE_PAID', note.credit_note_id], ['INVOICE_PARTIALLY_PAID', note.credit_note_id]])
  expect(activity[0].changes).toEqual({
    credits_applied: { old: 40.5, new: 100 }, balance: { old: 59.5, new: 0 }, status: { old: 'PARTIALLY_PAID', new: 'CREDIT_APPLIED' },
  })
  const log = (await ours.get(`/credit_notes/${note.credit_note_id}/activity`)).activity
  expect(log[0]).toMatchObject({
    action: 'CREDIT_NOTE_APPLIED', metadata: { invoice_id, application_id: now.applications[1].application_id },
    changes: { applied_amount: { old: 40.5, new: 100 }, balance_amount: { old: 109.5, new: 50 } },
  })
  expect(await ours.ledger(note.credit_note_id)).toHaveLength(1)
})

test('a bill is PAID by a credit, which is then used up', async () => {
  const { bill_id, bill_number } = await ours.openBill()
  const note = await ours.vendorCreditNote({ bill_id })
  expect(await ours.applyCredit(note.credit_note_id, { bill_id }, 100)).toMatchObject({
    credit_note: { applied_amount: 100, balance_amount: 0, status: 'APPLIED' },
    bill: { bill_id, balance: 0, status: 'PAID', paid_amount: 100, vendor_credits_applied: 100 },
  })
  expect(owing(await ours.getBill(bill_id))).toEqual(['PAID', 0, 100, 0])
  expect(await told(bill_id)).toEqual([
    ['BILL_PAID', { id: bill_id, number: bill_number, vendor_id: ours.vendorId, total: 100, status: 'PAID', sequence: 2 }],
  ])
  expect((await ours.get(`/bills/${bill_id}/activity`)).activity[0]).toMatchObject({ action: 'BILL_PAID', metadata: { credit_note_id: note.credit_note_id } })
  expect(await ours.refusal('POST', `/bills/${bill_id}/void`, {})).toEqual({ status: 409, code: 'conflict.bill_paid' })
  const path = `/credit_notes/${note.credit_note_id}`
  expect(await ours.refusal('POST', `${path}/void`, {})).toEqual({ status: 409, code: 'conflict.credit_applied' })
  expect(await ours.refusal('PUT', path, { notes: 'x' })).toEqual({ ...STATE, details: { status: 'APPLIED', allowed: ['DRAFT', 'ISSUED'] } })
  expect(await ours.refusedApplication(note.credit_note_id, { bill_id: (await ours.openBill()).bill_id }, 1)).toEqual(limited(0))
})

test('one bill takes two credits, one credit two bills', async () => {
  const bills = [await ours.openBill(), await ours.openBill()].map(({ bill_id }) => ({ bill_id }))
  const notes = [await ours.vendorCreditNote({ line_items: [line({ rate: 130 })] }), await ours.vendorCreditNote()].map(({ credit_note_id }) => credit_note_id)
  await ours.applyCredit(notes[0]!, bills[0]!, 100)
  await ours.applyCredit(notes[0]!, bills[1]!, 30)
  const last = await ours.applyCredit(notes[1]!, bills[1]!, 70)
  expect(last.bill).toEqual({ ...bills[1], balance: 0, status: 'PAID', paid_amount: 100, vendor_credits_applied: 100 })
  expect([creditState(await ours.getCreditNote(notes[0]!)), creditState(await ours.getCreditNote(notes[1]!))]).toEqual([['APPLIED', 130, 0], ['ISSUED', 70, 30]])
})

test('more than the smaller of the balances is refused, with the limit', async () => {
  const { invoice_id } = await ours.sentInvoice()
  const [small, large] = [await ours.creditNote({ line_items: [line({ rate: 30 })] }), await ours.creditNote({ line_items: [line({ rate: 500 })] })]
  expect(await ours.refusedApplication(small.credit_note_id, { invoice_id }, 30.01)).toEqual(limited(30))
  expect(await ours.refusedApplication(large.credit_note_id, { invoice_id }, 100.01)).toEqual(limited(100))
  await ours.payment(ours.receiptBody({ amount: 80, reference_number: randomUUID(), allocations: [{ invoice_id, amount: 80 }] }))
  expect(await ours.refusedApplication(small.credit_note_id, { invoice_id }, 501)).toEqual(limited(20))
  await ours.applyCredit(small.credit_note_id, { invoice_id }, 20)
  expect(owing(await ours.getInvoice(invoice_id))).toEqual(['CREDIT_APPLIED', 80, 20, 0])
  expect(await ours.refusedApplication(small.credit_note_id, { invoice_id }, 0.01)).toEqual(limited(0))
  expect(creditState(await ours.getCreditNote(small.credit_note_id))).toEqual(['ISSUED', 20, 10])
})

test('what may not be applied', async () => {
  const [{ invoice_id }, { bill_id }] = [await ours.sentInvoice(), await ours.openBill()]
  const [note, credit] = [(await ours.creditNote()).credit_note_id, (await ours.vendorCreditNote()).credit_note_id]
  const draft = (await ours.creditNote({ is_draft: true })).credit_note_id
  const gone = (await ours.creditNote()).credit_note_id
  await ours.send('POST', `/credit_notes/${gone}/void`, {})
  const cancelled = await ours.sentInvoice()
  await ours.send('POST', `/invoices/${cancelled.invoice_id}/void`, {})
  const cases: [string, { invoice_id: string } | { bill_id: string }, Json][] = [
    [draft, { invoice_id }, { ...STATE, details: { status: 'DRAFT', allowed: ['ISSUED'] } }],
    [gone, { invoice_id }, { ...STATE, details: { status: 'CANCELLED', allowed: ['ISSUED'] } }],
    [note, { bill_id }, { ...BAD, field: 'bill_id' }],
    [credit, { invoice_id }, { ...BAD, field: 'invoice_id' }],
    [note, { invoice_id: (await ours.sentInvoice({ customer_id: await addContact(ours) })).invoice_id }, { ...BAD, field: 'invoice_id' }],
    [note, { invoice_id: (await ours.sentInvoice({ currency_code: 'USD', exchange_rate: 80 })).invoice_id }, { ...BAD, field: 'invoice_id' }],
    [note, { invoice_id: (await ours.invoice()).invoice_id }, { ...STATE, details: { status: 'DRAFT', allowed: ['SENT', 'PARTIALLY_PAID', 'OVERDUE'] } }],
    [note, { invoice_id: cancelled.invoice_id }, { ...STATE, details: { status: 'CANCELLED', allowed: ['SENT', 'PARTIALLY_PAID', 'OVERDUE'] } }],
    [credit, { bill_id: (await ours.bill()).bill_id }, { ...STATE, details: { status: 'DRAFT', allowed: ['OPEN', 'PARTIALLY_PAID', 'OVERDUE'] } }],
    [note, { invoice_id: randomUUID() }, { ...NONE, field: 'invoice_id' }],
    [credit, { bill_id: 'BILL-1' }, { ...NONE, field: 'bill_id' }],
    [randomUUID(), { invoice_id }, NONE],
    ['CN-1', { bill_id }, NONE],
  ]
  for (const [id, to, refused] of cases) expect(await ours.refusedApplication(id, to, 1)).toEqual(refused)
  expect(await ours.refusedApplication(note, { invoice_id }, 0.001)).toEqual({ ...BAD, field: 'amount' })
  expect((await ours.refusedApplication(note, { invoice_id }, 0)).status).toBe(422)
  const keyless = await ours.client.call('POST', `/credit_notes/${note}/apply-to-invoice`, { body: { invoice_id, amount: 1 } })
  expect([keyless.status, keyless.body.code]).toEqual([400, 'idempotency.key_required'])
  expect([creditState(await ours.getCreditNote(note)), owing(await ours.getInvoice(invoice_id))]).toEqual([['ISSUED', 0, 100], ['SENT', 0, 0, 100]])
})

test('a key sent twice applies once', async () => {
  const { invoice_id } = await ours.sentInvoice()
  const { credit_note_id } = await ours.creditNote()
  const [key, path] = [randomUUID(), `/credit_notes/${credit_note_id}/apply-to-invoice`]
  const answers = [await ours.client.post(path, { invoice_id, amount: 60 }, key), await ours.client.post(path, { invoice_id, amount: 60 }, key)]
  expect(answers[1]!.text).toBe(answers[0]!.text)
  expect(creditState(await ours.getCreditNote(credit_note_id))).toEqual(['ISSUED', 60, 40])
})

test('beside money: whichever comes last names the status, and a payment deleted leaves the credit', async () => {
  const { invoice_id } = await ours.sentInvoice()
  const { credit_note_id } = await ours.creditNote()
  const pay = () => ours.payment(ours.receiptBody({ amount: 70, reference_number: randomUUID(), allocations: [{ invoice_id, amount: 70 }] }))
  await ours.applyCredit(credit_note_id, { invoice_id }, 30)
  const first = await pay()
  expect(owing(await ours.getInvoice(invoice_id))).toEqual(['PAID', 70, 30, 0])
  expect((await ours.refusal('POST', `/invoices/${invoice_id}/void`, {})).code).toBe('conflict.invoice_paid')
  await ours.send('DELETE', `/payments/${first.payment_id}`)
  expect(owing(await ours.getInvoice(invoice_id))).toEqual(['PARTIALLY_PAID', 0, 30, 70])
  expect((await ours.refusal('POST', `/invoices/${invoice_id}/void`, {})).code).toBe('conflict.credit_applied')
  const second = await pay()
  await ours.send('DELETE', `/payments/${second.payment_id}`)
  await ours.applyCredit(credit_note_id, { invoice_id }, 70)
  expect(owing(await ours.getInvoice(invoice_id))).toEqual(['CREDIT_APPLIED', 0, 100, 0])
  expect((await ours.refusal('POST', `/invoices/${invoice_id}/void`, {})).code).toBe('conflict.credit_applied')
})

test('an overdue invoice takes credit, and becomes part paid', async () => {
  const { invoice_id } = await ours.sentInvoice()
  const { credit_note_id } = await ours.creditNote()
  await service.sql("UPDATE invoices SET status = 'OVERDUE' WHERE id = $1", invoice_id)
  expect((await ours.applyCredit(credit_note_id, { invoice_id }, 10)).invoice.status).toBe('PARTIALLY_PAID')
})

test('at another rate the difference is posted on the day', async () => {
  const USD = (exchange_rate: number) => ({ currency_code: 'USD', exchange_rate })
  const { invoice_id } = await ours.sentInvoice(USD(80))
  const gained = await ours.creditNote({ ...USD(83), date: '2026-10-05' })
  await ours.applyCredit(gained.credit_note_id, { invoice_id }, 60)
  expect((await ours.ledger(gained.credit_note_id)).slice(1)).toEqual(['Dr Accounts Receivable (customer) 180.00\n   Cr Exchange Gain or Loss 180.00'])
  expect((await ours.get('/journals?per_page=1')).journals[0]).toMatchObject({ date: `${TODAY}T00:00:00.000Z`, source: 'CREDIT_NOTE' })
  const { bill_id } = await ours.openBill(USD(80))
  const lost = await ours.vendorCreditNote({ bill_id, ...USD(81) })
  await ours.applyCredit(lost.credit_note_id, { bill_id }, 100)
  expect((await ours.billLedger(lost.credit_note_id)).slice(1)).toEqual(['   Cr Accounts Payable (vendor) 100.00\nDr Exchange Gain or Loss 100.00'])
  const same = await ours.creditNote({ invoice_id })
  await ours.applyCredit(same.credit_note_id, { invoice_id }, 40)
  expect(await ours.ledger(same.credit_note_id)).toHaveLength(1)
  expect(await service.audit()).toEqual([])
})

test('odd rates and crumbs come to nothing, in whatever order money and credit settle', async () => {
  const odd = (exchange_rate: number, rate: number) => ({ currency_code: 'USD', exchange_rate, line_items: [line({ rate })] })
  const { invoice_id } = await ours.sentInvoice(odd(0.3333333333, 0.1))
  const { credit_note_id } = await ours.creditNote(odd(0.77, 0.07))
  const pay = () => ours.payment(ours.receiptBody({ currency_code: 'USD', exchange_rate: 0.55, amount: 0.03, reference_number: randomUUID(), allocations: [{ invoice_id, amount: 0.03 }] }))
  await ours.applyCredit(credit_note_id, { invoice_id }, 0.02)
  const first = await pay()
  await ours.applyCredit(credit_note_id, { invoice_id }, 0.05)
  expect(owing(await ours.getInvoice(invoice_id))).toEqual(['CREDIT_APPLIED', 0.03, 0.07, 0])
  expect(await service.audit()).toEqual([])
  await ours.send('DELETE', `/payments/${first.payment_id}`)
  await pay()
  expect(owing(await ours.getInvoice(invoice_id))).toEqual(['PAID', 0.03, 0.07, 0])
  expect(await service.audit()).toEqual([])
})

test('no call makes more than eight round trips to the database, however many lines', async () => {
  const trips = async () => Number(/^bahi_database_round_trips_total (\d+)/m.exec(await (await fetch(`${service.origin}/metrics`)).text())?.[1])
  const costOf = async (call: () => Promise<unknown>) => {
    const before = await trips()
    await call()
    return (await trips()) - before
  }
  const lines = Array.from({ length: 200 }, () => line({ rate: 1 }))
  const USD = (exchange_rate: number) => ({ currency_code: 'USD', exchange_rate, line_items: lines })
  const { invoice_id } = await ours.sentInvoice(USD(80))
  let id = ''
  const path = () => `/credit_notes/${id}`
  const costs: Record<string, number> = {
    create: await costOf(async () => (id = (await ours.creditNote({ invoice_id, ...USD(83), is_draft: true })).credit_note_id)),
    change: await costOf(() => ours.send('PUT', path(), { invoice_id, line_items: lines, place_of_supply: 'IN-DL' })),
    issue: await costOf(() => ours.send('POST', `${path()}/issue`)),
    redate: await costOf(() => ours.send('PUT', path(), { date: '2026-10-01' })),
    apply: await costOf(() => ours.applyCredit(id, { invoice_id }, 7)),
    read: await costOf(() => ours.getCreditNote(id)),
    list: await costOf(() => ours.get('/credit_notes?per_page=200')),
  }
  id = (await ours.creditNote()).credit_note_id
  costs.void = await costOf(() => ours.send('POST', `${path()}/void`, {}))
  costs.debit = await costOf(() => ours.debitNote())
  expect(Math.min(...Object.values(costs))).toBeGreaterThan(0)
  expect(Object.entries(costs).filter(([, cost]) => cost > 8)).toEqual([])
})
