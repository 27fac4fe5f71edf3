// Everything at once on one organisation: nothing answered with a 5xx, and the books in order afterwards.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Answered, Client, Json } from '../fixtures/client.ts'
import { addContact, addItem, type TestOrganization } from '../fixtures/organization.ts'
import { until } from '../start/local-run.ts'
import {
  allInvoices, atOnce, bodyOf, firstNumbers, invoicesOf, openTwoServers, outcomeOf, post, shortly, tally, type TwoServers,
} from './two-servers.ts'

let servers: TwoServers
beforeAll(async () => (servers = await openTwoServers()))
afterAll(() => servers.close())

test('a contact deleted while invoices are created for it: either the one or the others', async () => {
  const { org, callers } = await servers.org()
  const customers = await atOnce(60, () => addContact(org))
  const removals: number[] = []
  for (const [place, customer_id] of customers.entries()) {
    const wanted = bodyOf(org, { customer_id, auto_approve: place % 2 === 0 })
    const [removed, ...drawnUp] = await Promise.all([
      shortly(12).then(() => callers[place % 2]!.delete(`/contacts/${customer_id}`)),
      ...[0, 1].map((caller) => shortly(12).then(() => post(callers, caller, '/invoices', wanted))),
    ])
    if (removed!.status === 200) expect(tally(drawnUp)).toEqual({ '404 not_found.resource': 2 })
    else expect([outcomeOf(removed!), tally(drawnUp)]).toEqual(['409 conflict.in_use', { 201: 2 }])
    const read = await org.client.get(`/contacts/${customer_id}`)
    expect(outcomeOf(read)).toBe(removed!.status === 200 ? '404 not_found.resource' : '200')
    removals.push(removed!.status)
  }
  // Had one side won every time, nothing would have raced.
  expect(new Set(removals)).toEqual(new Set([200, 409]))
  expect(await allInvoices(org)).toHaveLength(removals.filter((status) => status === 409).length * 2)
})

test('an organisation suspended while it writes: each call is done or refused, and what was done is there', async () => {
  const { org, callers } = await servers.org()
  const { service } = servers
  const partner = (verb: string) => service.call('POST', `/partner/organizations/${org.orgId}/${verb}`, { partnerKey: service.partnerKey })
  const answers: Answered[] = []
  let isSuspended = false
  const writers = atOnce(10, async (place) => {
    for (let each = 0; each < 15; each += 1) {
      const wasSuspended = isSuspended
      const answer = await post(callers, place, '/invoices', bodyOf(org, { auto_approve: true }))
      // Once the suspension is answered, nothing more gets through.
      if (wasSuspended) expect(outcomeOf(answer)).toBe('403 authz.organization_suspended')
      answers.push(answer)
    }
  })
  await until(() => answers.length >= 30, 90_000, () => `only ${answers.length} answers`)
  expect((await partner('suspend')).status).toBe(200)
  isSuspended = true
  await writers
  expect((await partner('reactivate')).status).toBe(200)
  answers.push(await post(callers, 0, '/invoices', bodyOf(org)))
  expect(Object.keys(tally(answers)).sort()).toEqual(['201', '403 authz.organization_suspended'])
  const found = await allInvoices(org)
  expect(new Set(found.map(({ invoice_id }) => invoice_id))).toEqual(new Set(invoicesOf(answers).map(({ invoice_id }) => invoice_id)))
  expect(found.map(({ invoice_number }) => invoice_number).sort()).toEqual(firstNumbers('INV-', found.length))
})

test('two hundred writes of all kinds at once: every answer below 500, and every journal where it belongs', async () => {
  const { org, callers } = await servers.org()
  await org.send('POST', '/webhooks/endpoints', { url: 'http://127.0.0.1:9/', events: ['INVOICE_CREATED', 'INVOICE_UPDATED', 'INVOICE_VOIDED'] })
  const drafts = invoicesOf(await atOnce(20, (place) => post(callers, place, '/invoices', bodyOf(org))))
  const customers = await atOnce(5, () => addContact(org))
  const items = await atOnce(5, () => addItem(org))
  const things = { drafts: drafts.map(({ invoice_id }: Json) => invoice_id), customers, items }
  const answers = await atOnce(200, async (place) => {
    const [kind, work] = KINDS[place % KINDS.length]!
    await shortly(300)
    return [kind, await work(callers[Math.floor(Math.random() * 2)]!, org, things, place)] as const
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
const KINDS: [kind: string, work: (caller: Client, org: TestOrganization, things: Things, place: number) => Promise<Answered>][] = [
  ['draft', (caller, org, { customers }) => caller.post('/invoices', bodyOf(org, { customer_id: any(customers) }))],
  ['invoice', (caller, org, { items }) => caller.post('/invoices', bodyOf(org, {
    auto_approve: true, place_of_supply: 'IN-TN', line_items: [{ item_id: any(items), quantity: 3, tax_id: org.taxes['GST 18%'] }],
  }))],
  ['own number', (caller, org, _, place) => caller.post('/invoices', bodyOf(org, { invoice_number: `OWN-${place}`, auto_approve: true }))],
  ['approve', (caller, _, { drafts }) => caller.post(`/invoices/${any(drafts)}/approve`)],
  ['void', (caller, _, { drafts }) => caller.post(`/invoices/${any(drafts)}/void`, { reason: 'Not wanted' })],
  ['change', (caller, _, { drafts }, place) => caller.put(`/invoices/${any(drafts)}`, { notes: `Note ${place}`, due_date: '2099-03-31' })],
  ['delete', (caller, _, { drafts }) => caller.delete(`/invoices/${any(drafts)}`)],
  ['contact', (caller, _, __, place) => caller.post('/contacts', { contact_name: `Customer ${place}` })],
  ['rename', (caller, _, { customers }, place) => caller.put(`/contacts/${any(customers)}`, { contact_name: `Renamed ${place}` })],
  ['archive', (caller, _, { customers }) => caller.post(`/contacts/${any(customers)}/archive`)],
  ['item', (caller, _, __, place) => caller.post('/items', { item_name: `Item ${place}`, rate: place })],
  ['reprice', (caller, _, { items }, place) => caller.put(`/items/${any(items)}`, { rate: place })],
  ['series', (caller, _, __, place) => caller.post('/invoices/series', { series_name: `series ${place}`, prefix: `S${place}-` })],
  ['in a series', (caller, org, _, place) => caller.post('/invoices', bodyOf(org, { series_name: `series ${place - 1}`, auto_approve: true }))],
  ['bad body', (caller) => caller.post('/invoices', { line_items: 'none' })],
  ['bad customer', (caller, org) => caller.post('/invoices', bodyOf(org, { customer_id: org.orgId }))],
  ['bad number', (caller, org, _, place) => caller.post('/invoices', bodyOf(org, { invoice_number: 'x'.repeat(51 + place) }))],
]
