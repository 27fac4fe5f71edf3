// Everything at once on one organisation: nothing answered with a 5xx, and the books in order afterwards.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import type { Answered, Client, Json } from '../api/client.ts'
import { customer, item, type Stall } from '../api/fixtures.ts'
import { until } from '../start/local-run.ts'
import {
  allInvoices, atOnce, bodyOf, firstNumbers, invoicesOf, openCrowd, outcomeOf, post, shortly, tally, type Crowd,
} from './crowd.ts'

jest.setTimeout(120_000)

let crowd: Crowd
beforeAll(async () => (crowd = await openCrowd()))
afterAll(() => crowd.close())

test('a contact deleted while invoices are drawn up for it: either the one or the others', async () => {
  const { stall, doors } = await crowd.stall()
  const customers = await atOnce(60, () => customer(stall))
  const removals: number[] = []
  for (const [place, customer_id] of customers.entries()) {
    const wanted = bodyOf(stall, { customer_id, auto_approve: place % 2 === 0 })
    const [removed, ...drawnUp] = await Promise.all([
      shortly(12).then(() => doors[place % 2]!.delete(`/contacts/${customer_id}`)),
      ...[0, 1].map((door) => shortly(12).then(() => post(doors, door, '/invoices', wanted))),
    ])
    if (removed!.status === 200) expect(tally(drawnUp)).toEqual({ '404 not_found.resource': 2 })
    else expect([outcomeOf(removed!), tally(drawnUp)]).toEqual(['409 conflict.in_use', { 201: 2 }])
    const read = await stall.client.get(`/contacts/${customer_id}`)
    expect(outcomeOf(read)).toBe(removed!.status === 200 ? '404 not_found.resource' : '200')
    removals.push(removed!.status)
  }
  // Had one side won every time, nothing would have raced.
  expect(new Set(removals)).toEqual(new Set([200, 409]))
  expect(await allInvoices(stall)).toHaveLength(removals.filter((status) => status === 409).length * 2)
})

test('an organisation suspended while it writes: each call is done or refused, and what was done is there', async () => {
  const { stall, doors } = await crowd.stall()
  const { service } = crowd
  const partner = (verb: string) => service.call('POST', `/partner/organizations/${stall.orgId}/${verb}`, { partnerKey: service.partnerKey })
  const answers: Answered[] = []
  let isSuspended = false
  const writers = atOnce(10, async (place) => {
    for (let each = 0; each < 15; each += 1) {
      const wasSuspended = isSuspended
      const answer = await post(doors, place, '/invoices', bodyOf(stall, { auto_approve: true }))
      // Once the suspension is answered, nothing more gets through.
      if (wasSuspended) expect(outcomeOf(answer)).toBe('403 authz.organization_suspended')
      answers.push(answer)
    }
  })
  await until(() => answers.length >= 30, 30_000, () => `only ${answers.length} answers`)
  expect((await partner('suspend')).status).toBe(200)
  isSuspended = true
  await writers
  expect((await partner('reactivate')).status).toBe(200)
  answers.push(await post(doors, 0, '/invoices', bodyOf(stall)))
  expect(Object.keys(tally(answers)).sort()).toEqual(['201', '403 authz.organization_suspended'])
  const found = await allInvoices(stall)
  expect(new Set(found.map(({ invoice_id }) => invoice_id))).toEqual(new Set(invoicesOf(answers).map(({ invoice_id }) => invoice_id)))
  expect(found.map(({ invoice_number }) => invoice_number).sort()).toEqual(firstNumbers('INV-', found.length))
})

test('two hundred writes of all kinds at once: every answer below 500, and every journal where it belongs', async () => {
  const { stall, doors } = await crowd.stall()
  await stall.send('POST', '/webhooks/endpoints', { url: 'http://127.0.0.1:9/', events: ['INVOICE_CREATED', 'INVOICE_UPDATED', 'INVOICE_VOIDED'] })
  const drafts = invoicesOf(await atOnce(20, (place) => post(doors, place, '/invoices', bodyOf(stall))))
  const customers = await atOnce(5, () => customer(stall))
  const items = await atOnce(5, () => item(stall))
  const things = { drafts: drafts.map(({ invoice_id }: Json) => invoice_id), customers, items }
  const answers = await atOnce(200, async (place) => {
    const [kind, work] = KINDS[place % KINDS.length]!
    await shortly(300)
    return [kind, await work(doors[Math.floor(Math.random() * 2)]!, stall, things, place)] as const
  })
  for (const [kind, { status, text }] of answers) if (status >= 500) throw new Error(`${kind}: ${status} ${text}`)
  const done = new Set(answers.filter(([, { status }]) => status < 300).map(([kind]) => kind))
  expect([...done].sort()).toEqual(KINDS.map(([kind]) => kind).filter((kind) => !kind.startsWith('bad')).sort())
  for (const [kind, { status }] of answers) if (kind.startsWith('bad')) expect([400, 404, 422]).toContain(status)
})

interface Things {
  drafts: string[]
  customers: string[]
  items: string[]
}

const any = (ids: string[]) => ids[Math.floor(Math.random() * ids.length)]!

// What people do all day, and what they get wrong.
const KINDS: [kind: string, work: (door: Client, stall: Stall, things: Things, place: number) => Promise<Answered>][] = [
  ['draft', (door, stall, { customers }) => door.post('/invoices', bodyOf(stall, { customer_id: any(customers) }))],
  ['invoice', (door, stall, { items }) => door.post('/invoices', bodyOf(stall, {
    auto_approve: true, place_of_supply: 'IN-TN', line_items: [{ item_id: any(items), quantity: 3, tax_id: stall.taxes['GST 18%'] }],
  }))],
  ['own number', (door, stall, _, place) => door.post('/invoices', bodyOf(stall, { invoice_number: `OWN-${place}`, auto_approve: true }))],
  ['approve', (door, _, { drafts }) => door.post(`/invoices/${any(drafts)}/approve`)],
  ['void', (door, _, { drafts }) => door.post(`/invoices/${any(drafts)}/void`, { reason: 'Not wanted' })],
  ['change', (door, _, { drafts }, place) => door.put(`/invoices/${any(drafts)}`, { notes: `Note ${place}`, due_date: '2099-03-31' })],
  ['delete', (door, _, { drafts }) => door.delete(`/invoices/${any(drafts)}`)],
  ['contact', (door, _, __, place) => door.post('/contacts', { contact_name: `Customer ${place}` })],
  ['rename', (door, _, { customers }, place) => door.put(`/contacts/${any(customers)}`, { contact_name: `Renamed ${place}` })],
  ['archive', (door, _, { customers }) => door.post(`/contacts/${any(customers)}/archive`)],
  ['item', (door, _, __, place) => door.post('/items', { item_name: `Item ${place}`, rate: place })],
  ['reprice', (door, _, { items }, place) => door.put(`/items/${any(items)}`, { rate: place })],
  ['series', (door, _, __, place) => door.post('/invoices/series', { series_name: `series ${place}`, prefix: `S${place}-` })],
  ['in a series', (door, stall, _, place) => door.post('/invoices', bodyOf(stall, { series_name: `series ${place - 1}`, auto_approve: true }))],
  ['bad body', (door) => door.post('/invoices', { line_items: 'none' })],
  ['bad customer', (door, stall) => door.post('/invoices', bodyOf(stall, { customer_id: stall.orgId }))],
  ['bad number', (door, stall, _, place) => door.post('/invoices', bodyOf(stall, { invoice_number: 'x'.repeat(51 + place) }))],
]
