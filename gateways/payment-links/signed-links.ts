// Payment links of a base URL: what is to be paid stands in the link, signed, so that the payment page can trust it.
import { createHmac, hkdfSync } from 'node:crypto'
import { toDecimalText } from '../../domain/money.ts'
import type { PayableInvoice, PaymentLinks } from './payment-links.ts'

export interface SignedLinksSettings {
  /** The address of the payment page; it may have a query of its own. */
  baseUrl: string
  /** What the page and the service share. Null derives one from the encryption key, which only the service has. */
  secret: string | null
  encryptionKey: string
}

/**
 * Links of the form `{base}?organization_id=..&invoice_id=..&amount=1180.00&currency=INR&signature=..`. The signature is the
 * hex HMAC-SHA256 of the four parameters before it, as they stand in the link (docs/recurring.md, "Payment links").
 */
export function createSignedLinks({ baseUrl, secret, encryptionKey }: SignedLinksSettings): PaymentLinks {
  const key = secret ?? derivedSecret(encryptionKey)
  const separator = baseUrl.includes('?') ? '&' : '?'
  return {
    linkOf(invoice) {
      const signed = parametersOf(invoice)
      const signature = createHmac('sha256', key).update(signed).digest('hex')
      return `${baseUrl}${separator}${signed}&signature=${signature}`
    },
  }
}

const parametersOf = ({ orgId, invoiceId, total, currency }: PayableInvoice) =>
  new URLSearchParams({
    organization_id: orgId,
    invoice_id: invoiceId,
    amount: toDecimalText(total, currency),
    currency,
  }).toString()

// Of the first key of the ring, which encrypts what is new.
function derivedSecret(encryptionKey: string): Buffer {
  const key = Buffer.from(encryptionKey.split(',')[0]!, 'base64')
  return Buffer.from(hkdfSync('sha256', key, '', 'bahi payment links', 32))
}
