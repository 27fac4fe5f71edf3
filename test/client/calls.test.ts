// The client against the service: typed calls, pages, keys, errors, files and uploads.
import { Bahi, BahiError, ConflictError, NotFoundError, PermissionError, ValidationError, AuthenticationError } from '../../client/src/index.ts'
import { Internal } from '../../client/src/internal.ts'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { BASE_PATH, INTERNAL_PATH } from '../../api/server.ts'
import { addContact, openOrganization, TODAY, type TestOrganization } from '../fixtures/organization.ts'
import { personWith } from '../fixtures/persons.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
let org: TestOrganization
let bahi: Bahi

beforeAll(async () => {
  org = await openOrganization(service)
  bahi = new Bahi({ baseUrl: service.origin + BASE_PATH, token: org.client.token })
})

const newInvoice = () => ({ customer_id: org.customerId, date: TODAY, place_of_supply: 'IN-KA', line_items: [{ name: 'Silk thread', quantity: 2, rate: 500 }] })

const rejection = async (call: Promise<unknown>): Promise<BahiError> => call.then(
  () => { throw new Error('it succeeded') }, (error: unknown) => { expect(error).toBeInstanceOf(BahiError); return error as BahiError },
)

test('creates, reads, changes, voids and deletes', async () => {
  const { invoice, warnings } = await bahi.post('/invoices', { body: newInvoice() })
  expect([invoice.total, invoice.status, warnings]).toEqual([1000, 'DRAFT', []])
  const path = { invoice_id: invoice.invoice_id }
  expect((await bahi.get('/invoices/{invoice_id}', { path })).invoice).toEqual(invoice)
  expect((await bahi.put('/invoices/{invoice_id}', { path, body: { notes: 'Fragile' } })).invoice.notes).toBe('Fragile')
  expect((await bahi.post('/invoices/{invoice_id}/approve', { path })).invoice.status).toBe('SENT')
  expect((await bahi.post('/invoices/{invoice_id}/void', { path, body: { reason: 'Twice' } })).invoice.status).toBe('CANCELLED')
  const draft = (await bahi.post('/invoices', { body: newInvoice() })).invoice
  expect(await bahi.delete('/invoices/{invoice_id}', { path: draft })).toMatchObject({ code: 0 })
})

describe('pages', () => {
  beforeAll(async () => { for (let at = 0; at < 7; at += 1) await addContact(org, { contact_name: `Weaver ${at}` }) })

  test('are read as far as their reader goes', async () => {
    const asked: string[] = []
    const watched = new Bahi({
      baseUrl: service.origin + BASE_PATH, token: org.client.token, fetch: (request) => { asked.push(new URL(request.url).search); return fetch(request) },
    })
    const names: string[] = []
    for await (const contact of watched.pages('/contacts', { query: { per_page: 3 } })) names.push(contact.contact_name)
    expect(names.filter((name) => name.startsWith('Weaver'))).toEqual([6, 5, 4, 3, 2, 1, 0].map((at) => `Weaver ${at}`))
    expect(asked.length).toBe(Math.ceil(names.length / 3))
    asked.length = 0
    for await (const _contact of watched.pages('/contacts', { query: { per_page: 3 } })) break
    expect(asked).toEqual(['?per_page=3'])
  })

  test('of a list with numbered pages', async () => {
    const entity = { entity_type: 'CONTACT', entity_id: org.customerId }
    for (const name of ['a', 'b', 'c']) await bahi.post('/attachments', { body: { ...entity, file: new File([`${name},1\n`], `${name}.csv`, { type: 'text/csv' }) } })
    const names: string[] = []
    for await (const { filename } of bahi.pages('/attachments', { query: { per_page: 2 } })) names.push(filename)
    expect(names.sort()).toEqual(['a.csv', 'b.csv', 'c.csv'])
  })

  test('can be read whole, with their cursors', async () => {
    const cursors: (string | null)[] = []
    for await (const { page_context, events } of bahi.pages('/webhooks/events', { query: { per_page: 2 } }).answers()) {
      expect(events.length).toBeLessThanOrEqual(2)
      cursors.push(page_context.next_cursor)
    }
    expect(cursors.length).toBeGreaterThan(1)
    expect(cursors.at(-1)).toEqual(expect.any(String))
  })
})

test('a key makes two calls one', async () => {
  const idempotencyKey = 'order-1044'
  const first = await bahi.post('/invoices', { body: newInvoice(), idempotencyKey })
  expect(await bahi.post('/invoices', { body: newInvoice(), idempotencyKey })).toEqual(first)
  expect((await bahi.post('/invoices', { body: newInvoice() })).invoice.invoice_id).not.toBe(first.invoice.invoice_id)
})

describe('errors are of the kind of their status', () => {
  const nowhere = { contact_id: '01a1fddd-0000-7000-8000-000000000000' }

  test('404', async () => {
    const error = await rejection(bahi.get('/contacts/{contact_id}', { path: nowhere }))
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error).toMatchObject({ code: 'not_found.resource', status: 404, attempts: 1, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  })

  test('422 names every problem', async () => {
    const error = await rejection(bahi.post('/contacts', { body: { contact_name: 'Meena', email: 'nobody', phone: 'x'.repeat(1000) } }))
    expect(error).toBeInstanceOf(ValidationError)
    expect(error.errors.map(({ field }) => field)).toEqual(['email', 'phone'])
    expect(error.idempotencyKey).toMatch(/^[0-9a-f]{32}$/)
  })

  test('400 names its field', async () => {
    const error = await rejection(bahi.post('/contacts', { body: { contact_name: 'Meena', place_of_contact: 'Tamilnad' } }))
    expect(error).toBeInstanceOf(ValidationError)
    expect([error.code, error.field]).toEqual(['validation.invalid_value', 'place_of_contact'])
  })

  test('409, 403, 401', async () => {
    const { invoice } = await bahi.post('/invoices', { body: newInvoice() })
    await bahi.post('/invoices/{invoice_id}/approve', { path: invoice })
    expect(await rejection(bahi.post('/invoices/{invoice_id}/approve', { path: invoice }))).toBeInstanceOf(ConflictError)
    const reader = new Bahi({ baseUrl: service.origin + BASE_PATH, token: await service.token(org.orgId, { scopes: ['Svc.items.READ'] }) })
    expect(await rejection(reader.get('/contacts'))).toBeInstanceOf(PermissionError)
    const nobody = new Bahi({ baseUrl: service.origin + BASE_PATH, token: 'svc_pat_nobody' })
    expect(await rejection(nobody.get('/contacts'))).toBeInstanceOf(AuthenticationError)
  })
})

test('an id that would lead to another path is refused', async () => {
  for (const contact_id of ['', '.', '..']) await expect(bahi.delete('/contacts/{contact_id}', { path: { contact_id } })).rejects.toThrow(TypeError)
  await expect(bahi.get('/contacts/{contact_id}', { path: { contact_id: 'a/../../items' } })).rejects.toBeInstanceOf(NotFoundError)
})

test('another organisation is named by the client', async () => {
  const { orgId: other } = await service.organization()
  expect(await rejection(bahi.withOrganization(other).get('/contacts'))).toBeInstanceOf(NotFoundError)
  expect((await bahi.withOrganization(org.orgId).get('/whoami')).organization.org_id).toBe(org.orgId)
})

test('a person calls with the cookie of their session, both what is public and what is for people', async () => {
  const owner = await personWith(service, org.orgId, 'OWNER')
  // What a browser adds to the requests of its page.
  const browser = (request: Request) => {
    request.headers.set('cookie', owner.cookie)
    request.headers.set('sec-fetch-site', 'same-origin')
    expect([request.headers.get('authorization'), request.credentials]).toEqual([null, 'same-origin'])
    return fetch(request)
  }
  const internal = new Internal({ baseUrl: service.origin + INTERNAL_PATH, organizationId: org.orgId, fetch: browser })
  expect((await internal.get('/session')).user.email).toBe(owner.email)
  const { members } = await internal.get('/members')
  expect(members.map(({ email }) => email)).toContain(owner.email)
  const open = new Bahi({ baseUrl: service.origin + BASE_PATH, organizationId: org.orgId, fetch: browser })
  expect((await open.post('/contacts', { body: { contact_name: 'By hand' } })).contact.contact_name).toBe('By hand')
  const { token } = await internal.post('/tokens', { body: { name: 'Till', scopes: ['Svc.invoices.READ'] } })
  expect(await internal.delete('/tokens/{token_id}', { path: token })).toMatchObject({ code: 0 })
})
