// The ways that a conversion can go, to be recorded: whole, through the order to the invoice, refused.
import { openEngine } from '../../gateways/temporal/engine.ts'
import { acceptedEstimate, convert, openOrder } from '../api/orders.ts'
import { startService } from '../api/service.ts'
import { openShop, purchaseOrderBody } from '../api/wares.ts'
import type { Save } from './record.ts'

export async function recordConversions(save: Save): Promise<void> {
  const service = await startService()
  const shop = await openShop(await service.organization())
  await service.startWorker()
  const engine = openEngine({ address: service.env.TEMPORAL_ADDRESS!, namespace: 'default', queueSuffix: service.env.TEMPORAL_QUEUE_SUFFIX! })

  const order = await openOrder(shop, 3)
  await convert(shop, 'sales_orders', order.sales_order_id)
  await save(engine, `convert/SALES_ORDER/${order.sales_order_id}`, 'conversion-whole')

  const estimate = await acceptedEstimate(shop)
  await convert(shop, 'estimates', estimate.estimate_id, { through: 'invoice', auto_approve: true })
  await save(engine, `convert/ESTIMATE/${estimate.estimate_id}`, 'conversion-through-invoice')

  // The second bill of a vendor, day and total needs a reference of its own.
  for (const name of ['', 'conversion-refused']) {
    const { body } = await shop.client.post('/purchase_orders', purchaseOrderBody(shop))
    const id = body.purchase_order.purchase_order_id
    await convert(shop, 'purchase_orders', id, { auto_approve: true })
    if (name) await save(engine, `convert/PURCHASE_ORDER/${id}`, name)
  }
  await engine.close()
  await service.close()
}
