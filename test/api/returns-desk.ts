// What note tests trade in: an organisation that gives and takes credit, and what became of it.
import { line } from './fixtures.ts'
import type { Json } from './organization.ts'
import type { Service } from './service.ts'
import { openTill, type Till } from './till.ts'

export interface ReturnsDesk extends Till {
  /** The body of a credit note of 100.00 to the customer. */
  creditBody(changes?: Json): Json
  /** Such a note, as it is answered. */
  credit(changes?: Json): Promise<Json>
  refusedCredit(changes: Json): Promise<Json>
  /** A credit of 100.00 that the vendor gives. */
  vendorCredit(changes?: Json): Promise<Json>
  /** A debit note of 100.00 to the vendor, as it is answered. */
  debit(changes?: Json): Promise<Json>
  refusedDebit(changes: Json): Promise<Json>
  creditNow(id: string): Promise<Json>
  billNow(id: string): Promise<Json>
  /** Applies so much of a note to an invoice or a bill: what is answered, or how it is refused. */
  apply(noteId: string, to: { invoice_id: string } | { bill_id: string }, amount: number): Promise<Json>
  refusedApply(noteId: string, to: { invoice_id: string } | { bill_id: string }, amount: number): Promise<Json>
}

export async function openReturnsDesk(service: Service, told: Record<string, unknown> = {}): Promise<ReturnsDesk> {
  const till = await openTill(service, told)
  const { get, send, refusal, customerId, vendorId } = till
  const creditBody = (changes: Json = {}) => ({ customer_id: customerId, date: '2026-11-12', line_items: [line()], ...changes })
  const debitBody = (changes: Json = {}) => ({ vendor_id: vendorId, date: '2026-11-12', line_items: [line()], ...changes })
  const pathOf = (noteId: string, to: object) => `/credit_notes/${noteId}/apply-to-${'invoice_id' in to ? 'invoice' : 'bill'}`
  return {
    ...till,
    creditBody,
    credit: async (changes) => (await send('POST', '/credit_notes', creditBody(changes))).credit_note,
    refusedCredit: (changes) => refusal('POST', '/credit_notes', creditBody(changes)),
    vendorCredit: async (changes) => (await send('POST', '/credit_notes', creditBody({ customer_id: vendorId, ...changes }))).credit_note,
    debit: async (changes) => (await send('POST', '/debit_notes', debitBody(changes))).debit_note,
    refusedDebit: (changes) => refusal('POST', '/debit_notes', debitBody(changes)),
    creditNow: async (id) => (await get(`/credit_notes/${id}`)).credit_note,
    billNow: async (id) => (await get(`/bills/${id}`)).bill,
    apply: (noteId, to, amount) => send('POST', pathOf(noteId, to), { ...to, amount }),
    refusedApply: (noteId, to, amount) => refusal('POST', pathOf(noteId, to), { ...to, amount }),
  }
}

/** What has become of a credit. */
export const creditOf = ({ status, applied_amount, balance_amount }: Json) => [status, applied_amount, balance_amount]
