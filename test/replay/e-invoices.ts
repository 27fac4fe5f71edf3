// The ways that an e-invoice can go, to be recorded: registered, cancelled, refused.
import { openEngine } from '../../gateways/temporal/engine.ts'
import { eInvoiceBody, eInvoiceOf, eInvoiceStarter, openEInvoicingOrganization } from '../fixtures/e-invoices.ts'
import { startService } from '../fixtures/service.ts'
import type { Save } from './record.ts'

export async function recordEInvoices(save: Save): Promise<void> {
  const service = await startService()
  const org = await openEInvoicingOrganization(service)
  await service.startWorker()
  const starter = eInvoiceStarter(service)
  const engine = openEngine({ address: service.env.TEMPORAL_ADDRESS!, namespace: 'default', queueSuffix: service.env.TEMPORAL_QUEUE_SUFFIX!, encryptionKey: service.env.ENCRYPTION_KEY! })
  const settled = async (id: string, status: string) => {
    await starter.start()
    await eInvoiceOf(() => org.getInvoice(id), status)
  }

  const { invoice: { invoice_id: id } } = await org.send('POST', '/invoices', eInvoiceBody(org))
  await settled(id, 'GENERATED')
  await save(engine, `e-invoice/${id}`, 'e-invoice-registered')
  await org.send('POST', `/invoices/${id}/void`, {})
  await settled(id, 'CANCELLED')
  await save(engine, `e-invoice/${id}`, 'e-invoice-cancelled')

  // Without a code of its goods it is refused.
  const line_items = [{ name: 'Silk', quantity: 1, rate: 100, tax_id: org.taxes['GST 18%'] }]
  const { invoice: refused } = await org.send('POST', '/invoices', eInvoiceBody(org, { line_items }))
  await settled(refused.invoice_id, 'FAILED')
  await save(engine, `e-invoice/${refused.invoice_id}`, 'e-invoice-refused')

  await engine.close()
  await starter.close()
  await service.close()
}
