// What callers choose to send never makes another statement: a connection keeps few, whatever the fields of a change.
import { expect, test } from '@jest/globals'
import { invoiceBody } from '../fixtures/bodies.ts'
import { openOrganizationWithItem } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const POOL = 3

const service = await useService({ DATABASE_POOL: String(POOL) })
const org = await openOrganizationWithItem(service)

/** How many statements each connection of the API keeps. */
async function kept(): Promise<number[]> {
  const asked = await Promise.all(Array.from({ length: 3 * POOL }, () => service.pool.run<{ pid: number; count: number }>(
    { name: '', text: 'SELECT pg_backend_pid() AS pid, (SELECT count(*)::integer FROM pg_prepared_statements) AS count, pg_sleep(0.1)' }, [],
  )))
  return [...new Map(asked.map(([row]) => [row!.pid, row!.count])).values()]
}

const FIELDS: Record<string, unknown> = {
  display_name: 'A', legal_name: 'B', company_name: 'C', gst_treatment: 'D', email: 'a@b.example', phone: '1', website: 'E', payment_terms: 7,
  billing_address: { city: 'Hubli' }, shipping_address: null, credit_limit: 12.5, opening_balance: -3, pan: null,
}
/** The fields of a number's bits: another subset for every number. */
const subset = (n: number) => Object.fromEntries(Object.entries(FIELDS).filter((_, place) => (n >> place) & 1))

test('two thousand changes, each of other fields', async () => {
  const { body: { contact: { contact_id } } } = await org.client.post('/contacts', { contact_name: 'Anand' })
  const { body: { item: { item_id } } } = await org.client.post('/items', { item_name: 'Ink', rate: 4 })
  const before = await kept()
  for (let n = 1; n < 2_000; n += 8) {
    const changed = await Promise.all(Array.from({ length: 8 }, (_, more) => org.client.put(`/contacts/${contact_id}`, subset(n + more))))
    expect(new Set(changed.map(({ status }) => status))).toEqual(new Set([200]))
  }
  for (const change of [{ rate: 5 }, { sku: 'x' }, { rate: 6, sku: 'y' }, { unit: 'L' }, { description: 'z', rate: 1 }]) {
    expect((await org.client.put(`/items/${item_id}`, change)).status).toBe(200)
  }
  for (const count of await kept()) expect(count).toBeLessThan(Math.max(...before) + 20)
}, 240_000)

test('what is not sent stays, what is null is cleared', async () => {
  const { body: { contact } } = await org.client.post('/contacts', { contact_name: 'Bina', phone: '1', email: 'b@c.example', website: 'w', credit_limit: 10 })
  const { body: { contact: changed } } = await org.client.put(`/contacts/${contact.contact_id}`, { phone: null, website: 'v' })
  const { body: { contact: read } } = await org.client.get(`/contacts/${contact.contact_id}`)
  expect(read).toEqual(changed)
  expect(read).toEqual({ ...contact, phone: null, website: 'v', last_modified_time: expect.any(String) })
})

test('a document that changes twice in one call is written once, with both changes', async () => {
  const { body: { invoice } } = await org.client.post('/invoices', invoiceBody(org, { auto_approve: false, notes: 'first' }))
  const { body: { invoice: changed } } = await org.client.put(`/invoices/${invoice.invoice_id}`, { notes: 'second', reference_number: 'R' })
  expect((await org.client.get(`/invoices/${invoice.invoice_id}`)).body.invoice).toEqual(changed)
  expect(changed).toMatchObject({ notes: 'second', reference_number: 'R', total: invoice.total })
})
