// Cost centers: the tags of everything that has tags, and the lists that are asked for one of them.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { startService, type Service } from '../fixtures/service.ts'

let service: Service
let ours: TestOrganization
let tags: string[]
let foreign: string
beforeAll(async () => {
  service = await startService()
  ours = await openOrganization(service)
  tags = [await costCenter(ours.orgId, 'SHOP'), await costCenter(ours.orgId, 'MILL')]
  foreign = await costCenter((await openOrganization(service)).orgId, 'SHOP')
})
afterAll(() => service.close())

async function costCenter(orgId: string, code: string): Promise<string> {
  const [row] = await service.sql<{ id: string }>(
    'INSERT INTO cost_centers (org_id, id, code, name, is_active) VALUES ($1, gen_random_uuid(), $2::text, $2::text, true) RETURNING id', orgId, code)
  return row!.id
}

const date = '2026-11-10'
const lines = [line()]
const money = () => ({ account_id: ours.accounts.Rent, paid_through_account_id: ours.accounts['Bank Account'] })
// The list, the key of one, and what a new one says besides its tags.
const KINDS: [string, string, () => Json][] = [
  ['invoices', 'invoice', () => ({ customer_id: ours.customerId, date, place_of_supply: 'IN-KA', line_items: lines })],
  ['bills', 'bill', () => ({ vendor_id: ours.vendorId, date, place_of_supply: 'IN-KA', reference_number: randomUUID(), line_items: lines })],
  ['estimates', 'estimate', () => ({ customer_id: ours.customerId, line_items: lines })],
  ['sales_orders', 'sales_order', () => ({ customer_id: ours.customerId, line_items: lines })],
  ['purchase_orders', 'purchase_order', () => ({ vendor_id: ours.vendorId, line_items: lines })],
  ['credit_notes', 'credit_note', () => ({ customer_id: ours.customerId, date, line_items: lines })],
  ['debit_notes', 'debit_note', () => ({ vendor_id: ours.vendorId, date, line_items: lines })],
  ['payments', 'payment', () => ({ flow: 'INCOMING', contact_id: ours.customerId, date, amount: 10 })],
  ['expenses', 'expense', () => ({ ...money(), date, amount: 10 })],
  ['journals', 'journal', () => ({
    date, lines: [{ account_id: money().account_id, debit: 5 }, { account_id: money().paid_through_account_id, credit: 5 }],
  })],
]

describe.each(KINDS)('%s', (list, one, body) => {
  const made = async (wanted: unknown) => (await ours.send('POST', `/${list}`, { ...body(), tags: wanted }))[one]
  const idOf = (row: Json) => row[`${one}_id`]
  const listed = async (query: string) => (await ours.get(`/${list}?${query}`))[list].map(idOf)

  test('keep their tags, and are found by each', async () => {
    const [none, shop, both] = [await made(null), await made([tags[0]]), await made([tags[1], tags[0]!.toUpperCase(), tags[1]])]
    expect([none.tags, shop.tags, both.tags]).toEqual([[], [tags[0]], [tags[1], tags[0]]])
    expect((await ours.get(`/${list}/${idOf(both)}`))[one].tags).toEqual([tags[1], tags[0]])
    expect(await listed(`tag=${tags[0]}`)).toEqual([idOf(both), idOf(shop)])
    expect(await listed(`tag=${tags[1]!.toUpperCase()}`)).toEqual([idOf(both)])
    for (const unknown of [randomUUID(), foreign, 'SHOP', '']) expect(await listed(`tag=${unknown}`)).toEqual([])
    const first = await ours.get(`/${list}?tag=${tags[0]}&per_page=1`)
    expect(await listed(`tag=${tags[0]}&per_page=1&cursor=${encodeURIComponent(first.page_context.next_cursor)}`)).toEqual([idOf(shop)])
  })

  test('refuse a cost center that is not there', async () => {
    for (const unknown of [randomUUID(), foreign, 'SHOP']) {
      expect(await ours.refusal('POST', `/${list}`, { ...body(), tags: [tags[0], unknown] })).toEqual({ status: 404, code: 'not_found.resource', field: 'tags' })
    }
  })
})

test('tags of payments and expenses change, and post nothing again', async () => {
  for (const [list, one] of [['payments', 'payment'], ['expenses', 'expense']] as const) {
    const body = KINDS.find(([name]) => name === list)![2]
    const made = (await ours.send('POST', `/${list}`, { ...body(), tags: [tags[0]] }))[one]
    const path = `/${list}/${made[`${one}_id`]}`
    const put = async (changes: Json) => (await ours.send('PUT', path, changes))[one].tags
    expect([await put({ reference_number: 'R' }), await put({ tags: [tags[1]] }), await put({ tags: null })]).toEqual([[tags[0]], [tags[1]], []])
    expect(await ours.refusal('PUT', path, { tags: [foreign] })).toEqual({ status: 404, code: 'not_found.resource', field: 'tags' })
    const { activity: [latest] } = await ours.get(`${path}/activity`)
    expect(latest.changes).toEqual({ tags: { old: [tags[1]], new: [] } })
    expect(await ours.ledger(made[`${one}_id`])).toHaveLength(1)
  }
})
