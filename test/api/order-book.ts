// What order tests trade in: an organisation with a customer and a vendor, and the orders between them.
import { line } from './fixtures.ts'
import { openMill, type Mill } from './mill.ts'
import type { Json } from './organization.ts'
import type { Service } from './service.ts'

export interface OrderBook extends Mill {
  /** A sales order of the customer, one line of 100.00, as it is answered. */
  salesOrder(changes?: Record<string, unknown>): Promise<Json>
  /** A purchase order to the vendor, one line of 100.00, as it is answered. */
  purchaseOrder(changes?: Record<string, unknown>): Promise<Json>
  /** The activity of an order, oldest first: what was done and what it changed. */
  log(path: string): Promise<[string, Json][]>
}

export async function openOrderBook(service: Service, told: Record<string, unknown> = {}): Promise<OrderBook> {
  const mill = await openMill(service, told)
  const { customerId: customer_id, vendorId: vendor_id, send, get } = mill
  return {
    ...mill,
    salesOrder: async (changes) => (await send('POST', '/sales_orders', { customer_id, line_items: [line()], ...changes })).sales_order,
    purchaseOrder: async (changes) => (await send('POST', '/purchase_orders', { vendor_id, line_items: [line()], ...changes })).purchase_order,
    log: async (path) => (await get(`${path}/activity`)).activity.toReversed().map(({ action, changes }: Json) => [action, changes]),
  }
}

/** An instant as answers tell a date. */
export const midnight = (date: string): string => `${date}T00:00:00.000Z`

/** A second branch of the organisation, made by hand; answers its id. */
export async function branchIn(service: Service, { orgId }: OrderBook, state: string): Promise<string> {
  const [branch] = await service.sql<{ id: string }>(
    `INSERT INTO branches (org_id, id, code, name, state, is_default, is_active, invoice_prefix, bill_prefix, created_time, last_modified_time)
     VALUES ($1, gen_random_uuid(), $2::text, $2::text, $2::text, false, true, 'B-', 'P-', now(), now()) RETURNING id`, orgId, state)
  return branch!.id
}
