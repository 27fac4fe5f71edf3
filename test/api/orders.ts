// What conversions are tried on: estimates and orders as far as they can be converted, and the call that does it.
import { randomUUID } from 'node:crypto'
import type { Answered, Json } from './client.ts'
import { made, salesOrderBody, type Shop } from './wares.ts'

/** Four threads offered to the customer, who has accepted: 2,360.00. */
export async function acceptedEstimate(shop: Shop, changes: Record<string, unknown> = {}): Promise<Json> {
  const body = { customer_id: shop.customerId, line_items: [{ item_id: shop.itemId, quantity: 4 }], ...changes }
  const { estimate } = await made(shop.client.post('/estimates', body))
  return (await done(shop.client.post(`/estimates/${estimate.estimate_id}/accept`))).estimate
}

/** An open order of so many threads. */
export async function openOrder(shop: Shop, quantity: number): Promise<Json> {
  const { sales_order: order } = await made(shop.client.post('/sales_orders', salesOrderBody(shop, { line_items: [{ item_id: shop.itemId, quantity }] })))
  return (await done(shop.client.post(`/sales_orders/${order.sales_order_id}/open`))).sales_order
}

export function convert(
  { client }: Pick<Shop, 'client'>, kind: 'estimates' | 'sales_orders' | 'purchase_orders', id: string, body: unknown = {}, key: string = randomUUID(),
): Promise<Answered> {
  return client.post(`/${kind}/${id}/convert`, body, key)
}

async function done(answered: Promise<Answered>): Promise<Json> {
  const { status, body, text } = await answered
  if (status !== 200) throw new Error(`not done: ${text}`)
  return body
}
