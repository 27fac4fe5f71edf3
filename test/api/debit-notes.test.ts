// Debit notes over HTTP: created, issued, changed and voided; what they post and announce.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { creditState } from '../fixtures/credit.ts'
import { addContact, addItem, openOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)

const BAD = { status: 400, code: 'validation.invalid_value' }
const NONE = { status: 404, code: 'not_found.resource' }
const taxed = (tax: string, rate: number) => line({ rate, tax_id: ours.taxes[tax] })

test('is issued, takes the terms of its bill, and reduces no balance', async () => {
  const { bill_id } = await ours.openBill({ place_of_supply: 'IN-DL', currency_code: 'USD', exchange_rate: 80 })
  const note = await ours.debitNote({
    bill_id, line_items: [{ ...taxed('GST 18%', 50), restock: true }, taxed('RCM 5%', 10)], reason: 'Wrong colour', reference_number: 'R', notes: 'By road',
  })
  expect(note).toMatchObject({
    debit_note_number: 'DN-00001', vendor_id: ours.vendorId, vendor_name: 'Tiruppur Mills', bill_id, reason: 'Wrong colour', place_of_supply: 'IN-DL',
    currency_code: 'USD', exchange_rate: 80, sub_total: 60, tax_total: 9, total: 69, applied_amount: 0, balance_amount: 69, status: 'ISSUED',
    stock_direction: 'PURCHASE_RETURN_OUT', reference_number: 'R', notes: 'By road',
  })
  expect(note.line_items.map(({ igst, restock }: Json) => [igst, restock])).toEqual([[9, true], [0, false]])
  expect((await ours.get(`/debit_notes/${note.debit_note_id}`)).debit_note).toEqual(note)
  expect(await ours.getBill(bill_id)).toMatchObject({ balance: 100, status: 'OPEN' })
  expect(await ours.billLedger(note.debit_note_id)).toEqual([[
    'Dr Accounts Payable (vendor) 5,520.00', 'Dr Output IGST (RCM) 40.00', '   Cr Purchases 4,800.00', '   Cr Input IGST 760.00',
  ].join('\n')])
  expect((await ours.get('/journals?source=DEBIT_NOTE')).journals[0]).toMatchObject({ memo: 'Debit note DN-00001', contact_id: ours.vendorId })
})

test('a vendor may be named as customer_id; lines price at the purchase rate', async () => {
  const silk = await addItem(ours, { rate: 500, purchase_rate: 410 })
  const { vendor_id: _vendor, ...body } = { vendor_id: '', date: '2026-11-12', customer_id: ours.vendorId, line_items: [{ item_id: silk, quantity: 2 }] }
  expect((await ours.send('POST', '/debit_notes', body)).debit_note).toMatchObject({ vendor_id: ours.vendorId, total: 820, place_of_supply: 'IN-KA' })
  expect(await ours.debitNote({ customer_id: ours.customerId })).toMatchObject({ vendor_id: ours.vendorId })
  const nobody = await ours.refusal('POST', '/debit_notes', { date: '2026-11-12', line_items: [{ quantity: 1 }] })
  expect([nobody.status, nobody.errors.map(({ field }: Json) => field)]).toEqual([422, ['vendor_id', 'line_items.0.name', 'line_items.0.rate']])
})

test.each<[string, () => Promise<Json> | Json, Json]>([
  ['against a bill that is not there', () => ({ bill_id: randomUUID() }), { ...NONE, field: 'bill_id' }],
  ['against a bill of another', async () => ({ vendor_id: await addContact(ours, { contact_type: 'BOTH' }), bill_id: (await ours.openBill()).bill_id }), { ...BAD, field: 'bill_id' }],
  ['against a draft', async () => ({ bill_id: (await ours.bill()).bill_id }),
    { status: 409, code: 'conflict.invalid_state', details: { status: 'DRAFT', allowed: ['OPEN', 'PARTIALLY_PAID', 'PAID', 'OVERDUE'] } }],
  ['to a customer alone', () => ({ vendor_id: ours.customerId }), { ...BAD, field: 'vendor_id' }],
  ['to nobody known', () => ({ vendor_id: randomUUID() }), { ...NONE, field: 'vendor_id' }],
])('%s it is refused', async (_what, changes, refused) => {
  expect(await ours.refusedDebitNote(await changes())).toEqual(refused)
})

test('a draft posts nothing and changes whole; issued, it changes in date, reason, reference and notes', async () => {
  const { debit_note_id: id } = await ours.debitNote({ is_draft: true, line_items: [{ ...taxed('GST 18%', 100), restock: true }] })
  const path = `/debit_notes/${id}`
  expect(await ours.ledger(id)).toEqual([])
  const put = async (body: Json) => (await ours.send('PUT', path, body)).debit_note
  expect(await put({ place_of_supply: '07', reason: 'Late' })).toMatchObject({ place_of_supply: 'IN-DL', reason: 'Late', line_items: [{ igst: 18, restock: true }] })
  const org = await addContact(ours, { contact_name: 'Surat Mills', contact_type: 'VENDOR' })
  expect(await put({ customer_id: org, line_items: [taxed('GST 5%', 200)] })).toMatchObject({ vendor_name: 'Surat Mills', total: 210, place_of_supply: 'IN-KA' })
  const { bill_id } = await ours.openBill({ vendor_id: org, place_of_supply: 'IN-TN' })
  expect(await put({ bill_id })).toMatchObject({ bill_id, place_of_supply: 'IN-TN', total: 210 })
  expect((await ours.send('POST', `${path}/issue`)).debit_note.status).toBe('ISSUED')
  expect(await put({ date: '2026-10-31', reason: null, reference_number: 'R-1', notes: 'x' }))
    .toMatchObject({ date: '2026-10-31T00:00:00.000Z', reason: null, reference_number: 'R-1', notes: 'x' })
  expect(await ours.ledger(id)).toHaveLength(3)
  for (const field of ['vendor_id', 'bill_id', 'place_of_supply', 'branch_id', 'currency_code']) {
    expect(await ours.refusal('PUT', path, { [field]: 'ABC' })).toEqual({ ...BAD, field })
  }
  expect(creditState((await ours.send('POST', `${path}/void`, { reason: 'Kept' })).debit_note)).toEqual(['CANCELLED', 0, 0])
  expect(await ours.ledger(id)).toHaveLength(4)
  expect(await ours.refusal('POST', `${path}/void`, {})).toEqual({ status: 409, code: 'conflict.already_cancelled' })
  expect(await ours.refusal('POST', `${path}/issue`)).toMatchObject({ status: 409, code: 'conflict.invalid_state' })
  expect(await ours.refusal('PUT', path, { notes: 'y' })).toMatchObject({ status: 409, code: 'conflict.invalid_state' })
  const { activity } = await ours.get(`${path}/activity`)
  expect(activity.toReversed().map(({ action }: Json) => action)).toEqual([
    'DEBIT_NOTE_CREATED', 'DEBIT_NOTE_UPDATED', 'DEBIT_NOTE_UPDATED', 'DEBIT_NOTE_UPDATED', 'DEBIT_NOTE_ISSUED', 'DEBIT_NOTE_UPDATED', 'DEBIT_NOTE_VOIDED',
  ])
  const events = await service.sql('SELECT event_type, data FROM webhook_events WHERE entity_id = $1', id)
  expect(events).toEqual([{ event_type: 'DEBIT_NOTE_CREATED', data: {
    id, number: expect.stringMatching(/^DN-\d{5}$/), vendor_id: ours.vendorId, total: 118, status: 'DRAFT', sequence: 1,
  } }])
})

test('the list, by every filter', async () => {
  const own = await openOrganization(service)
  const { bill_id } = await own.openBill()
  const one = await own.debitNote({ bill_id, date: '2026-10-01' })
  const two = await own.debitNote({ is_draft: true, vendor_id: await addContact(own, { contact_type: 'VENDOR' }) })
  const found = async (query: string) => (await own.get(`/debit_notes?${query}`)).debit_notes.map(({ debit_note_id }: Json) => (debit_note_id === one.debit_note_id ? 1 : 2))
  expect([await found(''), await found('status=ISSUED'), await found(`vendor_id=${two.vendor_id}`), await found(`bill_id=${bill_id}`)]).toEqual([[2, 1], [1], [2], [1]])
  expect([await found('date_to=2026-10-01'), await found('date_from=2026-10-02'), await found('sort=created_time')]).toEqual([[1], [2], [1, 2]])
  expect(await own.listAll('/debit_notes', 'debit_notes', 1)).toEqual([two, one])
})

test('a contact or item that a note names is in use', async () => {
  const [vendor_id, item_id] = [await addContact(ours, { contact_type: 'VENDOR' }), await addItem(ours)]
  await ours.debitNote({ vendor_id, line_items: [{ item_id, quantity: 1 }], is_draft: true })
  expect(await ours.refusal('DELETE', `/contacts/${vendor_id}`)).toMatchObject({ status: 409, code: 'conflict.in_use', details: { debit_notes: 1 } })
  expect(await ours.refusal('DELETE', `/items/${item_id}`)).toMatchObject({ status: 409, code: 'conflict.in_use', details: { debit_note_lines: 1 } })
})
