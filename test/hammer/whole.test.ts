// Whole resources sent back by many callers: every PUT is done as it is sent or refused, and no change of another is lost.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { line } from '../fixtures/bodies.ts'
import type { Answered, Client, Json } from '../fixtures/client.ts'
import type { TestOrganization } from '../fixtures/organization.ts'
import { atOnce, bodyOf, openTwoServers, outcomeOf, post, shortly, whileLocked, type TwoServers } from './two-servers.ts'

let servers: TwoServers
let org: TestOrganization
let callers: Client[]
beforeAll(async () => {
  servers = await openTwoServers()
  ;({ org, callers } = await servers.org())
})
afterAll(() => servers.close())

const order = async (): Promise<Json> => (await org.send('POST', '/sales_orders', {
  customer_id: org.customerId, line_items: [line({ name: 'One' }), line({ name: 'Two' })],
})).sales_order
const idsOf = ({ line_items }: Json): string[] => line_items.map(({ line_item_id }: Json) => line_item_id)
const logOf = async (id: string): Promise<Json[]> => (await org.get(`/activity?entity_id=${id}&limit=200`)).activity

test('fifty send one draft back with a new line of their own: the last one stands, and the lines are the same ones', async () => {
  const before = await order()
  const path = `/sales_orders/${before.sales_order_id}`
  const lock = { text: 'SELECT FROM sales_orders WHERE org_id = $1 AND id = $2 FOR UPDATE', values: [org.orgId, before.sales_order_id] }
  const answers = await whileLocked(servers.service.database, lock, async (waiting) => {
    // The totals that are carried back are those of the draft before, and one after another they are no longer its own.
    const calls = Array.from({ length: 50 }, (_, place) => callers[place % 2]!.put(path, withoutTotals(before, place + 1)))
    await waiting(5)
    return calls
  })
  expect(new Set(answers.map(outcomeOf))).toEqual(new Set(['200']))
  const { sales_order: after } = await org.get(path)
  const last = answers.findIndex(({ body }) => body.sales_order.line_items[0].quantity === after.line_items[0].quantity)
  expect(after).toEqual(answers[last]!.body.sales_order)
  expect(idsOf(after)).toEqual(idsOf(before))
  expect(after.line_items.map(({ quantity }: Json) => quantity)).toEqual([last + 1, 1])
  // One of them sent the line as it was.
  expect(await logOf(before.sales_order_id)).toHaveLength(1 + changesOf(answers, before))
})

test('stale copies are refused by the field that has moved, or by the state that has', async () => {
  const drafts = await atOnce(20, order)
  const outcomes = new Set<string>()
  for (const before of drafts) {
    const path = `/sales_orders/${before.sales_order_id}`
    const copy = (place: number) => ({ ...before, line_items: [{ ...before.line_items[0], quantity: place + 2 }, before.line_items[1]] })
    const answers = await Promise.all([...Array(6).keys()].map(async (place) => {
      await shortly(15)
      return place === 5 ? post(callers, place, `${path}/open`) : callers[place % 2]!.put(path, copy(place))
    }))
    const { sales_order: after } = await org.get(path)
    const done = answers.slice(0, 5).filter(({ status }) => status === 200)
    // The first copy moves the totals, and every other is stale from then on.
    expect(done.length).toBeLessThanOrEqual(1)
    for (const answer of answers.slice(0, 5).filter(({ status }) => status !== 200)) {
      expect([outcomeOf(answer), answer.body.field]).toEqual(['400 validation.invalid_value', expect.stringMatching(/^(line_items\b|sub_total$|status$)/)])
      outcomes.add(answer.body.field)
    }
    expect(answers[5]!.status).toBe(200)
    expect(after).toMatchObject({ status: 'OPEN', total: done.length === 1 ? done[0]!.body.sales_order.total : before.total })
    expect(idsOf(after)).toEqual(idsOf(before))
    expect(await logOf(before.sales_order_id)).toHaveLength(2 + done.length)
  }
  // Had nothing raced, there were one way alone to be refused.
  expect(outcomes.size).toBeGreaterThan(1)
})

test('a draft invoice is carried back while it is approved, voided and deleted: it ends as one of them says', async () => {
  const drafts: Json[] = await atOnce(30, () => org.invoice(bodyOf(org)))
  const ends = new Set<string>()
  for (const whole of drafts) {
    const path = `/invoices/${whole.invoice_id}`
    const [carried, noted, approved, removed] = await Promise.all([
      shortly(15).then(() => callers[0]!.put(path, whole)),
      shortly(15).then(() => callers[1]!.put(path, { ...whole, notes: 'Carried back' })),
      shortly(15).then(() => post(callers, 0, `${path}/approve`)),
      shortly(15).then(() => callers[1]!.delete(path)),
    ])
    for (const answer of [carried, noted, removed]) {
      expect(['200', '400 validation.invalid_value', '404 not_found.resource', '409 conflict.invalid_state']).toContain(outcomeOf(answer!))
    }
    // The copy was read before the note, which is no fixed field: it takes the note back, or comes first.
    expect(outcomeOf(carried)).not.toBe('400 validation.invalid_value')
    expect([approved.status === 200, removed.status === 200].filter(Boolean)).toHaveLength(1)
    const read = await org.client.get(path)
    expect(read.status).toBe(removed.status === 200 ? 404 : 200)
    expect(await org.ledger(whole.invoice_id)).toHaveLength(approved.status === 200 ? 1 : 0)
    const updates = (await logOf(whole.invoice_id)).filter(({ action }) => action === 'INVOICE_UPDATED').length
    expect(updates).toBeGreaterThanOrEqual(noted.status === 200 ? 1 : 0)
    expect(updates).toBeLessThanOrEqual(noted.status === 200 ? 2 : 0)
    ends.add(`${outcomeOf(noted)}, ${approved.status === 200 ? 'approved' : 'deleted'}`)
  }
  expect(ends.size).toBeGreaterThan(1)
})

// What follows from the lines left out, as a caller does who changes them.
function withoutTotals({ sub_total: _sub, tax_total: _tax, total: _total, ...whole }: Json, quantity: number): Json {
  const [{ item_total: _item, tax_amount: _amount, ...first }, second] = whole.line_items
  return { ...whole, line_items: [{ ...first, quantity }, second] }
}

// How many of the answers changed something: all but one, unless another had told the first line otherwise before.
function changesOf(answers: Answered[], { last_modified_time }: Json): number {
  const unchanged = answers.filter(({ body }) => body.sales_order.last_modified_time === last_modified_time)
  return answers.length - unchanged.length
}

