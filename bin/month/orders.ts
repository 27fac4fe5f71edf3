// The estimates and orders of the month, and their conversion to invoices.
import type { Static } from 'typebox'
import type { Estimate } from '../../api/shapes/estimate.ts'
import type { Invoice } from '../../api/shapes/invoice.ts'
import type { SalesOrder } from '../../api/shapes/sales-order.ts'
import type { Trader } from './trader.ts'

type Sold = Static<typeof SalesOrder>
type Offered = Static<typeof Estimate>

/** Creates an estimate, accepts it, and converts it to an order and an invoice in one call. */
export async function acceptEstimate(trader: Trader, body: object): Promise<void> {
  const { estimate } = await trader.post<{ estimate: Offered }>('/estimates', body)
  trader.printEntry('Estimate', estimate.estimate_number, estimate.customer_name, estimate.total)
  await trader.post(`/estimates/${estimate.estimate_id}/accept`)
  trader.printEntry('Accepted', estimate.estimate_number, estimate.customer_name, estimate.total)
  const { estimate: converted } = await trader.post<{ estimate: Offered }>(
    `/estimates/${estimate.estimate_id}/convert`, { through: 'invoice', auto_approve: true })
  const { sales_order } = await trader.get<{ sales_order: Sold }>(`/sales_orders/${converted.converted_to_sales_order_id}`)
  trader.printEntry('Sales order of the estimate', sales_order.sales_order_number, sales_order.customer_name, sales_order.total)
  await tellInvoice(trader, converted.invoices.at(-1)!)
}

/** Creates an order and invoices a part of its first line; the rest stays open. */
export async function sendPart(trader: Trader, body: object, quantity: number): Promise<void> {
  const { sales_order } = await trader.post<{ sales_order: Sold }>('/sales_orders', body)
  const path = `/sales_orders/${sales_order.sales_order_id}`
  await trader.post(`${path}/open`)
  const [line] = sales_order.line_items
  trader.printEntry(`Sales order of ${line!.quantity}`, sales_order.sales_order_number, sales_order.customer_name, sales_order.total)
  const { sales_order: sent } = await trader.post<{ sales_order: Sold }>(
    `${path}/convert`, { line_items: [{ line_item_id: line!.line_item_id, quantity }], auto_approve: true })
  await tellInvoice(trader, sent.invoices.at(-1)!, `Invoice of ${sent.line_items[0]!.quantity_invoiced} of them`)
}

async function tellInvoice(trader: Trader, id: string, what = 'Invoice of the order'): Promise<void> {
  const { invoice } = await trader.get<{ invoice: Static<typeof Invoice> }>(`/invoices/${id}`)
  trader.printEntry(what, invoice.invoice_number, invoice.customer_name, invoice.total)
}
