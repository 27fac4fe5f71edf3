// A writer that orders four pieces of a vendor and has the order billed and approved piece by piece, all parts equal.
import { expect } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { line } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { TODAY } from '../fixtures/organization.ts'
import type { LoadedOrganization } from './organization.ts'
import type { CheckedCaller, Writer } from './writers.ts'

interface Part {
  key: string
  body: Json
  answer: Json
}

const PIECES = 4

interface Order {
  path: string
  lineId: string
  parts: Part[]
}

export function billing({ vendorId, taxId }: LoadedOrganization, caller: CheckedCaller): Writer {
  const orders: Order[] = []

  async function order(): Promise<Order> {
    const { purchase_order } = await caller.post('/purchase_orders', {
      // Bills of two orders are compared, and their references tell them apart.
      vendor_id: vendorId, date: TODAY, reference_number: `Order ${orders.length}`, line_items: [line({ quantity: PIECES, tax_id: taxId })],
    })
    return { path: `/purchase_orders/${purchase_order.purchase_order_id}`, lineId: purchase_order.line_items[0].line_item_id, parts: [] }
  }

  return {
    name: 'billing',
    async round() {
      if (orders.length === 0 || orders.at(-1)!.parts.length === PIECES) orders.push(await order())
      const { path, lineId, parts } = orders.at(-1)!
      const key = randomUUID()
      const body = { auto_approve: true, line_items: [{ line_item_id: lineId, quantity: 1 }] }
      parts.push({ key, body, answer: await caller.post(`${path}/convert`, body, key) })
    },
    async check() {
      for (const each of orders) await checkOrder(caller, each)
    },
  }
}

async function checkOrder(caller: CheckedCaller, { path, parts }: Order): Promise<void> {
  const { purchase_order: order } = await caller.get(path)
  const status = parts.length === PIECES ? 'BILLED' : 'OPEN'
  expect(order).toMatchObject({ status, line_items: [{ quantity: PIECES, quantity_billed: parts.length }] })
  const made = parts.map(({ answer }) => answer.purchase_order.bills.at(-1))
  expect(order.bills).toEqual(made)
  for (const bill_id of made) {
    expect((await caller.get(`/bills/${bill_id}`)).bill).toMatchObject({ bill_id, status: 'OPEN', total: 118, line_items: [{ quantity: 1 }] })
    const [created, approved] = [await caller.countActivity('BILL', bill_id, 'CREATED'), await caller.countActivity('BILL', bill_id, 'APPROVED')]
    expect({ bill_id, created, approved }).toEqual({ bill_id, created: 1, approved: 1 })
  }
  // A repeated call gets the same answer, and nothing more is billed.
  for (const { key, body, answer } of parts) expect(await caller.post(`${path}/convert`, body, key)).toEqual(answer)
  expect((await caller.get(path)).purchase_order.bills).toEqual(made)
}
