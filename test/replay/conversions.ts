// The ways that a conversion can go, to be recorded: whole, through the order to the invoice, refused.
import { openEngine } from '../../gateways/temporal/engine.ts'
import { purchaseOrderBody } from '../fixtures/bodies.ts'
import { acceptedItemEstimate, openItemOrder, postConvert } from '../fixtures/orders.ts'
import { openOrganizationWithItem } from '../fixtures/organization.ts'
import { startService } from '../fixtures/service.ts'
import type { Save } from './record.ts'

export async function recordConversions(save: Save): Promise<void> {
  const service = await startService()
  const org = await openOrganizationWithItem(service)
  await service.startWorker()
  const engine = openEngine({ address: service.env.TEMPORAL_ADDRESS!, namespace: 'default', queueSuffix: service.env.TEMPORAL_QUEUE_SUFFIX!, encryptionKey: service.env.ENCRYPTION_KEY! })

  const order = await openItemOrder(org, 3)
  await postConvert(org, 'sales_orders', order.sales_order_id)
  await save(engine, `convert/SALES_ORDER/${order.sales_order_id}`, 'conversion-whole')

  const estimate = await acceptedItemEstimate(org)
  await postConvert(org, 'estimates', estimate.estimate_id, { through: 'invoice', auto_approve: true })
  await save(engine, `convert/ESTIMATE/${estimate.estimate_id}`, 'conversion-through-invoice')

  // The second bill of a vendor, day and total needs a reference of its own.
  for (const name of ['', 'conversion-refused']) {
    const { body } = await org.client.post('/purchase_orders', purchaseOrderBody(org))
    const id = body.purchase_order.purchase_order_id
    await postConvert(org, 'purchase_orders', id, { auto_approve: true })
    if (name) await save(engine, `convert/PURCHASE_ORDER/${id}`, name)
  }
  await engine.close()
  await service.close()
}
