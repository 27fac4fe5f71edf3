// Checks that a contact may be sold to, or bought from: one that is only a vendor is not a customer, and the reverse.
import { fault } from './faults.ts'

export type Party = 'customer' | 'vendor'

const OTHER = { customer: 'vendor', vendor: 'customer' } as const satisfies Record<Party, Party>

/** Throws validation.invalid_value, with the field, where the contact is only the other kind of party. */
export function refuseWrongParty(contactType: string, party: Party, field: string): void {
  const other = OTHER[party]
  if (contactType !== other.toUpperCase()) return
  throw fault('validation.invalid_value', { field, message: `This contact is a ${other}, not a ${party}.` })
}
