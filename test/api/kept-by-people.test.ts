// Branches, cost centers and exchange rates that people open, change and close; what is closed takes no new documents.
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import type { Json } from '../fixtures/client.ts'
import { billBody, invoiceBody, receiptBody, salesOrderBody } from '../fixtures/bodies.ts'
import { openOrganizationWithItem } from '../fixtures/organization.ts'
import { personWith, type Person } from '../fixtures/persons.ts'
import { codeOf } from '../fixtures/sign-ins.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
let org: Awaited<ReturnType<typeof openOrganizationWithItem>>
let owner: Person
let accountant: Person
let stranger: Person
beforeAll(async () => {
  org = await openOrganizationWithItem(service)
  ;[owner, accountant] = [await personWith(service, org.orgId, 'OWNER'), await personWith(service, org.orgId, 'ACCOUNTANT')]
  stranger = await personWith(service, (await service.organization()).orgId, 'OWNER')
})

const NOT_FOUND = [404, 'not_found.resource']
const TAKEN = [409, 'validation.duplicate_resource']
const CLOSED = (field: string) => ({ status: 400, code: 'validation.invalid_value', field })
const invoice = (more: Json = {}): Json => invoiceBody(org, { date: '2026-06-10', ...more })
const sent = async (person: Person, method: string, path: string, body?: Json): Promise<Json> => {
  const answer = await person.call(method, path, body === undefined ? {} : { body })
  if (answer.status >= 300) throw new Error(answer.text)
  return answer.body
}
const actionsOf = async (id: string) => (await service.sql<Json>(
  'SELECT a.action, u.email FROM activity AS a JOIN users AS u ON u.org_id = a.org_id AND u.id = a.actor_user_id WHERE a.entity_id = $1 ORDER BY a.occurred_at, a.id', id))
  .map(({ action, email }) => [action, email])

test('a branch is opened with series of its own, takes documents, and after its closing keeps those it has', async () => {
  const { branch } = await sent(owner, 'POST', '/branches', { code: 'blr', name: ' Bengaluru ', state: 'Karnataka', address: { city: 'Bengaluru' } })
  expect(branch).toMatchObject({ code: 'BLR', name: 'Bengaluru', state: 'IN-KA', gstin: null, is_default: false, is_active: true, invoice_prefix: 'BLR-', bill_prefix: 'BILL-BLR-' })
  expect((await org.get(`/branches/${branch.branch_id}`)).branch).toEqual(branch)
  const { invoice: draft } = await org.send('POST', '/invoices', invoice({ branch_id: branch.branch_id, auto_approve: false }))
  expect(draft.invoice_number).toMatch(/^BLR-2026-27-001$/)
  expect((await sent(owner, 'POST', `/branches/${branch.branch_id}/close`)).branch.is_active).toBe(false)
  expect((await sent(owner, 'POST', `/branches/${branch.branch_id}/close`)).branch.is_active).toBe(false)
  expect(await org.refusal('POST', '/invoices', invoice({ branch_id: branch.branch_id }))).toMatchObject(CLOSED('branch_id'))
  await org.send('PUT', `/invoices/${draft.invoice_id}`, { notes: 'Kept' })
  await org.send('POST', `/invoices/${draft.invoice_id}/approve`)
  expect((await org.get('/branches')).branches.map(({ code }: Json) => code)).toEqual(['HO'])
  expect(await actionsOf(branch.branch_id)).toEqual([['BRANCH_CREATED', owner.email], ['BRANCH_CLOSED', owner.email]])
  expect(codeOf(await owner.call('POST', '/branches', { body: { code: 'Blr', name: 'Again', state: 'IN-KA' } }))).toEqual(TAKEN)
  for (const id of [branch.branch_id, randomUUID(), 'x']) expect(codeOf(await stranger.call('POST', `/branches/${id}/close`))).toEqual(NOT_FOUND)
  const [first] = (await org.get('/branches')).branches
  expect(codeOf(await owner.call('POST', `/branches/${first.branch_id}/close`))).toEqual([409, 'conflict.invalid_state'])
})

test.each<[Json, number, string]>([
  [{ code: 'X', name: 'X' }, 400, 'state'],
  [{ code: 'X', name: 'X', state: 'Atlantis' }, 400, 'state_code'],
  [{ code: 'X', name: 'X', gstin: '29AABCT1332L1ZX' }, 400, 'gstin'],
  [{ code: 'X Y', name: 'X', state: 'IN-KA' }, 422, 'code'],
  [{ name: 'X', state: 'IN-KA' }, 422, 'code'],
])('the branch %j is refused', async (body, status, field) => {
  const answer = await owner.call('POST', '/branches', { body })
  expect([answer.status, answer.body.field ?? answer.body.errors[0].field]).toEqual([status, field])
})

test('a cost center is opened, renamed and closed by an accountant; closed it stays in what has it', async () => {
  const { cost_center: made } = await sent(accountant, 'POST', '/cost_centers', { code: ' SHOP ', name: 'Shop' })
  expect(made).toMatchObject({ code: 'SHOP', name: 'Shop', is_active: true })
  const tags = [made.cost_center_id]
  expect((await sent(accountant, 'PUT', `/cost_centers/${tags[0]}`, { name: 'Shop floor' })).cost_center).toEqual({ ...made, name: 'Shop floor' })
  const { invoice: draft } = await org.send('POST', '/invoices', invoice({ tags, auto_approve: false }))
  const { sales_order: order } = await org.send('POST', '/sales_orders', salesOrderBody(org, { tags }))
  expect((await sent(accountant, 'POST', `/cost_centers/${tags[0]}/close`)).cost_center.is_active).toBe(false)
  expect((await org.get('/cost_centers')).cost_centers).toEqual([])
  const bodies: [string, Json][] = [
    ['/invoices', invoice({ tags })],
    ['/bills', billBody(org, { tags })],
    ['/payments', receiptBody(org, { tags })],
  ]
  for (const [path, body] of bodies) expect(await org.refusal('POST', path, body)).toMatchObject(CLOSED('tags'))
  await org.send('PUT', `/invoices/${draft.invoice_id}`, { notes: 'Kept' })
  const repriced = await org.send('PUT', `/sales_orders/${order.sales_order_id}`, { line_items: [{ item_id: org.itemId, quantity: 3 }] })
  expect(repriced.sales_order.tags).toEqual(tags)
  expect((await org.get(`/invoices/${draft.invoice_id}`)).invoice.tags).toEqual(tags)
  expect((await actionsOf(tags[0])).map(([action]) => action)).toEqual(['COST_CENTER_CREATED', 'COST_CENTER_UPDATED', 'COST_CENTER_CLOSED'])
  const two = await Promise.all([1, 2].map(() => accountant.call('POST', '/cost_centers', { body: { code: 'TWICE', name: 'T' } })))
  expect(two.map(({ status }) => status).sort()).toEqual([201, 409])
  for (const id of [tags[0], randomUUID(), 'x']) {
    expect(codeOf(await stranger.call('PUT', `/cost_centers/${id}`, { body: { name: 'Theirs' } }))).toEqual(NOT_FOUND)
    expect(codeOf(await stranger.call('POST', `/cost_centers/${id}/close`))).toEqual(NOT_FOUND)
  }
})

test('a day and pair have one rate, also when two record it at once, and documents keep theirs', async () => {
  const set = (rate: number, more: Json = {}) => accountant.call('PUT', '/exchange_rates', { body: { from_currency: 'USD', to_currency: 'INR', rate, rate_date: '2026-06-01', ...more } })
  expect((await set(83.25)).body.exchange_rate).toMatchObject({ from_currency: 'USD', to_currency: 'INR', rate: 83.25, rate_date: '2026-06-01', source: 'MANUAL' })
  const { invoice: before } = await org.send('POST', '/invoices', invoice({ currency_code: 'USD' }))
  expect(before.exchange_rate).toBe(83.25)
  const answers = await Promise.all([set(84), set(85), set(86)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  const { exchange_rates: rates } = await org.get('/exchange_rates?from_currency=USD')
  expect(rates.length).toBe(1)
  expect((await org.send('POST', '/invoices', invoice({ currency_code: 'USD' }))).invoice.exchange_rate).toBe(rates[0].rate)
  expect((await org.get(`/invoices/${before.invoice_id}`)).invoice.exchange_rate).toBe(83.25)
  expect((await actionsOf(rates[0].exchange_rate_id)).map(([action]) => action)).toEqual(Array(4).fill('EXCHANGE_RATE_SET'))
  expect((await set(87, { rate_date: null })).body.exchange_rate.rate_date).not.toBe('2026-06-01')
})

test.each<[Json, number, string]>([
  [{ from_currency: 'ZZZ' }, 400, 'from_currency'],
  [{ from_currency: 'INR' }, 400, 'to_currency'],
  [{ rate: 0 }, 422, 'rate'],
  [{ rate_date: 'today' }, 422, 'rate_date'],
])('the rate %j is refused', async (body, status, field) => {
  const answer = await accountant.call('PUT', '/exchange_rates', { body: { from_currency: 'USD', to_currency: 'INR', rate: 80, ...body } })
  expect([answer.status, answer.body.field ?? answer.body.errors[0].field]).toEqual([status, field])
})
