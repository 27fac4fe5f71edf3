// What bills do to the books and announce: their journals, their events, their activity.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Compile } from 'typebox/compile'
import { deliverySchema, type EventType } from '../../domain/events.ts'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, TODAY, type TestOrganization } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let ours: TestOrganization
let endpointId: string

beforeAll(async () => {
  service = await startService()
  ours = await openOrganization(service)
  endpointId = (await ours.send('POST', '/webhooks/endpoints', {
    url: 'http://127.0.0.1:9/hook', events: ['BILL_CREATED', 'BILL_UPDATED', 'BILL_VOIDED', 'BILL_PAID'],
  })).endpoint.endpoint_id
})
afterAll(() => service.close())

const taxed = (tax: string, rate: number) => line({ rate, tax_id: ours.taxes[tax] })
const text = (lines: string) => lines.slice(1).split('\n').map((each) => each.replace(/^ {4}/, '')).join('\n')

test.each<[string, () => Record<string, unknown>, string]>([
  ['within the state', () => ({ line_items: [taxed('GST 18%', 1000)] }), `
    Dr Purchases 1,000.00
    Dr Input CGST 90.00
    Dr Input SGST 90.00
       Cr Accounts Payable (vendor) 1,180.00`],
  ['across states', () => ({ place_of_supply: 'IN-DL', line_items: [taxed('GST 18%', 123456.78)] }), `
    Dr Purchases 1,23,456.78
    Dr Input IGST 22,222.22
       Cr Accounts Payable (vendor) 1,45,679.00`],
  ['exempt', () => ({ line_items: [taxed('Exempt', 100)] }), `
    Dr Purchases 100.00
       Cr Accounts Payable (vendor) 100.00`],
  ['under reverse charge, within the state', () => ({ line_items: [taxed('RCM 18%', 1000), taxed('GST 5%', 100)] }), `
    Dr Purchases 1,100.00
    Dr Input CGST 92.50
    Dr Input SGST 92.50
       Cr Accounts Payable (vendor) 1,105.00
       Cr Output CGST (RCM) 90.00
       Cr Output SGST (RCM) 90.00`],
  ['under reverse charge, across states', () => ({ place_of_supply: 'IN-DL', line_items: [taxed('RCM 5%', 1000)] }), `
    Dr Purchases 1,000.00
    Dr Input IGST 50.00
       Cr Accounts Payable (vendor) 1,000.00
       Cr Output IGST (RCM) 50.00`],
  ['rounded up', () => ({ line_items: [taxed('GST 18%', 10)], round_off: 0.2 }), `
    Dr Purchases 10.00
    Dr Input CGST 0.90
    Dr Input SGST 0.90
    Dr Round Off 0.20
       Cr Accounts Payable (vendor) 12.00`],
  ['rounded down', () => ({ line_items: [taxed('GST 12%', 10)], round_off: -0.2 }), `
    Dr Purchases 10.00
    Dr Input CGST 0.60
    Dr Input SGST 0.60
       Cr Accounts Payable (vendor) 11.00
       Cr Round Off 0.20`],
  ['in dollars', () => ({ currency_code: 'USD', exchange_rate: 83.1234, place_of_supply: 'IN-OT', line_items: [taxed('RCM 18%', 100.1)] }), `
    Dr Purchases 8,320.65
    Dr Input IGST 1,497.88
       Cr Accounts Payable (vendor) 8,320.65
       Cr Output IGST (RCM) 1,497.88`],
  ['in yen', () => ({ currency_code: 'JPY', exchange_rate: 0.5543, line_items: [taxed('Exempt', 1234)] }), `
    Dr Purchases 684.01
       Cr Accounts Payable (vendor) 684.01`],
  ['in dinars', () => ({ currency_code: 'KWD', exchange_rate: 271.5, line_items: [taxed('Exempt', 1.235)] }), `
    Dr Purchases 335.30
       Cr Accounts Payable (vendor) 335.30`],
])('%s', async (_what, changes, journal) => {
  const { bill_id, bill_number } = await ours.bill({ ...changes(), auto_approve: true })
  expect(await ours.billLedger(bill_id)).toEqual([text(journal)])
  const { journals } = await ours.get('/journals?source=BILL')
  const entry = journals.find(({ source_id }: Json) => source_id === bill_id)
  expect(entry).toMatchObject({ date: '2026-11-10T00:00:00.000Z', memo: `Bill ${bill_number}`, contact_id: ours.vendorId, reversal_of: null })
})

test('approved later, it posts the same; void, it is reversed as of today or the day given', async () => {
  const changes = { line_items: [taxed('RCM 18%', 500)], round_off: 0.5 }
  for (const [body, day] of [[{}, TODAY], [{ date: '2026-12-01' }, '2026-12-01']] as const) {
    const { bill_id } = await ours.bill(changes)
    expect(await ours.billLedger(bill_id)).toEqual([])
    await ours.send('POST', `/bills/${bill_id}/approve`)
    await ours.send('POST', `/bills/${bill_id}/void`, body)
    expect(await ours.billLedger(bill_id)).toEqual([text(`
    Dr Purchases 500.00
    Dr Input CGST 45.00
    Dr Input SGST 45.00
    Dr Round Off 0.50
       Cr Accounts Payable (vendor) 500.50
       Cr Output CGST (RCM) 45.00
       Cr Output SGST (RCM) 45.00`), text(`
       Cr Purchases 500.00
       Cr Input CGST 45.00
       Cr Input SGST 45.00
       Cr Round Off 0.50
    Dr Accounts Payable (vendor) 500.50
    Dr Output CGST (RCM) 45.00
    Dr Output SGST (RCM) 45.00`)])
    const { journals } = await ours.get('/journals?source=BILL&per_page=1')
    expect(journals[0]).toMatchObject({ source_id: bill_id, date: `${day}T00:00:00.000Z`, reversal_of: expect.any(String) })
  }
})

test('without a Round Off account the difference goes to the first line\'s account', async () => {
  const other = await openOrganization(service)
  await service.sql('UPDATE accounts SET is_active = false WHERE org_id = $1 AND name = $2', other.orgId, 'Round Off')
  const { bill_id } = await other.bill({ line_items: [line({ rate: 99.6 })], round_off: 0.4, auto_approve: true })
  expect(await other.billLedger(bill_id)).toEqual(['Dr Purchases 100.00\n   Cr Accounts Payable (vendor) 100.00'])
})

/** The bodies to be delivered about one bill, oldest first, each checked by its schema. */
async function delivered(billId: string): Promise<Json[]> {
  const rows = await service.sql<{ id: string; event_type: EventType; payload: string }>(
    `SELECT d.id, d.event_type, d.payload FROM webhook_deliveries AS d JOIN webhook_events AS e ON e.org_id = d.org_id AND e.id = d.event_id
     WHERE e.entity_type = 'BILL' AND e.entity_id = $1 AND d.endpoint_id = $2 ORDER BY (e.data ->> 'sequence')::integer`, billId, endpointId)
  return rows.map(({ id, event_type, payload }) => {
    const body = JSON.parse(payload)
    expect([...Compile(deliverySchema(event_type)).Errors(body)]).toEqual([])
    expect([body.delivery_id, body.event_type]).toEqual([id, event_type])
    return [event_type, { ...body.data, ...(body.data.changed ? { changed: body.data.changed.toSorted() } : {}) }]
  })
}

const log = async (id: string) => (await ours.get(`/bills/${id}/activity`)).activity.toReversed()
const told = ({ action, changes }: Json) => [action, changes]

test('from draft to void: one event and one entry a call', async () => {
  const { bill_id, bill_number } = await ours.bill()
  await ours.send('PUT', `/bills/${bill_id}`, { notes: 'Fragile', bill_number: 'TM/7' })
  await ours.send('POST', `/bills/${bill_id}/approve`)
  await ours.send('POST', `/bills/${bill_id}/void`, { reason: 'Sent back' })
  const data = { id: bill_id, number: 'TM/7', vendor_id: ours.vendorId, total: 100 }
  expect(await delivered(bill_id)).toEqual([
    ['BILL_CREATED', { ...data, number: bill_number, status: 'DRAFT', sequence: 1 }],
    ['BILL_UPDATED', { ...data, status: 'DRAFT', sequence: 2, changed: ['bill_number', 'notes'] }],
    ['BILL_UPDATED', { ...data, status: 'OPEN', sequence: 3, changed: ['status'] }],
    ['BILL_VOIDED', { ...data, status: 'CANCELLED', sequence: 4 }],
  ])
  const entries = await log(bill_id)
  expect(entries.map(told)).toEqual([
    ['BILL_CREATED', null],
    ['BILL_UPDATED', { bill_number: { old: bill_number, new: 'TM/7' }, notes: { old: null, new: 'Fragile' } }],
    ['BILL_APPROVED', { status: { old: 'DRAFT', new: 'OPEN' } }],
    ['BILL_VOIDED', { status: { old: 'OPEN', new: 'CANCELLED' } }],
  ])
  expect(entries[3]).toMatchObject({ entity_type: 'BILL', entity_id: bill_id, entity_ref: 'TM/7', metadata: { reason: 'Sent back', source: 'PUBLIC_API' } })
})

test('a bill that is approved at once is created, OPEN', async () => {
  const { bill_id, bill_number } = await ours.bill({ auto_approve: true, currency_code: 'USD', exchange_rate: 83 })
  const data = { id: bill_id, number: bill_number, vendor_id: ours.vendorId, total: 100, status: 'OPEN', sequence: 1 }
  expect(await delivered(bill_id)).toEqual([['BILL_CREATED', data]])
  expect((await log(bill_id)).map(told)).toEqual([['BILL_CREATED', null], ['BILL_APPROVED', { status: { old: 'DRAFT', new: 'OPEN' } }]])
})

test('a refused bill leaves nothing behind', async () => {
  const counts = async () => (await service.sql<Json>(
    `SELECT (SELECT count(*) FROM bills) AS bills, (SELECT count(*) FROM journals) AS journals, (SELECT count(*) FROM webhook_events) AS events,
       (SELECT count(*) FROM activity) AS entries, (SELECT sum(next_number) FROM number_counters) AS numbers`))[0]
  await ours.bill({ date: '2026-09-01', reference_number: null, auto_approve: true })
  const before = await counts()
  expect(await ours.refusedBill({ date: '2026-09-01', reference_number: null, auto_approve: true })).toMatchObject({ status: 400, field: 'reference_number' })
  expect(await counts()).toEqual(before)
})
