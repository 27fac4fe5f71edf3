// Items over HTTP: the item master, its two names for three fields, and what stands in the way of deleting.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Json } from '../fixtures/client.ts'
import { openEmptyOrganization, type EmptyOrganization } from '../fixtures/empty-organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

const NOWHERE = '019e0000-0000-7000-8000-000000000000'

let service: Service
let ours: EmptyOrganization
let tax: string
let sales: string

beforeAll(async () => {
  service = await startService()
  ours = await openEmptyOrganization(service)
  tax = (await ours.get('/taxes?shape=INTRA_STATE&per_page=1')).taxes[0].tax_id
  sales = (await ours.get('/accounts?account_type=SALES&per_page=1')).accounts[0].account_id
})
afterAll(() => service.close())

const add = async (body: Json, to = ours) => (await to.send('POST', '/items', body)).item as Json
const names = (rows: Json[]) => rows.map(({ item_name }) => item_name)

test('an item needs a name alone; the rest has its defaults', async () => {
  const { item_id, created_time, last_modified_time, ...rest } = await add({ item_name: ' Pen ' })
  expect(rest).toEqual({
    item_name: 'Pen', sku: null, item_type: 'GOODS', description: null, hsn_or_sac: null, unit: null, rate: 0, purchase_rate: 0,
    tax_id: null, account_id: null, purchase_account_id: null, status: 'ACTIVE',
  })
  expect(created_time).toBe(last_modified_time)
  expect((await ours.get(`/items/${item_id}`)).item).toMatchObject({ item_id, ...rest })
})

test('name, type and hsn_sac are read too, and the first of each pair is answered', async () => {
  expect(await add({ name: 'Binding', type: 'SERVICE', hsn_sac: '9989' }))
    .toMatchObject({ item_name: 'Binding', item_type: 'SERVICE', hsn_or_sac: '9989' })
  expect(await add({ name: 'b', item_name: 'a', type: 'GOODS', item_type: 'SERVICE', hsn_sac: '1', hsn_or_sac: '2' }))
    .toMatchObject({ item_name: 'a', item_type: 'SERVICE', hsn_or_sac: '2' })
})

test('all problems of a body of the wrong shape are reported at once', async () => {
  expect(await ours.refusal('POST', '/items', {})).toMatchObject({
    status: 422, code: 'validation.failed', errors: [{ field: 'item_name', code: 'required' }],
  })
  const { status, errors } = await ours.refusal('POST', '/items', { type: 'THING', rate: -1, purchase_rate: 0.1234567, sku: 7 })
  expect(status).toBe(422)
  expect(errors.map(({ field }: Json) => field).sort()).toEqual(['item_name', 'purchase_rate', 'rate', 'sku', 'type'])
})

test.each([
  ['a tax that is nowhere', () => ({ tax_id: NOWHERE }), { status: 404, code: 'not_found.resource', field: 'tax_id' }],
  ['a tax that can be none', () => ({ tax_id: 'GST' }), { status: 404, code: 'not_found.resource', field: 'tax_id' }],
  ['an account that is nowhere', () => ({ account_id: tax }), { status: 404, code: 'not_found.resource', field: 'account_id' }],
])('%s is not found', async (_case, body, refused) => {
  expect(await ours.refusal('POST', '/items', { item_name: 'Pen', ...body() })).toEqual(refused)
})

test('a tax or account of another organisation is not found', async () => {
  const theirs = await openEmptyOrganization(service)
  expect(await theirs.refusal('POST', '/items', { item_name: 'Pen', tax_id: tax }))
    .toEqual({ status: 404, code: 'not_found.resource', field: 'tax_id' })
  expect(await theirs.refusal('POST', '/items', { item_name: 'Pen', account_id: sales }))
    .toEqual({ status: 404, code: 'not_found.resource', field: 'account_id' })
})

test('an item is credited to a revenue account, no other', async () => {
  expect(await add({ item_name: 'Ink', tax_id: tax.toUpperCase(), account_id: sales })).toMatchObject({ tax_id: tax, account_id: sales })
  const bank = (await ours.get('/accounts?account_type=BANK')).accounts[0].account_id
  expect(await ours.refusal('POST', '/items', { item_name: 'Ink', account_id: bank }))
    .toEqual({ status: 400, code: 'validation.invalid_value', field: 'account_id' })
})

test('a change is merged, null clears, and the log says what changed', async () => {
  const { item_id } = await add({ item_name: 'Chalk', rate: 12.5, sku: 'C-1', unit: 'BOX', tax_id: tax })
  const { item } = await ours.send('PUT', `/items/${item_id}`, { rate: 13.123456, sku: null, tax_id: null })
  expect(item).toMatchObject({ item_name: 'Chalk', rate: 13.123456, sku: null, unit: 'BOX', tax_id: null })
  const { activity } = await ours.get(`/activity?entity_type=ITEM&entity_id=${item_id}`)
  expect(activity.map(({ action, changes }: Json) => [action, changes])).toEqual([
    ['ITEM_UPDATED', { rate: { old: '12.5', new: '13.123456' }, sku: { old: 'C-1', new: null }, tax_id: { old: tax, new: null } }],
    ['ITEM_CREATED', null],
  ])
})

test('a change to what it is already changes nothing', async () => {
  const item = await add({ item_name: 'Slate', rate: 60 })
  const { item: after } = await ours.send('PUT', `/items/${item.item_id}`, { name: 'Slate', rate: 60.0 })
  expect(after).toEqual(item)
  expect((await ours.get(`/activity?entity_id=${item.item_id}`)).activity).toHaveLength(1)
})

test('an archived item is INACTIVE, can be found, and can be made active again', async () => {
  const { item_id } = await add({ item_name: 'Quill' })
  expect((await ours.send('POST', `/items/${item_id}/archive`)).item.status).toBe('INACTIVE')
  expect((await ours.send('POST', `/items/${item_id}/archive`)).item.status).toBe('INACTIVE')
  expect(names((await ours.get('/items?status=INACTIVE')).items)).toEqual(['Quill'])
  expect((await ours.send('PUT', `/items/${item_id}`, { status: 'ACTIVE' })).item.status).toBe('ACTIVE')
})

test('an unused item is deleted; one that a document has a line of is not', async () => {
  const { item_id } = await add({ item_name: 'Eraser', rate: 5 })
  const { contact } = await ours.send('POST', '/contacts', { contact_name: 'School' })
  const { invoice } = await ours.send('POST', '/invoices', {
    customer_id: contact.contact_id, date: '2026-04-01', place_of_supply: 'IN-KA', line_items: [{ item_id, quantity: 2 }],
  })
  expect(await ours.refusal('DELETE', `/items/${item_id}`))
    .toMatchObject({ status: 409, code: 'conflict.in_use', details: { invoice_lines: 1 } })
  await ours.send('DELETE', `/invoices/${invoice.invoice_id}`)
  expect(await ours.send('DELETE', `/items/${item_id}`)).toEqual({ code: 0, message: 'Item deleted.' })
  expect(await ours.refusal('GET', `/items/${item_id}`)).toEqual({ status: 404, code: 'not_found.resource' })
  expect((await ours.get(`/activity?entity_id=${item_id}`)).activity[0]).toMatchObject({ action: 'ITEM_DELETED', entity_ref: 'Eraser' })
})

test('the list is filtered by type, SKU, search and time, and walked in pages', async () => {
  const org = await openEmptyOrganization(service)
  await add({ item_name: 'Ruled notebook', sku: 'NB-200', description: '200 pages' }, org)
  await add({ item_name: 'Plain notebook_100%', sku: 'NB-100' }, org)
  const last = await add({ item_name: 'Delivery', item_type: 'SERVICE' }, org)
  expect(names((await org.get('/items')).items)).toEqual(['Delivery', 'Plain notebook_100%', 'Ruled notebook'])
  expect(names((await org.get('/items?sort=created_time')).items)).toEqual(['Ruled notebook', 'Plain notebook_100%', 'Delivery'])
  expect(names((await org.get('/items?item_type=SERVICE')).items)).toEqual(['Delivery'])
  expect(names((await org.get('/items?sku=NB-200')).items)).toEqual(['Ruled notebook'])
  expect(names((await org.get('/items?search=NOTEBOOK')).items)).toEqual(['Plain notebook_100%', 'Ruled notebook'])
  expect(names((await org.get('/items?search=200%20PAGES')).items)).toEqual(['Ruled notebook'])
  expect(names((await org.get(`/items?search=${encodeURIComponent('k_1%0')}`)).items)).toEqual([])
  expect(names((await org.get(`/items?search=${encodeURIComponent('_100%')}`)).items)).toEqual(['Plain notebook_100%'])
  expect(names((await org.get(`/items?modified_since=${last.created_time}`)).items)).toEqual(['Delivery'])
  expect(names(await org.listAll('/items', 'items', 1))).toEqual(['Delivery', 'Plain notebook_100%', 'Ruled notebook'])
  expect(await org.refusal('GET', '/items?item_type=THING'))
    .toEqual({ status: 400, code: 'validation.invalid_value', field: 'item_type', details: { valid: ['GOODS', 'SERVICE'] } })
})
