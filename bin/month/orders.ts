// The estimates and orders of the month, and their conversion to invoices.
import type { Schema } from '../../client/src/index.ts'
import type { Trader } from './trader.ts'

/** Creates an estimate, accepts it, and converts it to an order and an invoice in one call. */
export async function acceptEstimate(trader: Trader, body: Schema<'NewEstimate'>): Promise<void> {
  const { estimate } = await trader.bahi.post('/estimates', { body })
  trader.printEntry('Estimate', estimate.estimate_number, estimate.customer_name, estimate.total)
  const path = { estimate_id: estimate.estimate_id }
  await trader.bahi.post('/estimates/{estimate_id}/accept', { path })
  trader.printEntry('Accepted', estimate.estimate_number, estimate.customer_name, estimate.total)
  const { estimate: converted } = await trader.bahi.post('/estimates/{estimate_id}/convert', { path, body: { through: 'invoice', auto_approve: true } })
  const { sales_order } = await trader.bahi.get('/sales_orders/{sales_order_id}', { path: { sales_order_id: converted.converted_to_sales_order_id! } })
  trader.printEntry('Sales order of the estimate', sales_order.sales_order_number, sales_order.customer_name, sales_order.total)
  await tellInvoice(trader, converted.invoices.at(-1)!)
}

/** Creates an order and invoices a part of its first line; the rest stays open. */
export async function sendPart(trader: Trader, body: Schema<'NewSalesOrder'>, quantity: number): Promise<void> {
  const { sales_order } = await trader.bahi.post('/sales_orders', { body })
  const path = { sales_order_id: sales_order.sales_order_id }
  await trader.bahi.post('/sales_orders/{sales_order_id}/open', { path })
  const [line] = sales_order.line_items
  trader.printEntry(`Sales order of ${line!.quantity}`, sales_order.sales_order_number, sales_order.customer_name, sales_order.total)
  const { sales_order: sent } = await trader.bahi.post('/sales_orders/{sales_order_id}/convert', {
    path, body: { line_items: [{ line_item_id: line!.line_item_id, quantity }], auto_approve: true },
  })
  await tellInvoice(trader, sent.invoices.at(-1)!, `Invoice of ${sent.line_items[0]!.quantity_invoiced} of them`)
}

async function tellInvoice(trader: Trader, id: string, what = 'Invoice of the order'): Promise<void> {
  const { invoice } = await trader.bahi.get('/invoices/{invoice_id}', { path: { invoice_id: id } })
  trader.printEntry(what, invoice.invoice_number, invoice.customer_name, invoice.total)
}
