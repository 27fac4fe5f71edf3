// Credit notes over HTTP: created, issued, changed and voided; what they post and announce.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Compile } from 'typebox/compile'
import { deliverySchema, type EventType } from '../../domain/events.ts'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { creditState } from '../fixtures/credit.ts'
import { addContact, addItem, openOrganization, TODAY, type TestOrganization } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let ours: TestOrganization
let endpointId: string

beforeAll(async () => {
  service = await startService()
  ours = await openOrganization(service)
  endpointId = (await ours.send('POST', '/webhooks/endpoints', {
    url: 'http://127.0.0.1:9/hook', events: ['CREDIT_NOTE_CREATED', 'CREDIT_NOTE_VOIDED'],
  })).endpoint.endpoint_id
})
afterAll(() => service.close())

const BAD = { status: 400, code: 'validation.invalid_value' }
const NONE = { status: 404, code: 'not_found.resource' }
const taxed = (tax: string, rate: number) => line({ rate, tax_id: ours.taxes[tax] })
const text = (lines: string) => lines.slice(1).split('\n').map((each) => each.replace(/^ {4}/, '')).join('\n')
const ledgerOf = async (id: string) => (await ours.ledger(id)).map((journal) => journal.replaceAll('(customer)', '(contact)'))

test('is issued, answers what it is, and reduces no balance', async () => {
  const { invoice_id } = await ours.sentInvoice({ line_items: [taxed('GST 18%', 1000)], place_of_supply: 'IN-DL' })
  const note = await ours.creditNote({
    invoice_id, line_items: [{ ...taxed('GST 18%', 100), quantity: 2, restock: true }, taxed('Exempt', 7)], reference_number: 'RET-1', notes: 'Torn',
  })
  expect(note).toMatchObject({
    credit_note_number: 'CN-00001', type: 'customer', customer_id: ours.customerId, customer_name: 'Meena Sarees', invoice_id, bill_id: null,
    date: '2026-11-12T00:00:00.000Z', place_of_supply: 'IN-DL', currency_code: 'INR', exchange_rate: 1, sub_total: 207, tax_total: 36, round_off: 0,
    total: 243, applied_amount: 0, balance_amount: 243, status: 'ISSUED', stock_direction: 'SALES_RETURN_IN', reference_number: 'RET-1',
    notes: 'Torn', tags: [], applications: [],
  })
  expect(note.line_items.map(({ item_total, igst, restock }: Json) => [item_total, igst, restock])).toEqual([[200, 36, true], [7, 0, false]])
  expect(await ours.getCreditNote(note.credit_note_id)).toEqual(note)
  expect(await ours.getInvoice(invoice_id)).toMatchObject({ status: 'SENT', balance: 1180, credits_applied: 0 })
  expect(await ledgerOf(note.credit_note_id)).toEqual([text(`
    Dr Sales 207.00
    Dr Output IGST 36.00
       Cr Accounts Receivable (contact) 243.00`)])
  const { journals } = await ours.get('/journals?source=CREDIT_NOTE&per_page=1')
  expect(journals[0]).toMatchObject({ source_id: note.credit_note_id, memo: 'Credit note CN-00001', date: '2026-11-12T00:00:00.000Z', contact_id: ours.customerId })
})

test("a vendor's credit mirrors its bill, reverse charge and all", async () => {
  const silk = await addItem(ours, { rate: 500, purchase_rate: 400, tax_id: ours.taxes['GST 18%'] })
  const { bill_id } = await ours.openBill({ currency_code: 'USD', exchange_rate: 80.5, line_items: [line({ rate: 2000 })] })
  const note = await ours.vendorCreditNote({ bill_id, line_items: [{ item_id: silk, quantity: 1 }, taxed('RCM 5%', 100)] })
  expect(note).toMatchObject({
    type: 'vendor', customer_id: ours.vendorId, customer_name: 'Tiruppur Mills', invoice_id: null, bill_id, place_of_supply: 'IN-KA',
    currency_code: 'USD', exchange_rate: 80.5, sub_total: 500, tax_total: 72, total: 572, stock_direction: 'PURCHASE_RETURN_OUT',
  })
  expect(await ledgerOf(note.credit_note_id)).toEqual([text(`
    Dr Accounts Payable (contact) 46,046.00
    Dr Output CGST (RCM) 201.25
    Dr Output SGST (RCM) 201.25
       Cr Purchases 40,250.00
       Cr Input CGST 3,099.25
       Cr Input SGST 3,099.25`)])
})

test('against nothing in particular it is a customer’s, unless the contact is a vendor and nothing else', async () => {
  const both = await addContact(ours, { contact_name: 'Ravi Textiles', contact_type: 'BOTH', place_of_contact: 'IN-TN' })
  const of = async (customer_id: string) => (({ type, place_of_supply }) => [type, place_of_supply])(await ours.creditNote({ customer_id }))
  expect([await of(ours.customerId), await of(both), await of(ours.vendorId)]).toEqual([['customer', 'IN-KA'], ['customer', 'IN-TN'], ['vendor', 'IN-KA']])
})

describe('a creation is refused', () => {
  test.each<[string, () => Promise<Json> | Json, Json]>([
    ['against an invoice and a bill', async () => ({ invoice_id: (await ours.sentInvoice()).invoice_id, bill_id: (await ours.openBill()).bill_id }), { ...BAD, field: 'bill_id' }],
    ['against an invoice, and a bill that is not there', async () => ({ invoice_id: (await ours.sentInvoice()).invoice_id, bill_id: randomUUID() }), { ...NONE, field: 'bill_id' }],
    ['against an invoice that is not there', () => ({ invoice_id: randomUUID() }), { ...NONE, field: 'invoice_id' }],
    ['against text that is no id', () => ({ bill_id: 'BILL-1' }), { ...NONE, field: 'bill_id' }],
    ['against an invoice of another', async () => ({ customer_id: await addContact(ours), invoice_id: (await ours.sentInvoice()).invoice_id }), { ...BAD, field: 'invoice_id' }],
    ['against a bill of another', async () => ({ customer_id: await addContact(ours, { contact_type: 'BOTH' }), bill_id: (await ours.openBill()).bill_id }), { ...BAD, field: 'bill_id' }],
    ['against a draft', async () => ({ invoice_id: (await ours.invoice()).invoice_id }),
      { status: 409, code: 'conflict.invalid_state', details: { status: 'DRAFT', allowed: ['SENT', 'PARTIALLY_PAID', 'PAID', 'OVERDUE', 'CREDIT_APPLIED'] } }],
    ['for a contact that is not there', () => ({ customer_id: randomUUID() }), { ...NONE, field: 'customer_id' }],
    ["a vendor's, of a customer alone", async () => ({ customer_id: ours.customerId, bill_id: (await ours.openBill()).bill_id }), { ...BAD, field: 'customer_id' }],
    ['with an item that is not there', () => ({ line_items: [{ item_id: randomUUID(), quantity: 1 }] }), { ...NONE, field: 'line_items.0.item_id' }],
    ['with a place that is none', () => ({ place_of_supply: 'IN-IN' }), { status: 422, code: 'validation.invalid_value', field: 'place_of_supply' }],
  ])('%s', async (_what, changes, refused) => {
    expect(await ours.refusedCreditNote(await changes())).toEqual(refused)
  })

  test('with every problem of its shape at once, and without a key', async () => {
    const { status, errors } = await ours.refusal('POST', '/credit_notes', { line_items: [{ quantity: 0, restock: 'yes' }], is_draft: 1 })
    expect([status, errors.map(({ field }: Json) => field).sort()]).toEqual([422, [
      'customer_id', 'date', 'is_draft', 'line_items.0.name', 'line_items.0.quantity', 'line_items.0.rate', 'line_items.0.restock',
    ]])
    const keyless = await ours.client.call('POST', '/credit_notes', { body: ours.creditNoteBody() })
    expect([keyless.status, keyless.body.code]).toEqual([400, 'idempotency.key_required'])
  })

  test('against a document of another organisation', async () => {
    const other = await openOrganization(service)
    const [invoice, bill, note] = [await other.sentInvoice(), await other.openBill(), await other.creditNote()]
    expect(await ours.refusedCreditNote({ invoice_id: invoice.invoice_id })).toMatchObject(NONE)
    expect(await ours.refusedCreditNote({ customer_id: ours.vendorId, bill_id: bill.bill_id })).toMatchObject(NONE)
    const own = await ours.creditNote()
    expect(await ours.refusedApplication(own.credit_note_id, { invoice_id: invoice.invoice_id }, 1)).toEqual({ ...NONE, field: 'invoice_id' })
    expect(await ours.refusedApplication(note.credit_note_id, { invoice_id: (await ours.sentInvoice()).invoice_id }, 1)).toEqual(NONE)
  })
})

describe('a draft', () => {
  test('posts nothing until it is issued', async () => {
    const draft = await ours.creditNote({ is_draft: true, currency_code: 'USD', exchange_rate: 83 })
    expect([draft.status, await ours.ledger(draft.credit_note_id)]).toEqual(['DRAFT', []])
    const { credit_note, message } = await ours.send('POST', `/credit_notes/${draft.credit_note_id}/issue`)
    expect([message, credit_note.status]).toEqual(['Credit note issued.', 'ISSUED'])
    expect(await ledgerOf(draft.credit_note_id)).toEqual(['Dr Sales 8,300.00\n   Cr Accounts Receivable (contact) 8,300.00'])
    expect(await ours.refusal('POST', `/credit_notes/${draft.credit_note_id}/issue`))
      .toEqual({ status: 409, code: 'conflict.invalid_state', details: { status: 'ISSUED', allowed: ['DRAFT'] } })
  })

  test('changes in every field, priced again', async () => {
    const { credit_note_id: id } = await ours.creditNote({ is_draft: true, line_items: [{ ...taxed('GST 18%', 100), restock: true }, line({ rate: 1 })] })
    const put = async (body: Json) => (await ours.send('PUT', `/credit_notes/${id}`, body)).credit_note
    const before = await ours.getCreditNote(id)
    expect(await put({ place_of_supply: 'IN-DL', notes: 'Across' })).toMatchObject({ total: 119, notes: 'Across', place_of_supply: 'IN-DL' })
    const moved = await ours.getCreditNote(id)
    expect(moved.line_items.map(({ line_item_id, igst, restock }: Json) => [line_item_id, igst, restock]))
      .toEqual([[before.line_items[0].line_item_id, 18, true], [before.line_items[1].line_item_id, 0, false]])
    const relined = await put({ line_items: [taxed('GST 5%', 200)], date: '2026-11-13' })
    expect(relined).toMatchObject({ total: 210, balance_amount: 210, date: '2026-11-13T00:00:00.000Z' })
    expect((await ours.getCreditNote(id)).line_items).toEqual(relined.line_items)
    const { invoice_id } = await ours.sentInvoice({ currency_code: 'EUR', exchange_rate: 90 })
    expect(await put({ invoice_id })).toMatchObject({ invoice_id, currency_code: 'EUR', exchange_rate: 90, place_of_supply: 'IN-KA', total: 210 })
    expect(await put({ invoice_id: null, customer_id: ours.vendorId })).toMatchObject({ type: 'vendor', invoice_id: null, currency_code: 'EUR', customer_name: 'Tiruppur Mills' })
    expect(await ours.refusal('PUT', `/credit_notes/${id}`, { invoice_id })).toEqual({ ...BAD, field: 'customer_id' })
    await put({})
    const { activity } = await ours.get(`/credit_notes/${id}/activity`)
    expect(activity.map(({ action }: Json) => action)).toEqual([...Array(4).fill('CREDIT_NOTE_UPDATED'), 'CREDIT_NOTE_CREATED'])
    expect(activity[2].changes).toMatchObject({ total: { old: 119, new: 210 }, date: { old: '2026-11-12', new: '2026-11-13' }, line_items: expect.anything() })
    await ours.send('POST', `/credit_notes/${id}/issue`)
    expect(await ledgerOf(id)).toEqual([expect.stringMatching(/^Dr Accounts Payable \(contact\) 18,900\.00/)])
  })

  test('void posts nothing', async () => {
    const { credit_note_id } = await ours.creditNote({ is_draft: true })
    const { credit_note } = await ours.send('POST', `/credit_notes/${credit_note_id}/void`)
    expect([creditState(credit_note), await ours.ledger(credit_note_id)]).toEqual([['CANCELLED', 0, 0], []])
  })
})

test('an issued note changes in notes, date and reference: another date posts it again', async () => {
  const { credit_note_id: id } = await ours.creditNote()
  const path = `/credit_notes/${id}`
  expect((await ours.send('PUT', path, { notes: 'Late', reference_number: 'R' })).credit_note).toMatchObject({ notes: 'Late', reference_number: 'R' })
  expect(await ours.ledger(id)).toHaveLength(1)
  await ours.send('PUT', path, { date: '2026-10-31' })
  const journals = (await ours.get('/journals?source=CREDIT_NOTE&sort=created_time&per_page=200')).journals.filter(({ source_id }: Json) => source_id === id)
  expect(journals.map(({ date, reversal_of }: Json) => [date.slice(0, 10), reversal_of !== null]).sort())
    .toEqual([['2026-10-31', false], ['2026-11-12', false], ['2026-11-12', true]])
  for (const field of ['customer_id', 'invoice_id', 'bill_id', 'place_of_supply', 'branch_id', 'currency_code']) {
    expect(await ours.refusal('PUT', path, { [field]: 'ABC' })).toMatchObject({ status: 400, field })
  }
  expect(await ours.refusal('PUT', path, { line_items: [line()], notes: 'x' })).toEqual({ ...BAD, field: 'line_items' })
  await ours.send('POST', `${path}/void`, {})
  expect(await ours.refusal('PUT', path, { notes: 'x' }))
    .toEqual({ status: 409, code: 'conflict.invalid_state', details: { status: 'CANCELLED', allowed: ['DRAFT', 'ISSUED'] } })
  expect(await ours.ledger(id)).toHaveLength(4)
})

test('void reverses its journal today, or on the day given; once', async () => {
  for (const [body, day] of [[{ reason: 'Kept' }, TODAY], [{ date: '2026-12-01' }, '2026-12-01']] as const) {
    const { credit_note_id } = await ours.creditNote()
    const { credit_note } = await ours.send('POST', `/credit_notes/${credit_note_id}/void`, body)
    expect(creditState(credit_note)).toEqual(['CANCELLED', 0, 0])
    expect((await ours.get('/journals?source=CREDIT_NOTE&per_page=1')).journals[0])
      .toMatchObject({ source_id: credit_note_id, date: `${day}T00:00:00.000Z`, reversal_of: expect.any(String) })
    expect(await ours.refusal('POST', `/credit_notes/${credit_note_id}/void`, {})).toEqual({ status: 409, code: 'conflict.already_cancelled' })
  }
})

test('one event and one entry a call', async () => {
  const { credit_note_id: id, credit_note_number: number } = await ours.creditNote({ is_draft: true, line_items: [line({ rate: 12.5 })] })
  await ours.send('PUT', `/credit_notes/${id}`, { notes: 'Torn' })
  await ours.send('POST', `/credit_notes/${id}/issue`)
  await ours.send('POST', `/credit_notes/${id}/void`, { reason: 'Kept' })
  const rows = await service.sql<{ event_type: EventType; payload: string }>(
    `SELECT d.event_type, d.payload FROM webhook_deliveries AS d JOIN webhook_events AS e ON e.org_id = d.org_id AND e.id = d.event_id
     WHERE e.entity_type = 'CREDIT_NOTE' AND e.entity_id = $1 AND d.endpoint_id = $2 ORDER BY d.event_type`, id, endpointId)
  for (const { event_type, payload } of rows) expect([...Compile(deliverySchema(event_type)).Errors(JSON.parse(payload))]).toEqual([])
  const data = { id, number, customer_id: ours.customerId, total: 12.5 }
  expect(rows.map(({ event_type, payload }) => [event_type, JSON.parse(payload).data])).toEqual([
    ['CREDIT_NOTE_CREATED', { ...data, status: 'DRAFT', sequence: 1 }], ['CREDIT_NOTE_VOIDED', { ...data, status: 'CANCELLED', sequence: 4 }],
  ])
  const { activity } = await ours.get(`/credit_notes/${id}/activity`)
  expect(activity.toReversed().map(({ action, changes }: Json) => [action, changes])).toEqual([
    ['CREDIT_NOTE_CREATED', null], ['CREDIT_NOTE_UPDATED', { notes: { old: null, new: 'Torn' } }],
    ['CREDIT_NOTE_ISSUED', { status: { old: 'DRAFT', new: 'ISSUED' } }], ['CREDIT_NOTE_VOIDED', { status: { old: 'ISSUED', new: 'CANCELLED' } }],
  ])
  expect(activity[0]).toMatchObject({ entity_type: 'CREDIT_NOTE', entity_ref: number, metadata: { reason: 'Kept' } })
})

test('the list, by every filter', async () => {
  const own = await openOrganization(service)
  const [{ invoice_id }, { bill_id }] = [await own.sentInvoice(), await own.openBill()]
  const one = await own.creditNote({ invoice_id, date: '2026-10-01' })
  const two = await own.vendorCreditNote({ bill_id, date: '2026-10-15' })
  const three = await own.creditNote({ is_draft: true })
  await own.applyCredit(one.credit_note_id, { invoice_id }, 40)
  const found = async (query: string) => (await own.get(`/credit_notes?${query}`)).credit_notes.map(({ credit_note_id }: Json) => (
    [one, two, three].findIndex((note) => note.credit_note_id === credit_note_id) + 1
  ))
  expect(await found('')).toEqual([3, 2, 1])
  expect(await found('sort=created_time')).toEqual([1, 2, 3])
  expect([await found('status=DRAFT'), await found('type=vendor'), await found('type=customer')]).toEqual([[3], [2], [3, 1]])
  expect([await found(`customer_id=${own.vendorId}`), await found(`invoice_id=${invoice_id}`), await found(`bill_id=${bill_id}`)]).toEqual([[2], [1], [2]])
  expect([await found('date_from=2026-10-15'), await found('date_to=2026-10-15'), await found(`customer_id=${ours.customerId}`)]).toEqual([[3, 2], [2, 1], []])
  expect(await found(`modified_since=${encodeURIComponent(three.last_modified_time)}`)).toEqual([3, 1])
  expect(await own.refusal('GET', '/credit_notes?type=VENDOR')).toMatchObject({ ...BAD, details: { valid: ['customer', 'vendor'] } })
  expect((await own.listAll('/credit_notes', 'credit_notes', 2)).find(({ credit_note_id }) => credit_note_id === one.credit_note_id))
    .toEqual(await own.getCreditNote(one.credit_note_id))
})

test('a contact or item that a note names is in use', async () => {
  const [customer_id, item_id] = [await addContact(ours), await addItem(ours)]
  await ours.creditNote({ customer_id, line_items: [{ item_id, quantity: 1 }], is_draft: true })
  expect(await ours.refusal('DELETE', `/contacts/${customer_id}`)).toMatchObject({ status: 409, code: 'conflict.in_use', details: { credit_notes: 1 } })
  expect(await ours.refusal('DELETE', `/items/${item_id}`)).toMatchObject({ status: 409, code: 'conflict.in_use', details: { credit_note_lines: 1 } })
})

test("the customer's ledger lists them", async () => {
  const contact_id = await addContact(ours)
  const note = await ours.creditNote({ customer_id: contact_id, reference_number: 'RET-7' })
  const { customer_ledger } = await ours.get(`/reports/customer_ledger?contact_id=${contact_id}`)
  expect(customer_ledger).toMatchObject({ closing_balance: -100, transactions: [{
    transaction_type: 'CREDIT_NOTE', transaction_id: note.credit_note_id, transaction_number: note.credit_note_number, reference_number: 'RET-7', debit: 0, credit: 100, balance: -100,
  }] })
})
