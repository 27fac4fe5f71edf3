// What a gateway of payment links does: it makes the address at which the customer of an invoice pays.
import type { Minor } from '../../domain/money.ts'

/** An invoice as far as a payment link goes. */
export interface PayableInvoice {
  orgId: string
  invoiceId: string
  /** What is to be paid, in minor units of the currency. */
  total: Minor
  currency: string
}

export interface PaymentLinks {
  /**
   * The link of an invoice: always the same for the same invoice. It is made within the transaction that creates the
   * invoice, so it must not ask another service; a provider's checkout begins when the customer opens the link.
   */
  linkOf(invoice: PayableInvoice): string
}
