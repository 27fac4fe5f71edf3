// What payment tests trade in: an organisation with a customer and a vendor, money, and documents to settle with it.
import { openMill, type Mill } from './mill.ts'
import type { Json } from './organization.ts'
import type { Service } from './service.ts'

export interface Till extends Mill {
  /** The body of a receipt of 100.00 of the customer. */
  incoming(changes?: Json): Json
  /** The body of a payment of 100.00 to the vendor. */
  outgoing(changes?: Json): Json
  /** Records a payment, as it is answered. */
  paid(body: Json): Promise<Json>
  /** How such a payment is refused. */
  refusedPayment(body: Json): Promise<Json>
  /** An approved invoice of 100.00, and an approved bill. */
  sent(changes?: Json): Promise<Json>
  opened(changes?: Json): Promise<Json>
  invoiceNow(id: string): Promise<Json>
  paymentNow(id: string): Promise<Json>
}

export async function openTill(service: Service, told: Record<string, unknown> = {}): Promise<Till> {
  const mill = await openMill(service, told)
  const { get, send, refusal, customerId, vendorId } = mill
  return {
    ...mill,
    incoming: (changes = {}) => ({ flow: 'INCOMING', contact_id: customerId, date: '2026-11-10', amount: 100, ...changes }),
    outgoing: (changes = {}) => ({ flow: 'OUTGOING', contact_id: vendorId, date: '2026-11-10', amount: 100, ...changes }),
    paid: async (body) => (await send('POST', '/payments', body)).payment,
    refusedPayment: (body) => refusal('POST', '/payments', body),
    sent: (changes = {}) => mill.invoice({ auto_approve: true, ...changes }),
    opened: (changes = {}) => mill.bill({ auto_approve: true, ...changes }),
    invoiceNow: async (id) => (await get(`/invoices/${id}`)).invoice,
    paymentNow: async (id) => (await get(`/payments/${id}`)).payment,
  }
}

/** What money has made of an invoice or bill. */
export const standing = ({ status, payment_made, balance }: Json) => [status, payment_made, balance]
