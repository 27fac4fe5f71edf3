// The columns of the tables of documents, as what is printed names them.
import type { ShownEInvoice } from '../../domain/e-invoice/state.ts'
import type { PrintedPayment, PrintedTrade, PrintedTradeLine } from '../../domain/print/printed-source.ts'

type Common = Omit<
  PrintedTrade,
  | 'kind'
  | 'number'
  | 'party_name'
  | 'due_date'
  | 'reason'
  | 'paid'
  | 'credited'
  | 'from_vendor'
  | 'payment_link_url'
  | 'lines'
>

/** A row of any kind that has lines; a column that the kind has not is missing. */
export interface TradeColumns extends Common {
  customer_name?: string
  vendor_name?: string
  due_date?: string
  expiry_date?: string | null
  expected_date?: string | null
  reason?: string | null
  payment_made?: bigint
  credits_applied?: bigint
  vendor_credits_applied?: bigint
  applied_amount?: bigint
  type?: 'customer' | 'vendor'
  payment_link_url?: string | null
  e_invoice?: ShownEInvoice | null
}

export interface PaymentColumns extends Omit<PrintedPayment, 'kind' | 'number' | 'party_name'> {
  contact_name: string
}

export function tradeOf(
  kind: PrintedTrade['kind'],
  row: TradeColumns,
  number: string,
  lines: PrintedTradeLine[],
): PrintedTrade {
  return {
    ...row,
    kind,
    number,
    lines,
    party_name: row.customer_name ?? row.vendor_name ?? '',
    due_date: row.due_date ?? row.expiry_date ?? row.expected_date ?? null,
    reason: row.reason ?? null,
    paid: row.payment_made ?? 0n,
    credited: row.credits_applied ?? row.vendor_credits_applied ?? row.applied_amount ?? 0n,
    from_vendor: row.type === 'vendor',
    payment_link_url: row.payment_link_url ?? null,
  }
}

export const paymentOf = (row: PaymentColumns, number: string): PrintedPayment => ({
  ...row,
  kind: 'PAYMENT',
  number,
  party_name: row.contact_name,
})
