// Whom an organisation sells to and buys from: a contact that is only a vendor is no customer, and the reverse.
import { fault } from './faults.ts'

export type Party = 'customer' | 'vendor'

const OTHER = { customer: 'vendor', vendor: 'customer' } as const satisfies Record<Party, Party>

/** Throws validation.invalid_value where the contact that the field names is only the other of the two. */
export function refuseWrongParty(contactType: string, party: Party, field: string): void {
  const other = OTHER[party]
  if (contactType !== other.toUpperCase()) return
  throw fault('validation.invalid_value', { field, message: `This contact is a ${other}, not a ${party}.` })
}
