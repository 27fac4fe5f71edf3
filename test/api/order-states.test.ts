// The states of orders: which calls each allows, what they change, and what they leave; and many of them at once.
import { describe, expect, test } from '@jest/globals'
import { MOVES, STATUSES } from '../../domain/lifecycle.ts'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { inStatus } from '../fixtures/orders.ts'
import { midnight, openOrganization, type TestOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)
const theirs = await openOrganization(service)

interface Kind {
  entity: 'SALES_ORDER' | 'PURCHASE_ORDER'
  path: '/sales_orders' | '/purchase_orders'
  key: 'sales_order' | 'purchase_order'
  /** The calls of its moves, and its name of the day on which goods are looked for. */
  moves: string[]
  day: string
  contact: string
  make(book: TestOrganization, changes?: Record<string, unknown>): Promise<Json>
}
const SALES: Kind = {
  entity: 'SALES_ORDER', path: '/sales_orders', key: 'sales_order', moves: ['open', 'close', 'cancel'], day: 'shipment_date',
  contact: 'customer_id', make: (book, changes) => book.salesOrder(changes),
}
const PURCHASES: Kind = {
  entity: 'PURCHASE_ORDER', path: '/purchase_orders', key: 'purchase_order', moves: ['open', 'cancel'], day: 'expected_date',
  contact: 'vendor_id', make: (book, changes) => book.purchaseOrder(changes),
}

const at = ({ path, key }: Kind, order: Json) => `${path}/${order[`${key}_id`]}`

describe.each([SALES, PURCHASES].map((kind) => [kind.path, kind] as const))('%s', (_path, kind) => {
  const moves = MOVES[kind.entity] as Record<string, { from: readonly string[]; to: string | null }>
  const rows = STATUSES[kind.entity].flatMap((status) => kind.moves.map((verb) => [status, verb, moves[verb]!] as const))

  test.each(rows)('%s, and %s', async (status, verb, { from, to }) => {
    const before = await inStatus(ours, await kind.make(ours), status)
    if (from.includes(status)) {
      const { message, [kind.key]: after } = await ours.send('POST', `${at(kind, before)}/${verb}`, { reason: 'So agreed' })
      expect(message).toMatch(/^(Sales|Purchase) order (opened|closed|cancelled)\.$/)
      expect(after).toEqual({ ...before, status: to, last_modified_time: after.last_modified_time })
      expect((await ours.get(at(kind, before)))[kind.key]).toEqual(after)
      expect((await ours.changeLog(at(kind, before))).at(-1)).toEqual([`${kind.entity}_STATUS_CHANGED`, { status: { old: status, new: to } }])
    } else {
      expect(await ours.refusal('POST', `${at(kind, before)}/${verb}`))
        .toEqual({ status: 409, code: 'conflict.invalid_state', details: { status, allowed: [...from] } })
      expect((await ours.get(at(kind, before)))[kind.key]).toEqual(before)
    }
  })

  test.each(STATUSES[kind.entity].filter((status) => !['DRAFT', 'OPEN'].includes(status)))('%s does not change', async (status) => {
    const order = await inStatus(ours, await kind.make(ours), status)
    for (const body of [{ notes: 'No' }, { line_items: [line()] }, {}]) {
      expect(await ours.refusal('PUT', at(kind, order), body))
        .toEqual({ status: 409, code: 'conflict.invalid_state', details: { status, allowed: ['DRAFT', 'OPEN'] } })
    }
  })

  test('OPEN changes in dates, reference and notes, and in nothing else', async () => {
    const order = await kind.make(ours, { date: '2026-08-10' })
    await ours.send('POST', `${at(kind, order)}/open`)
    const { [kind.key]: after, message } = await ours.send('PUT', at(kind, order), {
      date: '2026-08-11', [kind.day]: '2026-08-20', reference_number: 'PO 9', notes: 'At the gate',
    })
    expect(message).toMatch(/order updated\.$/)
    expect(after).toEqual({
      ...order, status: 'OPEN', date: midnight('2026-08-11'), [kind.day]: midnight('2026-08-20'), reference_number: 'PO 9', notes: 'At the gate',
      last_modified_time: after.last_modified_time,
    })
    for (const [field, value] of Object.entries({
      [kind.contact]: order.branch_id, line_items: [line()], place_of_supply: null, branch_id: null, currency_code: 'USD', exchange_rate: 2, tags: ['ABC'],
    })) {
      expect(await ours.refusal('PUT', at(kind, order), { notes: 'No', [field]: value })).toEqual({ status: 400, code: 'validation.invalid_value', field })
    }
    expect(await ours.refusal('PUT', at(kind, order), { [kind.day]: '2026-08-10' })).toEqual({ status: 400, code: 'validation.invalid_value', field: kind.day })
    expect((await ours.get(at(kind, order)))[kind.key]).toEqual(after)
    const [, , [action, changes]] = await ours.changeLog(at(kind, order)) as [unknown, unknown, [string, Json]]
    expect([action, changes]).toEqual([`${kind.entity}_UPDATED`, {
      date: { old: '2026-08-10', new: '2026-08-11' }, [kind.day]: { old: null, new: '2026-08-20' },
      reference_number: { old: null, new: 'PO 9' }, notes: { old: null, new: 'At the gate' },
    }])
  })

  test("nothing is done to another organisation's order", async () => {
    const order = await kind.make(theirs)
    const calls: [string, string, unknown?][] = [['GET', ''], ['PUT', '', { notes: 'Ours' }], ['GET', '/activity'], ...kind.moves.map((verb): [string, string] => ['POST', `/${verb}`])]
    for (const [method, path, body] of calls) {
      for (const whose of [at(kind, order), `${kind.path}/none`]) {
        expect(await ours.refusal(method, whose + path, body)).toMatchObject({ status: 404 })
      }
    }
    expect((await theirs.get(at(kind, order)))[kind.key]).toEqual(order)
  })

  test('of a PUT, open and cancel at once, what is done can be done in some order', async () => {
    for (let round = 0; round < 4; round += 1) {
      const order = await kind.make(ours)
      const answers = await Promise.all([
        ...Array.from({ length: 4 }, (_, n) => ours.client.put(at(kind, order), { line_items: Array.from({ length: n + 1 }, () => line({ rate: n + 1 })) })),
        ours.client.post(`${at(kind, order)}/open`), ours.client.post(`${at(kind, order)}/cancel`),
      ])
      for (const { status } of answers) expect([200, 400, 409]).toContain(status)
      const after = (await ours.get(at(kind, order)))[kind.key]
      expect(after).toMatchObject({ status: 'CANCELLED', total: after.line_items.reduce((sum: number, each: Json) => sum + each.item_total, 0) })
      const done = answers.filter(({ status }) => status === 200).length
      expect(await ours.changeLog(at(kind, order))).toHaveLength(1 + done)
    }
  })

  test('no call waits for the database more than eight times, however many lines it has', async () => {
    const trips = async () => Number(/^bahi_database_round_trips_total (\d+)/m.exec(await (await fetch(`${service.origin}/metrics`)).text())?.[1])
    const line_items = Array.from({ length: 60 }, (_, n) => line({ rate: n, tax_id: ours.taxes['GST 18%'] }))
    const cost = async (call: () => Promise<unknown>) => {
      const before = await trips()
      await call()
      return (await trips()) - before
    }
    let order: Json
    const costs = [
      await cost(async () => { order = await kind.make(ours, { line_items }) }),
      await cost(() => ours.send('PUT', at(kind, order), { line_items: line_items.slice(1) })),
      await cost(() => ours.send('PUT', at(kind, order), { place_of_supply: 'IN-MH' })),
      await cost(() => ours.send('POST', `${at(kind, order)}/open`)),
      await cost(() => ours.get(at(kind, order))),
      await cost(() => ours.get(kind.path)),
    ]
    for (const count of costs) expect(count).toBeGreaterThan(0)
    for (const count of costs) expect(count).toBeLessThanOrEqual(8)
  })
})

test('many at once are numbered without a gap', async () => {
  const other = await openOrganization(service)
  const made = await Promise.all(Array.from({ length: 24 }, (_, n) => (n % 2 === 0 ? other.salesOrder() : other.purchaseOrder())))
  const numbers = (name: string) => made.flatMap((order) => (order[name] ? [order[name]] : [])).toSorted()
  const wanted = (prefix: string) => Array.from({ length: 12 }, (_, n) => `${prefix}-${String(n + 1).padStart(5, '0')}`)
  expect([numbers('sales_order_number'), numbers('purchase_order_number')]).toEqual([wanted('SO'), wanted('PO')])
})
