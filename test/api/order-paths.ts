// How an order comes to each of its states: by the calls and conversions that lead there.
import { ofPurchases, ofSales, parts, type ConversionDesk } from './conversion-desk.ts'
import type { Json } from './organization.ts'

const MOVES: Record<string, string[]> = { OPEN: ['open'], CLOSED: ['open', 'close'], CANCELLED: ['cancel'] }

/** Brings a draft to the status; answers the order as it then is. */
export async function bring(context: ConversionDesk, draft: Json, status: string): Promise<Json> {
  const isSale = 'sales_order_id' in draft
  const path = isSale ? `/sales_orders/${draft.sales_order_id}` : `/purchase_orders/${draft.purchase_order_id}`
  for (const move of MOVES[status] ?? []) await context.send('POST', `${path}/${move}`)
  const wanted = isSale ? ofSales(draft) : ofPurchases(draft)
  if (status === 'PARTIALLY_INVOICED') await context.convert({ ...wanted, line_items: parts(draft, 0.5) })
  if (status === 'INVOICED' || status === 'BILLED') await context.convert(wanted)
  const order = (await context.get(path))[isSale ? 'sales_order' : 'purchase_order']
  if (order.status !== status) throw new Error(`${path} is ${order.status}, not ${status}`)
  return order
}
