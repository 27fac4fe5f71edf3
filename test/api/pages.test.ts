// Lists over HTTP: pages that stay exact while rows come and go, their order, and the filters of invoices.
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { addDays } from '../../domain/dates.ts'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { addContact, openOrganization, TODAY, type TestOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const partnerKeys: string[] = []

const service = await useService()
const ours = await openOrganization(service)

interface List {
  path: string
  key: string
  id: string
  /** Adds a row; answers its id. */
  add(): Promise<string>
  get(query: string): Promise<Json>
}

const contactList = (org: TestOrganization): List => ({
  path: '/contacts', key: 'contacts', id: 'contact_id', add: () => addContact(org), get: (query) => org.get(`/contacts?${query}`),
})
const invoiceList = (org: TestOrganization): List => ({
  path: '/invoices', key: 'invoices', id: 'invoice_id', add: async () => (await org.invoice()).invoice_id, get: (query) => org.get(`/invoices?${query}`),
})
const gapList = (org: TestOrganization): List => ({
  path: '/invoices/series/gaps', key: 'gaps', id: 'number', get: (query) => org.get(`/invoices/series/gaps?${query}`),
  async add() {
    const { invoice_id, invoice_number } = await org.invoice({ invoice_number: randomUUID() })
    await org.send('DELETE', `/invoices/${invoice_id}`)
    return invoice_number
  },
})
const partnerList = (partnerKey: string): List => {
  const call = async (method: string, path: string, body?: unknown) => (
    (await service.call(method, `/partner/organizations${path}`, { partnerKey, key: randomUUID(), ...(body === undefined ? {} : { body }) })).body)
  return {
    path: '/partner/organizations', key: 'organizations', id: 'org_id', get: (query) => call('GET', `?${query}`),
    add: async () => (await call('POST', '', { name: 'Rekha Foods' })).organization.org_id,
  }
}

const LISTS: [string, () => Promise<List>][] = [
  ['/contacts', async () => contactList(await emptied())], ['/invoices', async () => invoiceList(await openOrganization(service))],
  ['/invoices/series/gaps', async () => gapList(await openOrganization(service))],
  ['/partner/organizations', async () => partnerList(partnerKeys.at(partnerKeys.push(await service.newPartnerKey()) - 1)!)],
]

async function emptied(): Promise<TestOrganization> {
  const org = await openOrganization(service)
  for (const id of [org.customerId, org.vendorId]) await org.send('DELETE', `/contacts/${id}`)
  return org
}

async function added(list: List, count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) ids.push(await list.add())
  return ids
}

/** Walks the list in pages of 2; `between` is done after each page. */
async function walked(list: List, query = '', between: () => Promise<unknown> = async () => undefined): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ;) {
    const { code, message, page_context, ...rows } = await list.get(`per_page=2${query}${cursor}`)
    expect([code, message, Object.keys(rows)]).toEqual([0, 'success', [list.key]])
    ids.push(...rows[list.key].map((row: Json) => row[list.id]))
    expect(page_context).toEqual({ per_page: 2, has_more_page: page_context.next_cursor !== null, next_cursor: page_context.next_cursor })
    if (!page_context.has_more_page) return ids
    expect(rows[list.key]).toHaveLength(2)
    cursor = `&cursor=${page_context.next_cursor}`
    await between()
  }
}

describe.each(LISTS)('%s', (_path, open) => {
  test('newest first or oldest first, each row once', async () => {
    const list = await open()
    expect(await walked(list)).toEqual([])
    const ids = await added(list, 5)
    expect(await walked(list)).toEqual(ids.toReversed())
    expect(await walked(list, '&sort=-created_time')).toEqual(ids.toReversed())
    expect(await walked(list, '&sort=created_time')).toEqual(ids)
    expect((await list.get('')).page_context).toEqual({ per_page: 50, has_more_page: false, next_cursor: null })
    expect((await list.get('per_page=5')).page_context.has_more_page).toBe(false)
    expect((await list.get('modified_since=2999-01-01'))[list.key]).toEqual([])
    expect((await list.get('modified_since=2020-01-01'))[list.key]).toHaveLength(5)
  })

  test('rows added at the top are not in later pages of the walk', async () => {
    const list = await open()
    const ids = await added(list, 5)
    const late: string[] = []
    expect(await walked(list, '', async () => late.push(await list.add()))).toEqual(ids.toReversed())
    expect(late).toHaveLength(2)
    expect(await walked(list)).toEqual([...ids, ...late].toReversed())
  })
})

describe('one instant', () => {
  test.each([['contacts', contactList], ['invoices', invoiceList]] as const)('%s of the same time are ordered by their ids', async (table, listOf) => {
    const org = await emptiedOf(table)
    const list = listOf(org)
    const ids = await added(list, 7)
    await service.sql(`UPDATE ${table} SET created_time = '2026-11-01T10:00:00.123Z' WHERE org_id = $1`, org.orgId)
    expect(await walked(list)).toEqual(ids.toSorted().toReversed())
    expect(await walked(list, '&sort=created_time')).toEqual(ids.toSorted())
  })

  const emptiedOf = (table: string) => (table === 'contacts' ? emptied() : openOrganization(service))

  test('a row that is deleted does not break the walk that ended at it', async () => {
    const org = await emptied()
    const list = contactList(org)
    const ids = await added(list, 5)
    const { page_context: { next_cursor } } = await list.get('per_page=2')
    await org.send('DELETE', `/contacts/${ids[3]}`)
    expect((await list.get(`cursor=${next_cursor}`)).contacts.map((row: Json) => row.contact_id)).toEqual([ids[2], ids[1], ids[0]])
  })
})

describe('the query of a page', () => {
  test.each(['/contacts', '/invoices', '/invoices/series/gaps'])('%s takes 1 to 200 a page', async (path) => {
    for (const perPage of [1, 200]) expect((await ours.get(`${path}?per_page=${perPage}`)).page_context.per_page).toBe(perPage)
    for (const perPage of ['0', '-1', '201', '1.5', 'all', '', '1&per_page=2']) {
      expect(await ours.refusal('GET', `${path}?per_page=${perPage}`)).toMatchObject({ status: 400, code: 'validation.invalid_value', field: 'per_page' })
    }
  })

  test.each([
    'x', '', 'null', 'MjAyNg', Buffer.from(`2026-11-01T10:00:00.000Z nobody`).toString('base64url'), Buffer.from(`soon ${randomUUID()}`).toString('base64url'),
    `${Buffer.from(`2026-11-01T10:00:00.000Z ${randomUUID()}`).toString('base64url')}%3D`,
  ])('a cursor that no page gave: %j', async (cursor) => {
    expect(await ours.refusal('GET', `/invoices?cursor=${cursor}`)).toEqual({ status: 400, code: 'validation.invalid_value', field: 'cursor' })
  })

  test('modified_since is inclusive, and a change brings a row back', async () => {
    const org = await emptied()
    const [first, second] = [await addContact(org), await addContact(org)]
    const modified = async (since: string) => (await org.get(`/contacts?modified_since=${since}`)).contacts.map((row: Json) => row.contact_id)
    const { last_modified_time } = (await org.get(`/contacts/${second}`)).contact
    expect(await modified(last_modified_time)).toEqual([second])
    await org.send('PUT', `/contacts/${first}`, { phone: '1' })
    expect(await modified(last_modified_time)).toEqual([second, first])
    expect(await modified(addDays(TODAY, 1))).toEqual([])
    expect(await modified(addDays(TODAY, -1))).toEqual([second, first])
    expect(await org.refusal('GET', '/contacts?modified_since=lately')).toMatchObject({ status: 400, code: 'validation.invalid_value', field: 'modified_since' })
  })
})

describe('the filters of invoices', () => {
  let org: TestOrganization
  let other: string
  beforeAll(async () => {
    org = await openOrganization(service)
    other = await addContact(org, { contact_name: 'Noor' })
    const rows = [
      { invoice_number: 'A', date: '2026-10-31', reference_number: 'PO 1' },
      { invoice_number: 'B', date: '2026-11-01', auto_approve: true, due_date: addDays(TODAY, 400), customer_id: other },
      { invoice_number: 'C', date: '2026-11-02', auto_approve: true, reference_number: 'PO 1' },
      { invoice_number: 'D', date: '2020-01-01', auto_approve: true, line_items: [line({ rate: 0 })] },
      { invoice_number: 'E', date: '2020-01-01', auto_approve: true, due_date: '2020-01-02', customer_id: other },
    ]
    for (const row of rows) await org.invoice(row)
    await service.sql(`UPDATE invoices SET due_date = $2 WHERE org_id = $1 AND invoice_number IN ('A', 'C')`, org.orgId, addDays(TODAY, -1))
    const { invoices: [toVoid] } = await org.get('/invoices?invoice_number=E')
    await org.send('POST', `/invoices/${toVoid.invoice_id}/void`)
  })

  const listed = async (query: string) => (await org.get(`/invoices?sort=created_time&${query}`)).invoices.map((row: Json) => row.invoice_number).join('')

  test.each([
    ['', 'ABCDE'], ['status=DRAFT', 'A'], ['status=SENT', 'BCD'], ['status=CANCELLED', 'E'], ['status=PAID', ''],
    ['date_from=2026-11-01', 'BC'], ['date_to=2026-11-01', 'ABDE'], ['date_from=2026-11-01&date_to=2026-11-01', 'B'],
    ['date_from=2026-11-01T18:30:00Z', 'C'], ['date_to=2026-10-31T18:29:59Z', 'ADE'],
    ['reference_number=PO 1', 'AC'], ['reference_number=po 1', ''], ['invoice_number=B', 'B'], ['invoice_number=b', ''],
    ['overdue=true', 'C'], ['overdue=false', 'ABDE'], ['overdue=true&status=DRAFT', ''], ['overdue=false&status=SENT', 'BD'],
    ['reference_number=PO 1&status=SENT&date_from=2026-11-01&overdue=true', 'C'], ['invoice_number=A&status=SENT', ''], ['unknown=1', 'ABCDE'],
    ['modified_since=2020-01-01&status=DRAFT', 'A'],
  ])('%s: %s', async (query, numbers) => {
    expect(await listed(query)).toBe(numbers)
  })

  test('by customer, and by one who is not', async () => {
    expect(await listed(`customer_id=${other}`)).toBe('BE')
    expect(await listed(`customer_id=${other.toUpperCase()}&status=SENT`)).toBe('B')
    for (const id of [ours.customerId, randomUUID(), 'nobody', "' OR true --"]) expect(await listed(`customer_id=${encodeURIComponent(id)}`)).toBe('')
  })

  test('what is overdue says so, by days', async () => {
    const dues = async (number: string) => {
      const { invoices: [{ is_overdue, days_overdue }] } = await org.get(`/invoices?invoice_number=${number}`)
      return [is_overdue, days_overdue]
    }
    expect(await dues('C')).toEqual([true, 1])
    for (const number of ['A', 'B', 'D', 'E']) expect(await dues(number)).toEqual([false, 0])
  })

  test('a filtered walk is exact', async () => {
    const list = invoiceList(org)
    const ids = (await org.get('/invoices?status=SENT')).invoices.map((row: Json) => row.invoice_id)
    expect(await walked(list, '&status=SENT&date_to=2030-01-01')).toEqual(ids)
  })

  test.each([
    ['status=OPEN', 'status', { valid: ['DRAFT', 'SENT', 'PARTIALLY_PAID', 'PAID', 'OVERDUE', 'CANCELLED', 'CREDIT_APPLIED'] }],
    ['sort=date', 'sort', { valid: ['created_time', '-created_time'] }], ['date_from=2026-02-30', 'date_from', undefined], ['date_to=now', 'date_to', undefined],
    ['overdue=1', 'overdue', undefined], ['status=DRAFT&status=SENT', 'status', expect.anything()],
  ])('%s is refused', async (query, field, details) => {
    expect(await org.refusal('GET', `/invoices?${query}`)).toEqual({ status: 400, code: 'validation.invalid_value', field, ...(details && { details }) })
  })
})
