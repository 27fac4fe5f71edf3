// What bill tests trade in: an organisation with a vendor, and the bills that the vendor sends.
import { customer, line, openStall, type Stall } from './fixtures.ts'
import type { Json } from './organization.ts'
import type { Service } from './service.ts'

export interface Mill extends Stall {
  vendorId: string
  /** A bill of the vendor in the state, with a reference of its own, as it is answered. */
  bill(changes?: Record<string, unknown>): Promise<Json>
  /** How such a bill is refused. */
  refusedBill(changes: Record<string, unknown>): Promise<Json>
  /** The journals of a bill, oldest first, as an accountant writes them. */
  billLedger(billId: string): Promise<string[]>
}

let references = 0

/** One line of 100.00, untaxed, within the state. */
export function billBody(vendorId: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  references += 1
  return {
    vendor_id: vendorId, date: '2026-11-10', place_of_supply: 'IN-KA', reference_number: `R-${references}`, line_items: [line()], ...changes,
  }
}

/** An organisation in Karnataka with the vendor Tiruppur Mills. */
export async function openMill(service: Service, told: Record<string, unknown> = {}): Promise<Mill> {
  const stall = await openStall(service, told)
  const vendorId = await customer(stall, { contact_name: 'Tiruppur Mills', contact_type: 'VENDOR' })
  return {
    ...stall,
    vendorId,
    bill: async (changes) => (await stall.send('POST', '/bills', billBody(vendorId, changes))).bill,
    refusedBill: (changes) => stall.refusal('POST', '/bills', billBody(vendorId, changes)),
    billLedger: async (billId) => (await stall.ledger(billId)).map((journal) => journal.replaceAll('(customer)', '(vendor)')),
  }
}
