// The ways that a mail can go, to be recorded: sent, refused, without an answer, and sent after the provider took no more.
import { openEngine } from '../../gateways/temporal/engine.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { startService } from '../fixtures/service.ts'
import type { Save } from './record.ts'

export async function recordMails(save: Save): Promise<void> {
  const service = await startService()
  const org = await openOrganization(service)
  await service.startWorker()
  const engine = openEngine({ address: service.env.TEMPORAL_ADDRESS!, namespace: 'default', queueSuffix: service.env.TEMPORAL_QUEUE_SUFFIX!, encryptionKey: service.env.ENCRYPTION_KEY! })
  const invoice = await org.sentInvoice()
  const idOf = async () => (await org.client.get(`/invoices/${invoice.invoice_id}/emails?per_page=1`)).body.emails[0].email_id as string
  for (const [name, to, attach_pdf] of [
    ['mail-sent', 'asha@example.com', false], ['mail-with-pdf', 'asha@example.com', true], ['mail-refused', 'asha@reject.test', false], ['mail-unknown', 'asha@error.test', false],
  ] as const) {
    await org.client.post(`/invoices/${invoice.invoice_id}/email`, { to: [to], attach_pdf })
    await save(engine, `email/${await idOf()}`, name)
  }
  // The provider takes no more for a while: the recipient is corrected between two tries.
  const waiting = org.client.post(`/invoices/${invoice.invoice_id}/email`, { to: ['asha@busy.test'], attach_pdf: false })
  while ((await service.sql(`SELECT 1 FROM emails WHERE state = 'READY' AND reason IS NOT NULL`)).length === 0) await new Promise((resolve) => setTimeout(resolve, 50))
  await service.sql(`UPDATE email_recipients SET address = 'asha@example.com' WHERE address = 'asha@busy.test'`)
  await waiting
  await save(engine, `email/${await idOf()}`, 'mail-sent-later')
  await engine.close()
  await service.close()
}
