// Contacts over HTTP: what is kept of them, how changes merge, the filters, archive and delete.
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { addContact, openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)
const theirs = await openOrganization(service)

const CALLS: [string, string, Json?][] = [['GET', ''], ['PUT', '', {}], ['DELETE', ''], ['POST', '/archive']]
const NOT_FOUND = { status: 404, code: 'not_found.resource' }
const create = async (changes: Record<string, unknown> = {}) => (await ours.send('POST', '/contacts', { contact_name: 'Kaveri Silks', ...changes })).contact
const change = async (id: string, body: unknown) => (await ours.send('PUT', `/contacts/${id}`, body)).contact
const read = async (id: string) => (await ours.get(`/contacts/${id}`)).contact

const ADDRESS = { address: '4 Temple Road', city: 'Mysuru', state_code: 'KA', zip: '570001', country: 'India' }
const NO_ADDRESS = { address: null, city: null, state_code: null, zip: null, country: null }
const WHOLE = {
  contact_type: 'BOTH', contact_name: 'Kaveri Silks', display_name: 'Kaveri', legal_name: 'Kaveri Silks LLP', company_name: 'Kaveri Group',
  gst_no: '29AABCT1332L1ZU', gst_treatment: 'REGISTERED_COMPOSITION', pan: 'AABCT1332L', place_of_contact: 'IN-KA', email: 'sales@kaveri.example',
  phone: '+91 821 2400000', website: 'https://kaveri.example', billing_address: ADDRESS, shipping_address: { ...ADDRESS, zip: '570002' },
  payment_terms: 45, opening_balance: -1250.75, credit_limit: 50000.5, currency_code: 'USD',
}

describe('creation', () => {
  test('only a name is needed', async () => {
    const { status, body } = await ours.client.call('POST', '/contacts', { body: { contact_name: '  Asha Textiles ' } })
    expect([status, body.code, body.message]).toEqual([201, 0, 'Contact created.'])
    expect(body.contact).toEqual({
      contact_id: expect.any(String), contact_type: 'CUSTOMER', contact_name: 'Asha Textiles', display_name: null, legal_name: null, company_name: null,
      gst_no: null, gst_treatment: null, pan: null, place_of_contact: null, email: null, phone: null, website: null, billing_address: null,
      shipping_address: null, contact_persons: [], payment_terms: 0, opening_balance: 0, credit_limit: null, currency_code: 'INR', status: 'ACTIVE',
      created_time: expect.stringMatching(/Z$/), last_modified_time: body.contact.created_time,
    })
    expect(await read(body.contact.contact_id)).toEqual(body.contact)
  })

  test('every field that is sent is kept', async () => {
    const persons = [{ first_name: 'Devi', email: 'devi@kaveri.example', is_primary: true }, { first_name: 'Ram' }]
    const contact = await create({ ...WHOLE, contact_persons: persons, unknown: 1 })
    expect(contact).toMatchObject(WHOLE)
    expect(contact.contact_persons).toEqual([
      { contact_person_id: expect.any(String), ...persons[0] }, { contact_person_id: expect.any(String), first_name: 'Ram', email: null, is_primary: false },
    ])
    expect(await read(contact.contact_id)).toEqual(contact)
    expect((await ours.get('/contacts?per_page=1')).contacts).toEqual([contact])
  })

  test.each([
    [{ gst_no: '27AAPFU0939F1ZV' }, { gst_no: '27AAPFU0939F1ZV', gst_treatment: 'REGISTERED', place_of_contact: 'IN-MH', pan: 'AAPFU0939F' }],
    [{ gst_no: ' 27aapfu0939f1zv ', place_of_contact: 'Goa', pan: 'abcde1234f', gst_treatment: ' SEZ ' }, { gst_no: '27AAPFU0939F1ZV', place_of_contact: 'IN-GA', pan: 'ABCDE1234F', gst_treatment: 'SEZ' }],
    [{ gst_no: '27AAPFU0939F1ZV', gst_treatment: ' ' }, { gst_treatment: 'REGISTERED' }],
    [{ gst_no: '' }, { gst_no: null, gst_treatment: null }], [{ place_of_contact: '33-Tamil Nadu' }, { place_of_contact: 'IN-TN' }],
    [{ place_of_contact: 'IN-UT' }, { place_of_contact: 'IN-UK' }], [{ email: null, phone: ' ' }, { email: null, phone: null }],
    [{ billing_address: { city: 'Hubballi' } }, { billing_address: { ...NO_ADDRESS, city: 'Hubballi' } }],
    [{ opening_balance: 0.125, credit_limit: 99.994 }, { opening_balance: 0.13, credit_limit: 99.99 }],
    [{ opening_balance: 0.125, credit_limit: 99.9999, currency_code: 'KWD' }, { opening_balance: 0.125, credit_limit: 100 }],
    [{ opening_balance: -0.123456, credit_limit: 99.99996 }, { opening_balance: -0.12, credit_limit: 100 }],
  ])('%j gives %j', async (body, kept) => {
    const contact = await create(body)
    expect(contact).toMatchObject(kept)
    expect(await read(contact.contact_id)).toEqual(contact)
  })

  test.each([
    ['gst_no', '27AAPFU0939F1Z'], ['pan', 'AAPFU0939'], ['place_of_contact', 'Atlantis'], ['currency_code', 'ZZZ'],
  ])('%s of %j is refused', async (field, value) => {
    expect(await ours.refusal('POST', '/contacts', { contact_name: 'X', [field]: value })).toEqual({ status: 400, code: 'validation.invalid_value', field })
  })

  test.each<[Json, string[]]>([
    [{}, ['contact_name']], [{ contact_name: '' }, ['contact_name']], [{ contact_name: ' ' }, ['contact_name']], [{ contact_name: null }, ['contact_name']],
    [{ contact_name: 'X', contact_type: 'FRIEND', email: 'x', payment_terms: 1.5 }, ['contact_type', 'email', 'payment_terms']],
    [{ contact_name: 'X', payment_terms: -1, credit_limit: -1, opening_balance: '5' }, ['credit_limit', 'opening_balance', 'payment_terms']],
    [{ contact_name: 'X', contact_persons: [{ email: 'x' }, 'Ram'], billing_address: { zip: 570001 } }, ['billing_address.zip', 'contact_persons.0.email', 'contact_persons.1']],
    [{ contact_name: 'X', currency_code: 'usd' }, ['currency_code']],
    [[], ['']],
  ])('%j has the wrong shape', async (body, fields) => {
    const refused = await ours.refusal('POST', '/contacts', body)
    expect([refused.status, refused.code]).toEqual([422, 'validation.failed'])
    expect([...new Set(refused.errors.map(({ field }: Json) => field))].toSorted()).toEqual(fields)
  })
})

describe('PUT merges', () => {
  test('what is left out stays, null clears, the rest is set', async () => {
    const before = await create(WHOLE)
    const told = { phone: null, email: 'new@kaveri.example', credit_limit: null, payment_terms: null, opening_balance: null, status: 'INACTIVE' }
    const after = await change(before.contact_id, told)
    expect(after).toEqual({ ...before, ...told, payment_terms: 0, opening_balance: 0, last_modified_time: after.last_modified_time })
    expect(after.last_modified_time > before.last_modified_time).toBe(true)
    expect(await read(before.contact_id)).toEqual(after)
    expect(await change(before.contact_id, {})).toEqual(after)
    expect((await change(before.contact_id, { status: 'ACTIVE' })).status).toBe('ACTIVE')
  })

  test('what was read, sent back, changes nothing', async () => {
    const { contact_id } = await create({ ...WHOLE, contact_persons: [{ first_name: 'Devi', is_primary: true }] })
    const before = await read(contact_id)
    expect(await change(contact_id, before)).toEqual(before)
    const { activity } = await ours.get(`/activity?entity_id=${contact_id}`)
    expect(activity.map(({ action }: Json) => action)).toEqual(['CONTACT_CREATED'])
  })

  test.each<[sent: Json, place: string, pan: string]>([
    [{}, 'IN-MH', 'AAPFU0939F'], [{ place_of_contact: 'Goa' }, 'IN-GA', 'AAPFU0939F'], [{ pan: 'ABCDE1234F' }, 'IN-MH', 'ABCDE1234F'],
  ])('another GSTIN brings its state and PAN, unless the call says otherwise: %j', async (sent, place_of_contact, pan) => {
    const { contact_id } = await create({ gst_no: '29AABCT1332L1ZU' })
    expect(await change(contact_id, { gst_no: '27AAPFU0939F1ZV', ...sent })).toMatchObject({ gst_no: '27AAPFU0939F1ZV', place_of_contact, pan })
  })

  test('another GSTIN leaves a state and a PAN that were sent with the one before', async () => {
    const { contact_id } = await create({ gst_no: '29AABCT1332L1ZU', place_of_contact: 'Goa', pan: 'ABCDE1234F' })
    expect(await change(contact_id, { gst_no: '27AAPFU0939F1ZV' })).toMatchObject({ place_of_contact: 'IN-GA', pan: 'ABCDE1234F' })
    expect(await change(contact_id, { gst_no: null })).toMatchObject({ gst_no: null, place_of_contact: 'IN-GA' })
  })

  test('addresses merge by field', async () => {
    const { contact_id } = await create({ billing_address: ADDRESS })
    const merged = await change(contact_id, { billing_address: { city: 'Hubballi', zip: null }, shipping_address: { city: 'Pune' } })
    expect(merged.billing_address).toEqual({ ...ADDRESS, city: 'Hubballi', zip: null })
    expect(merged.shipping_address).toEqual({ ...NO_ADDRESS, city: 'Pune' })
    expect((await change(contact_id, { billing_address: null, shipping_address: {} }))).toMatchObject({ billing_address: null, shipping_address: { city: 'Pune' } })
  })

  test('contact_persons replaces the list: with an id changed, without one added, left out removed', async () => {
    const { contact_id, contact_persons: [devi, ram] } = await create({
      contact_persons: [{ first_name: 'Devi', email: 'devi@kaveri.example', is_primary: true }, { first_name: 'Ram' }],
    })
    const { contact_persons } = await change(contact_id, {
      contact_persons: [{ first_name: 'Sita' }, { contact_person_id: devi.contact_person_id, email: null }],
    })
    expect(contact_persons).toEqual([
      { contact_person_id: expect.any(String), first_name: 'Sita', email: null, is_primary: false }, { ...devi, email: null },
    ])
    expect(await ours.refusal('PUT', `/contacts/${contact_id}`, { contact_persons: [{}, { contact_person_id: ram.contact_person_id }] }))
      .toEqual({ ...NOT_FOUND, field: 'contact_persons.1.contact_person_id' })
    expect(await ours.refusal('PUT', `/contacts/${contact_id}`, { contact_persons: [{ ...devi }, { ...devi }] }))
      .toEqual({ status: 400, code: 'validation.invalid_value', field: 'contact_persons.1.contact_person_id' })
    expect((await read(contact_id)).contact_persons).toEqual(contact_persons)
    expect((await change(contact_id, { contact_persons: null })).contact_persons).toEqual([])
  })

  test.each([
    [{ contact_name: null }, 422], [{ contact_name: ' ' }, 422], [{ contact_type: null }, 422], [{ status: 'GONE' }, 422], [{ gst_no: '29' }, 400], [{ place_of_contact: 'X' }, 400],
  ])('%j is refused', async (body, status) => {
    const before = await create()
    const [field] = Object.keys(body)
    const refused = await ours.refusal('PUT', `/contacts/${before.contact_id}`, body)
    expect([refused.status, refused.field ?? refused.errors[0].field]).toEqual([status, field])
    expect(await read(before.contact_id)).toEqual(before)
  })
})

test('an archived contact is INACTIVE, and is kept', async () => {
  const before = await create()
  const { message, contact } = await ours.send('POST', `/contacts/${before.contact_id}/archive`)
  expect([message, contact]).toEqual(['Contact archived.', { ...before, status: 'INACTIVE', last_modified_time: contact.last_modified_time }])
  expect((await ours.send('POST', `/contacts/${before.contact_id}/archive`)).contact).toEqual(contact)
})

describe('DELETE', () => {
  test('an unused contact is gone', async () => {
    const { contact_id } = await create()
    expect(await ours.send('DELETE', `/contacts/${contact_id}`)).toEqual({ code: 0, message: 'Contact deleted.' })
    for (const [method, path, body] of CALLS) {
      expect(await ours.refusal(method, `/contacts/${contact_id}${path}`, body)).toEqual(NOT_FOUND)
    }
    expect(await ours.refusedInvoice({ customer_id: contact_id })).toEqual({ ...NOT_FOUND, field: 'customer_id' })
  })

  test('a contact in use stays, and the counts say why', async () => {
    const customer_id = await addContact(ours)
    const draft = await ours.invoice({ customer_id })
    const inUse = (counts: Json) => ({ status: 409, code: 'conflict.in_use', details: expect.objectContaining(counts) })
    expect(await ours.refusal('DELETE', `/contacts/${customer_id}`)).toEqual(inUse({ invoices: 1, journal_lines: 0 }))
    await ours.send('DELETE', `/invoices/${draft.invoice_id}`)
    const { invoice_id } = await ours.invoice({ customer_id, auto_approve: true, line_items: [line()] })
    await ours.send('POST', `/invoices/${invoice_id}/void`)
    expect(await ours.refusal('DELETE', `/contacts/${customer_id}`)).toEqual(inUse({ invoices: 1, journal_lines: 2 }))
    expect((await read(customer_id)).status).toBe('ACTIVE')
  })
})

test('another organisation\'s contact does not exist', async () => {
  for (const id of [theirs.customerId, randomUUID(), 'me']) {
    for (const [method, path, body] of CALLS) {
      expect(await ours.refusal(method, `/contacts/${id}${path}`, body)).toEqual(NOT_FOUND)
    }
  }
})

describe('filters', () => {
  let org: TestOrganization
  beforeAll(async () => {
    org = await openOrganization(service)
    await org.send('DELETE', `/contacts/${org.vendorId}`)
    for (const body of [
      { contact_name: 'Anand & Sons', email: 'anand@sons.example', gst_no: '29AABCT1332L1ZU' },
      { contact_name: 'Bharat Mills', contact_type: 'VENDOR', company_name: 'ANAND Holdings', phone: 'anand' },
      { contact_name: '100% Cotton', contact_type: 'BOTH', email: 'info_desk@cotton.example' },
    ]) await org.send('POST', '/contacts', body)
    await org.send('POST', `/contacts/${org.customerId}/archive`)
  })

  test.each([
    ['', ['100% Cotton', 'Bharat Mills', 'Anand & Sons', 'Meena Sarees']],
    ['contact_type=CUSTOMER', ['Anand & Sons', 'Meena Sarees']], ['contact_type=VENDOR', ['Bharat Mills']], ['contact_type=BOTH', ['100% Cotton']],
    ['status=INACTIVE', ['Meena Sarees']], ['status=ACTIVE&contact_type=CUSTOMER', ['Anand & Sons']],
    ['gst_no=29AABCT1332L1ZU', ['Anand & Sons']], ['gst_no=29AABCT1332L1Z', []], ['email=anand@sons.example', ['Anand & Sons']], ['email=anand', []],
    ['search=ANAND', ['Bharat Mills', 'Anand & Sons']], ['search=anand&contact_type=CUSTOMER', ['Anand & Sons']], ['search=sons.example', ['Anand & Sons']],
    ['search=%25', ['100% Cotton']], ['search=_', ['100% Cotton']], ['search=%5C', []], ['search=nothing', []],
    ['sort=created_time&status=ACTIVE', ['Anand & Sons', 'Bharat Mills', '100% Cotton']], ['unknown=1&search=cotton', ['100% Cotton']],
  ])('%s', async (query, names) => {
    expect((await org.get(`/contacts?${query}`)).contacts.map(({ contact_name }: Json) => contact_name)).toEqual(names)
  })

  test.each([['contact_type', ['CUSTOMER', 'VENDOR', 'BOTH']], ['status', ['ACTIVE', 'INACTIVE']], ['sort', ['created_time', '-created_time']]])(
    '%s takes only its values', async (field, valid) => {
      expect(await org.refusal('GET', `/contacts?${field}=other`)).toEqual({ status: 400, code: 'validation.invalid_value', field, details: { valid } })
    })
})
