// The last step of the demonstration: an invoice is mailed, and shown in the mailbox of the local run.
import type { Trader } from './trader.ts'

/** Mails the newest invoice with its PDF. Prints where it can be read; `mailboxUrl` is null where mail goes to a provider. */
export async function mailInvoice(trader: Trader, mailboxUrl: string | null): Promise<void> {
  const { invoices } = await trader.bahi.get('/invoices', { query: { per_page: 1 } })
  const invoice = invoices[0]!
  const { delivery } = await trader.bahi.post('/invoices/{invoice_id}/email', {
    path: { invoice_id: invoice.invoice_id }, body: { to: ['accounts@devaraja.example'] },
  })
  const pdf = delivery.pdf_filename === null ? '' : ` with ${delivery.pdf_filename} (${Math.ceil((delivery.pdf_size ?? 0) / 1024)} KB)`
  trader.print(`\nA mail: "${delivery.subject}" to ${delivery.to.join(', ')}${pdf}`)
  if (mailboxUrl) trader.print(`Read it in the mailbox:\n  ${mailboxUrl}/messages/${delivery.message_id}/page`)
}
